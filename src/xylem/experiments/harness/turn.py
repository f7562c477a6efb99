"""One turn of an experiment: every variant once, at one point, with one seed.

This module knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

from xylem.errors import XylemError
from xylem.experiments.harness.experiment import Point, Scale, Value, Values, Variant

Key = tuple[tuple[tuple[str, Value], ...], int, int]


class Disagreement(XylemError):
    """Variants that must find the same have found something else: a fault in one of them, and no figure at all."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn stands in a run; what is measured there is found again by its key."""

    point: Point
    seed: int
    repeat: int

    @property
    def key(self) -> Key:
        return tuple(sorted(self.point.items())), self.seed, self.repeat


@dataclass(frozen=True, slots=True)
class Turn:
    place: Place
    values: Mapping[str, Values]  # by variant


def places(scale: Scale, seed: int, repeats: int) -> list[Place]:
    """All turns of a run; those that share a workload stand together."""
    return [
        Place(point, number, repeat)
        for number in range(seed, seed + scale.seeds)
        for point in scale.points
        for repeat in range(repeats)
    ]


def take(place: Place, variants: Mapping[str, Variant], measures: Iterable[str], agree: Iterable[str]) -> Turn:
    """Runs every variant once. Each repeat begins with another one, so that none always runs behind the same other."""
    names = list(variants)
    first = place.repeat % len(names)
    measured = {name: dict(variants[name]()) for name in names[first:] + names[:first]}
    values = {name: measured[name] for name in names}
    _check(place, values, set(measures), agree)
    return Turn(place, values)


def _check(place: Place, values: Mapping[str, Values], measures: set[str], agree: Iterable[str]) -> None:
    for name, found in values.items():
        for measure, value in found.items():
            if measure not in measures:
                raise ValueError(f"{name} reports '{measure}', which the experiment does not declare")
            if not isfinite(value):
                raise ValueError(f"{name} reports {measure} = {value}")
    for measure in agree:
        answers = {name: found[measure] for name, found in values.items() if measure in found}
        if len(set(answers.values())) > 1:
            said = ", ".join(f"{name} {answer:,g}" for name, answer in answers.items())
            raise Disagreement(f"variants disagree on {measure} at {dict(place.point)}, seed {place.seed}: {said}")
