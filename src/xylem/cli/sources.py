"""The documents that a command line names, in its order, with `-` for standard input.

This module knows nothing of what is done with them; files, directories and archives are the document room's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from xylem.errors import DocumentError

if TYPE_CHECKING:
    from xylem.document import Limits, Source

STANDARD_INPUT = "-"


def sources(paths: Sequence[str], record: str | None, limits: Limits) -> Iterator[Source]:
    """Every document, or the reason why it cannot be read in its place; one at a time."""
    from xylem.document import documents

    for path in paths:
        if path == STANDARD_INPUT:
            yield from _standard_input(record, limits)
        else:
            yield from documents([path], record=record, limits=limits)


def _standard_input(record: str | None, limits: Limits) -> Iterator[Source]:
    from xylem.document import Source, stream_documents

    if sys.stdin is None:  # the command was started with `<&-`
        return iter((Source(STANDARD_INPUT, DocumentError("standard input is closed")),))
    return stream_documents(STANDARD_INPUT, sys.stdin.buffer, record=record, limits=limits)
