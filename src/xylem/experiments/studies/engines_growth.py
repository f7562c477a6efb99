"""`engines-growth`: the time of the engines by number of queries and by number of documents: the axes of Moro et al.
(VLDB 2007), figures 9 and 10.

This module knows nothing of how experiments are run and shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import TypeVar

from lxml import etree

from xylem import Matcher
from xylem.experiments.baselines import LxmlLoop
from xylem.experiments.harness.experiment import (
    Chart,
    Comparison,
    Experiment,
    Measure,
    Point,
    Scale,
    Values,
    Variant,
    Verdict,
)
from xylem.experiments.harness.published import Published
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.setting import Setting
from xylem.experiments.measuring import seconds
from xylem.workload import DocumentParameters, SizeClass, SubscriptionParameters, documents, subscriptions

# Variants that ask every query of every document are left out beyond so many questions, or a run would never end.
_MOST_QUESTIONS = {"reference": 10_000, "lxml": 10_000_000}
_CHUNK = 500  # documents that are read ahead, without being timed

T = TypeVar("T")
Subscriptions = Sequence[tuple[str, str]]


def _drawn_documents(count: int, schema: str, setting: Setting) -> list[bytes]:
    """Document n is the same whatever the number of documents, so that points share them."""
    made: list[bytes] = setting.keep(("documents", schema), list)
    parameters = DocumentParameters(count=count, seed=setting.seed, sizes=(SizeClass(2_000, 8_000),))
    made.extend(documents(setting.schema(schema), parameters, start=len(made)))
    return made[:count]


def _drawn_queries(count: int, schema: str, setting: Setting) -> Subscriptions:
    parameters = SubscriptionParameters(
        count=count, seed=setting.seed, min_depth=3, max_depth=10, wildcard=0.1, descendant=0.1
    )
    return subscriptions(setting.schema(schema), parameters)


def _answered(answer: Callable[[T], int], chunks: Iterable[Sequence[T]]) -> Values:
    """Asks for the number of matches of everything in the chunks; what makes a chunk is not timed."""
    time, matches = 0.0, 0
    for chunk in chunks:
        found: list[int] = []
        time += seconds(partial(found.extend, map(answer, chunk)))
        matches += sum(found)
    return {"time": time, "matches": matches}


def _chunks(items: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))


def _engine(name: str, queries: Subscriptions, inbox: Sequence[bytes]) -> Variant:
    """A new matcher in each turn: the documents of a stream are ones that it has never seen."""

    def run() -> Values:
        start = perf_counter()
        matcher = Matcher(engine=name)
        for identifier, xpath in queries:
            matcher.add(identifier, xpath)
        matcher.match(b"<nothing/>")  # what adding puts off is done by the first match
        build = perf_counter() - start
        read = ([matcher.read(document) for document in chunk] for chunk in _chunks(inbox))
        return {"build": build, **_answered(lambda document: len(matcher.match_document(document)), read)}

    return run


def _lxml(queries: Subscriptions, inbox: Sequence[bytes]) -> Variant:
    def run() -> Values:
        start = perf_counter()
        loop = LxmlLoop([xpath for _, xpath in queries])
        build = perf_counter() - start
        trees = ([etree.fromstring(document) for document in chunk] for chunk in _chunks(inbox))
        return {"build": build, **_answered(lambda tree: sum(loop.answers(tree)), trees)}

    return run


def _trial(point: Point, setting: Setting) -> Mapping[str, Variant]:
    schema = str(point["schema"])
    queries = _drawn_queries(int(point["queries"]), schema, setting)
    inbox = _drawn_documents(int(point["documents"]), schema, setting)
    _engine("tree", queries[:50], inbox[:5])()  # kernels are compiled or loaded before anything is measured
    questions = len(queries) * len(inbox)
    variants = {
        "tree": _engine("tree", queries, inbox),
        "reference": _engine("reference", queries, inbox),
        "lxml": _lxml(queries, inbox),
    }
    return {name: run for name, run in variants.items() if questions <= _MOST_QUESTIONS.get(name, questions)}


def _judge(results: Results, published: Published) -> Verdict:
    by_queries, by_documents = results.points(axis="queries"), results.points(axis="documents")
    growth = {
        name: (
            results.exponent("time", name, "queries", by_queries),
            results.exponent("time", name, "documents", by_documents),
        )
        for name in results.variants()
    }
    last = max(
        (point for point in by_queries if results.values("time", "lxml", point)), key=lambda point: point["queries"]
    )
    faster = results.ratio("time", "lxml", "tree", last)
    assert faster is not None, "`tree` is measured everywhere"
    said = "; ".join(f"{name}: {_power(q, 'queries')}, {_power(d, 'documents')}" for name, (q, d) in growth.items())
    return Verdict(
        f"`tree` is {faster.median:,.0f} × as fast as a loop of lxml XPaths at {last['queries']:,} queries",
        "All variants found the same matches in every turn. The published engines are not among the variants; what "
        "can be seen is how those that are there grow along the same axes.",
        (
            Comparison("moro2007/fig-10/linear", said, None, "NFA and BUFF are not measured here"),
            Comparison("moro2007/fig-9/buff", "–", None, "NFA and BUFF are not measured here"),
            Comparison("moro2007/fig-9/boxfilter", "–", None, "BUFF and BoXFilter are not measured here"),
        ),
    )


def _power(exponent: float | None, of: str) -> str:
    return f"time ∝ {of}^{exponent:.2f}" if exponent is not None else f"too few points by {of}"


def _points(
    schema: str, queries: tuple[int, ...], documents: tuple[int, ...], fixed: tuple[int, int]
) -> Iterator[Point]:
    """Along each axis, the other one is held at its entry of `fixed` (queries, documents)."""
    for count in queries:
        yield {"schema": schema, "axis": "queries", "queries": count, "documents": fixed[1]}
    for count in documents:
        yield {"schema": schema, "axis": "documents", "queries": fixed[0], "documents": count}


EXPERIMENT = Experiment(
    name="engines-growth",
    title="Engines by number of queries and of documents",
    question="How does the time to match a set of documents grow with the number of queries, and with the number of "
    "documents?",
    method="Distinct path queries of three to ten steps, `*` and `//` each at a tenth of the steps, and documents of 2 "
    "to 8 KB from the same schema. As in the paper, the time is that of matching alone: documents are read and queries "
    "compiled before; building is shown beside it. In each turn an engine starts anew and sees every document for the "
    "first time. Variants that ask every query of every document are left out where that would be too many questions.",
    variants={
        "tree": "the engine that `auto` takes",
        "reference": "the specification, asked query by query",
        "lxml": "a loop of compiled XPaths in libxml2",
    },
    measures={
        "time": Measure("matching time", "s"),
        "build": Measure("time to build", "s"),
        "matches": Measure("matches"),
    },
    scales={
        "small": Scale(
            tuple(_points("wire", (30, 100, 300, 1_000, 3_000, 10_000), (10, 30, 100, 300, 1_000, 3_000), (300, 30))),
            repeats=3,
        ),
        "paper": Scale(
            tuple(
                _points("nitf-2.5", (1_000, 3_000, 10_000, 30_000, 100_000), (1_000, 10_000, 100_000), (10_000, 1_000))
            ),
            repeats=3,
        ),
    },
    trial=_trial,
    charts=(
        Chart("By queries", "queries", "queries", "time", {"axis": "queries"}, log_x=True, log_y=True),
        Chart("By documents", "documents", "documents", "time", {"axis": "documents"}, log_x=True, log_y=True),
    ),
    judge=_judge,
    reproduces="Moro et al. 2007, figures 9 and 10",
    baseline="tree",
    agree=("matches",),
)
