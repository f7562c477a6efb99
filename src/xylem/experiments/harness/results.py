"""What a run measured, and the questions that are asked of it: medians, ratios within turns, growth.

This module knows nothing of files, and of what the measures mean.
"""

from __future__ import annotations

from dataclasses import dataclass

from xylem.experiments.harness.experiment import Experiment, Point, Value
from xylem.experiments.harness.turn import Turn
from xylem.experiments.machine import Machine
from xylem.experiments.measuring import Spread, fitted_exponent, ratios


@dataclass(frozen=True, slots=True)
class Description:
    """Where results come from."""

    experiment: str
    scale: str
    seed: int
    seeds: int
    repeats: int
    xylem: str
    fingerprint: str
    machine: Machine


@dataclass(frozen=True, slots=True)
class Results:
    experiment: Experiment
    description: Description
    turns: tuple[Turn, ...]

    def points(self, **where: Value) -> list[Point]:
        """The points at which these parameters have these values, in the order of the run."""
        found: list[Point] = []
        for turn in self.turns:
            point = turn.place.point
            if point not in found and all(point[name] == value for name, value in where.items()):
                found.append(point)
        return found

    def variants(self, *points: Point) -> list[str]:
        """Those that were measured, at these points or anywhere, in the order of the experiment."""
        met = {name for turn in self.turns if not points or turn.place.point in points for name in turn.values}
        return [name for name in self.experiment.variants if name in met]

    def values(self, measure: str, variant: str, point: Point) -> list[float]:
        """One value a turn; empty where the variant was not measured."""
        return [
            turn.values[variant][measure]
            for turn in self.turns
            if turn.place.point == point and measure in turn.values.get(variant, {})
        ]

    def spread(self, measure: str, variant: str, point: Point) -> Spread | None:
        """Median and range over all turns at a point; None where the variant was not measured."""
        values = self.values(measure, variant, point)
        return Spread.of(values) if values else None

    def ratio(self, measure: str, variant: str, baseline: str, point: Point) -> Spread | None:
        """The variant in multiples of the baseline, turn by turn; None where one of them was not measured."""
        ours, theirs = self.values(measure, variant, point), self.values(measure, baseline, point)
        return ratios(ours, theirs) if ours and theirs and min(theirs) > 0 else None

    def exponent(self, measure: str, variant: str, along: str, points: list[Point]) -> float | None:
        """The exponent e of measure ≈ c · parameterᵉ over the points where the variant was measured, from medians;
        None for fewer than two of them. 1 is linear growth, 0 none."""
        sizes, medians = [], []
        for point in points:
            spread = self.spread(measure, variant, point)
            if spread is not None and spread.median > 0:
                sizes.append(float(point[along]))
                medians.append(spread.median)
        return fitted_exponent(sizes, medians) if len(sizes) > 1 else None
