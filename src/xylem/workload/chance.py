"""Two ways to make random choices: as they come, or without ever making the same ones again.

`Free` draws from a seeded generator. `Unrepeated` keeps a tree of the sequences of choices that were made and how much
probability each branch of it has left, and draws from what is left: the outcome is that of drawing freely until
something new comes, without the draws that bring nothing new, which are nearly all of them once little is left (Shi,
Bieber, Singh: Incremental Sampling Without Replacement, ICML 2020). It also knows when nothing is left.

Invariant: `Unrepeated` never makes one sequence of choices twice, provided that the same choices always lead to
the same next question. A choice without alternative is not one, and takes no random number.

This module knows nothing of what is chosen.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from random import Random
from typing import Protocol


class Chance(Protocol):
    def coin(self, probability: float) -> bool:
        """True with this probability."""

    def below(self, count: int) -> int:
        """A number from 0 to count - 1, all equally likely."""

    def pick(self, cumulative: Sequence[float]) -> int:
        """An index, by cumulative weights."""


class Free:
    """Choices from a generator that is sown anew for each item, so that no item depends on another."""

    __slots__ = ("_draw", "_random")

    def __init__(self) -> None:
        self._random = Random()
        self._draw = self._random.random  # the one source whose numbers no Python version changes

    def sow(self, seed: str) -> None:
        self._random.seed(seed)

    def coin(self, probability: float) -> bool:
        return probability >= 1 or (probability > 0 and self._draw() < probability)

    def below(self, count: int) -> int:
        return int(self._draw() * count) if count > 1 else 0

    def pick(self, cumulative: Sequence[float]) -> int:
        if len(cumulative) == 1:
            return 0
        return bisect(cumulative, self._draw() * cumulative[-1], 0, len(cumulative) - 1)


# The rest of a sequence of choices that only one draw has taken so far: each choice and its probability.
_Tail = tuple[tuple[int, float], ...]


class _Node:
    """A question that two draws at least were asked. `left` is the weight of each answer that is not spent yet."""

    __slots__ = ("answers", "left", "weights")

    def __init__(self, cumulative: Sequence[float]) -> None:
        self.weights = [cumulative[0], *(high - low for low, high in pairwise(cumulative))]
        self.left = list(self.weights)
        self.answers: dict[int, _Node | _Tail] = {}

    def put(self, answer: int, below: _Node | _Tail) -> None:
        self.answers[answer] = below
        self.left[answer] = self.weights[answer] * _left(below)


class Exhausted(Exception):
    """Every sequence of choices has been made."""


class Unrepeated:
    """Choices that never repeat a sequence: `begin`, the choices, `end`. Time and memory for one sequence grow with its
    number of choices and of their alternatives."""

    __slots__ = ("_draw", "_even", "_root", "_tail", "_way", "_where")

    def __init__(self, seed: str) -> None:
        self._draw = Random(seed).random
        self._even: dict[int, list[float]] = {}
        self._root: _Node | _Tail | None = None
        self._where: _Node | _Tail | None = None
        self._way: list[tuple[_Node, int]] = []
        self._tail: list[tuple[int, float]] = []

    def begin(self) -> None:
        """Raises Exhausted when nothing is left."""
        if self._root is not None and _left(self._root) <= 0:
            raise Exhausted
        self._where, self._way, self._tail = self._root, [], []

    def end(self) -> None:
        """Marks what was chosen since `begin` as spent."""
        below: _Node | _Tail = tuple(self._tail)
        for node, answer in reversed(self._way):
            node.put(answer, below)
            below = node
        self._root = below

    def coin(self, probability: float) -> bool:
        if not 0 < probability < 1:
            return probability >= 1
        return self.pick((1 - probability, 1.0)) == 1

    def below(self, count: int) -> int:
        even = self._even.get(count)
        if even is None:
            even = self._even[count] = [float(number + 1) for number in range(count)]
        return self.pick(even)

    def pick(self, cumulative: Sequence[float]) -> int:
        if len(cumulative) == 1:
            return 0
        where = self._where
        if where is None:  # nobody has been here: a free choice
            answer = bisect(cumulative, self._draw() * cumulative[-1], 0, len(cumulative) - 1)
            weight = cumulative[answer] - (cumulative[answer - 1] if answer else 0.0)
            self._tail.append((answer, weight / cumulative[-1]))
            return answer
        if isinstance(where, tuple):
            node = _Node(cumulative)
            node.put(where[0][0], where[1:])
            where = node
        answer = _weighted(where.left, self._draw())
        self._way.append((where, answer))
        self._where = where.answers.get(answer)
        return answer


def _left(below: _Node | _Tail) -> float:
    """The share of a branch that is not spent; 0 if and only if all of it is (but for what a float cannot tell)."""
    if isinstance(below, tuple):
        return 1 - prod(probability for _, probability in below)
    return sum(below.left) / sum(below.weights)


def _weighted(weights: list[float], random: float) -> int:
    """The index of a positive weight, by weight; one is positive at least."""
    sums = list(accumulate(weights))
    answer = bisect(sums, random * sums[-1], 0, len(sums) - 1)
    while weights[answer] <= 0:
        answer -= 1
    return answer
