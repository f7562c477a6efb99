"""Paths as they are written, drawn with the probabilities of random walks down an element graph.

A walk starts somewhere and chooses a child at each step; a path writes some of the names as `*`. Many walks give the
same path, so a path is drawn by itself: a `Spot` holds how likely the walk is at each element given what has been
written, and offers names by that. Which way the walk went is decided afterwards, where somebody asks
(`Drawn.elements`).

Invariant: a path, and the elements of its steps, are as likely as with a walk that is drawn first and written then;
each path as written is one sequence of choices.

This module knows nothing of slashes, predicates and parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from xylem.schema import ElementGraph
from xylem.workload.chance import Chance
from xylem.workload.values import zipf

STAR = "*"


class Spot:
    """Where a walk may be: elements and their probabilities. `end` is the probability that it can go no further, with
    `least` more steps to be had if possible. What comes below is worked out when it is first asked for."""

    __slots__ = ("_below", "cumulative", "elements", "end", "least", "names", "probabilities", "star")

    def __init__(self, elements: tuple[str, ...], probabilities: tuple[float, ...], least: int) -> None:
        self.elements = elements
        self.probabilities = probabilities
        self.least = max(least, 0)
        self.end = 0.0
        self.names: tuple[str, ...] = ()
        self.cumulative: tuple[float, ...] = ()
        self.star: Spot | None = None
        self._below: list[Spot] | None = None

    def below(self, answer: int) -> Spot:
        assert self._below is not None
        return self._below[answer]

    def open(self, names: tuple[str, ...], probabilities: Sequence[float], below: list[Spot], star: Spot) -> None:
        self.names, self.cumulative = names, tuple(accumulate(probabilities))
        self._below, self.star = below, star


class Drawn:
    """A path without its slashes: names, and the spots that they lead to."""

    __slots__ = ("_paths", "_stopping", "names", "spots")

    def __init__(self, paths: Paths, names: list[str], spots: list[Spot], stopping: float) -> None:
        self._paths = paths
        self.names = names
        self.spots = spots
        self._stopping = stopping  # the probability of ending here although the walk could go on

    def elements(self, chance: Chance) -> list[str]:
        """A walk that gives this path, each as likely as it was."""
        paths, last = self._paths, self.spots[-1]
        weights = [
            probability * (1.0 if not paths.choices(element, last.least)[0] else self._stopping)
            for element, probability in zip(last.elements, last.probabilities, strict=True)
        ]
        walk = [_choose(chance, last.elements, weights)]
        for spot in reversed(self.spots[:-1]):
            weights = [
                probability * paths.share(element, spot.least, walk[-1])
                for element, probability in zip(spot.elements, spot.probabilities, strict=True)
            ]
            walk.append(_choose(chance, spot.elements, weights))
        return walk[::-1]


class Paths:
    """The paths of one schema, with names as subscriptions spell them and Zipf's `skew` in the choice of children."""

    def __init__(self, graph: ElementGraph, names: dict[str, str], skew: float) -> None:
        self._graph = graph
        self._names = names
        self._skew = skew
        self._lengths = graph.longest_paths()
        self._choices: dict[tuple[str, int], tuple[tuple[str, ...], tuple[float, ...]]] = {}
        self._singles: dict[tuple[str, int], Spot] = {}

    def start(self, elements: Sequence[str], least: int) -> Spot:
        """The spot above all walks that begin with one of these elements, all equally likely, and have `least` steps if
        the schema allows it."""
        spot = Spot((), (), least)
        self._open(spot, {element: 1 / len(elements) for element in elements})
        return spot

    def draw(self, chance: Chance, start: Spot, stops: Sequence[float], wildcard: float) -> Drawn:
        """A path; `stops[n]` is the probability that a path of n + 1 steps ends there, the last one being 1."""
        names: list[str] = []
        spots: list[Spot] = []
        spot = start
        for stop in stops:
            if spot.star is None:
                self._open_below(spot)
            if chance.coin(wildcard):
                assert spot.star is not None
                names.append(STAR)
                spot = spot.star
            else:
                answer = chance.pick(spot.cumulative)
                names.append(spot.names[answer])
                spot = spot.below(answer)
            spots.append(spot)
            if chance.coin(stop + (1 - stop) * spot.end):
                break
        return Drawn(self, names, spots, stop)

    def long_enough(self, elements: Sequence[str], least: int) -> tuple[str, ...]:
        """Those from which a path of so many steps goes down."""
        return tuple(name for name in elements if self._lengths[name] >= least)

    def longest(self, elements: Sequence[str]) -> float:
        return max(self._lengths[name] for name in elements)

    def choices(self, element: str, least: int) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """The children that paths of `least` more steps lead through, and their probabilities."""
        key = (element, max(least, 1))
        found = self._choices.get(key)
        if found is None:
            below = tuple(name for name in self._graph.children[element] if self._lengths[name] >= key[1])
            cumulative = zipf(len(below), self._skew)
            ranks = ((rank + 1) ** -self._skew / cumulative[-1] for rank in range(len(below)))
            found = self._choices[key] = (below, tuple(ranks))
        return found

    def share(self, element: str, least: int, child: str) -> float:
        """How likely the walk goes from an element to this child."""
        below, probabilities = self.choices(element, least)
        return probabilities[below.index(child)] if child in below else 0.0

    def _open_below(self, spot: Spot) -> None:
        children: dict[str, float] = {}
        for element, probability in zip(spot.elements, spot.probabilities, strict=True):
            for child, share in zip(*self.choices(element, spot.least), strict=True):
                children[child] = children.get(child, 0.0) + probability * share
        self._open(spot, children)

    def _open(self, spot: Spot, children: dict[str, float]) -> None:
        """Names by their probabilities; two elements may be spelled alike when their prefixes mean the same."""
        named: dict[str, dict[str, float]] = {}
        for child, probability in children.items():
            named.setdefault(self._names[child], {})[child] = probability
        least = spot.least - 1
        below = [self._single(group, least) for group in named.values()]
        spot.open(tuple(named), [sum(group.values()) for group in named.values()], below, self._spot(children, least))

    def _single(self, group: dict[str, float], least: int) -> Spot:
        """The spot behind a name. Nearly always one element has it, and spots of one element are shared."""
        if len(group) > 1:
            return self._spot(group, least)
        key = (next(iter(group)), max(least, 0))
        found = self._singles.get(key)
        if found is None:
            found = self._singles[key] = self._spot(group, least)
        return found

    def _spot(self, children: dict[str, float], least: int) -> Spot:
        total = sum(children.values())
        spot = Spot(tuple(children), tuple(value / total for value in children.values()), least)
        ends = [not self.choices(element, spot.least)[0] for element in children]
        spot.end = 1.0 if all(ends) else sum(p for p, end in zip(spot.probabilities, ends, strict=True) if end)
        return spot


def stops(least: int, most: int, full: bool = False) -> tuple[float, ...]:
    """For depths drawn evenly between two: the probability of ending after each step, given that the path got there."""
    return tuple(
        0.0 if step < least or (full and step < most) else 1 / (most - step + 1) for step in range(1, most + 1)
    )


def _choose(chance: Chance, elements: tuple[str, ...], weights: list[float]) -> str:
    """One of the elements that have a weight at all."""
    if len(elements) == 1:
        return elements[0]
    possible = [(element, weight) for element, weight in zip(elements, weights, strict=True) if weight > 0]
    return possible[chance.pick(tuple(accumulate(weight for _, weight in possible)))][0]
