"""The subscriptions of one engine: equal queries once, changes and matches beside each other, libxml2 last.

Every engine stands behind this one. It gives the engine only distinct patterns, under numbers of its own
(*slots*, reused), and hands out the subscriptions that share a slot. It keeps writers and readers
apart, so that no engine needs a lock, and asks libxml2 about the matches whose patterns are only necessary.

A pattern is kept as the bytes that `compact` makes of it: they are the key under which equal ones meet.
"""

from __future__ import annotations

import numpy as np

from xylem.document.model import Document, IntArray
from xylem.document.vocabulary import Vocabulary
from xylem.errors import StaleDocumentError, UsageError
from xylem.matching.arrays import grown
from xylem.matching.compact import pack, unpack
from xylem.matching.engine import Core, Scratch
from xylem.matching.locks import ReadWriteLock
from xylem.matching.members import Members
from xylem.matching.verified import Verifier
from xylem.xpath.pattern import TreePattern, Verification


class SubscriptionSet:
    """An `Engine` made of a core; safe to use from many threads."""

    def __init__(self, core: Core, vocabulary: Vocabulary) -> None:
        self.core = core
        self.vocabulary = vocabulary
        self._lock = ReadWriteLock()
        self._slots: dict[bytes, int] = {}
        self._keys: list[bytes | None] = []  # per slot
        self._free: list[int] = []
        self._members = Members()
        self._verifications: dict[int, Verification] = {}  # by slot
        self._verified = np.zeros(64, np.bool_)  # per slot
        self._verifier = Verifier()
        self._needed_version = 0

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.core.name

    def __len__(self) -> int:
        return len(self._members)

    @property
    def distinct(self) -> int:
        """How many different queries there are."""
        return len(self._slots)

    def add(self, subscription: int, pattern: TreePattern) -> None:
        """O(size of the pattern)."""
        key = pack(pattern)
        self._lock.acquire_write()
        try:
            if subscription in self._members:
                raise UsageError(f"subscription {subscription} is there already")
            slot = self._slots.get(key)
            if slot is None:
                slot = self._new_slot(key, pattern)
            self._members.join(slot, subscription)
        finally:
            self._lock.release_write()

    def _new_slot(self, key: bytes, pattern: TreePattern) -> int:
        slot = self._free[-1] if self._free else len(self._keys)
        self.core.add(slot, pattern)
        # The names may have come in before, with a subscription that was refused or with another engine.
        self._needed_version = self.vocabulary.version
        if self._free:
            self._free.pop()
            self._keys[slot] = key
        else:
            self._keys.append(key)
        self._slots[key] = slot
        self._verified = grown(self._verified, slot + 1)
        if pattern.verification is not None:
            self._verifications[slot] = pattern.verification
            self._verified[slot] = True
        return slot

    def remove(self, subscription: int) -> None:
        """O(1)."""
        self._lock.acquire_write()
        try:
            if subscription not in self._members:
                raise UsageError(f"subscription {subscription} is not there")
            slot, left = self._members.leave(subscription)
            if not left:
                self._forget_slot(slot)
        finally:
            self._lock.release_write()

    def _forget_slot(self, slot: int) -> None:
        self.core.remove(slot)
        key = self._keys[slot]
        assert key is not None
        del self._slots[key]
        self._keys[slot] = None
        self._free.append(slot)
        if self._verifications.pop(slot, None) is not None:
            self._verified[slot] = False

    def pattern(self, subscription: int) -> TreePattern:
        """What a subscription asks; raises UsageError if it is not there. O(size of the pattern)."""
        with self._lock.reading():
            if subscription not in self._members:
                raise UsageError(f"subscription {subscription} is not there")
            key = self._keys[self._members.slot(subscription)]
        assert key is not None
        return unpack(key)

    def prepare(self) -> None:
        """Does what changes have left to be done, so that the next match need not."""
        self._acquire_prepared()
        self._lock.release_read()

    def scratch(self) -> Scratch:
        return self.core.scratch()

    def match(self, document: Document, scratch: Scratch) -> IntArray:
        """The ids of the matching subscriptions, ascending; StaleDocumentError when the document must be read again."""
        if document.vocabulary is not self.vocabulary:
            raise StaleDocumentError("the document was read with the names of another vocabulary: read it again")
        self._acquire_prepared()
        try:
            if document.version < self._needed_version:
                raise StaleDocumentError(
                    f"the document was read at version {document.version} of the vocabulary, "
                    f"a subscription needs {self._needed_version}: read it again"
                )
            slots = self.core.match(document, scratch)
            if self._verifications:
                slots = self._decided(document, slots)
            return self._members.of(slots)
        finally:
            self._lock.release_read()

    def _acquire_prepared(self) -> None:
        """Takes the lock for reading, with the core ready to be read. Who prepared it goes on without letting go of the
        lock: a busy writer could undo the preparation each time, for ever."""
        self._lock.acquire_read()
        if self.core.prepared:
            return
        self._lock.release_read()
        self._lock.acquire_write()
        try:
            self.core.prepare()
        except BaseException:
            self._lock.release_write()
            raise
        self._lock.downgrade()

    def _decided(self, document: Document, slots: IntArray) -> IntArray:
        """The slots that libxml2 leaves."""
        asked = self._verified[slots]
        if not asked.any():
            return slots
        tree = self._verifier.tree(document)
        kept = ~asked
        for place in asked.nonzero()[0].tolist():
            kept[place] = self._verifier.holds(self._verifications[int(slots[place])], tree)
        return slots[kept]

    def size_bytes(self) -> int:
        """What the engine's arrays hold; not the objects of Python around them."""
        return self.core.size_bytes() + self._members.size_bytes() + self._verified.nbytes

    def _check(self) -> None:
        """Raises AssertionError if the structure contradicts itself."""
        assert len(self._slots) + len(self._free) == len(self._keys)
        assert all(self._keys[slot] is None for slot in self._free)
        for key, slot in self._slots.items():
            assert self._keys[slot] == key
            assert self._members.count(slot) > 0
        assert self._members.slots() == set(self._slots.values())
        assert set(self._verifications) == set(np.flatnonzero(self._verified).tolist())
        self._members._check()
        self.core._check()
