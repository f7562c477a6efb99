"""Two threads that share one matcher, against one.

This module knows nothing of how figures are shown.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from xylem.experiments.benchmark.lab import Lab, match_all, warm
from xylem.experiments.benchmark.results import Figure, Target, ratio_figure
from xylem.experiments.measuring import Work, ratios, take_turns

if TYPE_CHECKING:
    from xylem import Matcher

_ROUNDS = 4  # passes over the documents in each turn, so that starting threads does not count


def two_threads(lab: Lab) -> Iterator[Figure]:
    for workload in lab.workloads():
        matcher = lab.matcher(workload)
        documents = list(workload.warm) * _ROUNDS
        _in_threads(matcher, documents, 2)  # so that each thread's scratch has been made once
        warm(matcher, workload.warm)
        variants: list[Work] = [
            partial(_in_threads, matcher, documents, 1),
            partial(_in_threads, matcher, documents, 2),
        ]
        one, two = take_turns(variants, lab.scale.repeats)
        yield ratio_figure(f"two threads against one, {workload.name}", ratios(one, two), Target(1.7, False))


def _in_threads(matcher: Matcher, documents: Sequence[bytes], count: int) -> None:
    """Every thread takes every `count`-th document."""
    threads = [threading.Thread(target=match_all, args=(matcher, documents[number::count])) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
