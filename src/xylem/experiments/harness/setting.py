"""What a trial is given: its seed, the schemas at hand, and a place for what is costly to make.

Invariant: what is kept was made for this seed; the next seed starts with nothing kept.

This module knows nothing of experiments.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from xylem.experiments.data import schema
from xylem.schema import Schema

T = TypeVar("T")


@dataclass(slots=True)
class Setting:
    """One for each seed of a run."""

    seed: int
    data: Path | None = None
    _kept: dict[Hashable, Any] = field(default_factory=dict)

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made under the key, for points that share a workload."""
        if key not in self._kept:
            self._kept[key] = make()
        value: T = self._kept[key]
        return value

    def schema(self, name: str) -> Schema:
        """The schema of a name; raises UsageError if it is not at hand."""
        return self.keep(("schema", name), lambda: schema(name, self.data))
