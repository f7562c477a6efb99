"""Speed: parsing and matching against bare parsing, and against a loop of compiled XPaths.

This module knows nothing of how figures are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from xylem.experiments.baselines import LxmlLoop, parse_bare, parse_bare_without_namespaces
from xylem.experiments.benchmark.lab import Lab, match_all
from xylem.experiments.benchmark.results import Figure, Target, ratio_figure
from xylem.experiments.measuring import Spread, Work, ratios, seconds, take_turns

if TYPE_CHECKING:
    from xylem import Matcher

_SAMPLE_DOCUMENTS = 10  # that lxml's loop is run on: it is a thousand times slower

Facts = dict[str, float | int | str]


def warm_speed(lab: Lab) -> Iterator[Figure]:
    """Documents that the matcher has seen before."""
    for workload in lab.workloads():
        matcher = lab.matcher(workload)
        name, count = f"parse + match, {workload.name}", len(workload.subscriptions)
        yield against_bare(name, matcher, workload.warm, count, lab.scale.repeats, Target(3))


def first_sight(lab: Lab) -> Iterator[Figure]:
    """Documents that the matcher, warmed on others, has never seen."""
    for workload in lab.workloads():
        matcher = lab.matcher(workload)
        parts = []
        matches = 0
        while part := lab.next_unseen(workload):
            bare = seconds(partial(parse_bare, part))
            parts.append((seconds(partial(match_all, matcher, part)), bare))
            matches += match_all(matcher, part)
        if parts:
            spread = ratios([ours for ours, _ in parts], [bare for _, bare in parts])
            count = sum(len(part) for part in workload.unseen)
            facts = _match_facts(matches, count, len(workload.subscriptions))
            yield ratio_figure(f"parse + match, {workload.name}", spread, Target(10), **facts)


def against_lxml(lab: Lab) -> Iterator[Figure]:
    """The answers of a sample are compared on the way."""
    for workload in lab.workloads():
        matcher = lab.matcher(workload)
        sample = Random(1).sample(list(workload.subscriptions), min(lab.scale.sample, len(workload.subscriptions)))
        loop = LxmlLoop([xpath for _, xpath in sample])
        documents = workload.warm[:_SAMPLE_DOCUMENTS]
        turns = []
        for _ in range(min(3, lab.scale.repeats)):
            theirs = loop.seconds(documents, len(workload.subscriptions))
            turns.append(theirs / seconds(partial(match_all, matcher, documents)))
        facts: Facts = {"XPaths sampled": len(sample), "documents": len(documents)}
        facts["answers that differ"] = _differences(matcher, loop, sample, documents)
        yield ratio_figure(f"lxml loop against us, {workload.name}", Spread.of(turns), Target(1000, False), **facts)


def against_bare(
    name: str, matcher: Matcher, documents: Sequence[bytes], subscriptions: int, repeats: int, target: Target | None
) -> Figure:
    """Parsing and matching in multiples of bare parsing, with the number of matches beside it."""
    matches = match_all(matcher, documents)
    variants: list[Work] = [
        partial(parse_bare, documents),
        partial(match_all, matcher, documents),
        partial(parse_bare_without_namespaces, documents),
    ]
    bare, ours, barest = take_turns(variants, repeats)
    facts = _match_facts(matches, len(documents), subscriptions)
    facts |= {
        "ms a document": round(1000 * min(ours) / len(documents), 3),
        "MB/s": round(sum(map(len, documents)) / min(ours) / 1e6, 1),
        "against expat without namespaces": round(ratios(ours, barest).median, 2),
    }
    return ratio_figure(name, ratios(ours, bare), target, **facts)


def _match_facts(matches: int, documents: int, subscriptions: int) -> Facts:
    each = matches / documents
    return {
        "subscriptions": subscriptions,
        "documents": documents,
        "matches a document": round(each, 1),
        "share that matches": f"{100 * each / subscriptions:.2f} %",
    }


def _differences(
    matcher: Matcher, loop: LxmlLoop, sample: Sequence[tuple[str, str]], documents: Sequence[bytes]
) -> int:
    """Pairs of document and subscription on which lxml says something else."""
    count = 0
    for document in documents:
        ours = set(matcher.match(document))
        for (identifier, _), theirs in zip(sample, loop.matches(document), strict=True):
            count += (identifier in ours) != theirs
    return count
