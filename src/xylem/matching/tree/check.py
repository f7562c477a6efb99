"""Whether the arrays of a trie, of facts, or of an automaton, agree with each other: what tests ask after changes.

This module knows the layouts that `trie`, `twigs`, `cache` and `rise` write, and nothing of who reads them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from xylem.matching.tables import FREE, Table, find
from xylem.matching.tree.cache import LINE, OPEN, SLOTS, STATES, TOLD, CacheArrays
from xylem.matching.tree.rise import COUNT, HIGHEST, LIST, OUTCOMES, PROVES, RECORD, VERDICTS, RiseArrays
from xylem.matching.tree.rise import VALUES as RISE_VALUES
from xylem.matching.tree.sets import SETS, USED, SetArrays, members
from xylem.matching.tree.trie import (
    COMPLEXES,
    DIRTY,
    ENDS,
    FACT,
    GROUPS,
    NODES,
    ORDER,
    REQUIRED,
    TESTS,
    UPPER,
    TrieArrays,
)
from xylem.matching.tree.trie import WATCHES as TRIE_WATCHES
from xylem.matching.tree.twigs import (
    ASKED,
    CODE,
    EMIT,
    FACT_LINE,
    FACTS,
    NODE,
    OWNER,
    ROOM,
    WATCH_LINE,
    WATCHES,
    FactArrays,
)


def slots_of(a: TrieArrays) -> list[int]:
    """The slots that some end leads to, directly or by a watch."""
    own = a.end_slot[: a.header[ENDS]]
    watched = a.complex_slot[a.watch_complex[: a.header[TRIE_WATCHES]]]
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
    assert ((_keys(a.edges) >> 35) < nodes).all()
    assert sorted(_values(a.tests)) == list(range(tests))
    plain = a.node_end[:nodes][a.node_end[:nodes] >= 0].tolist()
    assert sorted([*plain, *a.test_end[:tests].tolist()]) == list(range(ends)), "an end belongs to a node or a test"


def _keys(table: Table) -> npt.NDArray[np.int64]:
    keys: npt.NDArray[np.int64] = table.entries[::2]
    found: npt.NDArray[np.int64] = keys[keys != FREE]
    return found


def _values(table: Table) -> list[int]:
    """All values of a table, each found under its key."""
    keys = _keys(table)
    assert len(keys) == table.used[0] and 4 * len(keys) <= len(table.entries)
    values = table.entries[1::2][table.entries[::2] != FREE].tolist()
    assert all(find(table, key) == value for key, value in zip(keys, values, strict=True))
    return values  # type: ignore[no-any-return]


def _check_watches(a: TrieArrays) -> None:
    seen = []
    for end in np.flatnonzero(a.end_watch[: a.header[ENDS]] >= 0):
        assert a.end_asked[end] == 1
        watch = a.end_watch[end]
        while watch >= 0:
            seen.append(int(watch))
            watch = a.watch_next[watch]
    assert sorted(seen) == list(range(int(a.header[TRIE_WATCHES]))), "each watch is in one list"
    assert (a.watch_complex[: len(seen)] < a.header[COMPLEXES]).all()


def _check_groups(a: TrieArrays) -> None:
    groups = int(a.header[GROUPS])
    dirty = set(a.dirty[: a.header[DIRTY]].tolist())
    for group in range(groups):
        members, test = [], a.group_head[group]
        while test >= 0:
            members.append(int(test))
            test = a.test_next_fact[test] if a.group_use[group] == FACT else a.test_next[test]
        assert len(members) == a.group_size[group] >= a.group_sealed[group]
        assert group in dirty or len(members) == a.group_sealed[group]
        start = int(a.group_start[group])
        order = a.order[start : start + int(a.group_sealed[group])]
        assert start + len(order) <= a.header[ORDER] and set(order.tolist()) <= set(members)
        thresholds = a.test_number[order] * (-1 if a.group_kind[group] == UPPER else 1)
        assert (thresholds[:-1] <= thresholds[1:]).all(), "thresholds are passed in this order"


def check_facts(a: FactArrays, trie: TrieArrays) -> None:
    """Raises AssertionError if the facts contradict themselves or their trie."""
    facts, nodes = int(a.header[FACTS]), int(trie.header[NODES])
    lines = a.fact[: FACT_LINE * facts].reshape(-1, FACT_LINE)
    twigs = np.flatnonzero(lines[:, CODE] >= 0)
    assert (lines[:, (NODE, OWNER)] < nodes).all()
    present = a.node_present[: min(nodes, len(a.node_present))]
    passing = a.end_fact[: min(int(trie.header[ENDS]), len(a.end_fact))]
    known = [*twigs.tolist(), *present[present >= 0].tolist(), *passing[passing >= 0].tolist()]
    assert sorted(known) == list(range(facts)), "a fact is being there, a test passed, or a twig"
    assert all(lines[twig, ASKED] or lines[twig, EMIT] >= 0 for twig in twigs), "every twig is for something"
    for fact in range(facts):
        start, count = a.watched[2 * fact : 2 * fact + 2]
        assert count <= lines[fact, ROOM] and start + lines[fact, ROOM] <= a.header[WATCHES]
        twigs_of = a.watch[WATCH_LINE * start : WATCH_LINE * (start + count) : WATCH_LINE]
        assert (lines[twigs_of, CODE] >= 0).all() and (lines[twigs_of, NODE] == lines[fact, OWNER]).all()


def check_cache(c: CacheArrays) -> None:
    """Raises AssertionError if the automaton contradicts itself."""
    check_sets(c.sets)
    sets, states = int(c.sets.header[SETS]), int(c.header[STATES])
    for group in range(1, sets):
        known = c.known[LINE * group : LINE * (group + 1)]
        told = int(known[TOLD])
        assert told < 0 or told + int(known[SLOTS : OPEN + 1].sum()) <= c.sets.header[USED]
    pairs = c.states[: 2 * states].reshape(-1, 2)
    assert (pairs < sets).all()
    assert len(np.unique(pairs, axis=0)) == states, "equal states are one state"
    assert sorted(_values(c.state_table)) == list(range(1, states))
    assert all(0 <= state < states for state in _values(c.moves))


def check_rise(r: RiseArrays) -> None:
    """Raises AssertionError if the second automaton contradicts itself."""
    check_sets(r.sets)
    check_sets(r.piles)
    sets, piles = int(r.sets.header[SETS]), int(r.piles.header[SETS])
    for store, count in ((r.sets, sets), (r.piles, piles)):
        assert all((np.diff(members(store, group)) > 0).all() for group in range(1, count)), "members ascend"
    assert all((members(r.piles, pile) < sets).all() and r.piles.size[pile] <= HIGHEST for pile in range(1, piles))
    assert all(0 <= pile < piles for pile in _values(r.unions) + _values(r.prefixes))
    for table, records, count in ((r.outcomes, r.outcome, OUTCOMES), (r.verdicts, r.verdict, VERDICTS)):
        used = int(r.header[count])
        lines = records[: RECORD * used].reshape(-1, RECORD)
        assert (lines[:, PROVES] < piles).all() and (lines[:, LIST] + lines[:, COUNT] <= r.sets.header[USED]).all()
        assert all(0 <= found < used for found in _values(table))
    assert len(_values(r.values)) <= r.header[RISE_VALUES]


def check_sets(s: SetArrays) -> None:
    """Raises AssertionError if two sets are equal or one is nowhere."""
    known = set()
    for group in range(1, int(s.header[SETS])):
        start = int(s.start[group])
        assert s.size[group] and start + s.size[group] <= s.header[USED]
        known.add(members(s, group).tobytes())
    assert len(known) == s.header[SETS] - 1, "equal sets are one set"
