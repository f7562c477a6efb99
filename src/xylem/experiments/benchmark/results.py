"""What a benchmark says: figures, targets, verdicts, and the machine that they come from.

This module knows nothing of how figures are taken or shown.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from xylem.experiments.benchmark.measuring import Spread


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
class Machine:
    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    expat: str
    numba: str
    lxml: str
    load: float  # average number of busy cores in the last minute before the run: others' work makes figures worse

    @staticmethod
    def here() -> Machine:
        from pyexpat import EXPAT_VERSION

        return Machine(
            processor=_processor(),
            cores=len(os.sched_getaffinity(0)),
            memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
            system=f"{platform.system()} {platform.machine()}",
            python=platform.python_version(),
            expat=EXPAT_VERSION.removeprefix("expat_"),
            numba=version("numba"),
            lxml=version("lxml"),
            load=round(os.getloadavg()[0], 2),
        )


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


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
