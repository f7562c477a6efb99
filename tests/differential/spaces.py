"""Small spaces, whole: every tree, every pattern up to a size."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product

NAMES = ("a", "b")
TESTS = ("a", "b", "*")


@cache
def forests(nodes: int) -> tuple[str, ...]:
    """Every ordered forest of that many elements named a or b."""
    if nodes == 0:
        return ("",)
    return tuple(
        f"<{name}>{inside}</{name}>{after}"
        for size in range(1, nodes + 1)
        for name, inside, after in product(NAMES, forests(size - 1), forests(nodes - size))
    )


def trees(nodes: int) -> Iterator[str]:
    """Every ordered tree of that many elements named a or b."""
    for name, inside in product(NAMES, forests(nodes - 1)):
        yield f"<{name}>{inside}</{name}>"


@cache
def branches(steps: int, negated: bool) -> tuple[str, ...]:
    """Every tree pattern of that many steps, asked from a node: `.//a[b][c/d]`, negated ones too if asked for."""
    found = []
    for axis, test in product(("", ".//"), TESTS):
        found += [f"{axis}{test}{predicates}" for predicates in bundles(steps - 1, negated)]
    return tuple(found) + (tuple(f"not({one})" for one in found) if negated else ())


@cache
def bundles(steps: int, negated: bool) -> tuple[str, ...]:
    """Every set of predicates of that many steps in all, each set once."""
    return tuple(
        "".join(f"[{one}]" for one in chosen) for sizes in _parts(steps, steps) for chosen in _chosen(sizes, negated)
    )


def _parts(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in _parts(total - first, first):
            yield (first, *rest)


def _chosen(sizes: tuple[int, ...], negated: bool) -> Iterator[tuple[str, ...]]:
    by_size = [(size, sizes.count(size)) for size in dict.fromkeys(sizes)]
    choices = [list(combinations_with_replacement(branches(size, negated), count)) for size, count in by_size]
    for picked in product(*choices):
        yield tuple(one for group in picked for one in group)


def subscriptions(steps: int, negated: bool) -> list[str]:
    """Every tree pattern of that many steps, asked from the document node."""
    return [
        one.replace(".//", "//", 1) if one.startswith((".//", "not(.//")) else _rooted(one)
        for one in branches(steps, negated)
    ]


def _rooted(one: str) -> str:
    return f"not(/{one[4:]}" if one.startswith("not(") else f"/{one}"


def chains(steps: int) -> list[str]:
    """Every linear path of that many steps, from the document node."""
    return ["".join(parts) for parts in product([axis + test for axis in ("/", "//") for test in TESTS], repeat=steps)]
