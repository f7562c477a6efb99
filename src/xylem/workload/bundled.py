"""The schema that comes with Xylem, for workloads where no other is at hand.

This module knows nothing of what is generated from it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from xylem.schema import Schema


@cache
def bundled_schema() -> Schema:
    """A news wire: some 80 elements, several of them recursive."""
    with as_file(files("xylem.workload") / "wire.dtd") as path:
        return Schema.from_dtd(path)
