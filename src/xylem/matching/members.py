"""Which subscriptions share a slot: doubly linked lists in arrays, so that one of a hundred thousand equal
subscriptions leaves as quickly as any.
"""

from __future__ import annotations

import numpy as np

from xylem.document.model import IntArray
from xylem.kernels import quick_kernel
from xylem.matching.arrays import grown


class Members:
    """Subscriptions by slot. Joining and leaving are O(1)."""

    def __init__(self) -> None:
        self._entries: dict[int, int] = {}
        self._free: list[int] = []
        self._head: IntArray = np.full(64, -1, np.int32)  # per slot: first entry
        self._count: IntArray = np.zeros(64, np.int32)
        self._who: IntArray = np.zeros(64, np.int32)  # per entry
        self._slot: IntArray = np.zeros(64, np.int32)
        self._next: IntArray = np.full(64, -1, np.int32)
        self._previous: IntArray = np.full(64, -1, np.int32)
        self._odd = 0  # slots whose subscriptions are not just the slot's own number

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, subscription: int) -> bool:
        return subscription in self._entries

    def count(self, slot: int) -> int:
        return int(self._count[slot])

    def slot(self, subscription: int) -> int:
        return int(self._slot[self._entries[subscription]])

    def slots(self) -> set[int]:
        return set(np.flatnonzero(self._count).tolist())

    def join(self, slot: int, subscription: int) -> None:
        entry = self._free.pop() if self._free else len(self._entries)
        self._head = grown(self._head, slot + 1, -1)
        self._count = grown(self._count, slot + 1)
        self._who = grown(self._who, entry + 1)
        self._slot = grown(self._slot, entry + 1)
        self._next = grown(self._next, entry + 1, -1)
        self._previous = grown(self._previous, entry + 1, -1)
        first = self._head[slot]
        self._who[entry] = subscription
        self._slot[entry] = slot
        self._next[entry] = first
        self._previous[entry] = -1
        if first >= 0:
            self._previous[first] = entry
        self._head[slot] = entry
        self._count[slot] += 1
        self._entries[subscription] = entry
        self._odd += subscription != slot

    def leave(self, subscription: int) -> tuple[int, int]:
        """The slot that was left, and how many stay."""
        entry = self._entries.pop(subscription)
        slot, before, after = int(self._slot[entry]), self._previous[entry], self._next[entry]
        if before >= 0:
            self._next[before] = after
        else:
            self._head[slot] = after
        if after >= 0:
            self._previous[after] = before
        self._count[slot] -= 1
        self._free.append(entry)
        self._odd -= subscription != slot
        return slot, int(self._count[slot])

    def of(self, slots: IntArray) -> IntArray:
        """All subscriptions of some slots, ascending. O(their number), and a sort unless they ascend already."""
        if not self._odd:
            return slots
        found = np.empty(int(self._count[slots].sum()), np.int32)
        if not _expand(slots, self._head, self._who, self._next, found):
            found.sort()
        return found

    def size_bytes(self) -> int:
        arrays = (self._head, self._count, self._who, self._slot, self._next, self._previous)
        return sum(array.nbytes for array in arrays)

    def _check(self) -> None:
        """Raises AssertionError if the structure contradicts itself."""
        used = len(self._entries) + len(self._free)
        assert sorted([*self._entries.values(), *self._free]) == list(range(used))
        assert self._odd == sum(self.slot(subscription) != subscription for subscription in self._entries)
        met = 0
        for slot in self.slots():
            before, entry = -1, int(self._head[slot])
            while entry >= 0:
                assert self._previous[entry] == before and self._slot[entry] == slot
                assert self._entries[int(self._who[entry])] == entry
                before, entry, met = entry, int(self._next[entry]), met + 1
        assert met == len(self._entries) == int(self._count.sum())


@quick_kernel
def _expand(slots, head, who, following, found):  # type: ignore[no-untyped-def]
    """Writes the subscriptions of slots to `found`; whether they ascend."""
    count = 0
    last = np.int32(-1)
    ascending = True
    for slot in slots:
        entry = head[slot]
        while entry >= 0:
            found[count] = who[entry]
            ascending &= who[entry] > last
            last = who[entry]
            count += 1
            entry = following[entry]
    return ascending
