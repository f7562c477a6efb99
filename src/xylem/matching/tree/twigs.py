"""What branching subscriptions are made of: facts about single nodes of a document, in one shared graph.

A *fact* is something that holds of a node of the document that is at some node of the trie:

    being there        a leaf of a pattern
    passing a test     of its value (the end of a tested chain)
    a twig             a formula over other facts: those of nodes right below it or anywhere below it, and tests
                       of its own value

Facts are shared: equal formulas at one node of the trie are one fact, whoever subscribed. A fact is asked for by
the twigs that stand at its *owner*, the trie node one step above it (for a test, the node itself). A twig is asked
when one of the facts that it *watches* is met, and it watches enough of them that one is met whenever it holds; a
twig that may hold when nothing is met (`not(b)`) is *open* and asked wherever a document is at its node.
A fact may be a subscription's whole condition, seen from the branching nearest to the document node: then it matches,
wherever it holds.

Formulas are little programs for a machine with one truth value: see `program`, whose codes they use with EXISTS
standing for a fact.

This module knows nothing of documents. It only grows, like the trie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.frames import frame_at
from xylem.kernels import inlined, kernel, quick_kernel
from xylem.matching.arrays import grown
from xylem.matching.program import EXISTS, JUMP_FALSE, JUMP_TRUE
from xylem.matching.tables import Table, find, fits, new_table, put, room
from xylem.matching.text import mix
from xylem.matching.tree.trie import FACT, FACTUAL, step_below, tested_end, trie_at
from xylem.xpath.pattern import View

# What a script does (see `enter`): each code is followed by what is said here.
DOWN = 0  # axis, kind, label: to the trie node a step below; what follows is said of it
UP = 1  # back
PRESENT = 2  # the fact of being here
PASSES = 3  # view, operator, constant: the fact of passing a test here
TWIG = 4  # facts, watches (or -1: open), length, then the watches and the code: a fact made of the last facts
MATCH = 5  # the last fact is the subscription's whole condition

FACTS, CODES, WATCHES, EMITS, LARGEST = range(5)  # header fields; LARGEST: most watches of one fact

# What is known of a fact: the trie node of the twigs that ask for it; ASKED if there are any; where a twig's program
# stands in `codes`, its length first, or -1; the first slot that matches, or -1; its own trie node; another twig with
# the same hash, or -1; the next open twig at its node, or -1; for how many watches there is room.
FACT_LINE = 8
OWNER, ASKED, CODE, EMIT, NODE, TWIN, NEXT_OPEN, ROOM = range(FACT_LINE)

# A watch: the twig; another fact without which that does not hold, or -1. The watches of a fact stand together, since
# they are read together, and move to a larger place when they have filled theirs.
WATCH_LINE = 2
TWIG_OF, ALSO = range(WATCH_LINE)

_NUMERIC = int(View.NUMBER)


class FactArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    fact: npt.NDArray[np.int32]  # FACT_LINE integers each
    deep: npt.NDArray[np.uint8]  # per fact: whether its twigs may stand anywhere above
    watched: npt.NDArray[np.int32]  # two per fact: where its watches begin, and how many there are
    table: Table  # twigs by hash
    codes: npt.NDArray[np.int32]
    watch: npt.NDArray[np.int32]  # WATCH_LINE integers each
    emit_next: npt.NDArray[np.int32]
    emit_slot: npt.NDArray[np.int32]
    node_present: npt.NDArray[np.int32]  # per trie node: the fact of being there, or -1
    node_open: npt.NDArray[np.int32]  # per trie node: first open twig, or -1
    end_fact: npt.NDArray[np.int32]  # per end of the trie: the fact of passing its test, or -1


facts_at = frame_at(FactArrays)


def new_facts() -> FactArrays:
    def none() -> npt.NDArray[np.int32]:
        return np.full(16, -1, np.int32)

    return FactArrays(
        np.zeros(8, np.int64), none(), np.zeros(16, np.uint8), np.zeros(16, np.int32), new_table(16),
        none(), none(), none(), none(), none(), none(), none(),
    )  # fmt: skip


def roomy_facts(a: FactArrays, size: int, watches: int, nodes: int, ends: int) -> FactArrays:
    """The arrays with room for a script of `size` integers and so many watches, and for a trie of that size."""
    h = a.header
    facts, codes = int(h[FACTS]) + size, int(h[CODES]) + size
    more = watches * (4 + 2 * int(h[LARGEST]))  # each may make the watches of its fact move, some of them twice
    watches = int(h[WATCHES]) + more
    if (
        FACT_LINE * facts <= len(a.fact)
        and codes <= len(a.codes)
        and WATCH_LINE * watches <= len(a.watch)
        and h[EMITS] + size <= len(a.emit_next)
        and nodes <= len(a.node_present)
        and ends <= len(a.end_fact)
        and fits(a.table, size)
    ):
        return a
    emits = int(h[EMITS]) + size
    fact = grown(a.fact, FACT_LINE * facts, -1)
    return FactArrays(
        header=h,
        fact=fact,
        deep=grown(a.deep, len(fact) // FACT_LINE),
        watched=grown(a.watched, 2 * (len(fact) // FACT_LINE)),
        table=room(a.table, size),
        codes=grown(a.codes, codes, -1),
        watch=grown(a.watch, WATCH_LINE * watches, -1),
        emit_next=grown(a.emit_next, emits, -1),
        emit_slot=grown(a.emit_slot, emits, -1),
        node_present=grown(a.node_present, nodes, -1),
        node_open=grown(a.node_open, nodes, -1),
        end_fact=grown(a.end_fact, ends, -1),
    )


@quick_kernel
def watches_in(script):  # type: ignore[no-untyped-def]
    """How many watches a script adds at most."""
    count = 0
    at = 0
    while at < len(script):
        op = script[at]
        if op == TWIG:
            watches = max(script[at + 2], 0)
            count += watches
            at += 4 + 2 * watches + script[at + 3]
        else:
            at += 4 if op == DOWN or op == PASSES else 1
    return count


@inlined
def _new_fact(a, owner, deep, node):  # type: ignore[no-untyped-def]
    fact = np.int32(a.header[FACTS])
    a.header[FACTS] += 1
    line = FACT_LINE * np.int64(fact)
    a.fact[line + OWNER] = owner
    a.fact[line + ASKED] = 0
    a.fact[line + ROOM] = 0
    a.fact[line + CODE] = -1
    a.fact[line + EMIT] = -1
    a.fact[line + NODE] = node
    a.fact[line + TWIN] = -1
    a.fact[line + NEXT_OPEN] = -1
    a.deep[fact] = deep
    a.watched[2 * np.int64(fact) + 1] = 0
    return fact


@inlined
def fact_field(a, fact, field):  # type: ignore[no-untyped-def]
    """One of the things that are known of a fact."""
    return a.fact[FACT_LINE * np.int64(fact) + field]


@inlined
def _set_fact_field(a, fact, field, value):  # type: ignore[no-untyped-def]
    a.fact[FACT_LINE * np.int64(fact) + field] = value


@inlined
def _hash(node, script, at, length):  # type: ignore[no-untyped-def]
    value = np.uint64(node)
    for place in range(at, at + length):
        value = mix(value ^ np.uint64(script[place])) + np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mix(value) >> np.uint64(1))


@inlined
def _same(a, twig, node, script, at, length):  # type: ignore[no-untyped-def]
    start = fact_field(a, twig, CODE)
    if fact_field(a, twig, NODE) != node or a.codes[start] != length:
        return False
    for place in range(length):
        if a.codes[start + 1 + place] != script[at + place]:
            return False
    return True


@inlined
def _twig(trie, a, owner, deep, node, script, at):  # type: ignore[no-untyped-def]
    """The fact of a formula at a node, made where it is missing. At `at`: how many watches (-1: open), the
    length of its code, the watches (two facts each), the code, with facts filled in."""
    watches, length = script[at], script[at + 1]
    code = at + 2 + 2 * max(watches, 0)
    key = _hash(node, script, code, length)
    twin = find(a.table, key)
    found = twin
    while found >= 0:
        if _same(a, found, node, script, code, length):
            return found
        found = fact_field(a, found, TWIN)
    new = _new_fact(a, owner, deep, node)
    if twin >= 0:
        _set_fact_field(a, new, TWIN, fact_field(a, twin, TWIN))
        _set_fact_field(a, twin, TWIN, new)
    else:
        put(a.table, key, new)
    start = a.header[CODES]
    _set_fact_field(a, new, CODE, start)
    a.codes[start] = length
    for place in range(length):
        a.codes[start + 1 + place] = script[code + place]
    a.header[CODES] += length + 1
    for place in range(at + 2, code, 2):
        _watch(a, script[place], new, script[place + 1])
    if watches < 0:
        _set_fact_field(a, new, NEXT_OPEN, a.node_open[node])
        a.node_open[node] = new
        trie.node_flags[node] |= FACTUAL
    return new


@inlined
def _watch(a, fact, twig, also):  # type: ignore[no-untyped-def]
    """Adds a watch. O(1) amortised."""
    known = 2 * np.int64(fact)
    start, count, room = a.watched[known], a.watched[known + 1], fact_field(a, fact, ROOM)
    if count == room:
        larger = np.int32(a.header[WATCHES])
        for at in range(WATCH_LINE * count):
            a.watch[WATCH_LINE * np.int64(larger) + at] = a.watch[WATCH_LINE * np.int64(start) + at]
        start = larger
        a.watched[known] = start
        room = max(2 * room, 1)
        _set_fact_field(a, fact, ROOM, room)
        a.header[WATCHES] += room
        a.header[LARGEST] = max(a.header[LARGEST], room)
    line = WATCH_LINE * (np.int64(start) + count)
    a.watch[line + TWIG_OF] = twig
    a.watch[line + ALSO] = also
    a.watched[known + 1] = count + 1


@inlined
def _fill(a, script, at, length, facts, first):  # type: ignore[no-untyped-def]
    """Puts facts where a twig's code names them by their place among its facts."""
    place = at
    while place < at + length:
        if script[place] == EXISTS:
            script[place + 1] = facts[first + script[place + 1]]
            _set_fact_field(a, script[place + 1], ASKED, 1)
        place += 2 if script[place] in (EXISTS, JUMP_FALSE, JUMP_TRUE) else 1


@inlined
def _emit(a, fact, slot):  # type: ignore[no-untyped-def]
    emit = np.int32(a.header[EMITS])
    a.header[EMITS] += 1
    a.emit_slot[emit] = slot
    a.emit_next[emit] = fact_field(a, fact, EMIT)
    _set_fact_field(a, fact, EMIT, emit)


@inlined
def _present(trie, a, owner, deep, node):  # type: ignore[no-untyped-def]
    if a.node_present[node] < 0:
        a.node_present[node] = _new_fact(a, owner, deep, node)
        trie.node_flags[node] |= FACTUAL
    return a.node_present[node]


@inlined
def _passes(trie, a, node, view, op, constant, strings, numbers, values):  # type: ignore[no-untyped-def]
    if view >= _NUMERIC:
        end = tested_end(trie, node, view, op, numbers[constant], values[constant], FACT)
    else:
        end = tested_end(trie, node, view, op, strings[constant], 0.0, FACT)
    if a.end_fact[end] < 0:
        a.end_fact[end] = _new_fact(a, node, np.uint8(0), node)
    return a.end_fact[end]


@kernel
def enter(trie_address, facts_address, script, strings, numbers, values, slot, nodes, deeps, facts):  # type: ignore[no-untyped-def]
    """Runs a script, which is overwritten: makes the facts of a subscription. `nodes`, `deeps` (the way down) and
    `facts` (those not yet part of a twig) are room to work. O(length)."""
    trie, a = trie_at(trie_address), facts_at(facts_address)
    depth = 0
    count = 0
    nodes[0] = 0
    deeps[0] = 0
    at = 0
    while at < len(script):
        op = script[at]
        owner = nodes[max(depth - 1, 0)]
        deep = np.uint8(deeps[depth])
        node = nodes[depth]
        at += 1
        if op == DOWN:
            depth += 1
            nodes[depth] = step_below(trie, node, script[at], script[at + 1], script[at + 2])
            deeps[depth] = script[at]
            at += 3
        elif op == UP:
            depth -= 1
        elif op == PRESENT:
            facts[count] = _present(trie, a, owner, deep, node)
            count += 1
        elif op == PASSES:
            facts[count] = _passes(
                trie, a, node, script[at], script[at + 1], script[at + 2], strings, numbers, values
            )  # fmt: skip
            count += 1
            at += 3
        elif op == TWIG:
            count -= script[at]
            at += 1
            watches, length = 2 * max(script[at], 0), script[at + 1]
            for place in range(at + 2, at + 2 + watches):
                if script[place] >= 0:
                    script[place] = facts[count + script[place]]
            _fill(a, script, at + 2 + watches, length, facts, count)
            facts[count] = _twig(trie, a, owner, deep, node, script, at)
            count += 1
            at += 2 + watches + length
        else:
            _emit(a, facts[count - 1], slot)
