"""Counts and draws paths from the root to a leaf, exactly.

A path is a sequence of tags. Where a state of the automaton admits names that have no edge there, all of those together
count as one, spelled `*`; so the counts are of what can be told apart.

Invariant: counts are whole numbers of any size, never rounded. Every path that is counted is drawn with the same
probability, and the same seed draws the same paths.

This module knows nothing of schemas.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from random import Random

from xylem.errors import UsageError
from xylem.schema.paths import NOWHERE, START, PathAutomaton

ANY_NAME = "*"


def count_paths(paths: PathAutomaton, max_depth: int, *, to_leaf: bool = True) -> list[int]:
    """For each depth from 1 to `max_depth`, the number of paths of so many elements: those that end in a leaf, or all
    beginnings of paths too. O(depth × edges) additions."""
    steps = [_steps(paths, state) for state in range(len(paths))]
    counts = []
    ways = {START: 1}
    for _ in range(max_depth):
        reached: dict[int, int] = {}
        for state, number in ways.items():
            for _, target in steps[state]:
                reached[target] = reached.get(target, 0) + number
        ways = reached
        counts.append(sum(number for state, number in ways.items() if not to_leaf or paths.accepting[state]))
    return counts


def sample_paths(paths: PathAutomaton, count: int, max_depth: int, seed: int) -> list[tuple[str, ...]]:
    """That many paths from root to leaf of at most `max_depth` elements, each one as likely as any other; raises
    UsageError when there is none."""
    numbering = PathNumbering(paths, max_depth)
    if numbering.total == 0:
        least = shortest_path(paths)
        reason = f"the shortest has {least} elements" if least else "no finite document is valid"
        raise UsageError(f"{paths.name} has no path of at most {max_depth} elements from root to leaf: {reason}")
    random = Random(seed)
    return [numbering.path(random.randrange(numbering.total)) for _ in range(count)]


def shortest_path(paths: PathAutomaton) -> int | None:
    """The number of elements on the shortest path from root to leaf; None if there is no path at all."""
    level, seen, depth = {START}, {START}, 0
    while level:
        if any(paths.accepting[state] for state in level):
            return depth
        level = {target for state in level for _, target in _steps(paths, state)} - seen
        seen |= level
        depth += 1
    return None


class PathNumbering:
    """The paths from root to leaf of at most `max_depth` elements, each with a number from 0 to `total` - 1."""

    def __init__(self, paths: PathAutomaton, max_depth: int) -> None:
        self._paths = paths
        self._steps = [_steps(paths, state) for state in range(len(paths))]
        accepting = [int(accepts) for accepts in paths.accepting]
        self._left = [accepting]  # by elements left, then by state
        for _ in range(max_depth):
            below = self._left[-1]
            self._left.append(
                [own + sum(below[target] for _, target in steps)
                 for own, steps in zip(accepting, self._steps, strict=True)]
            )  # fmt: skip
        self._sums: dict[tuple[int, int], list[int]] = {}
        self.total = self._left[max_depth][START]

    def path(self, number: int) -> tuple[str, ...]:
        """The path of this number."""
        tags: list[str] = []
        state, left = START, len(self._left) - 1
        while True:
            if self._paths.accepting[state]:
                if number == 0:
                    return tuple(tags)
                number -= 1
            sums = self._sums.get((state, left))
            if sums is None:
                below = self._left[left - 1]
                sums = self._sums[state, left] = list(accumulate(below[target] for _, target in self._steps[state]))
            chosen = bisect_right(sums, number)
            number -= sums[chosen - 1] if chosen else 0
            tag, state = self._steps[state][chosen]
            tags.append(tag)
            left -= 1


def _steps(paths: PathAutomaton, state: int) -> list[tuple[str, int]]:
    return list(_each_step(paths, state))


def _each_step(paths: PathAutomaton, state: int) -> Iterator[tuple[str, int]]:
    for label, target in paths.edges(state):
        yield paths.spelled[label], target
    if paths.other[state] != NOWHERE:
        yield ANY_NAME, int(paths.other[state])
