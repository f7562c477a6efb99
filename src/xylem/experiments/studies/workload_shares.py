"""`workload-shares`: which shares of documents and of subscriptions match something, in generated workloads.

Published times hold for published shares, such as half of the documents and a quarter of the queries (Moro et al.,
VLDB 2007); this shows what a schema gives by itself.

This module knows nothing of how experiments are run and shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import log

from xylem import Matcher
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
from xylem.experiments.harness.published import Claim, Published
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.setting import Setting
from xylem.workload import (
    DocumentParameters,
    SizeClass,
    SubscriptionParameters,
    documents,
    subscription_namespaces,
    subscriptions,
)

_PATHS = SubscriptionParameters(min_depth=3, max_depth=10, wildcard=0, descendant=0)
_KINDS: Mapping[str, SubscriptionParameters] = {
    "paths": _PATHS,
    "wildcards": replace(_PATHS, wildcard=0.2, descendant=0.2),
    "branches": replace(_PATHS, branch=1),
    "values": replace(_PATHS, predicate=1),
}
_DOCUMENTS = DocumentParameters(sizes=(SizeClass(2_000, 8_000),))
_PUBLISHED_QUERIES = 10_000
_NEAR = 0.1  # a share this near to the published one is the same


def shares(queries: Sequence[str], inbox: Sequence[bytes], namespaces: Mapping[str, str]) -> Values:
    """The shares of documents and of subscriptions that match something, and of pairs that match."""
    matcher = Matcher(namespaces=namespaces)
    for number, query in enumerate(queries):
        matcher.add(number, query)
    met: set[int] = set()
    matching, pairs = 0, 0
    for document in inbox:
        found = matcher.match(document)
        met.update(found)
        matching += bool(found)
        pairs += len(found)
    return {
        "documents": matching / len(inbox),
        "subscriptions": len(met) / len(queries),
        "pairs": pairs / (len(inbox) * len(queries)),
    }


def _trial(point: Point, setting: Setting) -> Mapping[str, Variant]:
    schema = setting.schema(str(point["schema"]))
    of_documents = replace(_DOCUMENTS, count=int(point["documents"]), seed=setting.seed)
    inbox = setting.keep(("inbox", of_documents.count), lambda: list(documents(schema, of_documents)))
    namespaces = subscription_namespaces(schema)
    variants: dict[str, Variant] = {}
    for kind, parameters in _KINDS.items():
        of_queries = replace(parameters, count=int(point["queries"]), seed=setting.seed)
        queries = [query for _, query in subscriptions(schema, of_queries)]
        variants[kind] = partial(shares, queries, inbox, namespaces)
    return variants


def _judge(results: Results, published: Published) -> Verdict:
    # The point that is nearest to the number of queries for which shares are published.
    point = min(results.points(), key=lambda point: abs(log(int(point["queries"]) / _PUBLISHED_QUERIES)))
    where = f"with {int(point['queries']):,} subscriptions"
    of_documents, of_queries = _range(results, "documents", point), _range(results, "subscriptions", point)
    return Verdict(
        f"{_words(of_documents)} of the documents and {_words(of_queries)} of the subscriptions match, {where}",
        "The published shares are set, not found; twenty schemas give the documents and the queries there, one here.",
        (
            _compare(published.claim("moro2007/workload/documents"), of_documents, where),
            _compare(published.claim("moro2007/workload/queries"), of_queries, where),
        ),
    )


def _range(results: Results, measure: str, point: Point) -> tuple[float, float]:
    """The least and the greatest median of all kinds."""
    spreads = (results.spread(measure, kind, point) for kind in results.variants(point))
    medians = [spread.median for spread in spreads if spread is not None]
    return min(medians), max(medians)


def _compare(claim: Claim, found: tuple[float, float], where: str) -> Comparison:
    near = found[0] - _NEAR <= claim.number <= found[1] + _NEAR
    why = "queries and documents of one schema have more in common than those of twenty"
    return Comparison(claim.id, f"{_words(found)} {where}, by kind", near, "" if near else why)


def _words(found: tuple[float, float]) -> str:
    least, most = (f"{share:.0%}" for share in found)
    return least if least == most else f"{least} to {most}"


def _points(schema: str, queries: tuple[int, ...], documents: int) -> tuple[Point, ...]:
    return tuple({"schema": schema, "documents": documents, "queries": count} for count in queries)


EXPERIMENT = Experiment(
    name="workload-shares",
    title="What generated workloads match",
    question="Which share of the documents matches something, and which share of the subscriptions, as subscriptions "
    "become more?",
    method="Distinct subscriptions of three to ten steps and documents of 2 to 8 KB, both drawn from one schema. "
    "Nothing is tuned: the shares are what the generators give, counted by matching.",
    variants={
        "paths": "plain paths",
        "wildcards": "`*` and `//` each at a fifth of the steps",
        "branches": "plain paths with a nested path",
        "values": "plain paths with a value predicate",
    },
    measures={
        "documents": Measure("share of documents that match"),
        "subscriptions": Measure("share of subscriptions that match"),
        "pairs": Measure("share of pairs that match"),
    },
    scales={
        "small": Scale(_points("wire", (1, 3, 10, 30, 100, 300, 1_000), 200), seeds=5, repeats=1),
        "paper": Scale(_points("nitf-2.5", (1, 10, 100, 1_000, 10_000, 30_000), 1_000), seeds=5, repeats=1),
    },
    trial=_trial,
    charts=(
        Chart("Documents", "queries", "subscriptions", "documents", log_x=True),
        Chart("Subscriptions", "queries", "subscriptions", "subscriptions", log_x=True),
    ),
    judge=_judge,
    reproduces="Moro et al. 2007, the workload of section 5",
)
