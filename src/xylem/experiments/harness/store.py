"""Results on disk: a CSV with a row for each variant in each turn, and beside it a description of the run and machine.

    FOLDER/NAME/SCALE.csv     parameters, seed, repeat, variant, measures
    FOLDER/NAME/SCALE.json    the description

Invariant: what is shown is what was read back from here, so that pages can be made again from what is kept.

This module knows nothing of pages.
"""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import asdict
from pathlib import Path

from xylem.errors import UsageError
from xylem.experiments.harness.experiment import SCALES, Experiment, Value
from xylem.experiments.harness.results import Description, Results
from xylem.experiments.harness.turn import Place, Turn
from xylem.experiments.machine import Machine

_OWN = ("seed", "repeat", "variant")


def save(results: Results, folder: Path) -> None:
    """Writes both files; each appears under its name only when it is whole."""
    place = folder / results.experiment.name
    place.mkdir(parents=True, exist_ok=True)
    scale = results.description.scale
    write(place / f"{scale}.csv", as_csv(results))
    write(place / f"{scale}.json", json.dumps(asdict(results.description), indent=1, ensure_ascii=False) + "\n")


def load(experiment: Experiment, scale: str, folder: Path) -> Results | None:
    """What `save` wrote, or None if there is nothing; raises UsageError if it is damaged."""
    place = folder / experiment.name
    table, about = place / f"{scale}.csv", place / f"{scale}.json"
    if not table.is_file() or not about.is_file():
        return None
    try:
        plain = json.loads(about.read_text(encoding="utf-8"))
        description = Description(**{**plain, "machine": Machine(**plain["machine"])})
        turns = _turns(experiment, table.read_text(encoding="utf-8"))
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"the results in {place} cannot be read: {error}") from None
    return Results(experiment, description, turns)


def load_all(experiment: Experiment, folder: Path) -> list[Results]:
    """The results of every scale that was run, the smallest first."""
    found = [load(experiment, scale, folder) for scale in SCALES]
    return [results for results in found if results is not None]


def as_csv(results: Results) -> str:
    measures = list(results.experiment.measures)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*results.turns[0].place.point, *_OWN, *measures])
    for turn in results.turns:
        for variant, values in turn.values.items():
            found = [_written(values[measure]) if measure in values else "" for measure in measures]
            writer.writerow([*turn.place.point.values(), turn.place.seed, turn.place.repeat, variant, *found])
    return text.getvalue()


def write(path: Path, content: str | bytes) -> None:
    """A file that appears under its name when it is complete."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _turns(experiment: Experiment, text: str) -> tuple[Turn, ...]:
    rows = csv.DictReader(io.StringIO(text))
    names = [name for name in rows.fieldnames or () if name not in (*_OWN, *experiment.measures)]
    turns: dict[object, Turn] = {}
    for row in rows:
        if row["variant"] not in experiment.variants:
            raise ValueError(f"there is no variant '{row['variant']}'")
        place = Place({name: _read(row[name]) for name in names}, int(row["seed"]), int(row["repeat"]))
        turn = turns.setdefault(place.key, Turn(place, {}))
        values = {measure: float(row[measure]) for measure in experiment.measures if row[measure]}
        turns[place.key] = Turn(place, {**turn.values, row["variant"]: values})
    if not turns:
        raise ValueError("there is no turn")
    return tuple(turns.values())


def _written(value: float) -> str:
    """Counts in full, other amounts with six digits: no clock is more exact."""
    return str(int(value)) if float(value).is_integer() else f"{value:.6g}"


def _read(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
