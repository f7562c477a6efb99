"""Running an experiment: every turn that the journal does not have yet.

Variants take turns at each point, so that ratios survive a noisy machine: what disturbs one disturbs them all.

This module knows nothing of files and terminals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from inspect import getfile
from pathlib import Path

from xylem.experiments.harness.experiment import Experiment, Point
from xylem.experiments.harness.fingerprint import fingerprint
from xylem.experiments.harness.journal import Journal
from xylem.experiments.harness.results import Description, Results
from xylem.experiments.harness.setting import Setting
from xylem.experiments.harness.turn import Place, Turn, places, take
from xylem.experiments.machine import Machine


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be run. `repeats` None takes the scale's own number."""

    scale: str = "small"
    seed: int = 1
    repeats: int | None = None
    data: Path | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A run before it starts: its places, and how many of them the journal has already."""

    places: tuple[Place, ...]
    done: int


Planned = Callable[[Plan], None]
Taken = Callable[[Turn], None]


def run(
    experiment: Experiment,
    order: Order,
    journals: Path,
    planned: Planned = lambda plan: None,
    taken: Taken = lambda turn: None,
) -> Results:
    """Runs what is left to run; `planned` hears of the plan, `taken` of each turn that was measured. Raises UsageError
    before anything is measured when a schema of the scale is not at hand."""
    machine = Machine.here()
    scale = experiment.scale(order.scale)
    repeats = scale.repeats if order.repeats is None else order.repeats
    wanted = places(scale, order.seed, repeats)
    _need_schemas(scale.points, order)
    mark = fingerprint(Path(getfile(experiment.trial)), machine)
    turns: list[Turn] = []
    with Journal(journals, experiment.name, mark, order.fresh) as journal:
        planned(Plan(tuple(wanted), sum(journal.found(place) is not None for place in wanted)))
        runner = _Runner(experiment, order.data)
        for place in wanted:
            turn = journal.found(place)
            if turn is None:
                turn = runner.turn(place)
                journal.write(turn)
                taken(turn)
            turns.append(turn)
    description = Description(
        experiment.name, order.scale, order.seed, scale.seeds, repeats, version("xylem"), mark, machine
    )
    return Results(experiment, description, tuple(turns))


def _need_schemas(points: tuple[Point, ...], order: Order) -> None:
    setting = Setting(order.seed, order.data)
    for name in dict.fromkeys(str(point["schema"]) for point in points if "schema" in point):
        setting.schema(name)


class _Runner:
    """Keeps the trial of a point for its repeats, and the setting of a seed for its points."""

    def __init__(self, experiment: Experiment, data: Path | None) -> None:
        self._experiment = experiment
        self._data = data
        self._setting: Setting | None = None
        self._point: Point | None = None

    def turn(self, place: Place) -> Turn:
        if self._setting is None or self._setting.seed != place.seed:
            self._setting = Setting(place.seed, self._data)
            self._point = None
        if self._point != place.point:
            self._variants = self._experiment.trial(place.point, self._setting)
            self._point = place.point
        return take(place, self._variants, self._experiment.measures, self._experiment.agree)
