"""The rows of the benchmark, and running those that are wanted.

A row that fails is reported as failed, and the others run on.

This module knows nothing of how the report is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter

from xylem.errors import UsageError, XylemError
from xylem.experiments.benchmark import changing, growth, matching, memory, reading, threads
from xylem.experiments.benchmark.lab import Lab
from xylem.experiments.benchmark.results import Figure, Report, Row
from xylem.experiments.machine import Machine


@dataclass(frozen=True, slots=True)
class Part:
    """One row: its name for `--only`, what it is about, and what runs it."""

    name: str
    title: str
    run: Callable[[Lab], Iterator[Figure]]


PARTS = (
    Part("reading", "Reading against bare expat", reading.reading),
    Part("language", "Parsing and canonicalising queries", reading.language),
    Part("adding", "Adding subscriptions from text, one by one", changing.adding),
    Part("warm", "Warm, against bare expat", matching.warm_speed),
    Part("first-sight", "Documents never seen before, against bare expat", matching.first_sight),
    Part("lxml", "A loop of compiled lxml XPaths against us", matching.against_lxml),
    Part("threads", "Two threads against one", threads.two_threads),
    Part("changing", "Adds and removes while another thread matches", changing.changing),
    Part("documents", "Growth in document size", growth.document_growth),
    Part("memory", "Memory", memory.memory),
    Part(
        "subscriptions", "Growth in subscriptions up to a million, warm, against bare expat", growth.subscription_growth
    ),
)


def run(lab: Lab, only: Sequence[str] = ()) -> Report:
    """Runs the rows named, or all; raises UsageError for a name that no row has."""
    known = [part.name for part in PARTS]
    for name in only:
        if name not in known:
            raise UsageError(f"there is no row '{name}'; there are {', '.join(known)}")
    machine = Machine.here()
    rows = tuple(_run(part, lab) for part in PARTS if not only or part.name in only)
    return Report(version("xylem"), lab.scale.name, machine, rows)


def _run(part: Part, lab: Lab) -> Row:
    lab.say(f"{part.name}: {part.title.lower()}")
    start = perf_counter()
    figures: list[Figure] = []
    note = "" if lab.paths() is not None else "the YFilter workload is skipped: no ../shared/data beside the checkout"
    try:
        figures.extend(part.run(lab))
    except (XylemError, RuntimeError, OSError) as error:
        note = f"failed: {type(error).__name__}: {error}"
    return Row(part.name, part.title, tuple(figures), note, round(perf_counter() - start, 1))
