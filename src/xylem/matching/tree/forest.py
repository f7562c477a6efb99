"""A trie, the facts that hang on it, and the programs of what neither can say.

`version` tells the caches of matching threads that what they know is out of date.

This module knows nothing of documents and of which subscriptions there are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.frames import Frame, frame_at
from xylem.matching.arrays import bytes_of, grown
from xylem.matching.tree.check import check_facts, check_trie, programs_of, slots_of
from xylem.matching.tree.compile import Compiled, Shape
from xylem.matching.tree.constants import Constants
from xylem.matching.tree.trie import CHAIN_HEAD, ENDS, NODES, TrieArrays, insert, new_trie, roomy, seal
from xylem.matching.tree.twigs import EMITS, FactArrays, enter, new_facts, roomy_facts, watches_in

Shorts = npt.NDArray[np.int32]


class ForestArrays(NamedTuple):
    """What matching sees of a forest."""

    trie: TrieArrays
    facts: FactArrays
    programs: npt.NDArray[np.int32]


forest_at = frame_at(ForestArrays)


class Forest:
    """Grows with what is entered; nothing is ever taken out of one."""

    def __init__(self, version: int = 0) -> None:
        self.trie = Frame(new_trie())
        self.facts = Frame(new_facts())
        self.programs: Shorts = np.zeros(64, np.int32)
        self.used = 0
        self.largest = 0  # nodes of the largest program
        self.version = version
        self.opens = 0
        self.open_slots: Shorts = np.zeros(0, np.int32)  # their programs run on every document
        self.open_programs: Shorts = np.zeros(0, np.int32)
        self.size = 0
        self.frame: Frame[ForestArrays] | None = None  # made by `seal`

    def __len__(self) -> int:
        """Nodes of the trie."""
        return int(self.trie.arrays.header[NODES])

    def enter(self, compiled: Compiled, slot: int, constants: Constants) -> None:
        """Adds a subscription. O(steps)."""
        strings = [constants.string(text) for text in compiled.strings]
        numbers = [constants.number(value) for value in compiled.numbers]
        for index in compiled.needles:
            constants.needle(strings[index])
        self.size += 1
        called = (np.array(strings, np.int32), np.array(numbers, np.int32), np.array(compiled.numbers, np.float64))
        if compiled.shape == Shape.TWIG:
            self._enter_twig(compiled, slot, *called)
            return
        program = self._add_program(compiled, strings, numbers)
        if compiled.shape == Shape.OPEN:
            self._add_open(slot, program)
            return
        chains = np.frombuffer(compiled.chains, np.int32)
        self._make_room(len(chains) // 3, len(chains) // CHAIN_HEAD)
        work = np.empty(2 * len(chains), np.int32)
        sure = compiled.shape != Shape.COMPLEX
        insert(
            self.trie.address, chains, *called, slot, program, sure, work[: len(chains)], work[len(chains) :]
        )  # fmt: skip

    def _enter_twig(self, compiled: Compiled, slot: int, strings: Shorts, numbers: Shorts, values: Any) -> None:
        script = np.array(np.frombuffer(compiled.chains, np.int32))
        size = len(script)
        self._make_room(size // 4 + 1, size // 4 + 1)
        header = self.trie.arrays.header
        nodes, ends = int(header[NODES]) + size, int(header[ENDS]) + size
        facts = roomy_facts(self.facts.arrays, size, int(watches_in(script)), nodes, ends)
        if facts is not self.facts.arrays:
            self.facts.arrays = facts
        work = np.empty(3 * size + 3, np.int32)
        parts = (work[: size + 1], work[size + 1 : 2 * size + 2], work[2 * size + 2 :])
        enter(self.trie.address, self.facts.address, script, strings, numbers, values, slot, *parts)

    def _make_room(self, steps: int, chains: int) -> None:
        trie = roomy(self.trie.arrays, steps, chains)
        if trie is not self.trie.arrays:
            self.trie.arrays = trie

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

    def seal(self, sort: bool = True) -> None:
        """Makes the forest fit to be matched with, after additions. Without `sort`, what needs sorting does not count
        yet."""
        if sort:
            seal(self.trie)
        if self.frame is None:
            self.frame = Frame(self._arrays())
        elif not self.current:
            self.frame.arrays = self._arrays()

    def _arrays(self) -> ForestArrays:
        return ForestArrays(self.trie.arrays, self.facts.arrays, self.programs)

    @property
    def current(self) -> bool:
        """Whether the arrays that are matched with are those that were last added to; also before the first `seal`."""
        if self.frame is None:
            return True
        return all(new is old for new, old in zip(self._arrays(), self.frame.arrays, strict=True))

    @property
    def sealed(self) -> Frame[ForestArrays]:
        """What `seal` made."""
        assert self.frame is not None
        return self.frame

    def size_bytes(self) -> int:
        return bytes_of((self.trie.arrays, self.facts.arrays, self.programs, self.open_slots, self.open_programs))

    def entered(self) -> set[int]:
        """The slots that reaching something can match."""
        a = self.facts.arrays
        emitted = a.emit_slot[: a.header[EMITS]].tolist()
        return {*slots_of(self.trie.arrays), *emitted, *self.open_slots[: self.opens].tolist()}

    def _check(self, slots: int) -> None:
        """Raises AssertionError if the structure contradicts itself; `slots` is how many were given out."""
        check_trie(self.trie.arrays)
        check_facts(self.facts.arrays, self.trie.arrays)
        assert all(0 <= slot < slots for slot in self.entered())
        assert self.used <= len(self.programs)
        starts = [*self.open_programs[: self.opens].tolist(), *programs_of(self.trie.arrays)]
        for start in starts:
            assert 0 <= start < self.used and self.programs[start] <= self.largest
