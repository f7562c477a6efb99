"""An experiment that measures nothing and says so exactly, for tests of the harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xylem.experiments.harness.experiment import (
    Chart,
    Comparison,
    Experiment,
    Kind,
    Measure,
    Point,
    Scale,
    Values,
    Variant,
    Verdict,
)
from xylem.experiments.harness.published import Published
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.setting import Setting


class Recorder:
    """Counts what is run: trials made, and variants in the order in which they ran."""

    def __init__(self) -> None:
        self.trials: list[tuple[int, Point]] = []
        self.runs: list[str] = []
        self.fail_at: int | None = None

    def trial(self, point: Point, setting: Setting) -> Mapping[str, Variant]:
        self.trials.append((setting.seed, point))
        size = int(point["size"])

        def variant(name: str, seconds: float) -> Variant:
            def run() -> Values:
                if len(self.runs) == self.fail_at:
                    raise KeyboardInterrupt
                self.runs.append(name)
                return {"time": seconds, "found": size}

            return run

        variants = {"linear": variant("linear", 2.0 * size + 0 * setting.seed), "square": variant("square", size**2)}
        return variants if size < 100 else {"linear": variants["linear"]}


def judge(results: Results, published: Published) -> Verdict:
    exponent = results.exponent("time", "linear", "size", results.points())
    return Verdict(
        f"linear grows with exponent {exponent:.2f}",
        "It is made so.",
        (Comparison("moro2007/fig-10/linear", f"{exponent:.2f}", True),),
    )


def experiment(recorder: Recorder | None = None, **changes: object) -> Experiment:
    points: tuple[Point, ...] = tuple({"place": "here", "size": size} for size in (1, 10, 100))
    made = Experiment(
        name="tiny",
        title="Tiny things | and pipes",
        question="What becomes of it?",
        method="Nothing is measured.",
        variants={"linear": "twice the size", "square": "its square"},
        measures={"time": Measure("time", "s"), "found": Measure("things found")},
        scales={"small": Scale(points, seeds=2, repeats=2), "paper": Scale(points[:2], repeats=1)},
        trial=(recorder or Recorder()).trial,
        charts=(
            Chart("Along size", "size", "size", "time", log_x=True, log_y=True),
            Chart("Ratio", "size", "size", "time", against="linear", kind=Kind.BARS),
        ),
        judge=judge,
        reproduces="nobody",
        baseline="linear",
        agree=("found",),
    )
    return replace(made, **changes)  # type: ignore[arg-type]
