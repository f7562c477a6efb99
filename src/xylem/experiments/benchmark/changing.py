"""Adding from text, and adds and removes while another thread matches.

This module knows nothing of how figures are shown.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from xylem.experiments.benchmark.lab import Lab
from xylem.experiments.benchmark.results import Figure, Target
from xylem.experiments.benchmark.workloads import Subscription, mixed_schema, mixed_subscriptions

if TYPE_CHECKING:
    from xylem import Matcher

_PAUSE_MS = 100


def adding(lab: Lab) -> Iterator[Figure]:
    for workload in lab.workloads():
        took = lab.seconds_to_add(workload)
        count = len(workload.subscriptions)
        target = Target(15) if lab.scale.name == "full" else None
        facts: dict[str, float | int | str] = {"subscriptions": count, "a second": round(count / took)}
        yield Figure(f"adding, {workload.name}", took, "s", target, facts=facts)


@dataclass(slots=True)
class _Churn:
    """Adds and removes, as fast as they are taken, and how long each call waited."""

    matcher: Matcher
    fresh: Sequence[Subscription]
    calls: int = 0
    longest: float = 0.0
    held: deque[str] = field(default_factory=deque)

    def run(self, stop: float) -> None:
        number = 0
        while perf_counter() < stop:
            identifier, xpath = self.fresh[number % len(self.fresh)]
            identifier = f"churn{number}-{identifier}"
            number += 1
            start = perf_counter()
            self.matcher.add(identifier, xpath)
            added = perf_counter()
            self.held.append(identifier)
            self.calls += 1
            self.longest = max(self.longest, added - start)
            if len(self.held) > 100:  # removed a while after they came, not at once
                oldest = self.held.popleft()
                start = perf_counter()
                self.matcher.remove(oldest)
                self.longest = max(self.longest, perf_counter() - start)
                self.calls += 1


def changing(lab: Lab) -> Iterator[Figure]:
    """One thread matches without end, another adds and removes; both say how long they waited at worst."""
    workload = lab.mixed()
    matcher = lab.matcher(workload)
    fresh = mixed_subscriptions(mixed_schema(lab.data), max(1_000, lab.scale.subscriptions // 5), seed=2)
    quiet = _longest_match(matcher, workload.warm, perf_counter() + lab.scale.changing_seconds / 3)
    churn = _Churn(matcher, fresh)
    stop = perf_counter() + lab.scale.changing_seconds
    thread = threading.Thread(target=churn.run, args=(stop,))
    thread.start()
    matched = _longest_match(matcher, workload.warm, stop)
    thread.join()
    for identifier in churn.held:
        matcher.remove(identifier)
    full = lab.scale.name == "full"
    rate = churn.calls / lab.scale.changing_seconds
    facts: dict[str, float | int | str] = {
        "subscriptions": len(workload.subscriptions),
        "documents a second meanwhile": round(matched.count / lab.scale.changing_seconds),
        "documents a second without changes": round(quiet.count / (lab.scale.changing_seconds / 3)),
    }
    yield Figure("adds and removes while matching", rate, "/s", Target(10_000, False) if full else None, facts=facts)
    pause = Target(_PAUSE_MS) if full else None
    calm: dict[str, float | int | str] = {"ms without changes": round(1000 * quiet.longest, 1)}
    yield Figure("longest match meanwhile", 1000 * matched.longest, "ms", pause, facts=calm)
    yield Figure("longest add or remove meanwhile", 1000 * churn.longest, "ms", pause)


@dataclass(frozen=True, slots=True)
class _Matched:
    count: int
    longest: float


def _longest_match(matcher: Matcher, documents: Sequence[bytes], stop: float) -> _Matched:
    count, longest = 0, 0.0
    while True:
        for document in documents:
            start = perf_counter()
            if start >= stop:
                return _Matched(count, longest)
            len(matcher.match(document))
            longest = max(longest, perf_counter() - start)
            count += 1
