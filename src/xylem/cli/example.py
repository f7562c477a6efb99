"""The example that the demo plays: a small news desk with its stories, its schema, its subscribers.

The files are package data, so that an installed command has them too; `examples/newsdesk` in a checkout is
the same folder.

This module knows nothing of matching.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xylem.cli.subscriptions import Entry, entries

FOLDER = Path(__file__).parent / "newsdesk"
NAMESPACES = {"market": "urn:newsdesk:market"}


@dataclass(frozen=True, slots=True)
class Newsdesk:
    """The stories by name, in order, and the subscriptions."""

    stories: dict[str, bytes]
    subscriptions: tuple[Entry, ...]


def newsdesk() -> Newsdesk:
    """Reads the example."""
    stories = {path.name: path.read_bytes() for path in sorted((FOLDER / "documents").glob("*.xml"))}
    file = FOLDER / "subscribers.tsv"
    return Newsdesk(stories, tuple(entries(file.read_bytes(), file.name)))
