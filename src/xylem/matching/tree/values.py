"""What the tests of values need: each value is looked at once for all subscriptions that ask about it.

Equality: the value is looked up among the constants, and node and constant together in the trie's table of
tests. Order: "some price is above 15" depends on the largest price alone, so that a group of thresholds keeps two
numbers for a document and is read once at its end, up to the threshold that fails. Inequality: any value that
nobody compares with, or two different ones, differ from every constant. `contains`: the text of the document is
searched once for all needles; an element's string-value is a slice of it, so its needles are the hits in the slice.

This module knows nothing of states and of how a document is walked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined
from xylem.matching.arrays import grown
from xylem.matching.tables import find
from xylem.matching.text import index_of, length_in_characters, normalize, to_number
from xylem.matching.tree.constants import NEEDLES, STRINGS, ConstantArrays, find_number, find_string, needles_at
from xylem.matching.tree.trie import (
    COMPLEXES,
    ENDS,
    GROUPS,
    LOWER,
    NEED_EQUAL,
    NEED_GROUP,
    NEED_NEEDLE,
    UNEQUAL,
    TrieArrays,
    test_key,
)
from xylem.xpath.pattern import Op, View

_EQ, _GE, _LE = int(Op.EQ), int(Op.GE), int(Op.LE)
_CONTAINS, _STARTS = int(Op.CONTAINS), int(Op.STARTS_WITH)
_STRING, _NORMAL, _NUMBER, _LENGTH, _NORMAL_LENGTH = (int(view) for view in View)
_NEEDS_STRING = NEED_EQUAL | NEED_GROUP | NEED_NEEDLE
_NEEDS_NUMBER = NEED_EQUAL | NEED_GROUP

# header fields
CANDIDATES, TOUCHED, HITS, KINDS_HIT, HITS_OF, TURN, TESTED, FROM = range(8)
HITS_PER_BYTE = 8  # more hits than that are not kept: needles are then followed one by one
TOO_MANY_HITS = -2


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
    hit_at: npt.NDArray[np.int32]
    hit_string: npt.NDArray[np.int32]
    kind_string: npt.NDArray[np.int32]  # the needles hit at all, …
    kind_start: npt.NDArray[np.int64]  # … and where their hits stand in …
    kind_hits: npt.NDArray[np.int32]  # … this
    buffer: npt.NDArray[np.uint8]


def new_found() -> FoundArrays:
    def stamps() -> npt.NDArray[np.int64]:
        return np.full(16, -1, np.int64)

    def ints() -> npt.NDArray[np.int32]:
        return np.zeros(16, np.int32)

    header = np.zeros(16, np.int64)
    header[HITS_OF] = -1
    return FoundArrays(
        header, stamps(), stamps(), ints(), stamps(), np.zeros(16), np.zeros(16, np.uint8), ints(),
        stamps(), ints(), ints(), ints(), ints(), np.zeros(16, np.int64), ints(), np.zeros(16, np.uint8),
    )  # fmt: skip


def fitted_found(f: FoundArrays, trie: TrieArrays, constants: ConstantArrays, characters: int) -> FoundArrays:
    """The arrays with room for all that the trie can tell, and for the longest value to be normalised."""
    h = trie.header
    strings = int(constants.header[STRINGS])
    if (
        len(f.end_seen) >= h[ENDS]
        and len(f.complex_seen) >= h[COMPLEXES]
        and len(f.group_seen) >= h[GROUPS]
        and len(f.needle_turn) >= strings
        and len(f.buffer) >= characters
    ):
        return f
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
        kind_string=grown(f.kind_string, strings + 1),
        kind_start=grown(f.kind_start, strings + 2),
        buffer=grown(f.buffer, characters),
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
def _reach_test(f, trie, out, node, view, op, constant, number):  # type: ignore[no-untyped-def]
    test = find(trie.tests, test_key(node, view, op, constant))
    if test >= 0:
        reach(f, trie, out, trie.test_end[test], number)


@inlined
def _constant_met(f, trie, out, nodes, view, constant, value, number):  # type: ignore[no-untyped-def]
    """Equality tests and groups of one view of one value; `constant` is -1 if nobody compares with it."""
    for at in range(len(nodes)):
        node = nodes[at]
        flags = trie.node_flags[node]
        if constant >= 0 and flags & (NEED_EQUAL << view):
            _reach_test(f, trie, out, node, view, _EQ, constant, number)
        if flags & (NEED_GROUP << view):
            group = trie.node_group[node]
            while group >= 0:
                if trie.group_view[group] == view:
                    _note(f, trie, group, constant, value, number)
                group = trie.group_next[group]


@inlined
def _note(f, trie, group, constant, value, number):  # type: ignore[no-untyped-def]
    """What a group remembers of a document's values: enough to know which of its tests some value passes."""
    kind = trie.group_kind[group]
    new = f.group_seen[group] != number
    if kind != UNEQUAL and value != value:
        return
    if new:
        f.group_seen[group] = number
        f.touched[f.header[TOUCHED]] = group
        f.header[TOUCHED] += 1
    if kind == UNEQUAL:
        if new:
            f.group_value[group] = constant
            f.group_all[group] = constant < 0
        elif constant < 0 or f.group_value[group] != constant:
            f.group_all[group] = 1
    elif kind == LOWER:
        if new or value > f.group_value[group]:
            f.group_value[group] = value
    elif new or value < f.group_value[group]:
        f.group_value[group] = value


@inlined
def finish_groups(f, trie, out, number):  # type: ignore[no-untyped-def]
    """Reads each group that values were noted for, up to the first threshold that fails."""
    for at in range(f.header[TOUCHED]):
        group = f.touched[at]
        kind, value = trie.group_kind[group], f.group_value[group]
        start = trie.group_start[group]
        for place in range(start, start + trie.group_sealed[group]):
            test = trie.order[place]
            threshold, op = trie.test_number[test], trie.test_op[test]
            f.header[TESTED] += 1
            if kind == UNEQUAL:
                passed = f.group_all[group] or trie.test_constant[test] != value
            elif kind == LOWER:
                passed = value > threshold or (value == threshold and op == _GE)
            else:
                passed = value < threshold or (value == threshold and op == _LE)
            if passed:
                reach(f, trie, out, trie.test_end[test], number)
            elif kind != UNEQUAL:
                break
    f.header[TOUCHED] = 0


@inlined
def take_value(f, trie, constants, out, data, start, end, nodes, flags, in_text, number):  # type: ignore[no-untyped-def]
    """Tests one value for all `nodes` of the trie that ask about it. `in_text`: it is a slice of the document's
    text. Returns TOO_MANY_HITS when the arrays must grow first."""
    for view in range(_STRING, _NORMAL + 1):
        if flags & (_NEEDS_STRING << view):
            first, last = start, end
            source = data
            if view == _NORMAL:
                first = np.int64(0)
                last = np.int64(normalize(data, start, end, f.buffer))
                source = f.buffer
            if flags & ((NEED_EQUAL | NEED_GROUP) << view):
                constant = find_string(constants, source, first, last)
                _constant_met(f, trie, out, nodes, view, constant, 0.0, number)
            if flags & (NEED_NEEDLE << view):
                _starts(f, trie, constants, out, source, first, last, nodes, view, number)
                if in_text and view == _STRING:
                    if not _search_text(f, constants, data, number):
                        return TOO_MANY_HITS
                    _contained(f, trie, constants, out, data, first, last, nodes, number)
                if not in_text or view == _NORMAL:
                    _searched(f, trie, constants, out, source, first, last, nodes, view, number)
    for view in range(_NUMBER, _NORMAL_LENGTH + 1):
        if flags & (_NEEDS_NUMBER << view):
            if view == _NUMBER:
                value = to_number(data, start, end)
            elif view == _LENGTH:
                value = np.float64(length_in_characters(data, start, end))
            else:
                size = normalize(data, start, end, f.buffer)
                value = np.float64(length_in_characters(f.buffer, 0, size))
            _constant_met(f, trie, out, nodes, view, find_number(constants, value), value, number)
    return 0


@inlined
def _met(f, trie, out, string, nodes, view, op, number):  # type: ignore[no-untyped-def]
    for at in range(len(nodes)):
        if trie.node_flags[nodes[at]] & (NEED_NEEDLE << view):
            _reach_test(f, trie, out, nodes[at], view, op, string, number)


@inlined
def _starts(f, trie, constants, out, data, start, end, nodes, view, number):  # type: ignore[no-untyped-def]
    count = needles_at(constants, data, start, end, f.needle_found)
    for at in range(count):
        _met(f, trie, out, f.needle_found[at], nodes, view, _STARTS, number)


@inlined
def _searched(f, trie, constants, out, data, start, end, nodes, view, number):  # type: ignore[no-untyped-def]
    """Looks for every needle in one value that is no slice of the document's text."""
    f.header[TURN] += 1
    for place in range(start, end):
        count = needles_at(constants, data, place, end, f.needle_found)
        for at in range(count):
            string = f.needle_found[at]
            if f.needle_turn[string] != f.header[TURN]:
                f.needle_turn[string] = f.header[TURN]
                _met(f, trie, out, string, nodes, view, _CONTAINS, number)


@inlined
def _search_text(f, constants, text, number):  # type: ignore[no-untyped-def]
    """Finds all needles in the text of the document, once; -1 hits stand for more than are kept. False when
    the arrays must grow first."""
    if f.header[HITS_OF] == number:
        return True
    hits = 0
    limit = HITS_PER_BYTE * len(text) + 64
    if constants.header[NEEDLES] > 0:
        for place in range(len(text)):
            count = needles_at(constants, text, place, len(text), f.needle_found)
            if hits + count > limit:
                _list_kinds(f, constants, text)
                f.header[HITS] = -1
                f.header[HITS_OF] = number
                return True
            if hits + count > len(f.hit_at):
                return False
            for at in range(count):
                f.hit_at[hits] = place
                f.hit_string[hits] = f.needle_found[at]
                hits += 1
    f.header[HITS] = hits
    f.header[HITS_OF] = number
    _group_hits(f, hits)
    return True


@inlined
def _list_kinds(f, constants, text):  # type: ignore[no-untyped-def]
    """Which needles stand in the text at all, and where each does first."""
    f.header[TURN] += 1
    kinds = 0
    for place in range(len(text)):
        count = needles_at(constants, text, place, len(text), f.needle_found)
        for at in range(count):
            string = f.needle_found[at]
            if f.needle_turn[string] != f.header[TURN]:
                f.needle_turn[string] = f.header[TURN]
                f.kind_string[kinds] = string
                f.kind_start[kinds] = place
                kinds += 1
    f.header[KINDS_HIT] = kinds
    f.header[FROM] = 0


@inlined
def _followed(f, trie, constants, out, text, start, end, nodes, number):  # type: ignore[no-untyped-def]
    """The needles within a slice when their hits are not kept. Values come in the order of their beginnings, so each
    needle is followed through the text once: `kind_start` is its first hit from `FROM` on."""
    kinds = f.header[KINDS_HIT]
    if start < f.header[FROM]:  # the texts come after all elements
        f.kind_start[:kinds] = -1
    f.header[FROM] = start
    for kind in range(kinds):
        string = f.kind_string[kind]
        first, last = constants.string_start[string], constants.string_start[string + 1]
        if f.kind_start[kind] < start:
            place = index_of(text, start, np.int64(len(text)), constants.data, first, last)
            f.kind_start[kind] = place if place >= 0 else len(text)
        if f.kind_start[kind] + last - first <= end:
            _met(f, trie, out, string, nodes, _STRING, _CONTAINS, number)


@inlined
def _group_hits(f, hits):  # type: ignore[no-untyped-def]
    """Sorts the hits by needle as well: a counting sort. `needle_turn` tells which needles were met."""
    f.header[TURN] += 1
    turn = f.header[TURN]
    kinds = 0
    for at in range(hits):
        string = f.hit_string[at]
        if f.needle_turn[string] != turn:
            f.needle_turn[string] = turn
            f.needle_found[string] = kinds
            f.kind_string[kinds] = string
            f.kind_start[kinds + 1] = 0
            kinds += 1
        f.kind_start[f.needle_found[string] + 1] += 1
    f.kind_start[0] = 0
    for kind in range(kinds):
        f.kind_start[kind + 1] += f.kind_start[kind]
    for at in range(hits):
        kind = f.needle_found[f.hit_string[at]]
        f.kind_hits[f.kind_start[kind]] = f.hit_at[at]
        f.kind_start[kind] += 1
    for kind in range(kinds, 0, -1):
        f.kind_start[kind] = f.kind_start[kind - 1]
    f.kind_start[0] = 0
    f.header[KINDS_HIT] = kinds


@inlined
def _lower_bound(values, low, high, wanted):  # type: ignore[no-untyped-def]
    """The first place from `low` on, before `high`, that holds `wanted` or more."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _contained(f, trie, constants, out, text, start, end, nodes, number):  # type: ignore[no-untyped-def]
    """The needles within a slice of the text: by going over its hits, or over the needles when those are fewer."""
    if f.header[HITS] < 0:
        _followed(f, trie, constants, out, text, start, end, nodes, number)
        return
    kinds = f.header[KINDS_HIT]
    low = _lower_bound(f.hit_at, np.int64(0), f.header[HITS], start)
    high = _lower_bound(f.hit_at, low, f.header[HITS], end)
    if high - low > 8 * kinds:
        for kind in range(kinds):
            string = f.kind_string[kind]
            at = _lower_bound(f.kind_hits, f.kind_start[kind], f.kind_start[kind + 1], start)
            length = constants.string_start[string + 1] - constants.string_start[string]
            if at < f.kind_start[kind + 1] and f.kind_hits[at] + length <= end:
                _met(f, trie, out, string, nodes, _STRING, _CONTAINS, number)
        return
    f.header[TURN] += 1
    for at in range(low, high):
        string = f.hit_string[at]
        length = constants.string_start[string + 1] - constants.string_start[string]
        if f.needle_turn[string] != f.header[TURN] and f.hit_at[at] + length <= end:
            f.needle_turn[string] = f.header[TURN]
            _met(f, trie, out, string, nodes, _STRING, _CONTAINS, number)
