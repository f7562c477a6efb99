"""Results on disk: what is read back is what was written, and what is damaged is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.experiments.tiny import experiment
from xylem.errors import UsageError
from xylem.experiments.harness.results import Results
from xylem.experiments.harness.running import Order, run
from xylem.experiments.harness.store import load, load_all, save


@pytest.fixture
def saved(tmp_path: Path) -> Results:
    results = run(experiment(), Order(), tmp_path / "journal")
    save(results, tmp_path)
    return results


def test_what_is_read_back_is_what_was_written(saved: Results, tmp_path: Path) -> None:
    found = load(saved.experiment, "small", tmp_path)
    assert found is not None
    assert found.turns == saved.turns
    assert found.description == saved.description
    assert [results.description.scale for results in load_all(saved.experiment, tmp_path)] == ["small"]
    assert load(saved.experiment, "paper", tmp_path) is None


def test_it_is_one_row_a_variant_and_turn(saved: Results, tmp_path: Path) -> None:
    lines = (tmp_path / "tiny" / "small.csv").read_text().splitlines()
    assert lines[0] == "place,size,seed,repeat,variant,time,found"
    assert lines[1] == "here,1,1,0,linear,2,1"
    assert len(lines) == 1 + 2 * 2 * 5


def test_amounts_are_as_exact_as_clocks(saved: Results, tmp_path: Path) -> None:
    turn = saved.turns[0]
    values = {"linear": {"time": 0.123456789, "found": 12345678.0}}
    one = Results(saved.experiment, saved.description, (type(turn)(turn.place, values),))
    save(one, tmp_path)
    found = load(saved.experiment, "small", tmp_path)
    assert found is not None
    assert found.turns[0].values == {"linear": {"time": 0.123457, "found": 12345678.0}}


def _without_machine(text: str) -> str:
    plain = json.loads(text)
    del plain["machine"]
    return json.dumps(plain)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("small.csv", lambda text: text.replace("linear", "unheard")),
        ("small.csv", lambda text: text.replace(",2,1\n", ",fast,1\n")),
        ("small.csv", lambda text: text.splitlines()[0] + "\n"),
        ("small.csv", lambda text: ""),
        ("small.json", lambda text: text[:-20]),
        ("small.json", _without_machine),
    ],
)
def test_damage_is_refused(saved: Results, tmp_path: Path, name: str, damage) -> None:
    path = tmp_path / "tiny" / name
    path.write_text(damage(path.read_text()))
    with pytest.raises(UsageError, match="cannot be read"):
        load(saved.experiment, "small", tmp_path)
