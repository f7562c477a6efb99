"""What one thread needs to match with the tree engine: its own automatons, and marks of one document.

Bounded: the automatons' caches by `CACHE_BYTES`, the rest by the number of subscriptions and the size of the
document; after a giant document the arrays that followed its size are dropped.

A single state may need more than the budget (a million `//` queries on one path); then the cache holds what the next
step needs and no more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xylem.document.model import Document, DocumentArrays, IntArray
from xylem.frames import Frame
from xylem.matching.arrays import bytes_of, grown
from xylem.matching.evaluate import fitted, new_evaluation
from xylem.matching.tree.cache import RESETS, cache_bytes, enlarged, new_cache, reset
from xylem.matching.tree.constants import STRINGS, ConstantArrays
from xylem.matching.tree.forest import Forest
from xylem.matching.tree.found import CACHE_FULL, CANDIDATES, HITS_FULL, fitted_found, new_found, with_more_hits
from xylem.matching.tree.generation import Generation
from xylem.matching.tree.rise import enlarged_rise, fitted_rise, new_rise, reset_rise, rise_bytes
from xylem.matching.tree.sets import members
from xylem.matching.tree.walk import AT, FRESH, LOOKED, PHASE, UNKNOWN, PartArrays, fitted_walk, new_walk, restore

CACHE_BYTES = 64 * 1024 * 1024  # for a thread and forest: some 100,000 states of 100,000 queries
KEPT_ROWS = 1 << 20  # a document with more rows than this does not leave its arrays behind


class Part:
    """The automatons and the marks for one forest."""

    __slots__ = ("_last_full", "_size", "budget", "forest", "frame", "version")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.frame = Frame(PartArrays(new_walk(), new_found(), new_cache(), new_rise()))
        self.forest: Forest | None = None
        self.version = -1
        self._size = (-1, -1)
        self._last_full: tuple[int, int] | None = None

    def take(self, forest: Forest, constants: ConstantArrays, document: Document) -> None:
        """Makes ready for a document."""
        if self.forest is not forest or self.version != forest.version:
            self._empty()
        size = (forest.size, int(constants.header[STRINGS]))  # constants grow with the other forest, too
        if self.forest is not forest or self._size != size:
            self._fit(forest, constants)
        self.forest, self.version, self._size = forest, forest.version, size
        p = self.frame.arrays
        rows, attributes, characters = document.rows, document.attributes, document.characters
        short = rows > len(p.walk.states) or attributes > len(p.walk.attr_state)
        if short or characters > len(p.found.buffer):
            found = p.found._replace(buffer=grown(p.found.buffer, characters))
            self.frame.arrays = p._replace(walk=fitted_walk(p.walk, rows, attributes), found=found)
        self._last_full = None
        p.walk.header[PHASE] = FRESH

    def _fit(self, forest: Forest, constants: ConstantArrays) -> None:
        """Makes room for what the forest has now."""
        p = self.frame.arrays
        found = p.found if self.forest is forest else new_found()._replace(buffer=p.found.buffer)
        trie, facts = forest.trie.arrays, forest.facts.arrays
        self.frame.arrays = p._replace(
            found=fitted_found(found, trie, facts, constants), rise=fitted_rise(p.rise, facts, len(forest))
        )

    def _empty(self) -> None:
        p = self.frame.arrays
        reset(p.cache)
        reset_rise(p.rise)

    @property
    def has_candidates(self) -> bool:
        return bool(self.frame.arrays.found.header[CANDIDATES])

    def make_room(self, stopped: int, document: DocumentArrays) -> None:
        """Enlarges what was too small; empties the caches instead when they have used their budget."""
        p = self.frame.arrays
        if stopped == HITS_FULL:
            self.frame.arrays = p._replace(found=with_more_hits(p.found))
            return
        place = (int(p.walk.header[PHASE]), int(p.walk.header[AT]))
        stuck = self._last_full == place  # emptied for this very row already
        if self.cached_bytes() * 2 > self.budget and not stuck:
            self._last_full = place
            self._empty_meanwhile(document)
        elif stopped == CACHE_FULL:
            walk = p.walk._replace(work=grown(p.walk.work, 2 * len(p.walk.work)))
            self.frame.arrays = p._replace(cache=enlarged(p.cache), walk=walk)
        else:
            self.frame.arrays = p._replace(rise=enlarged_rise(p.rise))

    def _empty_meanwhile(self, document: DocumentArrays) -> None:
        """Empties the caches in the middle of a document: what was gathered is carried over."""
        kept = list(self._gathered(document))
        self._empty()
        walk = self.frame.arrays.walk
        walk.states.fill(UNKNOWN)
        walk.header[LOOKED] = 0
        for row, facts in kept:
            while not restore(self.frame.address, row, facts):
                p = self.frame.arrays
                self.frame.arrays = p._replace(rise=enlarged_rise(p.rise))

    def _gathered(self, document: DocumentArrays) -> Iterator[tuple[int, IntArray]]:
        """The rows that wait for more, which are the one at hand and those above it, and what they have so far."""
        p = self.frame.arrays
        row = int(p.walk.header[AT])
        while row >= 0:
            gathered = p.walk.gathered[row]
            if gathered:
                yield (
                    row,
                    np.unique(np.concatenate([members(p.rise.sets, one) for one in members(p.rise.piles, gathered)])),
                )
            row = int(document.parent[row])

    def forget_document(self) -> None:
        """Drops the arrays that follow a document's size."""
        p = self.frame.arrays
        self.frame.arrays = p._replace(walk=new_walk(), found=new_found())
        self._size = (-1, -1)

    def cached_bytes(self) -> int:
        """What the automatons take of the budget."""
        return cache_bytes(self.frame.arrays.cache) + rise_bytes(self.frame.arrays.rise)

    def size_bytes(self) -> int:
        return bytes_of(self.frame.arrays)


class TreeScratch:
    """One per thread. `number` counts the documents seen, so that marks need no clearing."""

    __slots__ = ("_main", "_young", "evaluation", "found", "number", "out")

    def __init__(self, budget: int = CACHE_BYTES) -> None:
        self._main = Part(budget)
        self._young = Part(budget // 4)
        self.evaluation = Frame(new_evaluation())
        self.out = np.zeros(1, np.uint64)
        self.found = np.zeros(64, np.int32)
        self.number = 0

    def take(self, now: Generation, document: Document, names: int) -> None:
        if document.rows < len(self._main.frame.arrays.walk.states) > KEPT_ROWS:
            self._shrink()
        self.number += 1
        if len(self.out) < len(now.alive):
            self.out = np.zeros(len(now.alive), np.uint64)
            self.found = np.zeros(64 * len(now.alive), np.int32)
        largest = max(now.main.largest, now.young.largest)
        if largest:
            a = document.arrays
            characters = document.characters
            evaluation = self.evaluation.arrays
            larger = fitted(evaluation, len(a.tag), len(a.attr_name), len(a.text_parent), characters, names, largest)
            if larger is not evaluation:
                self.evaluation.arrays = larger

    def part(self, main: bool, forest: Forest, constants: ConstantArrays, document: Document) -> Part:
        part = self._main if main else self._young
        part.take(forest, constants, document)
        return part

    def forget(self) -> None:
        """Leaves nothing behind of a match that was broken off."""
        self.out.fill(0)

    def _shrink(self) -> None:
        self.evaluation.arrays = new_evaluation()
        for part in (self._main, self._young):
            part.forget_document()

    @property
    def resets(self) -> int:
        """How often a cache was emptied."""
        return sum(int(part.frame.arrays.cache.header[RESETS]) for part in (self._main, self._young))

    def size_bytes(self) -> int:
        return bytes_of(
            (self._main.frame.arrays, self._young.frame.arrays, self.evaluation.arrays, self.out, self.found)
        )
