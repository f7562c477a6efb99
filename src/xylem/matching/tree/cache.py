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
from xylem.matching.tables import Table, clear, find, has_room, new_table, put, room
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
    FACTUAL,
    TEXT,
    VALUED,
    edge_key,
    label_bit,
)
from xylem.matching.tree.twigs import NEXT_OPEN, fact_field
from xylem.xpath.pattern import Kind

_ATTRIBUTE, _TEXT = int(Kind.ATTRIBUTE), int(Kind.TEXT)

# header fields
STATES, RESETS = range(2)

# What is known of a set: the flags of all its nodes; the document that last met it; where the lists of what follows
# from it begin in the arena (-1 until they are made); how long they are: slots, ends that somebody asks for, nodes with
# tests, facts of being there, open twigs.
LINE = 8
FLAGS, SEEN, TOLD, SLOTS, ASKED, VALUES, PRESENT, OPEN = range(LINE)
DEAD, START = 0, 1  # states: no trie node at all; the document node
NO_ROOM = -2


class CacheArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    sets: SetArrays
    known: npt.NDArray[np.int64]  # of each set, a line of memory: what follows from it, see FLAGS …
    states: npt.NDArray[np.int32]  # of each state: the set that it is at, and that which goes on asking
    state_table: Table
    moves: Table


def new_cache() -> CacheArrays:
    """A cache with room for a little."""
    sets, states = 64, 64
    cache = CacheArrays(
        np.zeros(2, np.int64), new_sets(sets, 1024), np.zeros(LINE * sets, np.int64), np.zeros(2 * states, np.int32),
        new_table(states), new_table(2 * states),
    )  # fmt: skip
    reset(cache)
    return cache


def reset(c: CacheArrays) -> None:
    """Forgets everything but the dead state."""
    clear_sets(c.sets)
    for table in (c.state_table, c.moves):
        clear(table)
    c.header[RESETS] += 1
    c.known[:LINE] = 0
    c.header[STATES] = 1
    c.states[:2] = EMPTY_SET


def enlarged(c: CacheArrays) -> CacheArrays:
    """Room for about twice as much."""
    c = c._replace(sets=enlarged_sets(c.sets, int(c.sets.header[USED]) + 4096))
    c = c._replace(known=grown(c.known, LINE * len(c.sets.start)))
    if 4 * c.header[STATES] >= len(c.states):
        size = 2 * len(c.states)
        table = room(c.state_table, size // 2 - int(c.header[STATES]))
        c = c._replace(states=grown(c.states, size), state_table=table)
    return c._replace(moves=room(c.moves, max(512, int(c.moves.used[0]) // 2)))


def cache_bytes(c: CacheArrays) -> int:
    return bytes_of(c)


@inlined
def at_of(c, state):  # type: ignore[no-untyped-def]
    """The set of trie nodes that a state is at."""
    return c.states[2 * np.int64(state)]


@inlined
def deep_of(c, state):  # type: ignore[no-untyped-def]
    """Those that go on asking below."""
    return c.states[2 * np.int64(state) + 1]


@inlined
def flags_of(c, group):  # type: ignore[no-untyped-def]
    """The flags of all nodes of a set."""
    return c.known[LINE * np.int64(group) + FLAGS]


@inlined
def _roomy(c, nodes):  # type: ignore[no-untyped-def]
    """Whether two more sets of `nodes` nodes and all that follows from them fit, and a state and a move."""
    return (
        sets_fit(c.sets, 2, 4 * nodes + 4)
        and 2 * (c.header[STATES] + 2) <= len(c.states)
        and has_room(c.state_table, 2)
        and has_room(c.moves, 2)
    )


@inlined
def _intern_set(c, trie, nodes, count):  # type: ignore[no-untyped-def]
    known = c.sets.header[SETS]
    group = intern(c.sets, nodes, count)
    if group == known:
        flags = np.int32(0)
        for at in range(count):
            flags |= trie.node_flags[nodes[at]]
        line = LINE * np.int64(group)
        c.known[line + FLAGS] = flags
        c.known[line + TOLD] = -1
        c.known[line + SEEN] = -1
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
        c.states[2 * found] = at
        c.states[2 * found + 1] = deep
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
    found = known_move(c, state, kind, label)
    if found < 0:
        found = _make_move(c, trie, state, kind, label, space, work)
        if found >= 0:
            put(c.moves, _move_key(state, kind, label), found)
    return found


@inlined
def known_move(c, state, kind, label):  # type: ignore[no-untyped-def]
    """The same if it was made already; else -1."""
    return find(c.moves, _move_key(state, kind, label))


@inlined
def _move_key(state, kind, label):  # type: ignore[no-untyped-def]
    return (np.int64(state) << 33) | (np.int64(kind) << 31) | np.int64(label)


@inlined
def _make_move(c, trie, state, kind, label, space, work):  # type: ignore[no-untyped-def]
    reachable = 3 * (np.int64(c.sets.size[at_of(c, state)]) + c.sets.size[deep_of(c, state)])
    # The nodes reached, those of them that go on asking, and these united with the ones from above.
    if not _roomy(c, 0) or 4 * reachable > len(work):
        return np.int32(NO_ROOM)
    if kind == _ATTRIBUTE:
        count = _collect(c, trie, at_of(c, state), 0, kind, label, space, ATTRIBUTE, ATTRIBUTE, ATTRIBUTE, work, 0)
        count = _collect(
            c, trie, deep_of(c, state), 1, kind, label, space,
            DESC_ATTRIBUTE, DESC_ATTRIBUTE, DESC_ATTRIBUTE, work, count,
        )  # fmt: skip
    elif kind == _TEXT:
        count = _collect(c, trie, at_of(c, state), 0, kind, 0, 0, 0, TEXT, 0, work, 0)
        count = _collect(c, trie, deep_of(c, state), 1, kind, 0, 0, 0, DESC_TEXT, 0, work, count)
    else:
        count = _collect(c, trie, at_of(c, state), 0, kind, label, space, CHILD, CHILD_ANY, CHILD_SPACE, work, 0)
        count = _collect(c, trie, deep_of(c, state), 1, kind, label, space, DESC, DESC_ANY, DESC_SPACE, work, count)
    above = deep_of(c, state) if kind < _ATTRIBUTE else np.int32(EMPTY_SET)
    if not _roomy(c, count + c.sets.size[above]):
        return np.int32(NO_ROOM)
    at = _intern_set(c, trie, work, count)
    deep = _deepened(c, trie, above, work, count) if kind < _ATTRIBUTE else np.int32(EMPTY_SET)
    return _intern_state(c, at, deep)


@inlined
def _collect(c, trie, group, axis, kind, label, space, named, any_name, spaced, work, count):  # type: ignore[no-untyped-def]
    """Appends to `work` what the edges of one axis and label lead to from the nodes of a set."""
    wanted = np.int32(named if label > 0 else 0) | np.int32(any_name) | np.int32(spaced if space > 0 else 0)
    if not flags_of(c, group) & wanted:
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
def tell_set(c, trie, facts, group):  # type: ignore[no-untyped-def]
    """Lists what follows from being at a set. False when the arrays must grow first. A set is told once."""
    known = LINE * np.int64(group)
    if c.known[known + TOLD] >= 0:
        return True
    nodes = np.int64(c.sets.size[group])
    flags = c.known[known + FLAGS]
    room = 3 * nodes + (_facts_here(c, trie, facts, group) if flags & FACTUAL else np.int64(0))
    if not sets_fit(c.sets, 0, room):
        return False
    told = c.sets.header[USED]
    c.known[known + TOLD] = told
    slots, asked = _tell_ends(c, trie, group, told)
    values = _tell_values(c, trie, group, asked) if flags & VALUED else asked
    c.known[known + SLOTS] = slots - told
    c.known[known + ASKED] = asked - slots
    c.known[known + VALUES] = values - asked
    c.known[known + PRESENT] = c.known[known + OPEN] = 0
    c.sets.header[USED] = _tell_facts(c, trie, facts, group, values) if flags & FACTUAL else values
    return True


@inlined
def _tell_ends(c, trie, group, out):  # type: ignore[no-untyped-def]
    """Slots, then ends that are asked for; where each list ends."""
    arena, start = c.sets.arena, c.sets.start[group]
    stop = start + c.sets.size[group]
    for at in range(start, stop):
        end = trie.node_end[arena[at]]
        if end >= 0 and trie.end_slot[end] >= 0:
            arena[out] = trie.end_slot[end]
            out += 1
    slots = out
    for at in range(start, stop):
        end = trie.node_end[arena[at]]
        if end >= 0 and trie.end_asked[end]:
            arena[out] = end
            out += 1
    return slots, out


@inlined
def _tell_values(c, trie, group, out):  # type: ignore[no-untyped-def]
    arena, start = c.sets.arena, c.sets.start[group]
    for at in range(start, start + c.sets.size[group]):
        if trie.node_flags[arena[at]] & VALUED:
            arena[out] = arena[at]
            out += 1
    return out


@inlined
def _facts_here(c, trie, facts, group):  # type: ignore[no-untyped-def]
    """How many integers `_tell_facts` writes."""
    count = np.int64(0)
    start = c.sets.start[group]
    for at in range(start, start + c.sets.size[group]):
        node = c.sets.arena[at]
        if trie.node_flags[node] & FACTUAL:
            count += 1
            twig = facts.node_open[node]
            while twig >= 0:
                count += 1
                twig = fact_field(facts, twig, NEXT_OPEN)
    return count


@inlined
def _tell_facts(c, trie, facts, group, out):  # type: ignore[no-untyped-def]
    """The facts of being at the nodes of a set, then the twigs there that may hold though nothing was gathered."""
    arena, start, known = c.sets.arena, c.sets.start[group], LINE * np.int64(group)
    stop = start + c.sets.size[group]
    first = out
    for at in range(start, stop):
        if trie.node_flags[arena[at]] & FACTUAL and facts.node_present[arena[at]] >= 0:
            arena[out] = facts.node_present[arena[at]]
            out += 1
    sort(arena, first, out)
    c.known[known + PRESENT] = out - first
    first = out
    for at in range(start, stop):
        if trie.node_flags[arena[at]] & FACTUAL:
            twig = facts.node_open[arena[at]]
            while twig >= 0:
                arena[out] = twig
                out += 1
                twig = fact_field(facts, twig, NEXT_OPEN)
    c.known[known + OPEN] = out - first
    return out
