"""The journal: what is in it is found, wherever a writer was cut off; damage is named; old ones go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xylem.errors import UsageError
from xylem.experiments.harness.journal import KEPT_JOURNALS, Journal
from xylem.experiments.harness.turn import Place, Turn

_TURNS = [
    Turn(Place({"kind": "päths", "size": size}, seed, repeat), {"a": {"time": size / 7}, "b": {"time": 1e-9, "n": 3}})
    for size in (1, 2)
    for seed in (1, 2)
    for repeat in (0, 1)
]


def _write(folder: Path, turns: list[Turn], mark: str = "f") -> Path:
    with Journal(folder, "tiny", mark) as journal:
        for turn in turns:
            journal.write(turn)
    return folder / f"tiny.{mark}.jsonl"


def _found(folder: Path, fresh: bool = False) -> list[Turn]:
    with Journal(folder, "tiny", "f", fresh) as journal:
        return [turn for wanted in _TURNS if (turn := journal.found(wanted.place)) is not None]


def test_what_was_written_is_found(tmp_path: Path) -> None:
    _write(tmp_path, _TURNS)
    assert _found(tmp_path) == _TURNS
    assert _found(tmp_path / "elsewhere") == []


def test_the_order_of_parameters_does_not_matter() -> None:
    one, other = Place({"a": 1, "b": 2}, 1, 0), Place({"b": 2, "a": 1}, 1, 0)
    assert one.key == other.key
    assert len({one.key, Place(one.point, 2, 0).key, Place(one.point, 1, 1).key, Place({"a": 1}, 1, 0).key}) == 4


def test_cut_off_anywhere_only_the_last_turn_is_lost(tmp_path: Path) -> None:
    """A journal cut at every byte: the whole lines are found, and what is written next is whole."""
    turns = _TURNS[:2]
    whole = _write(tmp_path / "whole", turns).read_bytes()
    for length in range(len(whole) + 1):
        folder = tmp_path / str(length)
        folder.mkdir()
        (folder / "tiny.f.jsonl").write_bytes(whole[:length])
        kept = whole[:length].count(b"\n")
        assert _found(folder) == turns[:kept]
        path = _write(folder, turns[kept:])
        assert _found(folder) == turns
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"{}",
        b"[]",
        b"\xff\xfe",
        b'{"point": {}, "seed": 1, "repeat": 0, "values": {"a": {"time": "fast"}}}',
        b'{"point": {}, "seed": "1", "repeat": 0, "values": {}}',
        b'{"point": {}, "seed": 1, "repeat": 0, "values": [1]}',
    ],
)
def test_damage_is_named_and_a_fresh_start_helps(tmp_path: Path, line: bytes) -> None:
    path = _write(tmp_path, _TURNS[:1])
    before = path.read_bytes() + line + b"\n"
    path.write_bytes(before)
    with pytest.raises(UsageError, match=r"tiny\.f\.jsonl:2: the journal is damaged; --fresh starts over"):
        _found(tmp_path)
    assert path.read_bytes() == before
    assert _found(tmp_path, fresh=True) == []


def test_two_runs_at_once_are_refused(tmp_path: Path) -> None:
    with Journal(tmp_path, "tiny", "f") as journal:
        journal.write(_TURNS[0])
        with pytest.raises(UsageError, match="another run of tiny"), Journal(tmp_path, "tiny", "f", fresh=True):
            pass
        journal.write(_TURNS[1])
    assert _found(tmp_path) == _TURNS[:2]


def test_old_journals_go(tmp_path: Path) -> None:
    other = _write(tmp_path, [], "x").rename(tmp_path / "tinier.x.jsonl")
    for number in range(KEPT_JOURNALS + 2):
        path = _write(tmp_path, _TURNS[:1], f"{number}")
        os.utime(path, ns=(number, number))
    left = sorted(path.name for path in tmp_path.glob("tiny.*.jsonl"))
    assert left == [f"tiny.{number}.jsonl" for number in range(2, KEPT_JOURNALS + 2)]
    assert other.exists()
