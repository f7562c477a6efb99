"""Who received what, as a picture in the terminal.

This module knows nothing of matching.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

_RECEIVED = Text("●", style="bold green")
_NOTHING = Text("·", style="dim")
_REJECTED = Text("✗", style="red")


def deliveries(
    documents: Sequence[str],
    received: Mapping[str, Collection[int]],
    rejected: Collection[int],
) -> RenderableType:
    """A row for each subscriber, a column for each document; both are given in the order shown."""
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("", style="bold", no_wrap=True)
    for number in range(1, len(documents) + 1):
        table.add_column(str(number), justify="center", no_wrap=True)
    table.add_column("received", justify="right", no_wrap=True)
    for subscriber, numbers in received.items():
        cells = [_cell(number, numbers, rejected) for number in range(len(documents))]
        table.add_row(subscriber, *cells, str(len(numbers)))
    return table


def _cell(number: int, received: Collection[int], rejected: Collection[int]) -> Text:
    if number in rejected:
        return _REJECTED
    return _RECEIVED if number in received else _NOTHING
