"""What measurements depend on besides their parameters: the package's code and the machine, as one short text.

A measurement counts as done only under the same fingerprint. The command line and the pages are no part of it:
neither changes what is measured.

This module knows nothing of experiments.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path

from xylem.experiments.machine import Machine

_PACKAGE = Path(__file__).parents[2]
_SUFFIXES = (".py", ".dtd")
# What shows measurements, and what measures something else: of the studies, only the one that is run matters.
_WITHOUT = ("cli", "experiments/benchmark", "experiments/pages", "experiments/studies")


def fingerprint(definition: Path, machine: Machine, package: Path = _PACKAGE) -> str:
    """Of the experiment that a file defines, on a machine."""
    state = hashlib.sha256()
    description = asdict(machine)
    del description["load"]  # changes by the minute
    state.update(repr(sorted(description.items())).encode())
    state.update(definition.read_bytes() + b"\0")
    for path in _sources(package):
        state.update(path.relative_to(package).as_posix().encode() + b"\0")
        state.update(path.read_bytes() + b"\0")
    return state.hexdigest()[:16]


def _sources(package: Path) -> list[Path]:
    files = (path for path in package.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    without = tuple(f"{folder}/" for folder in _WITHOUT)
    return sorted(path for path in files if not path.relative_to(package).as_posix().startswith(without))
