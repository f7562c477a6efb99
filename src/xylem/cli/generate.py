"""`xylem generate`: subscriptions and documents that a schema makes possible, the same for the same seed.

Files appear under their names only when they are whole, so an interrupted run leaves nothing that looks
complete and is not.

This module knows nothing of how subscriptions and documents are drawn.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xylem.cli.output import print_bytes
from xylem.cli.process import ExitCode, OutputFailed, say
from xylem.cli.progress import Progress
from xylem.cli.schemas import schema_errors

if TYPE_CHECKING:
    from xylem.schema import Schema

SUBSCRIPTIONS_EXAMPLE = """\b
Example:
  xylem generate subscriptions --dtd news.dtd --count 1000 --seed 1 --branch 0.2 > subscriptions.tsv

\b
Prints TSV (id, XPath), or JSON Lines with --out FILE.jsonl. Without --dtd, a
bundled schema of a news wire is used."""

DOCUMENTS_EXAMPLE = """\b
Example:
  xylem generate documents --dtd news.dtd --count 100 --seed 1 --out inbox

\b
Writes inbox/document-000001.xml and so on, valid against the schema. Without
--dtd, a bundled schema of a news wire is used."""

_CHUNK = 10_000  # lines written at once: few system calls, little memory

app = typer.Typer(
    name="generate",
    help="Draws synthetic subscriptions and documents from a schema.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)

Dtd = Annotated[Path | None, typer.Option("--dtd", metavar="FILE", help="The schema, a DTD.")]
Root = Annotated[str | None, typer.Option(metavar="NAME", help="The root element, where the schema leaves it open.")]
Seed = Annotated[int, typer.Option(metavar="S", help="The same seed gives the same bytes.")]


@app.command("subscriptions", epilog=SUBSCRIPTIONS_EXAMPLE)
def subscriptions(
    dtd: Dtd = None,
    count: Annotated[int, typer.Option(metavar="N", help="How many.")] = 1_000,
    seed: Seed = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instead of standard output; .tsv or .jsonl.")
    ] = None,
    root: Root = None,
    distinct: Annotated[bool, typer.Option(help="No two with the same text.")] = True,
    min_depth: Annotated[int, typer.Option(metavar="L", help="The least number of steps.")] = 1,
    max_depth: Annotated[int, typer.Option(metavar="L", help="The largest number of steps.")] = 6,
    wildcard: Annotated[float, typer.Option(metavar="P", help="The probability of * at a step.")] = 0.1,
    descendant: Annotated[float, typer.Option(metavar="P", help="The probability of // at a step.")] = 0.1,
    branch: Annotated[float, typer.Option(metavar="P", help="The probability of nested paths.")] = 0.0,
    branches: Annotated[int, typer.Option(metavar="N", help="How many nested paths there then are.")] = 1,
    branch_depth: Annotated[int, typer.Option(metavar="L", help="The largest depth of a nested path.")] = 2,
    predicate: Annotated[float, typer.Option(metavar="P", help="The probability of value predicates.")] = 0.0,
    predicates: Annotated[int, typer.Option(metavar="N", help="How many predicates there then are.")] = 1,
    skew: Annotated[float, typer.Option(metavar="θ", help="Zipf skew of the names; 0 is even.")] = 0.0,
    relative: Annotated[float, typer.Option(metavar="P", help="The probability of a relative path.")] = 0.0,
) -> int:
    """Draws subscriptions."""
    from xylem.workload import SubscriptionParameters, subscription_namespaces
    from xylem.workload import subscriptions as drawn

    parameters = SubscriptionParameters(
        count=count,
        seed=seed,
        distinct=distinct,
        min_depth=min_depth,
        max_depth=max_depth,
        wildcard=wildcard,
        descendant=descendant,
        branch=branch,
        branches=branches,
        branch_depth=branch_depth,
        predicate=predicate,
        predicates=predicates,
        skew=skew,
        relative=relative,
    )
    schema = read_schema(dtd, root)
    namespaces = subscription_namespaces(schema)
    json_lines = out is not None and out.suffix == ".jsonl"
    lines = _json_lines(drawn(schema, parameters), namespaces) if json_lines else _tsv(drawn(schema, parameters))
    if namespaces and not json_lines:
        say("xylem: these names need " + " ".join(f"--ns {p}={uri}" for p, uri in namespaces.items()))
    if out is None:
        for chunk in _chunks(lines):
            print_bytes(chunk)
    else:
        write_whole(out, _chunks(lines))
    return ExitCode.FINE


@app.command("documents", epilog=DOCUMENTS_EXAMPLE)
def documents(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to; made if it is not there.")],
    dtd: Dtd = None,
    count: Annotated[int, typer.Option(metavar="N", help="How many.")] = 100,
    seed: Seed = 1,
    root: Root = None,
    min_bytes: Annotated[int, typer.Option(metavar="N", help="The least size of a document.")] = 2_000,
    max_bytes: Annotated[int, typer.Option(metavar="N", help="The largest size of a document.")] = 8_000,
    max_levels: Annotated[int, typer.Option(metavar="L", help="How deep elements may stand.")] = 10,
    max_repeats: Annotated[int, typer.Option(metavar="N", help="How often a part may stand in a row.")] = 5,
    doctype: Annotated[bool, typer.Option("--doctype", help="Declares the schema in each document.")] = False,
) -> int:
    """Draws valid documents."""
    from xylem.workload import DocumentParameters, SizeClass
    from xylem.workload import documents as drawn

    parameters = DocumentParameters(
        count=count,
        seed=seed,
        max_levels=max_levels,
        max_repeats=max_repeats,
        sizes=(SizeClass(min_bytes, max_bytes),),
        doctype=dtd.name if doctype and dtd is not None else None,
    )
    schema = read_schema(dtd, root)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputFailed(f"{out}: {error.strerror}") from error
    with Progress("documents", count) as progress, schema_errors():
        for number, document in enumerate(drawn(schema, parameters), start=1):
            write_whole(out / f"document-{number:06}.xml", iter((document,)))
            progress.advance()
    return ExitCode.FINE


def read_schema(dtd: Path | None, root: str | None) -> Schema:
    """The schema asked for; what of it cannot be used is named on standard error."""
    from xylem.schema import Schema
    from xylem.workload import bundled_schema

    with schema_errors():
        schema = Schema.from_dtd(dtd) if dtd is not None else bundled_schema()
    for problem in schema.problems:
        say(f"xylem: {problem}")
    return schema.with_roots(root) if root is not None else schema


def write_whole(path: Path, chunks: Iterator[bytes]) -> None:
    """Writes a file that appears under its name when it is complete."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        try:
            with partial.open("wb") as file:
                for chunk in chunks:
                    file.write(chunk)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise OutputFailed(f"{path}: {error.strerror}") from error


def _tsv(pairs: list[tuple[str, str]]) -> Iterator[str]:
    return (f"{identifier}\t{xpath}\n" for identifier, xpath in pairs)


def _json_lines(pairs: list[tuple[str, str]], namespaces: dict[str, str]) -> Iterator[str]:
    for identifier, xpath in pairs:
        line: dict[str, object] = {"id": identifier, "xpath": xpath}
        if namespaces:
            line["namespaces"] = namespaces
        yield json.dumps(line, ensure_ascii=False) + "\n"


def _chunks(lines: Iterator[str]) -> Iterator[bytes]:
    held: list[str] = []
    for line in lines:
        held.append(line)
        if len(held) == _CHUNK:
            yield "".join(held).encode()
            held.clear()
    yield "".join(held).encode()
