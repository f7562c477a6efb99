"""`xylem schema`: what a schema, or a heap of documents, makes possible; as text, as JSON, as a picture, as a DTD.

This module knows nothing of how schemas are read or inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from xylem.cli.collecting import write_whole
from xylem.cli.options import LimitOptions, limits_of
from xylem.cli.output import print_json, print_line, readable
from xylem.cli.process import ExitCode, say
from xylem.cli.schemas import SchemaForm, form_of, schema_at, schema_errors
from xylem.cli.sources import sources
from xylem.errors import DocumentError

if TYPE_CHECKING:
    from xylem.document import Limits, Source
    from xylem.schema import Schema
    from xylem.schema.paths import PathAutomaton
    from xylem.schema.possible import Impossible
    from xylem.schema.summary import Summary

EXAMPLE = """\b
Example:
  xylem schema news.dtd --svg news.svg
  xylem schema inbox/ --write-dtd inbox.dtd

\b
Exit codes: 0 fine; 1 with --check, a document has a path that the schema does
not allow; 2 wrong usage, or a schema that cannot be used; 3 some documents
were rejected."""

_MAX_NAMES = 12  # in one line of the summary


def schema(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH", help="A .dtd or an .xsd; or documents to infer a schema from: files, directories, archives."
        ),
    ],
    form: Annotated[SchemaForm | None, typer.Option("--as", help="What the paths are, whatever their endings.")] = None,
    root: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="What documents start with; may be repeated.")
    ] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Draws the element graph there.")] = None,
    write_dtd: Annotated[Path | None, typer.Option(metavar="FILE", help="Writes the schema there as a DTD.")] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Says of these documents where their first impossible path is."),
    ] = None,
    elements: Annotated[bool, typer.Option("--elements", help="Lists the elements, too.")] = False,
    max_depth: Annotated[int, typer.Option(min=1, max=1000, metavar="L", help="How deep paths are counted.")] = 10,
    record: Annotated[
        str | None, typer.Option(metavar="NAME", help="Splits each document at the elements of this name.")
    ] = None,
    limit: LimitOptions = None,
    json: Annotated[
        bool, typer.Option("--json", help="Says it all as one JSON object, or one for each --check.")
    ] = False,
) -> int:
    """Shows what a schema makes possible, or infers one from documents."""
    from xylem.schema.drawing import svg as drawn
    from xylem.schema.dtd_text import dtd_text
    from xylem.schema.summary import Summary

    limits = limits_of(limit)
    known = schema_at(paths, form, record, limits)
    if root:
        known = known.with_roots(*root)
    with schema_errors():
        summary = Summary.of(known, max_depth)
    if svg is not None:
        write_whole(svg, iter((drawn(known).encode(),)))
    if write_dtd is not None:
        write_whole(write_dtd, iter((dtd_text(known).encode(),)))
    if check:
        return _check(summary.paths, check, record, limits, json)
    if json:
        print_json(summary.as_json())
    else:
        _print(summary, elements)
    inferred = (form or form_of(paths)) is SchemaForm.DOCUMENTS
    return ExitCode.REJECTED_DOCUMENTS if inferred and known.problems else ExitCode.FINE


def _print(summary: Summary, elements: bool) -> None:
    known, graph = summary.schema, summary.graph
    attributes = sum(len(element.attributes) for element in known)
    edges = sum(map(len, graph.children.values()))
    counts = (_many(len(known), "element"), _many(attributes, "attribute"), _many(edges, "edge"))
    print_line(f"{readable(known.name)}: {', '.join(counts)}")
    for label, value in _facts(summary):
        print_line(f"  {label:<11} {value}")
    if elements:
        print_line("")
        _print_elements(known)


def _facts(summary: Summary) -> list[tuple[str, str]]:
    known, graph = summary.schema, summary.graph
    cycles = graph.cycles()
    height = graph.height(known.roots)
    facts = [
        ("roots", _names(known.roots)),
        ("content", ", ".join(f"{count:,} {kind}" for kind, count in summary.contents().items() if count)),
        (
            "recursion",
            f"{_many(len(graph.recursive()), 'element')}, in groups that contain each other:" if cycles else "none",
        ),
        *(
            ("", f"{len(cycle):,}, such as {' → '.join((*graph.loop(cycle), graph.loop(cycle)[0]))}")
            for cycle in cycles
        ),
        ("depth", "unbounded" if height is None else f"at most {height}"),
        (
            "automaton",
            f"{_many(len(summary.paths), 'state')}, {_many(len(summary.paths.edge_label), 'edge')}, {_size(summary)}",
        ),
        ("paths", f"from root to leaf, by the number of elements up to {summary.max_depth}:"),
        ("", " ".join(f"{depth}: {count:,}" for depth, count in enumerate(summary.counts(), 1) if count) or "none"),
    ]
    if unreachable := summary.unreachable():
        facts.insert(1, ("unreachable", _names(unreachable)))
    if known.problems:
        facts.append(("problems", f"{len(known.problems):,}, named on standard error"))
    return facts


def _print_elements(known: Schema) -> None:
    from xylem.schema import ContentKind

    width = min(max((len(element.name) for element in known), default=0), 32)
    for element in known:
        seen = f"  {known.seen[element.name].count:,} ×" if element.name in known.seen else ""
        attributes = "".join(
            f" @{a.name}{'' if a.required else '?'}" for a in element.attributes if not a.name.startswith("xmlns")
        )
        text = "text and " if element.content.kind is ContentKind.MIXED else ""
        print_line(f"  {element.name:<{width}}  {text}{element.content}{attributes}{seen}")


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MAX_NAMES])
    return shown + (f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else "")


def _size(summary: Summary) -> str:
    return f"{summary.paths.nbytes / 1000:,.1f} kB"


def _check(paths: PathAutomaton, documents: list[str], record: str | None, limits: Limits, json: bool) -> int:
    code = ExitCode.FINE
    for source in sources(documents, record, limits):
        found = _first_impossible(paths, source, limits)
        if isinstance(found, DocumentError):
            code = ExitCode.REJECTED_DOCUMENTS
        elif found is not None and code is ExitCode.FINE:
            code = ExitCode.FAILED
        _report(readable(source.name), found, json)
    return code


def _first_impossible(paths: PathAutomaton, source: Source, limits: Limits) -> Impossible | DocumentError | None:
    from xylem.document import Vocabulary, read
    from xylem.schema.possible import first_impossible

    if isinstance(source.content, DocumentError):
        return source.content
    try:
        return first_impossible(paths, read(source.content, Vocabulary(), limits))
    except DocumentError as error:
        return error


def _report(name: str, found: Impossible | DocumentError | None, json: bool) -> None:
    facts: dict[str, Any] = {"document": name, "possible": found is None}
    if isinstance(found, DocumentError):
        facts = {"document": name, "error": {"reason": found.reason, "line": found.line, "column": found.column}}
    elif found is not None:
        facts |= {
            "element": found.element,
            "line": found.line,
            "column": found.column,
            "reason": found.reason,
            "path": list(found.path),
        }
    if json:
        print_json(facts)
    elif isinstance(found, DocumentError):
        say(f"xylem: {name}: {f'line {found.line}, column {found.column}: ' if found.line else ''}{found.reason}")
    else:
        print_line(f"{name}: {found if found is not None else 'every path is possible'}")
