"""The journal of a run: each finished turn as one line of JSON, so that an interrupted run goes on where it stopped.

There is a journal for each fingerprint of an experiment, its name says which; the newest few stay. A last line
that was cut off, by a crash or a full disk, counts as never written. Damage anywhere else is refused: nobody knows
what else is wrong then.

Invariant: a turn is in the journal once it has been measured, and on disk before the next one starts.

This module knows nothing of what the turns measure.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from xylem.errors import UsageError
from xylem.experiments.harness.turn import Key, Place, Turn

KEPT_JOURNALS = 3  # fingerprints of an experiment whose turns stay on disk: a few states of the sources to go back to


class Journal:
    """`with Journal(folder, name, fingerprint) as journal: …`; raises UsageError while another run writes to it."""

    def __init__(self, folder: Path, experiment: str, fingerprint: str, fresh: bool = False) -> None:
        self._path = folder / f"{experiment}.{fingerprint}.jsonl"
        self._experiment = experiment
        self._fresh = fresh
        self._done: dict[Key, Turn] = {}
        self._file: BinaryIO | None = None

    def __enter__(self) -> Journal:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+b")
        try:
            self._lock(file)
            whole = 0 if self._fresh else self._read(file)
            file.truncate(whole)
        except BaseException:
            file.close()
            raise
        self._file = file
        self._forget_old()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def found(self, place: Place) -> Turn | None:
        """The turn that was measured at a place, if it was."""
        return self._done.get(place.key)

    def write(self, turn: Turn) -> None:
        """Adds a turn, for good."""
        assert self._file is not None, "a journal is written to while it is open"
        place = turn.place
        record = {"point": dict(place.point), "seed": place.seed, "repeat": place.repeat, "values": turn.values}
        self._file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._done[place.key] = turn

    def _lock(self, file: BinaryIO) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"another run of {self._experiment} writes to {self._path}") from None

    def _read(self, file: BinaryIO) -> int:
        """Takes every whole line; returns how many bytes they are."""
        file.seek(0)
        whole = 0
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            try:
                turn = _turn(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise UsageError(f"{self._path}:{number}: the journal is damaged; --fresh starts over") from None
            self._done[turn.place.key] = turn
            whole += len(line)
        return whole

    def _forget_old(self) -> None:
        others = [path for path in self._path.parent.glob(f"{self._experiment}.*.jsonl") if path != self._path]
        others.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
        for path in others[KEPT_JOURNALS - 1 :]:
            path.unlink(missing_ok=True)


def _turn(record: dict[str, object]) -> Turn:
    point, seed, repeat, values = record["point"], record["seed"], record["repeat"], record["values"]
    if not isinstance(point, dict) or not isinstance(values, dict):
        raise TypeError("a turn has a point and values")
    if not isinstance(seed, int) or not isinstance(repeat, int):
        raise TypeError("a turn has a seed and a repeat")
    for found in values.values():
        if not all(isinstance(value, int | float) for value in found.values()):
            raise TypeError("values are numbers")
    return Turn(Place(point, seed, repeat), values)
