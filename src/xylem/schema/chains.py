"""A content model from examples: the chain of factors that all of them follow.

Bex, Neven, Schwentick and Tuyls ("Inference of Concise DTDs from XML Data", VLDB 2006) call the algorithm CRX. Names
that stand before and after each other make one class; the classes have an order; classes of one name between the same
neighbours are alternatives. Each class becomes one factor `(a | b)` with how often the examples fill it.

Invariant: the model admits every example. Each name stands in it once, so it is deterministic, as a DTD must be.

This module knows nothing of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xylem.schema.content import Choice, Name, Occurs, Particle, Sequence
from xylem.schema.graph import components

_OCCURS = {(1, 1): Occurs.ONCE, (0, 1): Occurs.OPTIONAL, (1, 2): Occurs.SOME, (0, 2): Occurs.MANY}


def chain(
    names: Iterable[str], neighbours: set[tuple[str, str]], fillings: Mapping[frozenset[tuple[str, bool]], int] | None
) -> Particle:
    """The model of an element with these children, given which stood right before which, and the ways in which the
    element was filled (see `Observation`); None for those means that nothing is known of them."""
    known = tuple(names)
    if fillings is None:
        return _factor(known, Occurs.MANY)
    after: dict[str, tuple[str, ...]] = {name: () for name in known}
    for first, second in sorted(neighbours):
        after[first] += (second,)
    classes = [tuple(sorted(component, key=known.index)) for component in reversed(components(after))]
    groups = _merged(classes, after)
    factors = tuple(_factor(group, _occurs(set(group), fillings)) for group in groups)
    return Sequence(factors)


def _merged(classes: list[tuple[str, ...]], after: dict[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The classes in order; single names between the same neighbours, in the order's own sense (nothing in between),
    together."""
    number = {name: index for index, names in enumerate(classes) for name in names}
    edges = {(number[a], number[b]) for a, later in after.items() for b in later if number[a] != number[b]}
    below = _closure(len(classes), edges)
    direct = {(a, b) for a, b in edges if not any((a, c) in edges and b in below[c] for c in below[a])}
    merged: dict[object, list[int]] = {}
    for index, names in enumerate(classes):
        before = frozenset(a for a, b in direct if b == index)
        behind = frozenset(b for a, b in direct if a == index)
        merged.setdefault((before, behind) if len(names) == 1 else index, []).append(index)
    groups = sorted(merged.values())
    return _ordered([tuple(name for index in group for name in classes[index]) for group in groups], after)


def _closure(size: int, edges: set[tuple[int, int]]) -> list[set[int]]:
    """What lies behind each class; the classes are in a topological order already."""
    below: list[set[int]] = [set() for _ in range(size)]
    for first in range(size - 1, -1, -1):
        for a, b in edges:
            if a == first:
                below[first] |= {b} | below[b]
    return below


def _ordered(groups: list[tuple[str, ...]], after: dict[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The groups in an order that all examples follow; of those that could come next, the one listed first."""
    number = {name: index for index, names in enumerate(groups) for name in names}
    needs: list[set[int]] = [set() for _ in groups]
    for a, later in after.items():
        for b in later:
            if number[a] != number[b]:
                needs[number[b]].add(number[a])
    done: list[int] = []
    while len(done) < len(groups):
        done.append(next(i for i in range(len(groups)) if i not in done and needs[i] <= set(done)))
    return [groups[index] for index in done]


def _occurs(names: set[str], fillings: Mapping[frozenset[tuple[str, bool]], int]) -> Occurs:
    """How often one of the names stood in an element: none, one, or more."""
    counts = [sum(1 + several for name, several in filling if name in names) for filling in fillings]
    return _OCCURS[min(1, *counts), max(1, min(2, max(counts)))]


def _factor(names: tuple[str, ...], occurs: Occurs) -> Particle:
    return Name(names[0], occurs) if len(names) == 1 else Choice(tuple(map(Name, names)), occurs)
