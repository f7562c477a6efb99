"""How time grows with documents and with subscriptions.

This module knows nothing of how figures are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import perf_counter

from xylem.experiments.baselines import parse_bare
from xylem.experiments.benchmark.lab import Lab, match_all, warm
from xylem.experiments.benchmark.matching import against_bare
from xylem.experiments.benchmark.results import Figure, Target
from xylem.experiments.benchmark.workloads import mixed_schema, mixed_subscriptions, sized_documents
from xylem.experiments.measuring import Work, fitted_exponent, ratios, take_turns

_SMALLEST_DOCUMENT = 10_000
_SMALLEST_SET = 1_000
_MANY = 1_000_000  # the number of subscriptions for which there is a target
# Time in proportion to size has exponent 1; a tenth above it still leaves 10 MB within twice of what 10 KB foretell.
_LINEAR = 1.1

Facts = dict[str, float | int | str]


def document_growth(lab: Lab) -> Iterator[Figure]:
    """The same matcher on larger and larger documents, and bare parsing beside it."""
    matcher = lab.matcher(lab.mixed())
    sizes = _powers_of_ten(_SMALLEST_DOCUMENT, lab.scale.largest_document)
    lab.say(f"generating documents of up to {sizes[-1]:,} bytes")
    found: list[tuple[int, float]] = []
    facts: Facts = {}
    for size, document in zip(sizes, sized_documents(mixed_schema(lab.data), sizes), strict=True):
        # Small documents are read several times, so that the clock has something to see.
        documents = [document] * max(1, 1_000_000 // size)
        warm(matcher, documents[:1])
        variants: list[Work] = [partial(parse_bare, documents), partial(match_all, matcher, documents)]
        bare, ours = take_turns(variants, max(3, lab.scale.repeats // 2))
        found.append((len(document), min(ours) / len(documents)))
        matches = len(matcher.match(document))
        facts[f"{size:,} B"] = (
            f"{1000 * found[-1][1]:,.3g} ms, {ratios(ours, bare).median:.2f} × bare, {matches:,} matches"
        )
    exponent = fitted_exponent([size for size, _ in found], [time for _, time in found])
    yield Figure("exponent of time in document size", exponent, "", Target(_LINEAR), facts=facts)


def subscription_growth(lab: Lab) -> Iterator[Figure]:
    """The same documents against more and more subscriptions in one matcher, up to a million."""
    documents = lab.mixed().warm
    matcher = lab.new_matcher()
    sizes = _powers_of_ten(_SMALLEST_SET, lab.scale.many)
    lab.say(f"generating {sizes[-1]:,} subscriptions")
    everything = mixed_subscriptions(mixed_schema(lab.data), sizes[-1])
    times: list[float] = []
    added, adding = 0, 0.0
    for size in sizes:
        lab.say(f"adding subscriptions up to {size:,}")
        start = perf_counter()
        for identifier, xpath in everything[added:size]:
            matcher.add(identifier, xpath)
        adding += perf_counter() - start
        added = size
        warm(matcher, documents)
        target = Target(10) if size == _MANY else None
        repeats = max(3, lab.scale.repeats // 2)
        figure = against_bare(f"parse + match, {size:,}", matcher, documents, size, repeats, target)
        figure.facts["seconds to add"] = round(adding, 2)
        times.append(float(figure.facts["ms a document"]))
        yield figure
    yield Figure("exponent of time in subscriptions", fitted_exponent(sizes, times), "", Target(1))


def _powers_of_ten(least: int, most: int) -> list[int]:
    sizes = [least]
    while sizes[-1] * 10 <= most:
        sizes.append(sizes[-1] * 10)
    return sizes
