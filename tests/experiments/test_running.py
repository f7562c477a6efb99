"""Running: everything is measured once, whenever it was interrupted; what depends on what was measured counts."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.experiments.tiny import Recorder, experiment
from xylem.errors import UsageError
from xylem.experiments.harness.experiment import Scale
from xylem.experiments.harness.fingerprint import fingerprint
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.running import Order, run
from xylem.experiments.machine import Machine

_VARIANTS_RUN = 2 * 2 * (2 + 2 + 1)  # seeds, repeats, variants at the three points


def test_everything_is_run_once(tmp_path: Path) -> None:
    recorder, plans, taken = Recorder(), [], []
    results = run(experiment(recorder), Order(), tmp_path, plans.append, taken.append)
    assert len(recorder.runs) == _VARIANTS_RUN
    assert [(seed, point["size"]) for seed, point in recorder.trials] == [(s, n) for s in (1, 2) for n in (1, 10, 100)]
    assert list(results.turns) == taken
    assert [(len(plan.places), plan.done) for plan in plans] == [(12, 0)]
    assert [point["size"] for point in results.points()] == [1, 10, 100]
    assert results.description.seeds == results.description.repeats == 2


def test_interrupted_anywhere_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole = run(experiment(), Order(), tmp_path / "whole").turns
    for number in range(_VARIANTS_RUN):
        folder, recorder, plans = tmp_path / str(number), Recorder(), []
        recorder.fail_at = number
        with pytest.raises(KeyboardInterrupt):
            run(experiment(recorder), Order(), folder)
        recorder.fail_at = None
        before = len(recorder.runs)
        assert run(experiment(recorder), Order(), folder, plans.append).turns == whole
        # At most the turn that was interrupted is measured twice.
        assert _VARIANTS_RUN <= len(recorder.runs) <= _VARIANTS_RUN + 1
        assert (plans[0].done == 12) == (before == _VARIANTS_RUN)


def test_a_rerun_measures_only_what_is_missing(tmp_path: Path) -> None:
    recorder = Recorder()
    made = experiment(recorder)
    run(made, Order(), tmp_path)
    measured = len(recorder.runs)
    for order, more in [
        (Order(), 0),
        (Order(repeats=1), 0),
        (Order(scale="paper"), 0),  # its points are among those of the small scale
        (Order(repeats=3), _VARIANTS_RUN // 2),
        (Order(seed=2), _VARIANTS_RUN // 2),  # seed 3 is new, seed 2 is not
        (Order(fresh=True), _VARIANTS_RUN),
    ]:
        run(made, order, tmp_path)
        assert len(recorder.runs) - measured == more, order
        measured = len(recorder.runs)


def test_a_schema_that_is_not_at_hand_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    recorder = Recorder()
    points = ({"schema": "wire", "size": 1}, {"schema": "nitf-2.5", "size": 1})
    made = experiment(recorder, scales={"small": Scale(points)})
    with pytest.raises(UsageError, match=r"'nitf-2\.5' is not at hand: --data"):
        run(made, Order(data=tmp_path), tmp_path)
    unknown = experiment(recorder, scales={"small": Scale(({"schema": "nonsense"},))})
    with pytest.raises(UsageError, match="no schema 'nonsense'"):
        run(unknown, Order(), tmp_path)
    assert recorder.runs == []


_FILES = {
    "errors.py": True,
    "matching/tree/engine.py": True,
    "workload/wire.dtd": True,
    "experiments/measuring.py": True,
    "experiments/harness/turn.py": True,
    "experiments/studies/engines_growth.py": True,
    "experiments/studies/reading.py": False,
    "experiments/pages/page.py": False,
    "experiments/benchmark/lab.py": False,
    "cli/app.py": False,
    "py.typed": False,
}


def test_what_a_measurement_depends_on(tmp_path: Path) -> None:
    machine = Machine.here()
    for name in _FILES:
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one")

    def of(package: Path, study: str = "engines_growth", machine: Machine = machine) -> str:
        return fingerprint(package / "experiments" / "studies" / f"{study}.py", machine, package)

    package = tmp_path / "package"
    mark = of(package)
    for name, matters in _FILES.items():
        copy = tmp_path / name.replace("/", "-")
        shutil.copytree(package, copy)
        (copy / name).write_text("two")
        assert (of(copy) != mark) is matters, name
    assert of(package, machine=replace(machine, load=machine.load + 1)) == mark
    assert of(package, machine=replace(machine, python="3.99")) != mark


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(experiment(), Order(), tmp_path_factory.mktemp("journal"))


def test_results_answer_questions(results: Results) -> None:
    small, middle, large = results.points()
    assert results.points(size=10) == [middle]
    assert results.variants() == ["linear", "square"]
    assert results.variants(large) == ["linear"]
    spread = results.spread("time", "linear", middle)
    assert spread is not None
    assert (spread.median, spread.least, spread.most, spread.repeats) == (20, 20, 20, 4)
    ratio = results.ratio("time", "square", "linear", middle)
    assert ratio is not None
    assert ratio.median == 5
    assert results.spread("time", "square", large) is None
    assert results.ratio("time", "square", "linear", large) is None
    assert results.exponent("time", "linear", "size", [small, middle, large]) == pytest.approx(1)
    assert results.exponent("time", "square", "size", [small, middle, large]) == pytest.approx(2)
    assert results.exponent("time", "square", "size", [middle, large]) is None
