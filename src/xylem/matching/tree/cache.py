"""The trie of chains run as a deterministic automaton that is built while documents are read.

A *set* is a set of trie nodes that one node of a document can be at, together. A *state* is two sets: the trie nodes
that an element is at, and those among its and its ancestors' trie nodes that go on asking with `//`. States and
transitions are made when a document first needs them and kept up to a budget of bytes; over the budget all
are dropped and made again as needed. That costs time and never an answer, for a state can always be made
from the trie.

A set is canonical: its order follows from its content alone (children in the order of their parents, the `//`
part ascending), so that equal sets are equal runs of integers.

This module knows nothing of values and of subscriptions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined
from xylem.matching.arrays import bytes_of, grown
from xylem.matching.tables import Table, clear, find, new_table, put, room
from xylem.matching.tree.sets import (
    EMPTY_SET,
    SETS,
    USED,
    SetArrays,
    clear_sets,
    enlarged_sets,
    intern,
    new_sets,
    sets_fit,
    sort,
)
from xylem.matching.tree.trie import (
    ATTRIBUTE,
    CHILD,
    CHILD_ANY,
    CHILD_SPACE,
    DEEP,
    DESC,
    DESC_ANY,
    DESC_ATTRIBUTE,
    DESC_SPACE,
    DESC_TEXT,
    TEXT,
    VALUED,
    edge_key,
    label_bit,
)
from xylem.xpath.pattern import Kind

_ATTRIBUTE, _TEXT = int(Kind.ATTRIBUTE), int(Kind.TEXT)

# header fields
STATES, RESETS = range(2)
DEAD, START = 0, 1  # states: no trie node at all; the document node
NO_ROOM = -2


class CacheArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    sets: SetArrays
    # what follows from a set: slots, asked ends, nodes with tests
    set_flags: npt.NDArray[np.int32]  # of all its nodes
    set_told: npt.NDArray[np.int64]  # where the lists begin in the arena; -1 until they are made
    set_slots: npt.NDArray[np.int32]  # how many of each
    set_asked: npt.NDArray[np.int32]
    set_valued: npt.NDArray[np.int32]
    set_seen: npt.NDArray[np.int64]  # the document that last met it
    # states
    state_at: npt.NDArray[np.int32]
    state_deep: npt.NDArray[np.int32]
    state_table: Table
    moves: Table


def new_cache() -> CacheArrays:
    """A cache with room for a little."""
    sets, states = 256, 256

    def ints(size: int) -> npt.NDArray[np.int32]:
        return np.zeros(size, np.int32)

    cache = CacheArrays(
        np.zeros(2, np.int64), new_sets(sets, 4096), ints(sets), np.zeros(sets, np.int64), ints(sets), ints(sets),
        ints(sets), np.zeros(sets, np.int64), ints(states), ints(states), new_table(states), new_table(2 * states),
    )  # fmt: skip
    reset(cache)
    return cache


def reset(c: CacheArrays) -> None:
    """Forgets everything but the dead state."""
    clear_sets(c.sets)
    for table in (c.state_table, c.moves):
        clear(table)
    c.header[RESETS] += 1
    c.set_flags[0] = c.set_slots[0] = c.set_asked[0] = c.set_valued[0] = 0
    c.set_told[0] = 0
    c.header[STATES] = 1
    c.state_at[DEAD] = c.state_deep[DEAD] = EMPTY_SET


def enlarged(c: CacheArrays) -> CacheArrays:
    """Room for about twice as much."""
    c = c._replace(sets=enlarged_sets(c.sets, int(c.sets.header[USED]) + 4096))
    if len(c.sets.start) > len(c.set_flags):
        sets = len(c.sets.start)
        c = c._replace(
            set_flags=grown(c.set_flags, sets), set_told=grown(c.set_told, sets), set_slots=grown(c.set_slots, sets),
            set_asked=grown(c.set_asked, sets), set_valued=grown(c.set_valued, sets),
            set_seen=grown(c.set_seen, sets, -1),
        )  # fmt: skip
    if 2 * c.header[STATES] >= len(c.state_at):
        states = 2 * len(c.state_at)
        c = c._replace(
            state_at=grown(c.state_at, states), state_deep=grown(c.state_deep, states),
            state_table=room(c.state_table, states - int(c.header[STATES])),
        )  # fmt: skip
    return c._replace(moves=room(c.moves, max(512, int(c.moves.used[0]) // 2)))


def cache_bytes(c: CacheArrays) -> int:
    return bytes_of(c)


@inlined
def _roomy(c, nodes):  # type: ignore[no-untyped-def]
    """Whether two more sets of `nodes` nodes and all that follows from them fit, and a state and a move."""
    return (
        sets_fit(c.sets, 2, 4 * nodes + 4)
        and c.header[STATES] + 2 <= len(c.state_at)
        and 2 * (c.state_table.used[0] + 2) <= len(c.state_table.keys)
        and 2 * (c.moves.used[0] + 2) <= len(c.moves.keys)
    )


@inlined
def _intern_set(c, trie, nodes, count):  # type: ignore[no-untyped-def]
    known = c.sets.header[SETS]
    group = intern(c.sets, nodes, count)
    if group == known:
        flags = np.int32(0)
        for at in range(count):
            flags |= trie.node_flags[nodes[at]]
        c.set_flags[group] = flags
        c.set_told[group] = -1
        c.set_seen[group] = -1
    return group


@inlined
def _intern_state(c, at, deep):  # type: ignore[no-untyped-def]
    if at == EMPTY_SET and deep == EMPTY_SET:
        return np.int32(DEAD)
    key = (np.int64(at) << 32) | np.int64(deep)
    found = find(c.state_table, key)
    if found < 0:
        found = np.int32(c.header[STATES])
        c.header[STATES] += 1
        c.state_at[found] = at
        c.state_deep[found] = deep
        put(c.state_table, key, found)
    return found


@inlined
def start_state(c, trie, work):  # type: ignore[no-untyped-def]
    """The document node's state; NO_ROOM when the arrays must grow first."""
    if not _roomy(c, 1):
        return np.int32(NO_ROOM)
    work[0] = 0
    at = _intern_set(c, trie, work, 1)
    return _intern_state(c, at, at if trie.node_flags[0] & DEEP else np.int32(EMPTY_SET))


@inlined
def move(c, trie, state, kind, label, space, work):  # type: ignore[no-untyped-def]
    """The state below `state` at an element, attribute or text of that label; NO_ROOM when it is not known and
    the arrays must grow first."""
    key = (np.int64(state) << 33) | (np.int64(kind) << 31) | np.int64(label)
    found = find(c.moves, key)
    if found < 0:
        found = _make_move(c, trie, state, kind, label, space, work)
        if found >= 0:
            put(c.moves, key, found)
    return found


@inlined
def _make_move(c, trie, state, kind, label, space, work):  # type: ignore[no-untyped-def]
    reachable = 3 * (np.int64(c.sets.size[c.state_at[state]]) + c.sets.size[c.state_deep[state]])
    if not _roomy(c, 0) or 3 * reachable > len(work):
        return np.int32(NO_ROOM)
    if kind == _ATTRIBUTE:
        count = _collect(c, trie, c.state_at[state], 0, kind, label, space, ATTRIBUTE, ATTRIBUTE, ATTRIBUTE, work, 0)
        count = _collect(
            c, trie, c.state_deep[state], 1, kind, label, space,
            DESC_ATTRIBUTE, DESC_ATTRIBUTE, DESC_ATTRIBUTE, work, count,
        )  # fmt: skip
    elif kind == _TEXT:
        count = _collect(c, trie, c.state_at[state], 0, kind, 0, 0, 0, TEXT, 0, work, 0)
        count = _collect(c, trie, c.state_deep[state], 1, kind, 0, 0, 0, DESC_TEXT, 0, work, count)
    else:
        count = _collect(c, trie, c.state_at[state], 0, kind, label, space, CHILD, CHILD_ANY, CHILD_SPACE, work, 0)
        count = _collect(c, trie, c.state_deep[state], 1, kind, label, space, DESC, DESC_ANY, DESC_SPACE, work, count)
    above = c.state_deep[state] if kind < _ATTRIBUTE else np.int32(EMPTY_SET)
    if not _roomy(c, count + c.sets.size[above]):
        return np.int32(NO_ROOM)
    at = _intern_set(c, trie, work, count)
    deep = _deepened(c, trie, above, work, count) if kind < _ATTRIBUTE else np.int32(EMPTY_SET)
    return _intern_state(c, at, deep)


@inlined
def _collect(c, trie, group, axis, kind, label, space, named, any_name, spaced, work, count):  # type: ignore[no-untyped-def]
    """Appends to `work` what the edges of one axis and label lead to from the nodes of a set."""
    wanted = np.int32(named if label > 0 else 0) | np.int32(any_name) | np.int32(spaced if space > 0 else 0)
    if not c.set_flags[group] & wanted:
        return count
    start = c.sets.start[group]
    bit = label_bit(label)
    for at in range(start, start + c.sets.size[group]):
        node = c.sets.arena[at]
        flags = trie.node_flags[node]
        if not flags & wanted:
            continue
        if label > 0 and flags & named:
            labels = bit
            if kind < _ATTRIBUTE:
                labels = trie.node_deep_labels[node] if axis else trie.node_labels[node]
            if labels & bit:
                below = find(trie.edges, edge_key(node, axis, kind, label))
                if below >= 0:
                    work[count] = below
                    count += 1
        if flags & any_name:
            below = find(trie.edges, edge_key(node, axis, kind, 0))
            if below >= 0:
                work[count] = below
                count += 1
        if space > 0 and flags & spaced:
            below = find(trie.edges, edge_key(node, axis, kind, -space))
            if below >= 0:
                work[count] = below
                count += 1
    return count


@inlined
def _deepened(c, trie, above, work, count):  # type: ignore[no-untyped-def]
    """The `//` part for what is below: that of the parent and the new nodes that go on asking, ascending."""
    new = count
    for at in range(count):
        if trie.node_flags[work[at]] & DEEP:
            work[new] = work[at]
            new += 1
    if new == count:
        return above
    sort(work, count, new)
    start, size = c.sets.start[above], np.int64(c.sets.size[above])
    merged = new
    old, fresh = np.int64(0), count
    while old < size or fresh < new:
        if fresh == new or (old < size and c.sets.arena[start + old] <= work[fresh]):
            node = c.sets.arena[start + old]
            if fresh < new and node == work[fresh]:
                fresh += 1
            old += 1
        else:
            node = work[fresh]
            fresh += 1
        work[merged] = node
        merged += 1
    if merged - new == size:
        return above
    return _intern_set(c, trie, work[new:], merged - new)


@inlined
def tell_set(c, trie, group):  # type: ignore[no-untyped-def]
    """Lists what follows from being at a set: slots that match, ends that somebody asks for, nodes with
    tests. False when the arrays must grow first. A set is told once."""
    if c.set_told[group] >= 0:
        return True
    nodes = np.int64(c.sets.size[group])
    if c.sets.header[USED] + 3 * nodes > len(c.sets.arena):
        return False
    start, out = c.sets.start[group], c.sets.header[USED]
    c.set_told[group] = out
    for at in range(start, start + nodes):
        end = trie.node_end[c.sets.arena[at]]
        if end >= 0 and trie.end_slot[end] >= 0:
            c.sets.arena[out] = trie.end_slot[end]
            out += 1
    c.set_slots[group] = out - c.set_told[group]
    middle = out
    for at in range(start, start + nodes):
        end = trie.node_end[c.sets.arena[at]]
        if end >= 0 and trie.end_asked[end]:
            c.sets.arena[out] = end
            out += 1
    c.set_asked[group] = out - middle
    middle = out
    if c.set_flags[group] & VALUED:
        for at in range(start, start + nodes):
            if trie.node_flags[c.sets.arena[at]] & VALUED:
                c.sets.arena[out] = c.sets.arena[at]
                out += 1
    c.set_valued[group] = out - middle
    c.sets.header[USED] = out
    return True
