"""Whether the arrays of a trie, or of an automaton, agree with each other: what tests ask after changes.

This module knows the layouts that `trie` and `cache` write, and nothing of who reads them.
"""

from __future__ import annotations

import numpy as np

from xylem.matching.tables import FREE, Table, find
from xylem.matching.tree.cache import ARENA, SETS, STATES, CacheArrays
from xylem.matching.tree.trie import (
    COMPLEXES,
    DIRTY,
    ENDS,
    GROUPS,
    NODES,
    ORDER,
    REQUIRED,
    TESTS,
    UPPER,
    WATCHES,
    TrieArrays,
)


def slots_of(a: TrieArrays) -> list[int]:
    """The slots that some end leads to, directly or by a watch."""
    own = a.end_slot[: a.header[ENDS]]
    watched = a.complex_slot[a.watch_complex[: a.header[WATCHES]]]
    return [*own[own >= 0].tolist(), *watched.tolist()]


def programs_of(a: TrieArrays) -> list[int]:
    """Where the programs of complexes start."""
    starts = a.complex_program[: a.header[COMPLEXES]]
    return starts[starts >= 0].tolist()  # type: ignore[no-any-return]


def check_trie(a: TrieArrays) -> None:
    """Raises AssertionError if the structure contradicts itself."""
    _check_nodes(a)
    _check_watches(a)
    _check_groups(a)
    complexes, required = int(a.header[COMPLEXES]), int(a.header[REQUIRED])
    starts = a.complex_required[: complexes + 1]
    assert (np.diff(starts) >= 0).all() and starts[-1] == required
    assert (a.end_asked[a.required[:required]] == 1).all()


def _check_nodes(a: TrieArrays) -> None:
    nodes, ends, tests = int(a.header[NODES]), int(a.header[ENDS]), int(a.header[TESTS])
    below = _values(a.edges)
    assert sorted(below) == list(range(1, nodes)), "every node but the first is below one edge"
    assert ((a.edges.keys[a.edges.keys != FREE] >> 35) < nodes).all()
    assert sorted(_values(a.tests)) == list(range(tests))
    plain = a.node_end[:nodes][a.node_end[:nodes] >= 0].tolist()
    assert sorted([*plain, *a.test_end[:tests].tolist()]) == list(range(ends)), "an end belongs to a node or a test"


def _values(table: Table) -> list[int]:
    """All values of a table, each found under its key."""
    places = np.flatnonzero(table.keys != FREE)
    assert len(places) == table.used[0] and 2 * len(places) <= len(table.keys)
    assert all(find(table, table.keys[place]) == table.values[place] for place in places)
    return table.values[places].tolist()  # type: ignore[no-any-return]


def _check_watches(a: TrieArrays) -> None:
    seen = []
    for end in np.flatnonzero(a.end_watch[: a.header[ENDS]] >= 0):
        assert a.end_asked[end] == 1
        watch = a.end_watch[end]
        while watch >= 0:
            seen.append(int(watch))
            watch = a.watch_next[watch]
    assert sorted(seen) == list(range(int(a.header[WATCHES]))), "each watch is in one list"
    assert (a.watch_complex[: len(seen)] < a.header[COMPLEXES]).all()


def _check_groups(a: TrieArrays) -> None:
    groups = int(a.header[GROUPS])
    dirty = set(a.dirty[: a.header[DIRTY]].tolist())
    for group in range(groups):
        members, test = [], a.group_head[group]
        while test >= 0:
            members.append(int(test))
            test = a.test_next[test]
        assert len(members) == a.group_size[group] >= a.group_sealed[group]
        assert group in dirty or len(members) == a.group_sealed[group]
        start = int(a.group_start[group])
        order = a.order[start : start + int(a.group_sealed[group])]
        assert start + len(order) <= a.header[ORDER] and set(order.tolist()) <= set(members)
        thresholds = a.test_number[order] * (-1 if a.group_kind[group] == UPPER else 1)
        assert (thresholds[:-1] <= thresholds[1:]).all(), "thresholds are passed in this order"


def check_cache(c: CacheArrays) -> None:
    """Raises AssertionError if the automaton contradicts itself."""
    sets, states = int(c.header[SETS]), int(c.header[STATES])
    known = set()
    for group in range(1, sets):
        start = int(c.set_start[group])
        nodes = c.arena[start : start + int(c.set_nodes[group])]
        assert len(nodes) and start + len(nodes) <= c.header[ARENA]
        known.add(nodes.tobytes())
        told = int(c.set_told[group])
        lists = int(c.set_slots[group]) + int(c.set_asked[group]) + int(c.set_valued[group])
        assert told < 0 or told + lists <= c.header[ARENA]
    assert len(known) == sets - 1, "equal sets are one set"
    assert (c.state_at[:states] < sets).all() and (c.state_deep[:states] < sets).all()
    pairs = set(zip(c.state_at[:states].tolist(), c.state_deep[:states].tolist(), strict=True))
    assert len(pairs) == states, "equal states are one state"
    assert sorted(_values(c.state_table)) == list(range(1, states))
    assert all(0 <= state < states for state in _values(c.moves))
