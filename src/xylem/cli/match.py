"""`xylem match`: which subscriptions does each document match?

One JSON line a document on standard output, in the order given, rejects in their place; whatever concerns
subscriptions goes to standard error.

This module knows nothing of how documents are found in folders and archives, nor of how they are matched.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.loading import load
from xylem.cli.options import LimitOptions, Namespaces, limits_of, namespaces_of
from xylem.cli.output import json_line, print_json, readable
from xylem.cli.process import ExitCode, say
from xylem.cli.progress import Progress, watched
from xylem.cli.sources import STANDARD_INPUT, sources
from xylem.cli.subscriptions import Form
from xylem.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from xylem import Matcher, Matches
    from xylem.document import Source

EXAMPLE = """\b
Example:
  xylem match --subscriptions subscribers.tsv --ns n=urn:news inbox/ today.zip

\b
Prints one JSON line a document, in the order given:
  {"document": "inbox/a.xml", "subscriptions": ["alice", "bob"]}
  {"document": "inbox/b.xml", "error": {"reason": "…", "line": 3, "column": 7}}

\b
Exit codes: 0 fine; 2 wrong usage; 3 some documents were rejected; 4 some
subscriptions were rejected and all documents were read."""


@dataclass(slots=True)
class Tally:
    """What a run has seen so far."""

    documents: int = 0
    rejects: int = 0
    matches: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What `--stats` says of a whole run."""

    engine: str
    taken: int
    refused: int
    tally: Tally
    adding_s: float
    matching_s: float

    def as_text(self) -> str:
        speed = self.tally.bytes / 1e6 / self.matching_s if self.matching_s > 0 else 0.0
        read = self.tally.documents - self.tally.rejects
        return (
            f"engine         {self.engine}\n"
            f"subscriptions  {self.taken:,} taken, {self.refused:,} rejected, in {self.adding_s:.2f} s\n"
            f"documents      {read:,} read, {self.tally.rejects:,} rejected, in {self.matching_s:.2f} s\n"
            f"matches        {self.tally.matches:,} from {self.tally.bytes / 1e6:,.1f} MB ({speed:,.1f} MB/s)"
        )

    def as_json(self) -> str:
        facts: dict[str, object] = {
            "engine": self.engine,
            "subscriptions": {"taken": self.taken, "rejected": self.refused, "seconds": round(self.adding_s, 6)},
            "documents": {
                "read": self.tally.documents - self.tally.rejects,
                "rejected": self.tally.rejects,
                "bytes": self.tally.bytes,
                "seconds": round(self.matching_s, 6),
            },
            "matches": self.tally.matches,
        }
        return json_line({"stats": facts})


def match(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="Files, directories (walked), archives; - reads a document from standard input."
        ),
    ],
    subscriptions: Annotated[
        str,
        typer.Option(
            "--subscriptions", "-s", metavar="FILE", help="TSV, CSV or JSON Lines, by its ending; - is standard input."
        ),
    ],
    form: Annotated[
        Form | None, typer.Option("--format", help="The form of the subscription file, whatever its ending says.")
    ] = None,
    ns: Namespaces = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="The engine that matches.")] = "auto",
    strict: Annotated[
        bool, typer.Option("--strict", help="Rejects expressions that no index can wholly decide.")
    ] = False,
    record: Annotated[
        str | None, typer.Option(metavar="NAME", help="Splits each file at the elements of this name.")
    ] = None,
    limit: LimitOptions = None,
    workers: Annotated[int, typer.Option(min=1, max=256, metavar="N", help="Threads that match.")] = 1,
    stats: Annotated[bool, typer.Option("--stats", help="Sums up on standard error.")] = False,
    json: Annotated[bool, typer.Option("--json", help="What goes to standard error, too, as JSON lines.")] = False,
) -> int:
    """Finds the subscriptions that each document matches."""
    if subscriptions == STANDARD_INPUT and STANDARD_INPUT in paths:
        raise UsageError("- stands for the subscriptions and for a document, expected it once")
    from xylem import Matcher

    if watched():
        _announce_compilation()
    bound, limits = namespaces_of(ns), limits_of(limit)
    matcher = Matcher(engine=engine, namespaces=bound, limits=limits, strict=strict)
    began = time.perf_counter()
    taken, refused = load(matcher, subscriptions, form, bound, as_json=json)
    loaded = time.perf_counter()
    tally = Tally()

    for name, answer in answers(matcher, sources(paths, record, limits), workers, tally):
        print_json(line(name, answer))
    if stats:
        summary = Summary(matcher.engine_name, taken, refused, tally, loaded - began, time.perf_counter() - loaded)
        say(summary.as_json() if json else summary.as_text())
    if tally.rejects:
        return ExitCode.REJECTED_DOCUMENTS
    return ExitCode.REJECTED_SUBSCRIPTIONS if refused else ExitCode.FINE


def answers(
    matcher: Matcher, found: Iterator[Source], workers: int, tally: Tally
) -> Iterator[tuple[str, Matches | DocumentError]]:
    """The name of each document and what became of it, in order."""
    # Those that could not be read wait here for their turn behind those that are being matched.
    waiting: deque[tuple[str, DocumentError | None]] = deque()

    def readable_ones() -> Iterator[bytes]:
        for source in found:
            if isinstance(source.content, DocumentError):
                waiting.append((source.name, source.content))
            else:
                tally.bytes += len(source.content)
                waiting.append((source.name, None))
                yield source.content

    with Progress("documents") as progress:
        for answer in matcher.match_many(readable_ones(), workers=workers):
            yield from _overdue(waiting, tally)
            name, _ = waiting.popleft()
            progress.advance()
            tally.documents += 1
            if isinstance(answer, DocumentError):
                tally.rejects += 1
            else:
                tally.matches += len(answer)
            yield name, answer
        yield from _overdue(waiting, tally)


def _overdue(waiting: deque[tuple[str, DocumentError | None]], tally: Tally) -> Iterator[tuple[str, DocumentError]]:
    while waiting and (error := waiting[0][1]) is not None:
        name, _ = waiting.popleft()
        tally.documents += 1
        tally.rejects += 1
        yield name, error


def line(name: str, answer: Matches | DocumentError) -> dict[str, object]:
    """What is printed for a document."""
    if isinstance(answer, DocumentError):
        error = {"reason": answer.reason, "line": answer.line, "column": answer.column}
        return {"document": readable(name), "error": error}
    return {"document": readable(name), "subscriptions": sorted(answer)}


def _announce_compilation() -> None:
    from xylem.kernels import on_first_compile

    on_first_compile(lambda: say("xylem: compiling kernels; this happens once and takes half a minute or so …"))
