"""How facts rise from the leaves of a document to where they match: a second automaton, built like the first.

Rows are visited in reverse document order, so that a node comes after everything below it. What each node below has
proved for it is a set of facts, and so are the tests that its own value passes; the pile of these sets is its
*gathering*. With the trie nodes that it is at, the gathering decides which twigs hold at it, which subscriptions match
therefore, and which facts it proves for its parent: its *outcome*, worked out once and then known by the two numbers.
Uniting two piles is remembered likewise. So a document that resembles those before it costs a few look-ups a node.

    outcome(state, gathering)    twigs that hold + the fact of being here + facts that may be asked for further up
                                 (made in `outcomes`)
    unite(gathering, pile)       a gathering with what one more child proves
    verdict(trie nodes, value)   the tests that a value passes there (made in `values`)

Piles hold sets instead of facts because they are made all the time, and a node has fewer children of different
kinds than these prove facts; a pile that grows beyond `HIGHEST` becomes one set.

Everything is made again as needed after the caches were emptied: that costs time and never an answer.

This module knows nothing of tests and of how a document is walked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined
from xylem.matching.arrays import bytes_of, grown
from xylem.matching.tables import Table, clear, find, has_room, new_table, put, room
from xylem.matching.text import equal
from xylem.matching.tree.cache import (
    NO_ROOM,
)
from xylem.matching.tree.constants import hash_string
from xylem.matching.tree.sets import (
    EMPTY_SET,
    USED,
    SetArrays,
    clear_sets,
    enlarged_sets,
    intern,
    new_sets,
    sets_fit,
    sort,
)
from xylem.matching.tree.twigs import (
    EMITS,
    FACTS,
    FactArrays,
)

OUTCOMES, TURN, VERDICTS, VALUES, BYTES = range(5)  # header fields
HIGHEST = 32  # sets in a pile
LONGEST_VALUE = 256  # bytes; longer ones seldom come again, and would fill the cache
NOTHING = 0  # the outcome of what proves nothing

# What is known of an outcome or a verdict: the pile of what it proves; where the slots that match (a verdict: the
# ends that are reached) begin in the arena, and how many they are; the document that last met it.
RECORD = 4
PROVES, LIST, COUNT, MET_BY = range(RECORD)

STAMPS = 2
ASKED_FOR, PROVED = range(STAMPS)  # stamps of a fact
LAST_TURN = 2**31 - 2


class RiseArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    sets: SetArrays  # of facts; the arena also holds lists of slots
    piles: SetArrays  # of sets
    unions: Table  # two piles -> pile
    prefixes: Table  # a group of ordered tests and how many of them hold -> pile
    values: Table  # hash of a value -> value
    value_next: npt.NDArray[np.int32]  # another value with the same hash, or -1
    value_start: npt.NDArray[np.int64]  # where it stands in `bytes`; the next one's start is its end
    bytes: npt.NDArray[np.uint8]
    verdicts: Table  # a set of trie nodes and a value -> verdict
    verdict: npt.NDArray[np.int64]  # four each: see PROVES
    outcomes: Table  # state and gathering -> outcome
    outcome: npt.NDArray[np.int64]  # four each: see PROVES
    # room to work; stamps are turns
    node_turn: npt.NDArray[np.int32]  # per trie node: the document is at it, and it goes on asking
    gathered: npt.NDArray[np.uint8]  # per fact, while an outcome is worked out: whether it was gathered
    fact_turn: npt.NDArray[np.int32]  # per fact: it was asked, it is in `work`
    work: npt.NDArray[np.int32]
    piling: npt.NDArray[np.int32]
    slots: npt.NDArray[np.int32]


def new_rise() -> RiseArrays:
    """Caches with room for a little."""
    size = 32

    made = RiseArrays(
        np.zeros(8, np.int64), new_sets(size, 512), new_sets(size, 512), new_table(size), new_table(size),
        new_table(size),
        np.zeros(size, np.int32), np.zeros(size, np.int64), np.zeros(512, np.uint8), new_table(size),
        np.zeros(RECORD * size, np.int64), new_table(size), np.zeros(RECORD * size, np.int64),
        np.zeros(1, np.int32), np.zeros(1, np.uint8), np.zeros(STAMPS, np.int32), np.zeros(16, np.int32),
        np.zeros(2 * HIGHEST, np.int32), np.zeros(16, np.int32),
    )  # fmt: skip
    reset_rise(made)
    return made


def reset_rise(r: RiseArrays) -> None:
    """Forgets everything."""
    clear_sets(r.sets)
    clear_sets(r.piles)
    for table in (r.unions, r.prefixes, r.values, r.verdicts, r.outcomes):
        clear(table)
    r.header[VERDICTS] = r.header[VALUES] = r.header[BYTES] = 0
    r.header[OUTCOMES] = 1
    r.outcome[:RECORD] = 0


def fitted_rise(r: RiseArrays, facts: FactArrays, nodes: int) -> RiseArrays:
    """The arrays with room to work for that many facts and trie nodes."""
    count = int(facts.header[FACTS])
    return r._replace(
        node_turn=grown(r.node_turn, nodes), gathered=grown(r.gathered, count),
        fact_turn=grown(r.fact_turn, STAMPS * count), work=grown(r.work, 2 * count + 16),
        slots=grown(r.slots, int(facts.header[EMITS]) + 1),
    )  # fmt: skip


def enlarged_rise(r: RiseArrays) -> RiseArrays:
    """Room for about twice as much, and for what was asked for last."""
    sets = enlarged_sets(r.sets, int(r.sets.header[USED]) + 4096)
    for known, table, count in (("outcome", "outcomes", OUTCOMES), ("verdict", "verdicts", VERDICTS)):
        array = getattr(r, known)
        if 2 * RECORD * r.header[count] >= len(array):
            more = 2 * len(array) // RECORD - int(r.header[count])
            r = r._replace(**{known: grown(array, 2 * len(array)), table: room(getattr(r, table), more)})
    if 2 * r.header[VALUES] >= len(r.value_next):
        size = 2 * len(r.value_next)
        r = r._replace(
            value_next=grown(r.value_next, size), value_start=grown(r.value_start, size),
            values=room(r.values, size - int(r.header[VALUES])),
        )  # fmt: skip
    return r._replace(
        sets=sets,
        piles=enlarged_sets(r.piles, int(r.piles.header[USED]) + 512),
        bytes=grown(r.bytes, int(r.header[BYTES]) + 16 * LONGEST_VALUE),
        unions=room(r.unions, max(512, int(r.unions.used[0]) // 2)),
        prefixes=room(r.prefixes, max(64, int(r.prefixes.used[0]) // 2)),
    )


def rise_bytes(r: RiseArrays) -> int:
    """The bytes that what is remembered takes; those to work with follow from the number of subscriptions."""
    return bytes_of(r[: RiseArrays._fields.index("node_turn")])


@inlined
def unite(r, a, b):  # type: ignore[no-untyped-def]
    """The union of two piles; NO_ROOM when the arrays must grow first. O(their heights), remembered."""
    if a == b or b == EMPTY_SET:
        return np.int32(a)
    if a == EMPTY_SET:
        return np.int32(b)
    key = (np.int64(a) << 31) | np.int64(b)
    found = find(r.unions, key)
    if found < 0:
        found = _new_union(r, a, b)
        if found >= 0:
            put(r.unions, key, found)
    return found


@inlined
def _new_union(r, a, b):  # type: ignore[no-untyped-def]
    if not has_room(r.unions, 1) or not sets_fit(r.piles, 1, 2 * HIGHEST):
        return np.int32(NO_ROOM)
    height = _merged(r, a, b)
    if height <= HIGHEST:
        return intern(r.piles, r.piling, height)
    most = np.int64(0)
    for at in range(height):
        most += r.sets.size[r.piling[at]]
    if not sets_fit(r.sets, 1, most):
        return np.int32(NO_ROOM)
    turn = next_turn(r)
    count = 0
    for at in range(height):
        start = r.sets.start[r.piling[at]]
        for place in range(start, start + r.sets.size[r.piling[at]]):
            fact = r.sets.arena[place]
            if stamp(r, fact, PROVED, turn):
                r.work[count] = fact
                count += 1
    sort(r.work, 0, count)
    return pile_of_ascending(r, count)


@inlined
def _merged(r, a, b):  # type: ignore[no-untyped-def]
    """Writes the sets of two piles to `piling`, ascending; how many."""
    arena, piling = r.piles.arena, r.piling
    left, right = r.piles.start[a], r.piles.start[b]
    left_end, right_end = left + r.piles.size[a], right + r.piles.size[b]
    count = 0
    while left < left_end or right < right_end:
        if right == right_end or (left < left_end and arena[left] <= arena[right]):
            if right < right_end and arena[left] == arena[right]:
                right += 1
            piling[count] = arena[left]
            left += 1
        else:
            piling[count] = arena[right]
            right += 1
        count += 1
    return count


@inlined
def pile_of_ascending(r, count):  # type: ignore[no-untyped-def]
    """The pile of one set, of the facts in `work`, which ascend; there must be room."""
    if count == 0:
        return np.int32(EMPTY_SET)
    r.piling[0] = intern(r.sets, r.work, count)
    return intern(r.piles, r.piling, 1)


@inlined
def pile_of(r, count):  # type: ignore[no-untyped-def]
    """The same for facts in any order; NO_ROOM when the arrays must grow first."""
    if not sets_fit(r.sets, 1, count) or not sets_fit(r.piles, 1, 1):
        return np.int32(NO_ROOM)
    sort(r.work, 0, count)
    return pile_of_ascending(r, count)


@inlined
def known_value(r, constants, data, start, end):  # type: ignore[no-untyped-def]
    """The number of a value, or -1 if it has none."""
    if end - start > LONGEST_VALUE:
        return np.int32(-1)
    found = find(r.values, hash_string(constants, data, start, end))
    while found >= 0:
        at = r.value_start[found]
        if equal(data, start, end, r.bytes, at, r.value_start[found + 1]):
            return found
        found = r.value_next[found]
    return np.int32(-1)


@inlined
def value_of(r, constants, data, start, end):  # type: ignore[no-untyped-def]
    """The same, given one now if it has none; -1 if it is too long, NO_ROOM when the arrays must grow first.
    O(length)."""
    if end - start > LONGEST_VALUE:
        return np.int32(-1)
    found = known_value(r, constants, data, start, end)
    if found >= 0:
        return found
    key = hash_string(constants, data, start, end)
    twin = find(r.values, key)
    new = np.int32(r.header[VALUES])
    at = r.header[BYTES]
    if new + 2 > len(r.value_next) or not has_room(r.values, 1) or at + end - start > len(r.bytes):
        return np.int32(NO_ROOM)
    for place in range(end - start):
        r.bytes[at + place] = data[start + place]
    r.header[VALUES] += 1
    r.header[BYTES] += end - start
    r.value_start[new] = at
    r.value_start[new + 1] = r.header[BYTES]
    r.value_next[new] = -1
    if twin >= 0:
        r.value_next[new] = r.value_next[twin]
        r.value_next[twin] = new
    else:
        put(r.values, key, new)
    return new


@inlined
def next_turn(r):  # type: ignore[no-untyped-def]
    """Makes all stamps old."""
    if r.header[TURN] == LAST_TURN:
        r.header[TURN] = 0
        for stamps in (r.node_turn, r.fact_turn):
            for at in range(len(stamps)):
                stamps[at] = 0
    r.header[TURN] += 1
    return np.int32(r.header[TURN])


@inlined
def stamp(r, fact, which, turn):  # type: ignore[no-untyped-def]
    """Stamps a fact; whether it was not stamped already."""
    at = STAMPS * np.int64(fact) + which
    new = r.fact_turn[at] != turn
    r.fact_turn[at] = turn
    return new
