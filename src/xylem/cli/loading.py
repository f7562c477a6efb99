"""From a file of subscriptions to a matcher, naming on standard error whatever is refused on the way.

Invariant: every entry of the file is either in the matcher or was named as rejected; the file as a whole
is refused before anything is matched.

This module knows nothing of documents.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xylem.cli.output import json_line, readable
from xylem.cli.process import say
from xylem.cli.progress import Progress
from xylem.cli.sources import STANDARD_INPUT
from xylem.cli.subscriptions import Entry, Form, entries
from xylem.errors import SubscriptionFileError, XPathError

if TYPE_CHECKING:
    from xylem import Matcher


@dataclass(frozen=True, slots=True)
class Rejected:
    """A subscription that is refused, and why. `column` is 0 when the expression is not to blame."""

    entry: Entry
    reason: str
    column: int = 0
    construct: str = ""
    caret: str = ""


def read_file(path: str) -> bytes:
    """The content of a file, or of standard input for `-`."""
    try:
        if path == STANDARD_INPUT:
            return sys.stdin.buffer.read() if sys.stdin is not None else b""
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise SubscriptionFileError(f"cannot be read: {error.strerror or error}", path=readable(path)) from None


def load(
    matcher: Matcher, path: str, form: Form | None, namespaces: Mapping[str, str], *, as_json: bool
) -> tuple[int, int]:
    """Adds a file's subscriptions; returns how many were taken and how many were rejected, each named."""
    name = "standard input" if path == STANDARD_INPUT else readable(path)
    rejected = 0
    # All entries are read first: a file that breaks off in the middle is refused before anything is printed.
    found = list(entries(read_file(path), name, form))
    with Progress("subscriptions", len(found)) as progress:
        for refusal in add_all(matcher, found, namespaces, progress):
            rejected += 1
            say(_as_json(refusal) if as_json else _as_text(refusal, name))
    return len(found) - rejected, rejected


def add_all(
    matcher: Matcher, found: list[Entry], namespaces: Mapping[str, str], progress: Progress
) -> Iterator[Rejected]:
    """Adds subscriptions one by one; yields those that are refused."""
    first_lines: dict[str, int] = {}
    for entry in found:
        progress.advance()
        first = first_lines.setdefault(entry.id, entry.line)
        if first != entry.line:
            yield Rejected(entry, f"the id is taken: line {first} has it too, and the first one stays")
            continue
        try:
            if entry.namespaces:
                matcher.add(entry.id, entry.xpath, namespaces={**namespaces, **entry.namespaces})
            else:
                matcher.add(entry.id, entry.xpath)
        except XPathError as error:
            from xylem.xpath import caret

            del first_lines[entry.id]
            yield Rejected(entry, error.message, error.column, error.construct, caret(error))


def _as_text(refusal: Rejected, name: str) -> str:
    place = f" (column {refusal.column})" if refusal.column else ""
    head = f"{name}:{refusal.entry.line}: subscription {refusal.entry.id!r} is rejected: {refusal.reason}{place}"
    return head + "".join(f"\n    {line}" for line in refusal.caret.splitlines())


def _as_json(refusal: Rejected) -> str:
    facts: dict[str, object] = {
        "subscription": refusal.entry.id,
        "xpath": refusal.entry.xpath,
        "line": refusal.entry.line,
        "reason": refusal.reason,
    }
    if refusal.column:
        facts |= {"column": refusal.column, "construct": refusal.construct}
    return json_line(facts)
