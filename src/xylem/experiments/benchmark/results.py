"""What a benchmark says: figures, targets and verdicts.

This module knows nothing of how figures are taken or shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.experiments.machine import Machine
from xylem.experiments.measuring import Spread


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that a figure should keep."""

    bound: float
    at_most: bool = True

    def met(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound

    def __str__(self) -> str:
        return f"{'≤' if self.at_most else '≥'} {self.bound:,g}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value with its unit; with a target where there is one, and with the facts beside it that
    say what it means (sizes, numbers of matches, absolute times)."""

    name: str
    value: float
    unit: str
    target: Target | None = None
    spread: Spread | None = None
    facts: dict[str, float | int | str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.target.met(self.value) else "missed"


def ratio_figure(name: str, spread: Spread, target: Target | None = None, **facts: float | int | str) -> Figure:
    """A figure that is a ratio of times."""
    return Figure(name, spread.median, "×", target, spread, dict(facts))


@dataclass(frozen=True, slots=True)
class Row:
    """What one part of the benchmark found; `note` says what was skipped or failed, and why."""

    name: str
    title: str
    figures: tuple[Figure, ...] = ()
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Report:
    xylem: str
    scale: str
    machine: Machine
    rows: tuple[Row, ...]

    @property
    def failed(self) -> bool:
        """Whether a row could not be measured."""
        return any(row.note.startswith("failed") for row in self.rows)

    @property
    def missed(self) -> tuple[Figure, ...]:
        return tuple(figure for row in self.rows for figure in row.figures if figure.verdict == "missed")
