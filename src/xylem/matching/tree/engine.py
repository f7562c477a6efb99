"""The default engine: all subscriptions in one shared structure, a document pays for what it touches.

How a document is matched: the trie of chains runs down over its rows as a lazily built automaton (`cache`,
`walk`), and chains that are subscriptions by themselves match at once. What branches is made of facts about single
nodes (`twigs`), which rise from the leaves through a second automaton (`rise`) and match where they meet. Only
what counts nodes or asks for a first one makes candidates, and a candidate that has reached all the chains it
needs is evaluated by itself (`decide`, `matching/evaluate.py`).

Changes: see `generation`. Removal clears a bit; when more slots are dead than alive, a new generation is built
beside the old one, a few subscriptions with each further change, and takes its place when it is complete.

The engine is shared, all that one match changes is in its `TreeScratch`. It does not guard itself against
changes during a match: `matching/subscriptions.py` does that for every engine.
"""

from __future__ import annotations

from collections import deque

from xylem.document.model import Document, IntArray
from xylem.document.vocabulary import Vocabulary
from xylem.errors import UsageError
from xylem.matching.tree.compile import compile_pattern
from xylem.matching.tree.decide import collect, decide, decide_open, withhold
from xylem.matching.tree.forest import Forest
from xylem.matching.tree.found import FINISHED
from xylem.matching.tree.generation import Generation
from xylem.matching.tree.scratch import TreeScratch
from xylem.matching.tree.walk import walk
from xylem.xpath.pattern import TreePattern

REBUILT_AT_ONCE = 16  # subscriptions entered into the next generation with each change: more than one, so that it ends
DEAD_MIN = 4096  # dead slots that are never worth a rebuild


class TreeEngine:
    """All queries in one automaton with indexed values; see the module's head."""

    name = "tree"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._now = Generation()
        self._next: Generation | None = None
        self._waiting: deque[int] = deque()  # subscriptions to be entered into the next generation

    def __len__(self) -> int:
        return len(self._now)

    def add(self, subscription: int, pattern: TreePattern) -> None:
        """O(size of the pattern)."""
        if subscription in self._now.slots:
            raise UsageError(f"subscription {subscription} is there already")
        self._now.add(subscription, compile_pattern(pattern, self.vocabulary))
        if self._next is not None:
            self._waiting.append(subscription)
        self._rebuild()

    def remove(self, subscription: int) -> None:
        """O(1)."""
        if subscription not in self._now.slots:
            raise UsageError(f"subscription {subscription} is not there")
        self._now.remove(subscription)
        if self._next is not None and subscription in self._next.slots:
            self._next.remove(subscription)
        self._rebuild()

    def _rebuild(self) -> None:
        """Goes on with the next generation, or begins one when most slots are dead."""
        if self._next is None:
            if self._now.dead < max(DEAD_MIN, len(self._now)):
                return
            self._next = Generation()
            self._waiting.extend(self._now.slots)
        for _ in range(min(REBUILT_AT_ONCE, len(self._waiting))):
            self._renew(self._next, self._waiting.popleft())
        if not self._waiting:
            self._now, self._next = self._next, None

    def _renew(self, following: Generation, subscription: int) -> None:
        """Enters a subscription into the next generation, unless it has left or is there since it came back."""
        slot = self._now.slots.get(subscription)
        if slot is None or subscription in following.slots:
            return
        compiled = self._now.compiled[slot]
        assert compiled is not None
        following.add(subscription, compiled)

    def prepare(self) -> None:
        """Makes the structures fit to be matched with; must not run beside a match. Idempotent."""
        if not self._now.sealed or not self._now.in_use:
            self._now.seal()

    @property
    def prepared(self) -> bool:
        return self._now.sealed and self._now.in_use

    def scratch(self) -> TreeScratch:
        return TreeScratch()

    def match(self, document: Document, scratch: TreeScratch) -> IntArray:
        """The ids of the matching subscriptions, ascending."""
        if not self.prepared:
            self.prepare()
        now = self._now
        scratch.take(now, document, len(self.vocabulary))
        try:
            for forest in (now.main, now.young):
                if forest.size:
                    self._run(now, forest, document, scratch)
                if forest is now.main and now.moving:
                    withhold(scratch.out, now.arriving)
        except BaseException:  # an interrupt or no memory: what was found so far is not for the next document
            scratch.forget()
            raise
        count, ascending = collect(scratch.out, now.always, now.alive, now.subscriptions, scratch.found)
        found: IntArray = scratch.found[:count].copy()
        if not ascending:
            found.sort()
        return found

    def _run(self, now: Generation, forest: Forest, document: Document, scratch: TreeScratch) -> None:
        part = scratch.part(forest is now.main, forest, now.constants.arrays, document)
        where = (now.constants.frame.address, document.address)
        spaces, out, number = self.vocabulary.spaces, scratch.out, scratch.number
        while True:
            stopped = walk(part.frame.address, forest.sealed.address, *where, spaces, out, number)
            if stopped == FINISHED:
                break
            part.make_room(stopped, document.arrays)
        evaluation = scratch.evaluation.address
        if part.has_candidates:
            decide(part.frame.address, forest.sealed.address, evaluation, *where, spaces, now.alive, out, number)
        if forest.opens:
            slots, programs = forest.open_slots[: forest.opens], forest.open_programs[: forest.opens]
            decide_open(slots, programs, forest.sealed.address, evaluation, *where, spaces, now.alive, out, number)

    def size_bytes(self) -> int:
        return self._now.size_bytes() + (self._next.size_bytes() if self._next is not None else 0)

    def _check(self) -> None:
        """Raises AssertionError if the structure contradicts itself."""
        self._now._check()
        if self._next is None:
            assert not self._waiting
            return
        self._next._check()
        assert set(self._next.slots) <= set(self._now.slots)
        assert set(self._now.slots) <= set(self._next.slots) | set(self._waiting)
        for subscription, slot in self._next.slots.items():
            assert self._next.compiled[slot] == self._now.compiled[self._now.slots[subscription]]
