"""One life of the engine's structures: two forests, and who holds which slot.

New subscriptions go to the *main* forest as long as no document was matched with it, and from then on to the *young*
one, so that an addition outdates the automaton of a few subscriptions and not that of all. When the young forest
has grown, each further change moves a few of its subscriptions on, and when all stand in the main forest the
young one is emptied: no change ever waits for much work. What the main forest says of a subscription that is in both
for a while does not count, since its caches and its sorted tests know only a part of it.

Invariant: a slot that is alive is entered in the main forest or in the young one. A slot is never reused;
dead ones go with the generation.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from xylem.matching.arrays import grown
from xylem.matching.tree.compile import Compiled, Shape
from xylem.matching.tree.constants import Constants
from xylem.matching.tree.forest import Forest

YOUNG_MIN = 256  # a young forest smaller than this is not worth moving
YOUNG_SHARE = 32  # … nor one smaller than this part of the whole
MOVED_AT_ONCE = 8  # moved on with each change: more than one, so that moving ends

Shorts = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]


class Generation:
    """Slots, tries and constants that belong together."""

    def __init__(self) -> None:
        self.constants = Constants()
        self.main = Forest()
        self.young = Forest()
        self.compiled: list[Compiled | None] = []
        self.subscriptions: Shorts = np.zeros(64, np.int32)  # per slot
        self.alive: Bits = np.zeros(1, np.uint64)
        self.slots: dict[int, int] = {}
        self.always: Bits = np.zeros(1, np.uint64)
        self.in_use = False  # whether a document was matched since the main forest last changed
        self.sealed = True
        self._young_slots: list[int] = []
        self._moved = 0
        self._moving = 0  # how many of the young slots are being moved; 0: none
        self.arriving: Bits = np.zeros(1, np.uint64)  # a bit for each slot that is being moved to the main forest

    def __len__(self) -> int:
        return len(self.slots)

    @property
    def dead(self) -> int:
        return len(self.compiled) - len(self.slots)

    def add(self, subscription: int, compiled: Compiled) -> None:
        slot = len(self.compiled)
        self.compiled.append(compiled)
        self.subscriptions = grown(self.subscriptions, slot + 1)
        self.alive = grown(self.alive, slot // 64 + 1)
        self.always = grown(self.always, slot // 64 + 1)
        self.subscriptions[slot] = subscription
        self.alive[slot // 64] |= np.uint64(1 << slot % 64)
        self.slots[subscription] = slot
        if compiled.shape == Shape.ALWAYS:
            self.always[slot // 64] |= np.uint64(1 << slot % 64)
        elif compiled.shape != Shape.NEVER:
            self._enter(slot, compiled)
        self.advance()

    def _enter(self, slot: int, compiled: Compiled) -> None:
        if self.in_use:
            self._young_slots.append(slot)
        forest = self.young if self.in_use else self.main
        forest.enter(compiled, slot, self.constants)
        forest.version += 1
        self.sealed = False

    def remove(self, subscription: int) -> None:
        slot = self.slots.pop(subscription)
        self.compiled[slot] = None
        self.alive[slot // 64] &= ~np.uint64(1 << slot % 64)
        self.advance()

    def advance(self) -> None:
        """Moves a few subscriptions from the young forest to the main one, if there is reason to."""
        if not self._moving:
            if self.young.size < max(YOUNG_MIN, self.main.size // YOUNG_SHARE):
                return
            self._moving, self._moved = len(self._young_slots), 0
            self.arriving = np.zeros(len(self.alive), np.uint64)
        for slot in self._young_slots[self._moved : self._moved + MOVED_AT_ONCE]:
            compiled = self.compiled[slot]
            if compiled is not None:
                self.main.enter(compiled, slot, self.constants)
                self.arriving = grown(self.arriving, slot // 64 + 1)
                self.arriving[slot // 64] |= np.uint64(1 << slot % 64)
        self._moved += MOVED_AT_ONCE
        self.sealed = False
        if self._moved >= len(self._young_slots):
            version = self.young.version
            self.young = Forest(version=version + 1)
            self._young_slots = []
            self._moving = 0
            self.main.version += 1

    @property
    def moving(self) -> bool:
        """Whether the main forest holds subscriptions (`arriving`) that it cannot answer for yet."""
        return self._moving > 0

    def seal(self) -> None:
        """Sorts what additions left unsorted. While subscriptions move, the main forest's part of that waits:
        until they have arrived, the young one answers for them."""
        self.young.seal()
        self.main.seal(sort=not self._moving)
        self.sealed = True
        self.in_use = True

    def size_bytes(self) -> int:
        return (
            self.main.size_bytes()
            + self.young.size_bytes()
            + self.constants.size_bytes()
            + self.subscriptions.nbytes
            + self.alive.nbytes
            + self.always.nbytes
            + self.arriving.nbytes
        )

    def _check(self) -> None:
        """Raises AssertionError if the structure contradicts itself."""
        assert len(self.slots) == sum(compiled is not None for compiled in self.compiled)
        for subscription, slot in self.slots.items():
            assert self.compiled[slot] is not None
            assert self.subscriptions[slot] == subscription
        bits = np.unpackbits(self.alive.view(np.uint8), bitorder="little")
        assert set(np.flatnonzero(bits).tolist()) == set(self.slots.values())
        assert self._moved >= 0 and self._moving <= len(self._young_slots)
        for forest in (self.main, self.young):
            forest._check(len(self.compiled))
            assert forest.current or not self.sealed, "what is matched with is what was entered"
        entered = self.main.entered() | self.young.entered()
        bare = (Shape.ALWAYS, Shape.NEVER)
        for slot in self.slots.values():
            compiled = self.compiled[slot]
            assert compiled is not None and (slot in entered) == (compiled.shape not in bare)
