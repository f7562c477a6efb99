"""What one document has reached so far in one forest, and how a passed test is taken note of.

This module knows nothing of how values are tested.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined
from xylem.matching.arrays import grown
from xylem.matching.tables import find
from xylem.matching.tree.constants import STRINGS, ConstantArrays
from xylem.matching.tree.trie import COMPLEXES, ENDS, FACT, GROUPS, ONCE, TrieArrays, test_key
from xylem.matching.tree.twigs import FACTS, FactArrays

# header fields
CANDIDATES, TOUCHED, HITS, KINDS_HIT, HITS_OF, TURN, TESTED, MET, REACHED, GATHERED, FROM = range(11)

# what taking a value, or more, ends with
FINISHED, CACHE_FULL, RISE_FULL, HITS_FULL = range(4)


class FoundArrays(NamedTuple):
    """What one document has reached so far in one trie. Stamps are numbers of documents."""

    header: npt.NDArray[np.int64]
    end_seen: npt.NDArray[np.int64]
    complex_seen: npt.NDArray[np.int64]
    candidates: npt.NDArray[np.int32]
    group_seen: npt.NDArray[np.int64]
    group_value: npt.NDArray[np.float64]  # LOWER: the largest value; UPPER: the smallest; UNEQUAL: the constant met
    group_all: npt.NDArray[np.uint8]  # UNEQUAL: everything differs
    touched: npt.NDArray[np.int32]
    needle_turn: npt.NDArray[np.int64]  # per string: the value in which it was last found
    needle_found: npt.NDArray[np.int32]
    needle_seen: npt.NDArray[np.int64]  # per string: the document whose text has it …
    needle_kind: npt.NDArray[np.int32]  # … and its place among those that are hit
    hit_at: npt.NDArray[np.int32]
    hit_string: npt.NDArray[np.int32]
    kind_string: npt.NDArray[np.int32]  # the needles hit at all, …
    kind_start: npt.NDArray[np.int64]  # … and where their hits stand in …
    kind_hits: npt.NDArray[np.int32]  # … this
    buffer: npt.NDArray[np.uint8]
    met: npt.NDArray[np.int32]  # the facts that a value proves
    reached: npt.NDArray[np.int32]  # the ends that it reaches


def new_found() -> FoundArrays:
    def stamps() -> npt.NDArray[np.int64]:
        return np.full(16, -1, np.int64)

    def ints() -> npt.NDArray[np.int32]:
        return np.zeros(16, np.int32)

    header = np.zeros(16, np.int64)
    header[HITS_OF] = -1
    return FoundArrays(
        header, stamps(), stamps(), ints(), stamps(), np.zeros(16), np.zeros(16, np.uint8), ints(),
        stamps(), ints(), stamps(), ints(), ints(), ints(), ints(), np.zeros(16, np.int64), ints(),
        np.zeros(16, np.uint8), ints(), ints(),
    )  # fmt: skip


def fitted_found(f: FoundArrays, trie: TrieArrays, facts: FactArrays, constants: ConstantArrays) -> FoundArrays:
    """The arrays with room for all that the trie can tell."""
    h = trie.header
    strings = int(constants.header[STRINGS])
    ends, complexes, groups = int(h[ENDS]), int(h[COMPLEXES]), int(h[GROUPS])
    return f._replace(
        end_seen=grown(f.end_seen, ends, -1),
        complex_seen=grown(f.complex_seen, complexes, -1),
        candidates=grown(f.candidates, complexes),
        group_seen=grown(f.group_seen, groups, -1),
        group_value=grown(f.group_value, groups),
        group_all=grown(f.group_all, groups),
        touched=grown(f.touched, groups),
        needle_turn=grown(f.needle_turn, strings, -1),
        needle_found=grown(f.needle_found, strings + 1),
        needle_seen=grown(f.needle_seen, strings, -1),
        needle_kind=grown(f.needle_kind, strings),
        kind_string=grown(f.kind_string, strings + 1),
        kind_start=grown(f.kind_start, strings + 2),
        met=grown(f.met, int(facts.header[FACTS]) + 1),
        reached=grown(f.reached, ends + 1),
    )


def with_more_hits(f: FoundArrays) -> FoundArrays:
    size = 4 * len(f.hit_at)
    return f._replace(
        hit_at=grown(f.hit_at, size), hit_string=grown(f.hit_string, size), kind_hits=grown(f.kind_hits, size)
    )


@inlined
def reach(f, trie, out, end, number):  # type: ignore[no-untyped-def]
    """A chain's end is reached: its slot matches, who watches it becomes a candidate."""
    slot = trie.end_slot[end]
    if slot >= 0:
        out[slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
    if trie.end_asked[end]:
        ask(f, trie, out, end, number)


@inlined
def ask(f, trie, out, end, number):  # type: ignore[no-untyped-def]
    if f.end_seen[end] == number:
        return
    f.end_seen[end] = number
    watch = trie.end_watch[end]
    while watch >= 0:
        who = trie.watch_complex[watch]
        if f.complex_seen[who] != number:
            f.complex_seen[who] = number
            if trie.complex_program[who] < 0:
                slot = trie.complex_slot[who]
                out[slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
            else:
                f.candidates[f.header[CANDIDATES]] = who
                f.header[CANDIDATES] += 1
        watch = trie.watch_next[watch]


@inlined
def passed(f, trie, facts, out, node, view, op, constant, number):  # type: ignore[no-untyped-def]
    """A value passes the test, if there is such a one."""
    test = find(trie.tests, test_key(node, view, op, constant))
    if test >= 0:
        test_passed(f, trie, facts, out, test, number)


@inlined
def test_passed(f, trie, facts, out, test, number):  # type: ignore[no-untyped-def]
    if trie.test_uses[test] & ONCE:
        end = trie.test_end[test]
        reach(f, trie, out, end, number)
        f.reached[f.header[REACHED]] = end
        f.header[REACHED] += 1
    if trie.test_uses[test] & FACT:
        f.met[f.header[MET]] = facts.end_fact[trie.test_end[test]]
        f.header[MET] += 1
