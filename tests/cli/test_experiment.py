"""`xylem experiment`: its options and forms, resuming included; what is measured is tested where it is measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import Command, start
from tests.experiments.tiny import Recorder, experiment


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Recorder:
    """The registry holds only an experiment that takes no time; the current folder is empty."""
    recorder = Recorder()
    made = experiment(recorder)
    monkeypatch.setattr("xylem.experiments.registry.experiments", lambda: [made])
    monkeypatch.chdir(tmp_path)
    return recorder


def test_experiments_are_listed(xylem: Command) -> None:
    plain, listed = xylem("experiment", "list"), xylem("experiment", "list", "--json")
    assert plain.code == listed.code == 0
    (rows,) = listed.lines
    assert [row["experiment"] for row in rows] == [line.split()[0] for line in plain.out.splitlines()]
    assert {"language", "reading", "workload-shares", "engines-growth"} <= {row["experiment"] for row in rows}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nonsense",), "there is no experiment 'nonsense'; there are language"),
        (("language", "nonsense"), "there is no experiment 'nonsense'"),
        (("language", "--scale", "huge"), "no scale 'huge'; there are small, paper"),
        (("language", "--repeats", "0"), "--repeats"),
        (("language", "--data", "nowhere"), "--data: nowhere is no folder"),
        (("language", "--scale", "paper", "--data", "."), "'nitf-2.5' is not at hand"),
        ((), "NAME"),
    ],
)
def test_wrong_usage(xylem: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = xylem("experiment", "run", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert said in result.err
    assert list(tmp_path.rglob("*.csv")) == []


def test_a_run_writes_page_and_measurements(xylem: Command, tiny: Recorder, tmp_path: Path) -> None:
    result = xylem("experiment", "run", "tiny", "tiny", "--out", "results")
    assert result.code == 0
    assert result.out.splitlines() == [
        "Tiny things | and pipes: holds",
        "  linear grows with exponent 1.00",
        "  results/tiny.md",
    ]
    names = {path.name for path in (tmp_path / "results" / "tiny").iterdir()}
    assert {"small.csv", "small.json"} <= names
    assert "Tiny things" in (tmp_path / "results" / "README.md").read_text()
    assert "\x1b" not in result.out + result.err


def test_a_second_run_says_what_was_measured_before(xylem: Command, tiny: Recorder) -> None:
    xylem("experiment", "run", "tiny")
    measured = len(tiny.runs)
    result = xylem("experiment", "run", "tiny", "--json")
    assert "12 of 12 turns were measured before" in result.err
    assert len(tiny.runs) == measured
    (said,) = result.lines
    assert said["verdict"] == "holds"
    assert said["turns"] == 12
    assert said["comparisons"][0]["claim"] == "moro2007/fig-10/linear"
    xylem("experiment", "run", "tiny", "--fresh")
    assert len(tiny.runs) == 2 * measured


def test_an_interrupt_keeps_what_was_measured(xylem: Command, tiny: Recorder) -> None:
    tiny.fail_at = 7
    assert xylem("experiment", "run", "tiny").code == 130
    tiny.fail_at = None
    result = xylem("experiment", "run", "tiny")
    assert result.code == 0
    assert "3 of 12 turns were measured before" in result.err


def test_a_killed_process_loses_no_finished_turn(tmp_path: Path) -> None:
    """A real run, killed without warning as soon as its journal has a turn."""
    out = tmp_path / "out"
    options = ("experiment", "run", "language", "--repeats", "1", "--out", out)
    running = start(*options, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(lambda: any(path.read_bytes().count(b"\n") for path in out.glob(".journal/*.jsonl")), running)
    finally:
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
    (journal,) = out.glob(".journal/*.jsonl")
    before = journal.read_bytes()
    before = before[: before.rindex(b"\n") + 1]
    again = subprocess.run(
        [sys.executable, "-m", "xylem", *map(str, options), "--json"], capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["turns"] == 6
    turns = before.count(b"\n")
    assert f"{turns} of 6 turns" in again.stderr
    assert journal.read_bytes().startswith(before)


def _wait(happened: Callable[[], bool], running: subprocess.Popen[bytes]) -> None:
    stop = time.monotonic() + 120
    while not happened():
        assert running.poll() is None, "the run ended before it was killed"
        assert time.monotonic() < stop
        time.sleep(0.02)


def test_pages_are_written_again(xylem: Command, tiny: Recorder, tmp_path: Path) -> None:
    xylem("experiment", "run", "tiny", "--out", "results")
    pages = {path: path.read_text() for path in (tmp_path / "results").glob("*.md")}
    for path in pages:
        path.unlink()
    result = xylem("experiment", "report", "--out", "results")
    assert result.out.splitlines() == ["results/tiny.md", "results/README.md"]
    assert {path: path.read_text() for path in pages} == pages
    (as_json,) = xylem("experiment", "report", "--out", "results", "--json").lines
    assert as_json == {"pages": ["results/tiny.md", "results/README.md"]}
    assert xylem("experiment", "report", "--out", "nowhere").code == 2


def test_results_that_cannot_be_written(xylem: Command, tiny: Recorder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    result = xylem("experiment", "run", "tiny", "--out", "file/results")
    assert result.code == 74
    assert "could not be written" in result.err
    assert tiny.runs == []
