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
# What shows measurements, and what measures something else.
_WITHOUT = ("cli", "experiments/benchmark", "experiments/pages", "experiments/studies")


def fingerprint(experiment: str, machine: Machine, package: Path = _PACKAGE) -> str:
    """Of an experiment, named by its module's file among the studies, on a machine."""
    state = hashlib.sha256()
    description = asdict(machine)
    del description["load"]  # changes by the minute
    state.update(repr(sorted(description.items())).encode())
    for path in _sources(package, experiment):
        state.update(path.relative_to(package).as_posix().encode() + b"\0")
        state.update(path.read_bytes() + b"\0")
    return state.hexdigest()[:16]


def _sources(package: Path, experiment: str) -> list[Path]:
    files = [path for path in package.rglob("*") if path.suffix in _SUFFIXES and path.is_file()]
    names = {path: path.relative_to(package).as_posix() for path in files}
    kept = [path for path in files if not names[path].startswith(tuple(f"{folder}/" for folder in _WITHOUT))]
    own = package / "experiments" / "studies" / f"{experiment.replace('-', '_')}.py"
    return sorted({*kept, own})
