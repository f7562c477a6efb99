"""`xylem bench`: its options and its forms; what is measured is tested where it is measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Command


def test_rows_are_listed(xylem: Command) -> None:
    plain, listed = xylem("bench", "--list"), xylem("bench", "--list", "--json")
    assert plain.code == listed.code == 0
    (rows,) = listed.lines
    assert [row["row"] for row in rows] == [line.split()[0] for line in plain.out.splitlines()]
    assert {"reading", "warm", "first-sight", "memory"} <= {row["row"] for row in rows}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--only", "nonsense"), "there is no row 'nonsense'"),
        (("--engine", "fastest"), "there is no engine 'fastest'"),
        (("--data", "nowhere"), "nowhere is no folder"),
        (("--out", "nowhere/report.json"), "nowhere is no folder"),
        (("--repeats", "0"), "--repeats"),
    ],
)
def test_wrong_usage_is_found_before_anything_runs(xylem: Command, arguments: tuple[str, ...], said: str) -> None:
    result = xylem("bench", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert said in result.err


def test_a_row_as_json(xylem: Command, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    result = xylem("bench", "--quick", "--only", "language", "--json", "--out", out)
    assert result.code == 0
    (report,) = result.lines
    assert [row["name"] for row in report["rows"]] == ["language"]
    assert report["machine"]["cores"] >= 1
    assert json.loads(out.read_text()) == report


def test_a_row_as_a_table(xylem: Command) -> None:
    result = xylem("bench", "--quick", "--only", "language")
    assert result.code == 0
    assert "\x1b" not in result.out
    assert "verdict" in result.out
