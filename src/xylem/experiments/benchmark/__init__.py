"""The benchmark: `run(Lab.of(FULL, …))` gives a `Report`."""

from xylem.experiments.benchmark.lab import FULL, QUICK, Lab, Scale
from xylem.experiments.benchmark.report import as_json, show, verdict_lines
from xylem.experiments.benchmark.results import Figure, Report, Row, Target
from xylem.experiments.benchmark.runner import PARTS, run
from xylem.experiments.machine import Machine

__all__ = [
    "FULL",
    "PARTS",
    "QUICK",
    "Figure",
    "Lab",
    "Machine",
    "Report",
    "Row",
    "Scale",
    "Target",
    "as_json",
    "run",
    "show",
    "verdict_lines",
]
