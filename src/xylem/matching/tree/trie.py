"""All chains of steps of all subscriptions, in one trie.

A chain leads from the document node down one branch of a pattern: steps (axis, kind, label), perhaps with a
test of the last node's value. Chains that begin alike share nodes. A *node* of the trie is a step; an *end* is what a
whole chain asks, a node alone or a node with a test. An end that a document reaches makes subscriptions match
(`end_slot`), makes candidates of those that need a program (its *watchers*), or is a fact that others are made of
(`twigs`).

Tests with an order (`<`, `!=`, …) stand in groups by node, kind of comparison and use; `seal` sorts them by
threshold. Equality, `contains` and `starts-with` are found by hash, see `test_keys`.

Labels: a positive name id; 0 for any name; -n for any name of the namespace number n.

This module knows nothing of documents. It only grows; what is dead goes when an engine is rebuilt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.frames import Frame, frame_at
from xylem.kernels import allocating_kernel, inlined, kernel
from xylem.matching.arrays import grown
from xylem.matching.tables import Table, find, fits, new_table, put, room
from xylem.matching.text import mix
from xylem.xpath.pattern import Kind, Op, View

ANY = 0

# What a node's flags say: which edges lead on, so that a missing one is seldom looked for.
CHILD, CHILD_ANY, CHILD_SPACE, DESC, DESC_ANY, DESC_SPACE = 1, 2, 4, 8, 16, 32
ATTRIBUTE, DESC_ATTRIBUTE, TEXT, DESC_TEXT = 64, 128, 256, 512
FACTUAL = 1024  # being at the node is a fact, or is reason enough to ask what holds there
DEEP = DESC | DESC_ANY | DESC_SPACE | DESC_ATTRIBUTE | DESC_TEXT  # goes on asking below
NOTED = 2048  # has ordered tests that are settled once a document
# …and which views of the node's value its tests need.
NEED_EQUAL = 1 << 12  # shifted by view: equality by hash
NEED_GROUP = 1 << 18  # shifted by view: a group of ordered tests
NEED_NEEDLE = 1 << 24  # shifted by view: contains or starts-with
VALUED = 0x7FFFF000

# kinds of groups
LOWER, UPPER, UNEQUAL = range(3)
# uses of tests: to match or to make candidates, once a document; as facts, for each node of a document
ONCE, FACT = 1, 2

CHAIN_HEAD = 6  # steps, watched, required, view (-1: no test), operator, constant

# header fields
NODES, ENDS, TESTS, GROUPS, WATCHES, COMPLEXES, REQUIRED, ORDER, DIRTY, HAS_TEXT = range(10)

_VIEW_NUMERIC = int(View.NUMBER)
_EQ, _NE, _LT, _LE, _GT, _GE, _CONTAINS, _STARTS = (int(op) for op in Op)
_ATTRIBUTE_KIND, _TEXT_KIND = int(Kind.ATTRIBUTE), int(Kind.TEXT)


class TrieArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    # nodes; 0 is the document node
    node_flags: npt.NDArray[np.int32]
    node_labels: npt.NDArray[np.uint64]  # a bit for each label among the child edges (by hash)
    node_deep_labels: npt.NDArray[np.uint64]  # … among the descendant edges
    node_end: npt.NDArray[np.int32]  # the end that is this node alone, or -1
    node_group: npt.NDArray[np.int32]  # first group of ordered tests, or -1
    node_needle: npt.NDArray[np.int32]  # first `contains` or `starts-with`, or -1
    node_needles: npt.NDArray[np.int32]  # how many of them
    edges: Table  # see edge_key
    # ends
    end_slot: npt.NDArray[np.int32]  # the subscription that is this chain alone, or -1
    end_watch: npt.NDArray[np.int32]  # first watch, or -1
    end_asked: npt.NDArray[np.uint8]  # whether more than a slot depends on it
    # tests
    tests: Table  # see test_key -> test
    test_end: npt.NDArray[np.int32]
    test_op: npt.NDArray[np.int8]
    test_view: npt.NDArray[np.int8]
    test_constant: npt.NDArray[np.int32]
    test_number: npt.NDArray[np.float64]
    test_uses: npt.NDArray[np.uint8]
    test_next: npt.NDArray[np.int32]  # the next of its group, or of its node's needles
    test_next_fact: npt.NDArray[np.int32]  # … of its group of facts
    # groups
    group_kind: npt.NDArray[np.int8]
    group_view: npt.NDArray[np.int8]
    group_use: npt.NDArray[np.uint8]
    group_next: npt.NDArray[np.int32]  # the next group of the node
    group_head: npt.NDArray[np.int32]  # first test
    group_size: npt.NDArray[np.int32]
    group_start: npt.NDArray[np.int64]  # sealed: its tests in `order`
    group_sealed: npt.NDArray[np.int32]  # how many of them
    order: npt.NDArray[np.int32]
    dirty: npt.NDArray[np.int32]  # groups to be sealed
    # watches: whose turn it is when an end is reached
    watch_next: npt.NDArray[np.int32]
    watch_complex: npt.NDArray[np.int32]
    # complexes: subscriptions that are more than one chain
    complex_slot: npt.NDArray[np.int32]
    complex_program: npt.NDArray[np.int64]  # where its program stands; -1: reaching a watched end is enough
    complex_required: npt.NDArray[np.int64]  # its ends in `required`: start; the next one's start is the end
    required: npt.NDArray[np.int32]


trie_at = frame_at(TrieArrays)


def new_trie() -> TrieArrays:
    def ints(size: int, fill: int = -1) -> npt.NDArray[np.int32]:
        return np.full(size, fill, np.int32)

    header = np.zeros(16, np.int64)
    header[NODES] = 1
    return TrieArrays(
        header=header,
        node_flags=ints(64, 0),
        node_labels=np.zeros(64, np.uint64),
        node_deep_labels=np.zeros(64, np.uint64),
        node_end=ints(64),
        node_group=ints(64),
        node_needle=ints(64),
        node_needles=ints(64, 0),
        edges=new_table(64),
        end_slot=ints(64),
        end_watch=ints(64),
        end_asked=np.zeros(64, np.uint8),
        tests=new_table(16),
        test_end=ints(16),
        test_op=np.zeros(16, np.int8),
        test_view=np.zeros(16, np.int8),
        test_constant=ints(16),
        test_number=np.zeros(16, np.float64),
        test_uses=np.zeros(16, np.uint8),
        test_next=ints(16),
        test_next_fact=ints(16),
        group_kind=np.zeros(16, np.int8),
        group_view=np.zeros(16, np.int8),
        group_use=np.zeros(16, np.uint8),
        group_next=ints(16),
        group_head=ints(16),
        group_size=ints(16, 0),
        group_start=np.zeros(16, np.int64),
        group_sealed=ints(16, 0),
        order=ints(16),
        dirty=ints(16),
        watch_next=ints(16),
        watch_complex=ints(16),
        complex_slot=ints(16),
        complex_program=np.full(16, -1, np.int64),
        complex_required=np.zeros(17, np.int64),
        required=ints(16),
    )


def roomy(a: TrieArrays, steps: int, chains: int) -> TrieArrays:
    """The arrays with room for `chains` more chains of `steps` steps in all, and one more complex."""
    h = a.header
    if _has_room(a, steps, chains):
        return a
    nodes, ends, tests = int(h[NODES]) + steps, int(h[ENDS]) + chains, int(h[TESTS]) + chains
    groups, complexes = int(h[GROUPS]) + chains, int(h[COMPLEXES]) + 1
    watches = int(h[WATCHES]) + chains
    return TrieArrays(
        header=h,
        node_flags=grown(a.node_flags, nodes),
        node_labels=grown(a.node_labels, nodes),
        node_deep_labels=grown(a.node_deep_labels, nodes),
        node_end=grown(a.node_end, nodes, -1),
        node_group=grown(a.node_group, nodes, -1),
        node_needle=grown(a.node_needle, nodes, -1),
        node_needles=grown(a.node_needles, nodes),
        edges=room(a.edges, steps),
        end_slot=grown(a.end_slot, ends, -1),
        end_watch=grown(a.end_watch, ends, -1),
        end_asked=grown(a.end_asked, ends),
        tests=room(a.tests, chains),
        test_end=grown(a.test_end, tests, -1),
        test_op=grown(a.test_op, tests),
        test_view=grown(a.test_view, tests),
        test_constant=grown(a.test_constant, tests, -1),
        test_number=grown(a.test_number, tests),
        test_uses=grown(a.test_uses, tests),
        test_next=grown(a.test_next, tests, -1),
        test_next_fact=grown(a.test_next_fact, tests, -1),
        group_kind=grown(a.group_kind, groups),
        group_view=grown(a.group_view, groups),
        group_use=grown(a.group_use, groups),
        group_next=grown(a.group_next, groups, -1),
        group_head=grown(a.group_head, groups, -1),
        group_size=grown(a.group_size, groups),
        group_start=grown(a.group_start, groups),
        group_sealed=grown(a.group_sealed, groups),
        order=a.order,
        dirty=grown(a.dirty, groups),
        watch_next=grown(a.watch_next, watches, -1),
        watch_complex=grown(a.watch_complex, watches, -1),
        complex_slot=grown(a.complex_slot, complexes, -1),
        complex_program=grown(a.complex_program, complexes, -1),
        complex_required=grown(a.complex_required, complexes + 1),
        required=grown(a.required, int(h[REQUIRED]) + chains),
    )


def _has_room(a: TrieArrays, steps: int, chains: int) -> bool:
    h = a.header
    return bool(
        h[NODES] + steps <= len(a.node_flags)
        and fits(a.edges, steps)
        and h[ENDS] + chains <= len(a.end_slot)
        and h[TESTS] + chains <= len(a.test_end)
        and fits(a.tests, chains)
        and h[GROUPS] + chains <= len(a.group_kind)
        and h[WATCHES] + chains <= len(a.watch_next)
        and h[COMPLEXES] + 1 <= len(a.complex_slot)
        and h[COMPLEXES] + 2 <= len(a.complex_required)  # the one before the last ends where the last begins
        and h[REQUIRED] + chains <= len(a.required)
    )


@inlined
def edge_key(node, axis, kind, label):  # type: ignore[no-untyped-def]
    """Where a step leads: 28 bits of node, one of axis, two of kind, 32 of label."""
    return (np.int64(node) << 35) | (np.int64(axis) << 34) | (np.int64(kind) << 32) | (np.int64(label) & 0xFFFFFFFF)


@inlined
def test_key(node, view, op, constant):  # type: ignore[no-untyped-def]
    """28 bits of node, three of view, three of operator, 29 of constant."""
    return (np.int64(node) << 35) | (np.int64(view) << 32) | (np.int64(op) << 29) | np.int64(constant)


@inlined
def label_bit(label):  # type: ignore[no-untyped-def]
    return np.uint64(1) << (mix(label) >> np.uint64(58))


@inlined
def step_below(a, node, axis, kind, label):  # type: ignore[no-untyped-def]
    """The node that a step leads to, made where it is missing."""
    key = edge_key(node, axis, kind, label)
    below = find(a.edges, key)
    if below < 0:
        below = np.int32(a.header[NODES])
        a.header[NODES] += 1
        put(a.edges, key, below)
        _tell_node(a, node, axis, kind, label)
    return below


@inlined
def chain(a, node, steps, at, length):  # type: ignore[no-untyped-def]
    """The node of a chain of steps (axis, kind, label) below a node, made where it is missing."""
    for step in range(length):
        place = at + 3 * step
        node = step_below(a, node, steps[place], steps[place + 1], steps[place + 2])
    return node


@inlined
def _tell_node(a, node, axis, kind, label):  # type: ignore[no-untyped-def]
    if kind == _ATTRIBUTE_KIND:
        a.node_flags[node] |= DESC_ATTRIBUTE if axis else ATTRIBUTE
    elif kind == _TEXT_KIND:
        a.node_flags[node] |= DESC_TEXT if axis else TEXT
        a.header[HAS_TEXT] = 1
    elif label > 0:
        a.node_flags[node] |= DESC if axis else CHILD
        if axis:
            a.node_deep_labels[node] |= label_bit(label)
        else:
            a.node_labels[node] |= label_bit(label)
    elif label == ANY:
        a.node_flags[node] |= DESC_ANY if axis else CHILD_ANY
    else:
        a.node_flags[node] |= DESC_SPACE if axis else CHILD_SPACE


@inlined
def _new_end(a):  # type: ignore[no-untyped-def]
    end = np.int32(a.header[ENDS])
    a.header[ENDS] += 1
    return end


@inlined
def _plain_end(a, node):  # type: ignore[no-untyped-def]
    """The end that a node alone is."""
    if a.node_end[node] < 0:
        a.node_end[node] = _new_end(a)
    return a.node_end[node]


@inlined
def tested_end(a, node, view, op, constant, number, use):  # type: ignore[no-untyped-def]
    """The end that a node with a test of its value is; `constant` numbers the constant among its kind."""
    key = test_key(node, view, op, constant)
    test = find(a.tests, key)
    if test < 0:
        test = np.int32(a.header[TESTS])
        a.header[TESTS] += 1
        put(a.tests, key, test)
        a.test_end[test] = _new_end(a)
        a.test_op[test] = op
        a.test_view[test] = view
        a.test_constant[test] = constant
        a.test_number[test] = number
    if not a.test_uses[test] & use:
        a.test_uses[test] |= use
        if op == _EQ:
            a.node_flags[node] |= NEED_EQUAL << view
        elif op == _CONTAINS or op == _STARTS:
            a.node_flags[node] |= NEED_NEEDLE << view
            if a.test_uses[test] == use:  # the first of its uses
                a.test_next[test] = a.node_needle[node]
                a.node_needle[node] = test
                a.node_needles[node] += 1
        else:
            a.node_flags[node] |= NEED_GROUP << view
            if use == ONCE:
                a.node_flags[node] |= NOTED
            kind = UNEQUAL if op == _NE else (UPPER if op == _LT or op == _LE else LOWER)
            _join_group(a, node, view, kind, use, test)
    return a.test_end[test]


@inlined
def _join_group(a, node, view, kind, use, test):  # type: ignore[no-untyped-def]
    group = a.node_group[node]
    while group >= 0 and not (
        a.group_kind[group] == kind and a.group_view[group] == view and a.group_use[group] == use
    ):
        group = a.group_next[group]
    if group < 0:
        group = np.int32(a.header[GROUPS])
        a.header[GROUPS] += 1
        a.group_kind[group] = kind
        a.group_view[group] = view
        a.group_use[group] = use
        a.group_next[group] = a.node_group[node]
        a.node_group[node] = group
    if a.group_size[group] == a.group_sealed[group]:
        a.dirty[a.header[DIRTY]] = group
        a.header[DIRTY] += 1
    if use == FACT:
        a.test_next_fact[test] = a.group_head[group]
    else:
        a.test_next[test] = a.group_head[group]
    a.group_head[group] = test
    a.group_size[group] += 1


def seal(trie: Frame[TrieArrays]) -> None:
    """Sorts every group that grew. O(k log k) in their sizes."""
    a = trie.arrays
    if not a.header[DIRTY]:
        return
    more = int(a.group_size[a.dirty[: a.header[DIRTY]]].sum())
    live = int(a.group_size[: a.header[GROUPS]].sum())
    if a.header[ORDER] > 2 * live + 1024:  # what earlier sealings left behind: seal all anew
        groups = int(a.header[GROUPS])
        a.dirty[:groups] = np.arange(groups, dtype=np.int32)
        a.header[DIRTY] = groups
        a.header[ORDER] = 0
        more = live
    trie.arrays = a._replace(order=grown(a.order, int(a.header[ORDER]) + more))
    _seal(trie.address)


@allocating_kernel
def _seal(address):  # type: ignore[no-untyped-def]
    a = trie_at(address)
    for at in range(a.header[DIRTY]):
        group = a.dirty[at]
        size = a.group_size[group]
        tests = np.empty(size, np.int32)
        keys = np.empty(size, np.float64)
        test = a.group_head[group]
        for i in range(size):
            tests[i] = test
            keys[i] = a.test_number[test] if a.group_kind[group] != UPPER else -a.test_number[test]
            test = a.test_next_fact[test] if a.group_use[group] == FACT else a.test_next[test]
        _place(a, group, tests, np.argsort(keys), keys)
    a.header[DIRTY] = 0


@inlined
def _place(a, group, tests, ranks, keys):  # type: ignore[no-untyped-def]
    """Writes a group in the order in which a rising (UPPER: falling) value satisfies its tests: among
    equal thresholds the inclusive comparison comes first."""
    start = a.header[ORDER]
    size = len(tests)
    done = 0
    while done < size:
        last = done
        while last < size and keys[ranks[last]] == keys[ranks[done]]:
            last += 1
        out = start + done
        for inclusive in (True, False):
            for at in range(done, last):
                op = a.test_op[tests[ranks[at]]]
                if (op == _GE or op == _LE) == inclusive:
                    a.order[out] = tests[ranks[at]]
                    out += 1
        done = last
    a.group_start[group] = start
    a.group_sealed[group] = size
    a.header[ORDER] += size


@inlined
def _add_watch(a, end, number):  # type: ignore[no-untyped-def]
    """Whoever reaches the end makes the complex a candidate."""
    watch = np.int32(a.header[WATCHES])
    a.header[WATCHES] += 1
    a.watch_complex[watch] = number
    a.watch_next[watch] = a.end_watch[end]
    a.end_watch[end] = watch
    a.end_asked[end] = 1


@inlined
def _add_complex(a, slot, program, ends, count):  # type: ignore[no-untyped-def]
    """A subscription that is more than one chain: all `ends` must be reached before it is worth asking."""
    number = np.int32(a.header[COMPLEXES])
    a.header[COMPLEXES] += 1
    a.complex_slot[number] = slot
    a.complex_program[number] = program
    start = a.header[REQUIRED]
    a.complex_required[number] = start
    for at in range(count):
        a.required[start + at] = ends[at]
        a.end_asked[ends[at]] = 1
    a.header[REQUIRED] += count
    a.complex_required[number + 1] = a.header[REQUIRED]
    return number


@kernel
def insert(address, chains, strings, numbers, values, slot, program, sure, ends, watched):  # type: ignore[no-untyped-def]
    """Enters a subscription's chains, written one after the other (`compile.CHAIN_HEAD` integers, then the
    steps). `strings` and `numbers` say what its constants are called; `values` are the numbers.

    `ends` and `watched` are room to work. A single watched chain of a `sure` subscription is entered as the slot of
    its end. O(steps)."""
    a = trie_at(address)
    required = 0
    watches = 0
    at = 0
    while at < len(chains):
        length, watch, need = chains[at], chains[at + 1], chains[at + 2]
        view, op, constant = chains[at + 3], chains[at + 4], chains[at + 5]
        node = chain(a, np.int32(0), chains, at + CHAIN_HEAD, length)
        if view < 0:
            end = _plain_end(a, node)
        elif view >= _VIEW_NUMERIC:
            end = tested_end(a, node, view, op, numbers[constant], values[constant], ONCE)
        else:
            end = tested_end(a, node, view, op, strings[constant], 0.0, ONCE)
        if need:
            ends[required] = end
            required += 1
        if watch:
            watched[watches] = end
            watches += 1
        at += CHAIN_HEAD + 3 * length
    if sure and watches == 1 and a.end_slot[watched[0]] < 0:
        a.end_slot[watched[0]] = slot
        return
    number = _add_complex(a, slot, program, ends, required)
    for at in range(watches):
        _add_watch(a, watched[at], number)
