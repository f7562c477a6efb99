"""Clocks, repeats and spreads.

Machines are noisy, and two figures taken minutes apart say little about each other. Competing variants
therefore take turns in one run, and what is reported is the ratio within each turn: its median and its range.

This module knows nothing of what is measured.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and range of repeated measurements."""

    median: float
    least: float
    most: float
    repeats: int

    @staticmethod
    def of(values: Sequence[float]) -> Spread:
        return Spread(median(values), min(values), max(values), len(values))


def seconds(work: Work) -> float:
    """How long a call takes, with the garbage collector out of the way of a fair comparison."""
    gc.collect()
    start = perf_counter()
    work()
    return perf_counter() - start


def take_turns(variants: Sequence[Work], repeats: int) -> list[list[float]]:
    """The seconds of each variant in each turn; within a turn each runs once, in the order given."""
    turns = [[seconds(variant) for variant in variants] for _ in range(repeats)]
    return [list(times) for times in zip(*turns, strict=True)]


def ratios(ours: Sequence[float], baseline: Sequence[float]) -> Spread:
    """Our time in multiples of the baseline's, turn by turn."""
    return Spread.of([a / b for a, b in zip(ours, baseline, strict=True)])


def fitted_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The exponent e of time ≈ c · sizeᵉ, by least squares on logarithms: 1 is linear growth."""
    from numpy import log, polyfit

    return float(polyfit(log(sizes), log(times), 1)[0])
