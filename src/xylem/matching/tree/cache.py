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

import secrets
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined
from xylem.matching.arrays import grown
from xylem.matching.tables import Table, clear, find, new_table, put, room, size_bytes
from xylem.matching.text import mix
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
SETS, STATES, ARENA, RESETS, WANTED, SEED = range(6)  # WANTED: integers of the arena that were asked for last
EMPTY_SET = 0
DEAD, START = 0, 1  # states: no trie node at all; the document node
NO_ROOM = -2


class CacheArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    arena: npt.NDArray[np.int32]
    # sets: their nodes, then what follows from them: slots, asked ends, nodes with tests
    set_start: npt.NDArray[np.int64]
    set_nodes: npt.NDArray[np.int32]  # how many nodes
    set_flags: npt.NDArray[np.int32]  # of all its nodes
    set_next: npt.NDArray[np.int32]  # another set with the same hash
    set_table: Table
    set_told: npt.NDArray[np.int64]  # where the lists begin; -1 until they are made
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
        np.zeros(8, np.int64), ints(4096), np.zeros(sets, np.int64), ints(sets), ints(sets), ints(sets),
        new_table(sets), np.zeros(sets, np.int64), ints(sets), ints(sets), ints(sets), np.zeros(sets, np.int64),
        ints(states), ints(states), new_table(states), new_table(2 * states),
    )  # fmt: skip
    cache.header[SEED] = secrets.randbits(62)
    reset(cache)
    return cache


def reset(c: CacheArrays) -> None:
    """Forgets everything but the dead state and the start."""
    for table in (c.set_table, c.state_table, c.moves):
        clear(table)
    c.header[RESETS] += 1
    c.header[ARENA] = c.header[WANTED] = 0
    c.header[SETS] = 1
    c.set_start[0] = c.set_nodes[0] = c.set_flags[0] = c.set_slots[0] = c.set_asked[0] = c.set_valued[0] = 0
    c.set_told[0] = 0
    c.header[STATES] = 1
    c.state_at[DEAD] = c.state_deep[DEAD] = EMPTY_SET


def enlarged(c: CacheArrays) -> CacheArrays:
    """Room for twice as much, and for what was asked for last."""
    h = c.header
    arena = max(int(h[ARENA]) + 4096, int(h[WANTED]))
    if h[ARENA] + arena > len(c.arena):
        c = c._replace(arena=grown(c.arena, int(h[ARENA]) + arena))
    if 2 * h[SETS] >= len(c.set_start):
        sets = 2 * len(c.set_start)
        c = c._replace(
            set_start=grown(c.set_start, sets), set_nodes=grown(c.set_nodes, sets),
            set_flags=grown(c.set_flags, sets), set_next=grown(c.set_next, sets),
            set_table=room(c.set_table, sets - int(h[SETS])), set_told=grown(c.set_told, sets),
            set_slots=grown(c.set_slots, sets), set_asked=grown(c.set_asked, sets),
            set_valued=grown(c.set_valued, sets), set_seen=grown(c.set_seen, sets, -1),
        )  # fmt: skip
    if 2 * h[STATES] >= len(c.state_at):
        states = 2 * len(c.state_at)
        c = c._replace(
            state_at=grown(c.state_at, states), state_deep=grown(c.state_deep, states),
            state_table=room(c.state_table, states - int(h[STATES])),
        )  # fmt: skip
    return c._replace(moves=room(c.moves, max(512, int(c.moves.used[0]) // 2)))


def cache_bytes(c: CacheArrays) -> int:
    return sum(size_bytes(part) if isinstance(part, Table) else part.nbytes for part in c)


@inlined
def _roomy(c, nodes):  # type: ignore[no-untyped-def]
    """Whether two more sets of `nodes` nodes and all that follows from them fit, and a state and a move."""
    h = c.header
    h[WANTED] = 4 * nodes + 4
    return (
        h[ARENA] + h[WANTED] <= len(c.arena)
        and h[SETS] + 2 <= len(c.set_start)
        and 2 * (c.set_table.used[0] + 2) <= len(c.set_table.keys)
        and h[STATES] + 2 <= len(c.state_at)
        and 2 * (c.state_table.used[0] + 2) <= len(c.state_table.keys)
        and 2 * (c.moves.used[0] + 2) <= len(c.moves.keys)
    )


@inlined
def _intern_set(c, trie, nodes, count):  # type: ignore[no-untyped-def]
    if count == 0:
        return np.int32(EMPTY_SET)
    key = np.uint64(c.header[SEED])  # a secret, so that documents cannot be written to make sets collide
    for at in range(count):
        key = mix(key ^ np.uint64(nodes[at]))
    hashed = np.int64(key >> np.uint64(1))
    twin = find(c.set_table, hashed)
    found = twin
    while found >= 0:
        if c.set_nodes[found] == count:
            start = c.set_start[found]
            at = 0
            while at < count and c.arena[start + at] == nodes[at]:
                at += 1
            if at == count:
                return found
        found = c.set_next[found]
    new = np.int32(c.header[SETS])
    c.header[SETS] += 1
    start = c.header[ARENA]
    flags = np.int32(0)
    for at in range(count):
        c.arena[start + at] = nodes[at]
        flags |= trie.node_flags[nodes[at]]
    c.header[ARENA] += count
    c.set_start[new] = start
    c.set_nodes[new] = count
    c.set_flags[new] = flags
    c.set_told[new] = -1
    c.set_seen[new] = -1
    c.set_next[new] = -1
    if twin >= 0:
        c.set_next[new] = c.set_next[twin]
        c.set_next[twin] = new
    else:
        put(c.set_table, hashed, new)
    return new


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
    reachable = 3 * (np.int64(c.set_nodes[c.state_at[state]]) + c.set_nodes[c.state_deep[state]])
    # The nodes reached, those of them that go on asking, and these united with the ones from above.
    if not _roomy(c, 0) or 4 * reachable > len(work):
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
    if not _roomy(c, count + c.set_nodes[above]):
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
    start = c.set_start[group]
    bit = label_bit(label)
    for at in range(start, start + c.set_nodes[group]):
        node = c.arena[at]
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
    _sort(work, count, new)
    start, size = c.set_start[above], np.int64(c.set_nodes[above])
    merged = new
    old, fresh = np.int64(0), count
    while old < size or fresh < new:
        if fresh == new or (old < size and c.arena[start + old] <= work[fresh]):
            node = c.arena[start + old]
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
def _sort(values, start, end):  # type: ignore[no-untyped-def]
    """Shell's sort: in place, no recursion; what comes here is short or nearly sorted."""
    gap = 1
    while gap < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(start + gap, end):
            value = values[at]
            place = at
            while place >= start + gap and values[place - gap] > value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value
        gap //= 3


@inlined
def tell_set(c, trie, group):  # type: ignore[no-untyped-def]
    """Lists what follows from being at a set: slots that match, ends that somebody asks for, nodes with
    tests. False when the arrays must grow first. A set is told once."""
    if c.set_told[group] >= 0:
        return True
    nodes = np.int64(c.set_nodes[group])
    if c.header[ARENA] + 3 * nodes > len(c.arena):
        c.header[WANTED] = 3 * nodes
        return False
    start, out = c.set_start[group], c.header[ARENA]
    c.set_told[group] = out
    for at in range(start, start + nodes):
        end = trie.node_end[c.arena[at]]
        if end >= 0 and trie.end_slot[end] >= 0:
            c.arena[out] = trie.end_slot[end]
            out += 1
    c.set_slots[group] = out - c.set_told[group]
    middle = out
    for at in range(start, start + nodes):
        end = trie.node_end[c.arena[at]]
        if end >= 0 and trie.end_asked[end]:
            c.arena[out] = end
            out += 1
    c.set_asked[group] = out - middle
    middle = out
    if c.set_flags[group] & VALUED:
        for at in range(start, start + nodes):
            if trie.node_flags[c.arena[at]] & VALUED:
                c.arena[out] = c.arena[at]
                out += 1
    c.set_valued[group] = out - middle
    c.header[ARENA] = out
    return True
