"""One life of the engine's structures: two tries, what their programs are, and who holds which slot.

New subscriptions go to the *main* trie as long as no document was matched with it, and from then on to the *young*
one, so that an addition outdates the automaton of a few subscriptions and not that of all. When the young trie
has grown, each further change moves a few of its subscriptions on, and when all stand in the main trie the
young one is emptied: no change ever waits for much work. A subscription that is in both for a while
matches twice, which sets the same bit.

Invariant: a slot that is alive is entered in the main trie or in the young one. A slot is never reused;
dead ones go with the generation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from xylem.matching.arrays import grown
from xylem.matching.tree.compile import Compiled, Shape
from xylem.matching.tree.constants import Constants
from xylem.matching.tree.trie import CHAIN_HEAD, NODES, TrieArrays, insert, new_trie, roomy, sealed, trie_bytes
from xylem.matching.tree.check import check_trie, programs_of, slots_of

YOUNG_MIN = 256  # a young trie smaller than this is not worth moving
YOUNG_SHARE = 32  # … nor one smaller than this part of the whole
MOVED_AT_ONCE = 8  # moved on with each change: more than one, so that moving ends

Shorts = npt.NDArray[np.int32]
Bits = npt.NDArray[np.uint64]


@dataclass(slots=True)
class Forest:
    """A trie with the programs of its complexes. `version` tells caches that what they know is out of date."""

    arrays: TrieArrays = field(default_factory=new_trie)
    programs: Shorts = field(default_factory=lambda: np.zeros(64, np.int32))
    used: int = 0
    largest: int = 0  # nodes of the largest program
    version: int = 0
    opens: int = 0
    open_slots: Shorts = field(default_factory=lambda: np.zeros(0, np.int32))  # their programs run on every document
    open_programs: Shorts = field(default_factory=lambda: np.zeros(0, np.int32))
    size: int = 0

    def enter(self, compiled: Compiled, slot: int, constants: Constants) -> None:
        """Adds a subscription. O(steps)."""
        strings = [constants.string(text) for text in compiled.strings]
        numbers = [constants.number(value) for value in compiled.numbers]
        for index in compiled.needles:
            constants.needle(strings[index])
        program = self._add_program(compiled, strings, numbers)
        self.size += 1
        if compiled.shape == Shape.OPEN:
            self._add_open(slot, program)
            return
        chains = np.frombuffer(compiled.chains, np.int32)
        self.arrays = roomy(self.arrays, len(chains) // 3, len(chains) // CHAIN_HEAD)
        insert(
            self.arrays,
            chains,
            np.array(strings, np.int32),
            np.array(numbers, np.int32),
            np.array(compiled.numbers, np.float64),
            slot,
            program,
            compiled.shape != Shape.COMPLEX,
            np.empty(len(chains), np.int32),
            np.empty(len(chains), np.int32),
        )

    def _add_program(self, compiled: Compiled, strings: list[int], numbers: list[int]) -> int:
        if not compiled.program:
            return -1
        code = np.frombuffer(compiled.program, np.int32)
        base = self.used
        self.programs = grown(self.programs, base + len(code))
        self.programs[base : base + len(code)] = code
        self.used = base + len(code)
        tables = base + int(code[2])
        self.programs[tables : self.used] = strings + numbers
        self.largest = max(self.largest, int(code[0]), 1)  # one that asks the document node alone has no nodes
        return base

    def _add_open(self, slot: int, program: int) -> None:
        self.open_slots = grown(self.open_slots, self.opens + 1)
        self.open_programs = grown(self.open_programs, self.opens + 1)
        self.open_slots[self.opens] = slot
        self.open_programs[self.opens] = program
        self.opens += 1

    def seal(self) -> None:
        """Sorts what additions left unsorted."""
        self.arrays = sealed(self.arrays)

    def size_bytes(self) -> int:
        return trie_bytes(self.arrays) + self.programs.nbytes + self.open_slots.nbytes + self.open_programs.nbytes

    def __len__(self) -> int:
        """Nodes of the trie."""
        return int(self.arrays.header[NODES])

    def entered(self) -> set[int]:
        """The slots that reaching something can match."""
        return {*slots_of(self.arrays), *self.open_slots[: self.opens].tolist()}

    def _check(self, slots: int) -> None:
        """Raises AssertionError if the structure contradicts itself; `slots` is how many were given out."""
        check_trie(self.arrays)
        assert all(0 <= slot < slots for slot in self.entered())
        assert self.used <= len(self.programs)
        starts = [*self.open_programs[: self.opens].tolist(), *programs_of(self.arrays)]
        for start in starts:
            assert 0 <= start < self.used and self.programs[start] <= self.largest


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
        self.in_use = False  # whether a document was matched since the main trie last changed
        self.sealed = True
        self._young_slots: list[int] = []
        self._moved = 0
        self._moving = 0  # how many of the young slots are being moved; 0: none

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
        """Moves a few subscriptions from the young trie to the main one, if there is reason to."""
        if not self._moving:
            if self.young.size < max(YOUNG_MIN, self.main.size // YOUNG_SHARE):
                return
            self._moving, self._moved = len(self._young_slots), 0
        for slot in self._young_slots[self._moved : self._moved + MOVED_AT_ONCE]:
            compiled = self.compiled[slot]
            if compiled is not None:
                self.main.enter(compiled, slot, self.constants)
        self._moved += MOVED_AT_ONCE
        if self._moved >= len(self._young_slots):
            version = self.young.version
            self.young = Forest(version=version + 1)
            self._young_slots = []
            self._moving = 0
            self.main.version += 1
            self.sealed = False

    def seal(self) -> None:
        """Sorts what additions left unsorted. While subscriptions move, the main trie's part of that waits:
        until they have arrived, the young one answers for them."""
        self.young.seal()
        if not self._moving:
            self.main.seal()
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
        entered = self.main.entered() | self.young.entered()
        bare = (Shape.ALWAYS, Shape.NEVER)
        for slot in self.slots.values():
            compiled = self.compiled[slot]
            assert compiled is not None and (slot in entered) == (compiled.shape not in bare)
