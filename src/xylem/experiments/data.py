"""Schemas that experiments draw from, by name: the bundled one, and real ones from the folder of real data.

Invariant: a name means one schema. Where a schema is not at hand, its name is refused; nothing else takes its place.

This module knows nothing of what is drawn from a schema.
"""

from __future__ import annotations

from pathlib import Path

from xylem.errors import UsageError
from xylem.schema import Schema
from xylem.workload import bundled_schema

_CHECKOUT = Path(__file__).resolve().parents[3]

BUNDLED = "wire"
# Below the folder of real data; the names are those that pages show.
_FILES = {
    "nitf-2.5": "dtd/nitf-2.5/nitf-2-5.dtd",
}


def schema(name: str, data: Path | None) -> Schema:
    """The schema of a name; raises UsageError if it is unknown or not at hand."""
    if name == BUNDLED:
        return bundled_schema()
    if name not in _FILES:
        raise UsageError(f"there is no schema '{name}' for experiments; there are {', '.join((BUNDLED, *_FILES))}")
    path = data / _FILES[name] if data is not None else None
    if path is None or not path.is_file():
        raise UsageError(f"the schema '{name}' is not at hand: --data names the folder that has {_FILES[name]}")
    return Schema.from_dtd(path)


def find_data(given: Path | None = None) -> Path | None:
    """The folder of real data: the one given, or `../shared/data` beside the checkout."""
    folder = given if given is not None else _CHECKOUT / ".." / "shared" / "data"
    return folder.resolve() if folder.is_dir() else None
