"""What an experiment is: its question, its points at each scale, the variants that compete at each point, and how what
they measured is shown and judged.

    a *point*    one setting of the parameters, such as 1,000 queries and 100 documents
    a *variant*  one of the competitors, such as an engine
    a *turn*     every variant once at one point, with one seed: what is journalled, and what ratios are taken within

Invariant: an experiment is data and functions; it holds nothing that a run changes.

This module knows nothing of how experiments are run, kept or drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from xylem.errors import UsageError

if TYPE_CHECKING:
    from xylem.experiments.harness.published import Published
    from xylem.experiments.harness.results import Results
    from xylem.experiments.harness.setting import Setting

Value = str | int | float
Point = Mapping[str, Value]
Values = Mapping[str, float]
Variant = Callable[[], Values]

SCALES = ("small", "paper")


@dataclass(frozen=True, slots=True)
class Measure:
    """What a variant reports under a name. Of measures in `agree`, all variants must report the same in a turn."""

    title: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a run is: its points, the number of workloads that are drawn (each with a seed of its own), and how
    often each is repeated."""

    points: tuple[Point, ...]
    seeds: int = 1
    repeats: int = 5

    def __post_init__(self) -> None:
        if not self.points or min(self.seeds, self.repeats) < 1:
            raise UsageError("a scale has a point, a seed and a repeat at least")
        names = tuple(self.points[0])
        for point in self.points:
            if tuple(point) != names:
                raise UsageError(f"all points have the parameters {', '.join(names)}, not {', '.join(point)}")
            for value in point.values():
                if isinstance(value, str) and _is_number(value):
                    raise UsageError(f"the parameter '{value}' is text that would be read back as a number")
        if len({tuple(point.values()) for point in self.points}) < len(self.points):
            raise UsageError("no two points are the same")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class Kind(Enum):
    LINES = "lines"  # along a number
    BARS = "bars"  # along names


@dataclass(frozen=True, slots=True)
class Chart:
    """One panel of the figure: a measure along a parameter, a series for each variant, at the points where the
    parameters of `where` have these values. With `against`, the ratio to that variant within each turn instead."""

    title: str
    along: str
    label: str
    measure: str
    where: Point = field(default_factory=dict)
    against: str | None = None
    kind: Kind = Kind.LINES
    log_x: bool = False
    log_y: bool = False


class Outcome(Enum):
    """What becomes of the published shape."""

    HOLDS = "holds"
    PARTLY = "holds in part"
    DIFFERS = "differs"
    OPEN = "cannot be compared yet"
    NOTHING_PUBLISHED = "nothing published to compare with"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One published claim beside what was measured. `agrees` is None where the two cannot be compared; `why` is due
    wherever they do not agree."""

    claim: str  # its id among the published figures
    ours: str
    agrees: bool | None
    why: str = ""

    def __post_init__(self) -> None:
        if self.agrees is not True and not self.why:
            raise ValueError(f"{self.claim}: what does not agree with the published figure says why")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The one ratio that stands for the experiment, what was found in a sentence or two, and the comparisons."""

    headline: str
    found: str
    comparisons: tuple[Comparison, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Follows from the comparisons alone."""
        if not self.comparisons:
            return Outcome.NOTHING_PUBLISHED
        answers = {comparison.agrees for comparison in self.comparisons} - {None}
        if not answers:
            return Outcome.OPEN
        if len(answers) == 2:
            return Outcome.PARTLY
        return Outcome.HOLDS if answers == {True} else Outcome.DIFFERS


@dataclass(frozen=True, slots=True)
class Experiment:
    """`trial` makes the variants for a point, each a function that runs once and reports its measures; a variant
    that it leaves out is not measured there. `method` says what is measured, and what is not."""

    name: str
    title: str
    question: str
    method: str
    variants: Mapping[str, str]
    measures: Mapping[str, Measure]
    scales: Mapping[str, Scale]
    trial: Callable[[Point, Setting], Mapping[str, Variant]]
    charts: tuple[Chart, ...]
    judge: Callable[[Results, Published], Verdict]
    reproduces: str = ""  # the paper and its figures, for the list
    baseline: str | None = None
    agree: tuple[str, ...] = ()

    def scale(self, name: str) -> Scale:
        """Raises UsageError for a scale that the experiment does not have."""
        if name not in self.scales:
            raise UsageError(f"{self.name} has no scale '{name}'; there are {', '.join(self.scales)}")
        return self.scales[name]
