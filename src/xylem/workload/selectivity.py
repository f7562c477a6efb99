"""Comparisons that hold for a wanted share of the values of one attribute or text.

A value model says how often each value comes, so the share that a comparison holds for is a sum: of the values up to a
bound for numbers, of a few values joined by `or` for strings. Running text is searched for a word; how many of the
texts contain it follows from how often it comes among words.

Invariant: the comparison is one that comes nearest to the wanted share among those tried, and holds for some value.

This module knows nothing of elements, and nothing of how often a value is there at all.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from xylem.workload.chance import Chance
from xylem.workload.values import ValueKind, Values, literal

# Texts of 1 to 12 words, evenly; what a document's size cuts off makes a word a little rarer than this says.
_WORDS_IN_TEXT = 6.5

# Words of nearly the same frequency serve equally well: so many of them are chosen among.
_ALIKE = 8


def share_of_values(chance: Chance, subject: str, values: Values, wanted: float) -> str:
    """A comparison with values that about the wanted share of all occurrences satisfy."""
    total = values.cumulative[-1]
    ends = (0.0, *values.cumulative)
    shares = {value: (high - low) / total for value, (low, high) in zip(values.values, pairwise(ends), strict=True)}
    if values.kind is ValueKind.NUMBER:
        return _bound(chance, subject, shares, wanted)
    return _some(chance, subject, shares, wanted)


def search_for(chance: Chance, subject: str, words: Values, wanted: float) -> str:
    """A search for a word that about the wanted share of running texts contain."""
    total = words.cumulative[-1]
    ends = (0.0, *words.cumulative)
    texts = [1 - (1 - (high - low) / total) ** _WORDS_IN_TEXT for low, high in pairwise(ends)]
    nearest = sorted(range(len(texts)), key=lambda rank: abs(texts[rank] - wanted))[:_ALIKE]
    best = abs(texts[nearest[0]] - wanted)
    alike = [rank for rank in nearest if abs(texts[rank] - wanted) <= best + wanted / 10]
    return f"contains({subject}, {literal(words.values[alike[chance.below(len(alike))]])})"


def _bound(chance: Chance, subject: str, shares: dict[str, float], wanted: float) -> str:
    """At most, or at least, some number."""
    upwards = chance.coin(0.5)
    ordered = sorted(shares, key=float, reverse=upwards)
    sums = list(accumulate(shares[value] for value in ordered))
    place = min(range(len(sums)), key=lambda i: abs(sums[i] - wanted))
    return f"{subject} {'>=' if upwards else '<='} {ordered[place]}"


def _some(chance: Chance, subject: str, shares: dict[str, float], wanted: float) -> str:
    """One of a few values, chosen by chance; the first of them nearest to the wanted share, then what still fits."""
    start = chance.below(len(shares))
    names = [*shares][start:] + [*shares][:start]
    first = min(names, key=lambda name: max(0.0, shares[name] - wanted))
    chosen, share = [first], shares[first]
    for name in names:
        if name != first and abs(share + shares[name] - wanted) < abs(share - wanted):
            chosen.append(name)
            share += shares[name]
    return " or ".join(f"{subject} = {literal(name)}" for name in chosen)
