"""`language`: how many subscriptions a second go from text to canonical pattern, by kind of query.

This module knows nothing of how experiments are run and shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lxml import etree

from xylem.experiments.harness.experiment import (
    Chart,
    Experiment,
    Kind,
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
from xylem.workload import SubscriptionParameters, subscription_namespaces, subscriptions
from xylem.xpath import parse

# What each kind adds to plain paths of three to eight steps.
_PATHS = SubscriptionParameters(min_depth=3, max_depth=8, wildcard=0, descendant=0)
_KINDS: Mapping[str, SubscriptionParameters] = {
    "paths": _PATHS,
    "wildcards": replace(_PATHS, wildcard=0.2, descendant=0.2),
    "branches": replace(_PATHS, branch=1, branches=2),
    "values": replace(_PATHS, predicate=1, predicates=2),
    "all of these": replace(_PATHS, wildcard=0.2, descendant=0.2, branch=1, branches=2, predicate=1, predicates=2),
    "positions": _PATHS,  # each path asks for its second node: libxml2 verifies, the path is indexed
}


def _texts(point: Point, setting: Setting) -> list[str]:
    kind = str(point["kind"])
    parameters = replace(_KINDS[kind], count=int(point["queries"]), seed=setting.seed)
    drawn = [text for _, text in subscriptions(setting.schema(str(point["schema"])), parameters)]
    return [f"{text}[2]" for text in drawn] if kind == "positions" else drawn


def _rate(read: Callable[[str], object], texts: Sequence[str]) -> Variant:
    def run() -> Values:
        def read_all() -> None:
            for text in texts:
                read(text)

        return {"rate": len(texts) / seconds(read_all)}

    return run


def _trial(point: Point, setting: Setting) -> Mapping[str, Variant]:
    texts = _texts(point, setting)
    namespaces = subscription_namespaces(setting.schema(str(point["schema"])))
    return {
        "xylem": _rate(lambda text: parse(text, namespaces), texts),
        "lxml": _rate(lambda text: etree.XPath(text, namespaces=namespaces), texts),
    }


def _judge(results: Results, published: Published) -> Verdict:
    rates = {str(point["kind"]): results.spread("rate", "xylem", point) for point in results.points()}
    known = {kind: spread.median for kind, spread in rates.items() if spread is not None}
    slowest = min(known, key=lambda kind: known[kind])
    fastest = max(known, key=lambda kind: known[kind])
    return Verdict(
        f"{known[slowest]:,.0f} to {known[fastest]:,.0f} queries a second",
        f"The fastest kind is {fastest}, the slowest {slowest}. lxml only compiles the expression, which shows what "
        "reading one costs in C; Xylem brings it into a form in which equal queries are equal.",
    )


def _points(schema: str, queries: int) -> tuple[Point, ...]:
    return tuple({"schema": schema, "queries": queries, "kind": kind} for kind in _KINDS)


EXPERIMENT = Experiment(
    name="language",
    title="Reading subscriptions",
    question="How fast does a subscription become a canonical pattern, and what makes it slower?",
    method="Distinct queries drawn from a schema are parsed and brought into canonical form, one after the other in "
    "one thread; the time excludes drawing them. Kinds: plain paths of three to eight steps; the same with `*` and "
    "`//` at a fifth of the steps each; with two nested paths; with two value predicates; with all of these; and "
    "paths that ask for a position, which are indexed in part and verified by libxml2.",
    variants={
        "xylem": "`parse`: text to canonical pattern",
        "lxml": "libxml2 compiles the same text, without canonical form",
    },
    measures={"rate": Measure("queries a second", "1/s")},
    scales={
        "small": Scale(_points("wire", 2_000), seeds=1, repeats=5),
        "paper": Scale(_points("nitf-2.5", 20_000), seeds=3, repeats=5),
    },
    trial=_trial,
    charts=(Chart("Text to pattern", "kind", "kind of query", "rate", kind=Kind.BARS, log_y=True),),
    judge=_judge,
    baseline="lxml",
)
