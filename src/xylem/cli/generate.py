"""`xylem generate`: subscriptions and documents that a schema makes possible, the same for the same seed.

This module knows nothing of how subscriptions and documents are drawn, and nothing of how files are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from xylem.cli.collecting import make_folder, write_documents, write_parquet, write_whole
from xylem.cli.output import print_bytes
from xylem.cli.process import ExitCode, say
from xylem.cli.progress import Progress
from xylem.cli.schemas import schema_errors
from xylem.cli.session import LOCAL, spark_session
from xylem.errors import UsageError

if TYPE_CHECKING:
    from xylem.schema import Schema
    from xylem.workload import DocumentParameters, SubscriptionParameters

SUBSCRIPTIONS_EXAMPLE = """\b
Example:
  xylem generate subscriptions --dtd news.dtd --count 1000 --seed 1 --branch 0.2 > subscriptions.tsv

\b
Prints TSV (id, XPath); with --out FILE.jsonl or FILE.parquet JSON Lines or
Parquet. Without --dtd, a bundled schema of a news wire is used."""

DOCUMENTS_EXAMPLE = """\b
Example:
  xylem generate documents --dtd news.dtd --count 100 --seed 1 --out inbox

\b
Writes inbox/document-000001.xml and so on, valid against the schema; or one
archive or Parquet file, for --out inbox.zip, inbox.tar.gz or inbox.parquet.
Without --dtd, a bundled schema of a news wire is used."""

PAIRS_EXAMPLE = """\b
Example:
  xylem generate pairs --documents 1000 --subscriptions 10000 --out experiment

\b
Writes experiment/subscriptions.tsv, experiment/documents, and what was
measured as experiment/measured.json."""

Item = TypeVar("Item")

_CHUNK = 10_000  # lines written at once: few system calls, little memory

app = typer.Typer(
    name="generate",
    help="Draws synthetic subscriptions and documents from a schema.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
)


class Compared(Enum):
    """What value predicates compare."""

    ATTRIBUTES = "attributes"
    TEXT = "text"
    BOTH = "both"


class Size(Enum):
    """The papers' sizes of documents."""

    SMALL = "small"
    LARGE = "large"


Dtd = Annotated[Path | None, typer.Option("--dtd", metavar="FILE", help="The schema, a DTD.")]
Root = Annotated[str | None, typer.Option(metavar="NAME", help="The root element, where the schema leaves it open.")]
Seed = Annotated[int, typer.Option(metavar="S", help="The same seed gives the same bytes.")]
Values = Annotated[Path | None, typer.Option(metavar="FILE", help="Which values occur, as JSON; see the guide.")]
Spark = Annotated[bool, typer.Option("--spark", help="Generates on Spark, on all cores of this machine.")]
Master = Annotated[str | None, typer.Option(metavar="URL", help="Generates on this Spark master, such as local[2].")]
MinDepth = Annotated[int, typer.Option(metavar="L", help="The least number of steps.")]
MaxDepth = Annotated[int, typer.Option(metavar="L", help="The largest number of steps.")]
Wildcard = Annotated[float, typer.Option(metavar="P", help="The probability of * at a step.")]
Descendant = Annotated[float, typer.Option(metavar="P", help="The probability of // at a step.")]
Predicate = Annotated[float, typer.Option(metavar="P", help="The probability of value predicates.")]
MinBytes = Annotated[int, typer.Option(metavar="N", help="The least size of a document.")]
MaxBytes = Annotated[int, typer.Option(metavar="N", help="The largest size of a document.")]
MaxLevels = Annotated[int, typer.Option(metavar="L", help="How deep elements may stand.")]


@app.command("subscriptions", epilog=SUBSCRIPTIONS_EXAMPLE)
def subscriptions(
    dtd: Dtd = None,
    count: Annotated[int, typer.Option(metavar="N", help="How many.")] = 1_000,
    seed: Seed = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Instead of standard output; .tsv, .jsonl or .parquet.")
    ] = None,
    root: Root = None,
    distinct: Annotated[bool, typer.Option(help="No two with the same text.")] = True,
    min_depth: MinDepth = 1,
    max_depth: MaxDepth = 6,
    wildcard: Wildcard = 0.1,
    descendant: Descendant = 0.1,
    nested: Annotated[float, typer.Option(metavar="P", help="The probability of a nested path at a step.")] = 0.0,
    branch: Annotated[float, typer.Option(metavar="P", help="The probability of nested paths.")] = 0.0,
    branches: Annotated[int, typer.Option(metavar="N", help="How many nested paths there then are.")] = 1,
    branch_depth: Annotated[int, typer.Option(metavar="L", help="The largest depth of a nested path.")] = 2,
    predicate: Predicate = 0.0,
    predicates: Annotated[int, typer.Option(metavar="N", help="How many predicates there then are.")] = 1,
    predicate_on: Annotated[Compared, typer.Option(help="What they compare.")] = Compared.BOTH,
    selectivity: Annotated[
        float | None, typer.Option(metavar="P", help="The share of values that a predicate holds for.")
    ] = None,
    skew: Annotated[float, typer.Option(metavar="θ", help="Zipf skew of the names; 0 is even.")] = 0.0,
    relative: Annotated[float, typer.Option(metavar="P", help="The probability of a relative path.")] = 0.0,
    covering_rate: Annotated[
        float | None,
        typer.Option(metavar="P", help="Finds depths, * and // with which this share is covered by others."),
    ] = None,
    values: Values = None,
    spark: Spark = False,
    master: Master = None,
) -> int:
    """Draws subscriptions."""
    from xylem.cli.vocabularies import read_values
    from xylem.workload import PredicateOn, SubscriptionParameters, subscription_namespaces

    parameters = SubscriptionParameters(
        count=count,
        seed=seed,
        distinct=distinct,
        min_depth=min_depth,
        max_depth=max_depth,
        wildcard=wildcard,
        descendant=descendant,
        nested=nested,
        branch=branch,
        branches=branches,
        branch_depth=branch_depth,
        predicate=predicate,
        predicates=predicates,
        predicate_on=PredicateOn(predicate_on.value),
        selectivity=selectivity,
        skew=skew,
        relative=relative,
        values=read_values(values),
    )
    schema = read_schema(dtd, root)
    where = _master(spark, master)
    if covering_rate is not None:
        if where is not None:
            raise UsageError("--covering-rate searches in one process; leave out --spark and --master")
        pairs = _covered(schema, parameters, covering_rate)
    elif where is not None:
        pairs = _drawn_on_spark(where, schema, parameters)
    else:
        pairs = _drawn(schema, parameters)
    _write_subscriptions(out, pairs, subscription_namespaces(schema))
    return ExitCode.FINE


@app.command("documents", epilog=DOCUMENTS_EXAMPLE)
def documents(
    out: Annotated[
        Path, typer.Option(metavar="PATH", help="A folder, made if need be; or .zip, .tar, .tar.gz, .parquet.")
    ],
    dtd: Dtd = None,
    count: Annotated[int, typer.Option(metavar="N", help="How many.")] = 100,
    seed: Seed = 1,
    root: Root = None,
    min_bytes: MinBytes = 2_000,
    max_bytes: MaxBytes = 8_000,
    size: Annotated[Size | None, typer.Option(help="2 to 8 KB, or 10 MB, instead of the two.")] = None,
    max_levels: MaxLevels = 10,
    max_repeats: Annotated[int, typer.Option(metavar="N", help="How often a part may stand in a row.")] = 5,
    max_recursion: Annotated[
        int | None, typer.Option(metavar="N", help="How often an element may stand on one path.")
    ] = None,
    doctype: Annotated[bool, typer.Option("--doctype", help="Declares the schema in each document.")] = False,
    values: Values = None,
    spark: Spark = False,
    master: Master = None,
) -> int:
    """Draws valid documents."""
    from xylem.cli.vocabularies import read_values
    from xylem.workload import LARGE, SMALL, DocumentParameters, SizeClass, document_name
    from xylem.workload import documents as drawn

    if size is Size.LARGE:  # few repeats would not do
        max_repeats = max(max_repeats, 10_000)
    sizes = {Size.SMALL: SMALL, Size.LARGE: LARGE, None: SizeClass(min_bytes, max_bytes)}
    parameters = DocumentParameters(
        count=count,
        seed=seed,
        max_levels=max_levels,
        max_repeats=max_repeats,
        max_recursion=max_recursion,
        sizes=(sizes[size],),
        doctype=dtd.name if doctype and dtd is not None else None,
        values=read_values(values),
    )
    schema = read_schema(dtd, root)
    where = _master(spark, master)
    if where is not None:
        with schema_errors():
            next(drawn(schema, parameters), None)  # what the schema refuses is said before Spark starts
        _documents_on_spark(where, schema, parameters, out)
        return ExitCode.FINE
    with Progress("documents", count) as progress, schema_errors():
        made = ((document_name(number), data) for number, data in enumerate(drawn(schema, parameters)))
        write_documents(out, _watched(made, progress))
    return ExitCode.FINE


@app.command("pairs", epilog=PAIRS_EXAMPLE)
def pairs(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to; made if it is not there.")],
    dtd: Dtd = None,
    documents: Annotated[int, typer.Option(metavar="N", help="How many documents.")] = 1_000,
    subscriptions: Annotated[int, typer.Option(metavar="N", help="How many subscriptions.")] = 1_000,
    matching_documents: Annotated[
        float, typer.Option(metavar="P", help="The share of documents that match something.")
    ] = 0.5,
    matching_subscriptions: Annotated[
        float, typer.Option(metavar="P", help="The share of subscriptions that match something.")
    ] = 0.25,
    seed: Seed = 1,
    root: Root = None,
    min_depth: MinDepth = 3,
    max_depth: MaxDepth = 10,
    wildcard: Wildcard = 0.1,
    descendant: Descendant = 0.1,
    predicate: Predicate = 0.5,
    min_bytes: MinBytes = 2_000,
    max_bytes: MaxBytes = 8_000,
    max_levels: MaxLevels = 10,
) -> int:
    """Draws subscriptions and documents of which wanted shares match."""
    from xylem.workload import DocumentParameters, SizeClass, SubscriptionParameters, document_name
    from xylem.workload import pairs as drawn

    schema = read_schema(dtd, root)
    asked = SubscriptionParameters(
        count=subscriptions,
        seed=seed,
        min_depth=min_depth,
        max_depth=max_depth,
        wildcard=wildcard,
        descendant=descendant,
        predicate=predicate,
    )
    made = DocumentParameters(
        count=documents, seed=seed, max_levels=max_levels, sizes=(SizeClass(min_bytes, max_bytes),)
    )
    with Progress("documents matched") as progress, schema_errors():
        match = _matcher(schema, progress)
        found = drawn(schema, asked, made, match, matching_documents, matching_subscriptions)
    measured = {
        "documents": len(found.documents),
        "matching_documents": found.matching_documents,
        "subscriptions": len(found.subscriptions),
        "matching_subscriptions": found.matching_subscriptions,
    }
    from xylem.workload import subscription_namespaces

    make_folder(out)
    _write_subscriptions(out / "subscriptions.tsv", found.subscriptions, subscription_namespaces(schema))
    write_documents(out / "documents", ((document_name(n), data) for n, data in enumerate(found.documents)))
    write_whole(out / "measured.json", (json.dumps(measured, indent=2).encode() + b"\n",))
    say(
        f"xylem: {found.matching_documents:.1%} of the documents and {found.matching_subscriptions:.1%} "
        "of the subscriptions match something"
    )
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


def _drawn(schema: Schema, parameters: SubscriptionParameters) -> list[tuple[str, str]]:
    from xylem.workload import stream_subscriptions

    with Progress("subscriptions", parameters.count) as progress:
        return list(_watched(stream_subscriptions(schema, parameters), progress))


def _covered(schema: Schema, parameters: SubscriptionParameters, rate: float) -> list[tuple[str, str]]:
    from xylem.workload import covering_rate, with_covering_rate

    with Progress("parameters tried") as progress:
        found = with_covering_rate(schema, parameters, rate, covering_rate, tried=progress.advance)
    used = found.parameters
    say(
        f"xylem: others cover {found.rate:.1%} of them, with --min-depth {used.min_depth} "
        f"--wildcard {used.wildcard} --descendant {used.descendant}"
    )
    return found.subscriptions


def _drawn_on_spark(master: str, schema: Schema, parameters: SubscriptionParameters) -> list[tuple[str, str]]:
    with spark_session(master) as spark:
        from xylem.spark import generate_subscriptions

        return [(row["id"], row["xpath"]) for row in generate_subscriptions(spark, schema, parameters).collect()]


def _documents_on_spark(master: str, schema: Schema, parameters: DocumentParameters, out: Path) -> None:
    """Parquet is written by the workers, into a folder of that name; everything else passes through this process."""
    if out.suffix == ".parquet" and out.exists():
        raise UsageError(f"{out} is there already, and Spark would have to replace it whole")
    with spark_session(master) as spark:
        from xylem.spark import generate_documents

        rows = generate_documents(spark, schema, parameters)
        if out.suffix == ".parquet":
            rows.write.parquet(str(out))
        else:
            with Progress("documents", parameters.count) as progress:
                members = ((row["document"], bytes(row["xml"])) for row in rows.toLocalIterator())
                write_documents(out, _watched(members, progress))


def _matcher(schema: Schema, progress: Progress) -> Any:
    """What `pairs` matches with: a matcher for each set of subscriptions that it asks about."""
    from xylem.matching.matcher import Matcher
    from xylem.workload import subscription_namespaces

    namespaces = subscription_namespaces(schema)

    def match(texts: Sequence[str], documents: Sequence[bytes]) -> list[list[int]]:
        matcher = Matcher(namespaces=namespaces)
        for place, text in enumerate(texts):
            matcher.add(str(place), text)
        return [[int(place) for place in matcher.match(data)] for data in _watched(documents, progress)]

    return match


def _write_subscriptions(out: Path | None, pairs: list[tuple[str, str]], namespaces: dict[str, str]) -> None:
    ending = out.suffix.lower() if out is not None else ""
    if out is not None and ending == ".parquet":
        columns = {"id": "string", "xpath": "string", "namespaces": "map"}
        bound = list(namespaces.items())
        write_parquet(out, columns, ((identifier, xpath, bound) for identifier, xpath in pairs))
        return
    json_lines = ending in (".jsonl", ".ndjson")
    chunks = _chunks(_json_lines(pairs, namespaces) if json_lines else _tsv(pairs))
    if namespaces and not json_lines:
        say("xylem: these names need " + " ".join(f"--ns {p}={uri}" for p, uri in namespaces.items()))
    if out is None:
        for chunk in chunks:
            print_bytes(chunk)
    else:
        write_whole(out, chunks)


def _master(spark: bool, master: str | None) -> str | None:
    return master if master is not None else LOCAL if spark else None


def _watched(items: Iterable[Item], progress: Progress) -> Iterator[Item]:
    for item in items:
        yield item
        progress.advance()


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
