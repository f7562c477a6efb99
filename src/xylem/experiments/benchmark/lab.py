"""What the rows of a benchmark share: its scale, its workloads, and matchers that took long to build.

Invariant: a matcher handed out by `matcher` has seen its workload's warm documents, and of the unseen ones only those
that `next_unseen` gave away.

This module knows nothing of what the rows measure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from xylem.experiments.benchmark.workloads import Workload, mixed_workload, paths_workload
from xylem.experiments.data import find_data

if TYPE_CHECKING:
    from xylem import Matcher

_WARMING_PASSES = 2  # the first builds what is built lazily, the second runs on it


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a run is. `many` is the largest number of subscriptions."""

    name: str
    subscriptions: int
    many: int
    documents: int  # that are matched warm, and in each part of the unseen ones
    parts: int
    repeats: int
    largest_document: int
    sample: int  # XPaths that lxml's loop evaluates
    changing_seconds: float


FULL = Scale("full", 100_000, 1_000_000, 80, 5, 7, 10_000_000, 200, 6.0)
QUICK = Scale("quick", 1_000, 4_000, 10, 2, 3, 100_000, 30, 0.5)


@dataclass(slots=True)
class Lab:
    """Keeps what is costly to make for the rows that come later."""

    scale: Scale
    data: Path | None
    engine: str = "auto"
    say: Callable[[str], None] = lambda message: None
    _workloads: dict[str, Workload | None] = field(default_factory=dict)
    _matchers: dict[str, tuple[Matcher, float]] = field(default_factory=dict)
    _parts_used: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def of(scale: Scale, data: Path | None, engine: str, say: Callable[[str], None]) -> Lab:
        return Lab(scale, find_data(data), engine, say)

    def workloads(self) -> list[Workload]:
        """Those that the data at hand allows."""
        return [workload for workload in (self.paths(), self.mixed()) if workload is not None]

    def paths(self) -> Workload | None:
        s = self.scale
        if "paths" not in self._workloads:
            self._workloads["paths"] = paths_workload(self.data, s.subscriptions, s.documents, s.parts)
        return self._workloads["paths"]

    def mixed(self) -> Workload:
        s = self.scale
        if "mixed" not in self._workloads:
            self.say(f"generating {s.subscriptions:,} subscriptions and their documents")
            self._workloads["mixed"] = mixed_workload(self.data, s.subscriptions, s.documents, s.parts)
        workload = self._workloads["mixed"]
        assert workload is not None
        return workload

    def new_matcher(self) -> Matcher:
        from xylem import Matcher

        return Matcher(engine=self.engine)

    def matcher(self, workload: Workload) -> Matcher:
        """A matcher that holds the workload's subscriptions, warm."""
        return self._built(workload)[0]

    def seconds_to_add(self, workload: Workload) -> float:
        """How long it took to add the workload's subscriptions, from text."""
        return self._built(workload)[1]

    def _built(self, workload: Workload) -> tuple[Matcher, float]:
        if workload.name not in self._matchers:
            self.warm_kernels(workload)
            self.say(f"adding {len(workload.subscriptions):,} subscriptions ({workload.name})")
            matcher = self.new_matcher()
            start = perf_counter()
            for identifier, xpath in workload.subscriptions:
                matcher.add(identifier, xpath)
            matcher.match(workload.warm[0])  # whatever adding puts off is done by the first match
            self._matchers[workload.name] = (matcher, perf_counter() - start)
            warm(matcher, workload.warm)
        return self._matchers[workload.name]

    def warm_kernels(self, workload: Workload) -> None:
        """Compiles or loads the kernels, which is not what any row measures."""
        matcher = self.new_matcher()
        for identifier, xpath in workload.subscriptions[:200]:
            matcher.add(identifier, xpath)
        match_all(matcher, workload.warm[:3])

    def next_unseen(self, workload: Workload) -> Sequence[bytes]:
        """Documents that the workload's matcher has never seen; empty when there are none left."""
        used = self._parts_used.get(workload.name, 0)
        self._parts_used[workload.name] = used + 1
        return workload.unseen[used] if used < len(workload.unseen) else ()

    def release(self, workload: Workload) -> None:
        """Forgets a matcher, and the memory that it takes."""
        self._matchers.pop(workload.name, None)


def match_all(matcher: Matcher, documents: Sequence[bytes]) -> int:
    """Parses and matches each document, and takes the result as `match` returns it; the number of matches."""
    return sum(len(matcher.match(document)) for document in documents)


def warm(matcher: Matcher, documents: Sequence[bytes]) -> None:
    for _ in range(_WARMING_PASSES):
        match_all(matcher, documents)
