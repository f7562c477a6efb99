"""What one thread needs to match with the tree engine: its own automaton, and marks of one document.

Bounded: the automatons' caches by `CACHE_BYTES`, the rest by the number of subscriptions and the size of the
document; after a giant document the arrays that followed its size are dropped.

A single state may need more than the budget (a million `//` queries on one path); then the cache holds what the next
step needs and no more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from xylem.document.model import Document
from xylem.matching.arrays import grown
from xylem.matching.evaluate import fitted, new_evaluation
from xylem.matching.tree.cache import ARENA, RESETS, CacheArrays, cache_bytes, enlarged, new_cache, reset
from xylem.matching.tree.constants import ConstantArrays
from xylem.matching.tree.generation import Forest, Generation
from xylem.matching.tree.values import CANDIDATES, FoundArrays, fitted_found, new_found, with_more_hits
from xylem.matching.tree.walk import AT, CACHE_FULL, UNKNOWN, WalkArrays, begin, fitted_walk, new_walk

CACHE_BYTES = 64 * 1024 * 1024  # for a thread and trie: some 100,000 states of 100,000 queries
KEPT_ROWS = 1 << 20  # a document with more rows than this does not leave its arrays behind


class Part:
    """The automaton and the marks for one trie."""

    __slots__ = ("_last_full", "budget", "cache", "forest", "found", "version", "walk")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.cache: CacheArrays = new_cache()
        self.found: FoundArrays = new_found()
        self.walk: WalkArrays = new_walk()
        self.forest: Forest | None = None
        self.version = -1
        self._last_full = -1

    def take(self, forest: Forest, constants: ConstantArrays, document: Document) -> None:
        """Makes ready for a document."""
        if self.forest is not forest:
            self.found = new_found()
        if self.forest is not forest or self.version != forest.version:
            reset(self.cache)
            self.forest, self.version = forest, forest.version
        a = document.arrays
        self.walk = fitted_walk(self.walk, len(a.tag))
        self.found = fitted_found(self.found, forest.arrays, constants, len(a.text) + len(a.attr_text))
        self._last_full = -1
        begin(self.walk, self.found, len(a.tag))

    @property
    def has_candidates(self) -> bool:
        return bool(self.found.header[CANDIDATES])

    def make_room(self, stopped: int) -> None:
        """Enlarges what was too small; empties the cache instead when it has used its budget."""
        if stopped != CACHE_FULL:
            self.found = with_more_hits(self.found)
            return
        at = int(self.walk.header[AT])
        stuck = self._last_full == at  # emptied for this very row already
        if cache_bytes(self.cache) * 2 > self.budget and not stuck:
            reset(self.cache)
            self.walk.states.fill(UNKNOWN)
            self._last_full = at
        else:
            self.cache = enlarged(self.cache, int(self.cache.header[ARENA]) + 4096)
            self.walk = self.walk._replace(work=grown(self.walk.work, 2 * len(self.walk.work)))

    def size_bytes(self) -> int:
        arrays: list[npt.NDArray[Any]] = [*self.found, *self.walk]
        return cache_bytes(self.cache) + sum(array.nbytes for array in arrays)


class TreeScratch:
    """One per thread. `number` counts the documents seen, so that marks need no clearing."""

    __slots__ = ("_main", "_young", "evaluation", "found", "generation", "number", "out")

    def __init__(self, budget: int = CACHE_BYTES) -> None:
        self._main = Part(budget)
        self._young = Part(budget // 4)
        self.evaluation = new_evaluation()
        self.out = np.zeros(1, np.uint64)
        self.found = np.zeros(64, np.int32)
        self.number = 0
        self.generation: Generation | None = None

    def take(self, now: Generation, document: Document, names: int) -> None:
        if len(document.arrays.tag) < len(self._main.walk.states) > KEPT_ROWS:
            self._shrink()
        self.generation = now
        self.number += 1
        slots = len(now.compiled)
        if len(self.out) * 64 < slots:
            self.out = np.zeros(len(now.alive), np.uint64)
            self.found = np.zeros(64 * len(now.alive), np.int32)
        a = document.arrays
        largest = max(now.main.largest, now.young.largest)
        if largest:
            characters = len(a.text) + len(a.attr_text)
            self.evaluation = fitted(
                self.evaluation, len(a.tag), len(a.attr_name), len(a.text_parent), characters, names, largest
            )

    def part(self, main: bool, forest: Forest, constants: ConstantArrays, document: Document) -> Part:
        part = self._main if main else self._young
        part.take(forest, constants, document)
        return part

    def _shrink(self) -> None:
        self.evaluation = new_evaluation()
        for part in (self._main, self._young):
            part.walk = new_walk()
            part.found = new_found()

    @property
    def resets(self) -> int:
        """How often a cache was emptied."""
        return int(self._main.cache.header[RESETS] + self._young.cache.header[RESETS])

    def size_bytes(self) -> int:
        arrays: list[npt.NDArray[Any]] = [*self.evaluation, self.out, self.found]
        return self._main.size_bytes() + self._young.size_bytes() + sum(array.nbytes for array in arrays)
