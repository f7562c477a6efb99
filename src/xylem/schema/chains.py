"""A content model from examples: the chain of factors that all of them follow.

Bex, Neven, Schwentick and Tuyls ("Inference of Concise DTDs from XML Data", VLDB 2006) call the algorithm CRX. Names
that stand before and after each other make one class; the classes have an order; classes of one name between the same
neighbours are alternatives. Each class becomes one factor `(a | b)` with how often the examples fill it.

Invariant: the model admits every example. Each name stands in it once, so it is deterministic, as a DTD must be. Where
the examples leave the order open, names stand as they were first seen.

This module knows nothing of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush

from xylem.schema.content import Choice, Name, Occurs, Particle, Sequence
from xylem.schema.graph import components

_OCCURS = {(1, 1): Occurs.ONCE, (0, 1): Occurs.OPTIONAL, (1, 2): Occurs.SOME, (0, 2): Occurs.MANY}
_Class = tuple[str, ...]


def chain(
    names: Iterable[str], neighbours: set[tuple[str, str]], fillings: Mapping[frozenset[tuple[str, bool]], int] | None
) -> Particle:
    """The model of an element with these children, given which stood right before which, and the ways in which the
    element was filled (see `Observation`); None for those means that nothing is known of them."""
    position = {name: index for index, name in enumerate(names)}
    if fillings is None:
        return _factor(tuple(position), Occurs.MANY)
    after: dict[str, tuple[str, ...]] = dict.fromkeys(position, ())
    for first, second in sorted(neighbours):
        after[first] += (second,)
    # Children before parents: what a class leads to comes before it.
    classes = [tuple(sorted(names, key=position.__getitem__)) for names in components(after)]
    groups = _ordered(_merged(classes, after, position), after, position)
    counts = _counts(groups, fillings)
    factors = tuple(_factor(group, _OCCURS[count]) for group, count in zip(groups, counts, strict=True))
    return factors[0] if len(factors) == 1 and isinstance(factors[0], Choice) else Sequence(factors)


def _merged(classes: list[_Class], after: dict[str, tuple[str, ...]], position: dict[str, int]) -> list[_Class]:
    """The classes, single names between the same neighbours together. Neighbours are meant in the sense of the order:
    nothing else stands in between. Sets of classes are the bits of a number."""
    below: list[int] = []
    direct: list[int] = []
    for leads in _leads(classes, after):
        beyond = 0
        for other in _bits(leads):
            beyond |= below[other]
        below.append(leads | beyond)
        direct.append(leads & ~beyond)
    before = [0] * len(classes)
    for index, leads in enumerate(direct):
        for other in _bits(leads):
            before[other] |= 1 << index
    merged: dict[tuple[int, int, int], list[str]] = {}
    for index, names in enumerate(classes):
        alone = -1 if len(names) == 1 else index
        merged.setdefault((alone, before[index], direct[index]), []).extend(names)
    return [tuple(sorted(names, key=position.__getitem__)) for names in merged.values()]


def _ordered(groups: list[_Class], after: dict[str, tuple[str, ...]], position: dict[str, int]) -> list[_Class]:
    """The groups in an order that all examples follow; of those that could come next, the one seen first."""
    leads = list(_leads(groups, after))
    missing = [0] * len(groups)
    for mask in leads:
        for other in _bits(mask):
            missing[other] += 1
    ready = [(position[group[0]], index) for index, group in enumerate(groups) if not missing[index]]
    heapify(ready)
    ordered: list[_Class] = []
    while ready:
        _, index = heappop(ready)
        ordered.append(groups[index])
        for other in _bits(leads[index]):
            missing[other] -= 1
            if not missing[other]:
                heappush(ready, (position[groups[other][0]], other))
    return ordered


def _leads(groups: list[_Class], after: dict[str, tuple[str, ...]]) -> Iterator[int]:
    """For each group, the other groups that a name of it stands right before."""
    number = {name: index for index, names in enumerate(groups) for name in names}
    for index, names in enumerate(groups):
        mask = 0
        for name in names:
            for behind in after[name]:
                mask |= 1 << number[behind]
        yield mask & ~(1 << index)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _counts(groups: list[_Class], fillings: Mapping[frozenset[tuple[str, bool]], int]) -> list[tuple[int, int]]:
    """For each group, the least and the largest number of its names in an element, more than one counted as two."""
    number = {name: index for index, names in enumerate(groups) for name in names}
    held = [0] * len(groups)  # fillings that hold the group
    most = [1] * len(groups)
    for filling in fillings:
        found: dict[int, int] = {}
        for name, several in filling:
            found[number[name]] = found.get(number[name], 0) + 1 + several
        for index, count in found.items():
            held[index] += 1
            most[index] = max(most[index], min(2, count))
    return [(int(some == len(fillings)), many) for some, many in zip(held, most, strict=True)]


def _factor(names: _Class, occurs: Occurs) -> Particle:
    return Name(names[0], occurs) if len(names) == 1 else Choice(tuple(map(Name, names)), occurs)
