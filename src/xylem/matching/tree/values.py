"""What the tests of values need: each value is looked at once for all subscriptions that ask about it.

Equality: the value is looked up among the constants, and node and constant together in the trie's table of
tests. Order: "some price is above 15" depends on the largest price alone, so that a group of thresholds keeps two
numbers for a document and is read once at its end, up to the threshold that fails. Inequality: any value that
nobody compares with, or two different ones, differ from every constant. `contains`: the text of the document is
searched once for all needles; an element's string-value is a slice of it, so its needles are the hits in the slice. A
node of the trie that asks for few needles looks for each among the hits, one that asks for many goes over the hits.

Tests that are facts are settled for each value: those that it passes are gathered as a set of facts. Of a group of
ordered tests a value passes the first so many, and these are one set, made once.

Values come again and again, within a document and from document to document: what a short one passes at a set of
trie nodes is remembered as its *verdict*.

This module knows nothing of states and of how a document is walked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined
from xylem.matching.arrays import grown
from xylem.matching.tables import find, has_room, put
from xylem.matching.text import contains, index_of, length_in_characters, normalize, starts_with, to_number
from xylem.matching.tree.cache import NO_ROOM
from xylem.matching.tree.constants import NEEDLES, STRINGS, ConstantArrays, find_number, find_string, needles_at
from xylem.matching.tree.rise import COUNT, LIST, MET_BY, PROVES, RECORD, VERDICTS, pile_of, unite, value_of
from xylem.matching.tree.sets import EMPTY_SET, USED, sets_fit
from xylem.matching.tree.trie import (
    COMPLEXES,
    ENDS,
    FACT,
    GROUPS,
    LOWER,
    NEED_EQUAL,
    NEED_GROUP,
    NEED_NEEDLE,
    NOTED,
    ONCE,
    UNEQUAL,
    TrieArrays,
    test_key,
)
from xylem.matching.tree.twigs import FACTS, FactArrays
from xylem.xpath.pattern import Op, View

_EQ, _GE, _LE = int(Op.EQ), int(Op.GE), int(Op.LE)
_CONTAINS, _STARTS = int(Op.CONTAINS), int(Op.STARTS_WITH)
_STRING, _NORMAL, _NUMBER, _LENGTH, _NORMAL_LENGTH = (int(view) for view in View)
_NEEDS_STRING = NEED_EQUAL | NEED_GROUP | NEED_NEEDLE
_NEEDS_NUMBER = NEED_EQUAL | NEED_GROUP

# header fields
CANDIDATES, TOUCHED, HITS, KINDS_HIT, HITS_OF, TURN, TESTED, MET, REACHED, GATHERED, FROM = range(11)
FEW_NEEDLES = 16  # of a node, that are looked for one by one
HITS_PER_BYTE = 8  # more hits than that are not kept: needles are then followed one by one

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
        stamps(), ints(), stamps(), ints(), ints(), ints(), ints(), np.zeros(16, np.int64), ints(), np.zeros(16, np.uint8),
        ints(), ints(),
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
def _passed(f, trie, facts, out, node, view, op, constant, number):  # type: ignore[no-untyped-def]
    """A value passes the test, if there is such a one."""
    test = find(trie.tests, test_key(node, view, op, constant))
    if test >= 0:
        _test_passed(f, trie, facts, out, test, number)


@inlined
def _test_passed(f, trie, facts, out, test, number):  # type: ignore[no-untyped-def]
    if trie.test_uses[test] & ONCE:
        end = trie.test_end[test]
        reach(f, trie, out, end, number)
        f.reached[f.header[REACHED]] = end
        f.header[REACHED] += 1
    if trie.test_uses[test] & FACT:
        f.met[f.header[MET]] = facts.end_fact[trie.test_end[test]]
        f.header[MET] += 1


@inlined
def _ordered(f, r, trie, facts, nodes, view, constant, value, number):  # type: ignore[no-untyped-def]
    """The groups of ordered tests of one view of a value; `constant` is -1 if nobody compares with it. False when
    the arrays must grow first."""
    for at in range(len(nodes)):
        if trie.node_flags[nodes[at]] & (NEED_GROUP << view):
            group = trie.node_group[nodes[at]]
            while group >= 0:
                if trie.group_view[group] == view:
                    if trie.group_use[group] == ONCE:
                        _note(f, trie, group, constant, value, number)
                    elif not _gather_group(f, r, trie, facts, group, constant, value):
                        return False
                group = trie.group_next[group]
    return True


@inlined
def _gather_group(f, r, trie, facts, group, constant, value):  # type: ignore[no-untyped-def]
    """Gathers the facts of an ordered group that a value proves: a set for each number of tests passed, or for
    each constant that is not unequal. False when the arrays must grow first."""
    if trie.group_kind[group] == UNEQUAL:
        place = np.int64(constant) + 1
    elif value != value:
        return True
    else:
        place = _tests_passed(trie, group, value)
        if place == 0:
            return True
    key = (np.int64(group) << 32) | place
    found = find(r.prefixes, key)
    if found < 0:
        found = _prefix(f, r, trie, facts, group, place)
        if found < 0:
            return False
        put(r.prefixes, key, found)
    return _gather(f, r, found)


@inlined
def _gather(f, r, facts):  # type: ignore[no-untyped-def]
    united = unite(r, np.int32(f.header[GATHERED]), facts)
    if united < 0:
        return False
    f.header[GATHERED] = united
    return True


@inlined
def _tests_passed(trie, group, value):  # type: ignore[no-untyped-def]
    """How many tests of a sorted group a value passes: the first so many."""
    low, high = np.int64(0), np.int64(trie.group_sealed[group])
    while low < high:
        middle = (low + high) // 2
        if _passes(trie, trie.group_kind[group], trie.order[trie.group_start[group] + middle], value):
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _passes(trie, kind, test, value):  # type: ignore[no-untyped-def]
    threshold, op = trie.test_number[test], trie.test_op[test]
    if kind == LOWER:
        return value > threshold or (value == threshold and op == _GE)
    return value < threshold or (value == threshold and op == _LE)


@inlined
def _prefix(f, r, trie, facts, group, place):  # type: ignore[no-untyped-def]
    """The set of facts of a group's first tests, or of those whose constant is another one."""
    if not has_room(r.prefixes, 1):
        return np.int32(NO_ROOM)
    unequal = trie.group_kind[group] == UNEQUAL
    start = trie.group_start[group]
    count = 0
    for at in range(start, start + (trie.group_sealed[group] if unequal else place)):
        test = trie.order[at]
        if not unequal or trie.test_constant[test] + 1 != place:
            r.work[count] = facts.end_fact[trie.test_end[test]]
            count += 1
    return pile_of(r, count)


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
            f.header[TESTED] += 1
            if kind == UNEQUAL:
                passed = f.group_all[group] or trie.test_constant[test] != value
            else:
                passed = _passes(trie, kind, test, value)
            if passed:
                reach(f, trie, out, trie.test_end[test], number)
            elif kind != UNEQUAL:
                break
    f.header[TOUCHED] = 0


@inlined
def take_value(f, r, trie, facts, constants, out, data, start, end, group, nodes, flags, in_text, number):  # type: ignore[no-untyped-def]
    """Tests one value for those `nodes` of a set of trie nodes (`group`) that ask about it, and gathers what it
    proves. `in_text`: it is a slice of the document's text. FINISHED, or what must grow before it is taken again."""
    value = value_of(r, constants, data, start, end)
    if value == NO_ROOM:
        return RISE_FULL
    if value < 0:
        return _examine(f, r, trie, facts, constants, out, data, start, end, nodes, flags, in_text, number)
    key = (np.int64(group) << 32) | np.int64(value)
    found = find(r.verdicts, key)
    if found < 0:
        gathered = f.header[GATHERED]
        f.header[GATHERED] = EMPTY_SET
        stopped = _examine(f, r, trie, facts, constants, out, data, start, end, nodes, flags, in_text, number)
        proved = f.header[GATHERED]
        f.header[GATHERED] = gathered
        if stopped != FINISHED:
            return stopped
        found = _new_verdict(f, r, proved, number)
        if found < 0:
            return RISE_FULL
        put(r.verdicts, key, found)
    known = RECORD * np.int64(found)
    if r.verdict[known + MET_BY] != number:
        r.verdict[known + MET_BY] = number
        at = r.verdict[known + LIST]
        for place in range(at, at + r.verdict[known + COUNT]):
            reach(f, trie, out, r.sets.arena[place], number)
        if flags & NOTED:
            _note_value(f, trie, constants, data, start, end, nodes, flags, number)
    return FINISHED if _gather(f, r, np.int32(r.verdict[known + PROVES])) else RISE_FULL


@inlined
def _new_verdict(f, r, proved, number):  # type: ignore[no-untyped-def]
    """Remembers what was reached and proved; it counts as met."""
    full = RECORD * r.header[VERDICTS] == len(r.verdict) or not has_room(r.verdicts, 1)
    reached = f.header[REACHED]
    if full or not sets_fit(r.sets, 0, reached):
        return np.int32(NO_ROOM)
    new = np.int32(r.header[VERDICTS])
    r.header[VERDICTS] += 1
    known = RECORD * np.int64(new)
    start = r.sets.header[USED]
    for at in range(reached):
        r.sets.arena[start + at] = f.reached[at]
    r.sets.header[USED] += reached
    r.verdict[known + PROVES] = proved
    r.verdict[known + LIST] = start
    r.verdict[known + COUNT] = reached
    r.verdict[known + MET_BY] = number
    return new


@inlined
def _note_value(f, trie, constants, data, start, end, nodes, flags, number):  # type: ignore[no-untyped-def]
    """Shows a value to the groups that are settled once a document."""
    for view in range(_STRING, _NORMAL_LENGTH + 1):
        if flags & (NEED_GROUP << view):
            if view >= _NUMBER:
                value = _number(f, data, start, end, view)
                constant = find_number(constants, value)
            elif view == _NORMAL:
                value = 0.0
                constant = find_string(constants, f.buffer, 0, normalize(data, start, end, f.buffer))
            else:
                value = 0.0
                constant = find_string(constants, data, start, end)
            _noted(f, trie, nodes, view, constant, value, number)


@inlined
def _noted(f, trie, nodes, view, constant, value, number):  # type: ignore[no-untyped-def]
    for at in range(len(nodes)):
        if trie.node_flags[nodes[at]] & (NEED_GROUP << view):
            group = trie.node_group[nodes[at]]
            while group >= 0:
                if trie.group_view[group] == view and trie.group_use[group] == ONCE:
                    _note(f, trie, group, constant, value, number)
                group = trie.group_next[group]


@inlined
def _examine(f, r, trie, facts, constants, out, data, start, end, nodes, flags, in_text, number):  # type: ignore[no-untyped-def]
    """The same for a value of which nothing is remembered."""
    f.header[MET] = 0
    f.header[REACHED] = 0
    for view in range(_STRING, _NORMAL + 1):
        if flags & (_NEEDS_STRING << view):
            first, last = start, end
            source = data
            if view == _NORMAL:
                first = np.int64(0)
                last = np.int64(normalize(data, start, end, f.buffer))
                source = f.buffer
            constant = find_string(constants, source, first, last)
            if not _compared(f, r, trie, facts, out, nodes, flags, view, constant, 0.0, number):
                return RISE_FULL
            if flags & (NEED_NEEDLE << view):
                whole = in_text and view == _STRING
                if whole and not _search_text(f, constants, data, number):
                    return HITS_FULL
                _search(f, trie, facts, constants, out, source, first, last, nodes, view, whole, number)
    for view in range(_NUMBER, _NORMAL_LENGTH + 1):
        if flags & (_NEEDS_NUMBER << view):
            value = _number(f, data, start, end, view)
            constant = find_number(constants, value)
            if not _compared(f, r, trie, facts, out, nodes, flags, view, constant, value, number):
                return RISE_FULL
    if f.header[MET] > 0:
        for at in range(f.header[MET]):
            r.work[at] = f.met[at]
        met = pile_of(r, f.header[MET])
        if met < 0 or not _gather(f, r, met):
            return RISE_FULL
    return FINISHED


@inlined
def _compared(f, r, trie, facts, out, nodes, flags, view, constant, value, number):  # type: ignore[no-untyped-def]
    """All comparisons of one view of a value; `constant` is -1 if nobody compares with it. False when the arrays
    must grow first."""
    if constant >= 0 and flags & (NEED_EQUAL << view):
        for at in range(len(nodes)):
            if trie.node_flags[nodes[at]] & (NEED_EQUAL << view):
                _passed(f, trie, facts, out, nodes[at], view, _EQ, constant, number)
    if flags & (NEED_GROUP << view):
        return _ordered(f, r, trie, facts, nodes, view, constant, value, number)
    return True


@inlined
def _number(f, data, start, end, view):  # type: ignore[no-untyped-def]
    if view == _NUMBER:
        return to_number(data, start, end)
    if view == _LENGTH:
        return np.float64(length_in_characters(data, start, end))
    size = normalize(data, start, end, f.buffer)
    return np.float64(length_in_characters(f.buffer, 0, size))


@inlined
def _search(f, trie, facts, constants, out, data, start, end, nodes, view, whole, number):  # type: ignore[no-untyped-def]
    """`starts-with` and `contains`. `whole`: the value is a slice of the text, whose hits are known."""
    if whole and f.header[HITS] < 0:
        _follow(f, constants, data, start)
    many = False
    for at in range(len(nodes)):
        node = nodes[at]
        if trie.node_flags[node] & (NEED_NEEDLE << view):
            if trie.node_needles[node] > FEW_NEEDLES:
                many = True
            else:
                _search_few(f, trie, facts, constants, out, data, start, end, node, view, whole, number)
    if not many:
        return
    _starts(f, trie, facts, constants, out, data, start, end, nodes, view, number)
    if whole:
        _contained(f, trie, facts, constants, out, start, end, nodes, number)
    else:
        _searched(f, trie, facts, constants, out, data, start, end, nodes, view, number)


@inlined
def _search_few(f, trie, facts, constants, out, data, start, end, node, view, whole, number):  # type: ignore[no-untyped-def]
    """Tries the needles of a node one by one."""
    test = trie.node_needle[node]
    while test >= 0:
        if trie.test_view[test] == view:
            string = trie.test_constant[test]
            first, last = constants.string_start[string], constants.string_start[string + 1]
            if trie.test_op[test] == _STARTS:
                passed = starts_with(data, start, end, constants.data, first, last)
            elif whole:
                passed = _is_hit(f, string, last - first, start, end, number)
            else:
                passed = contains(data, start, end, constants.data, first, last)
            if passed:
                _test_passed(f, trie, facts, out, test, number)
        test = trie.test_next[test]


@inlined
def _is_hit(f, string, length, start, end, number):  # type: ignore[no-untyped-def]
    """Whether a needle was hit within a slice of the text."""
    if f.needle_seen[string] != number:
        return False
    kind = f.needle_kind[string]
    if f.header[HITS] < 0:
        return f.kind_start[kind] + length <= end
    last = f.kind_start[kind + 1]
    at = _lower_bound(f.kind_hits, f.kind_start[kind], last, start)
    return at < last and f.kind_hits[at] + length <= end


@inlined
def _met(f, trie, facts, out, string, nodes, view, op, number):  # type: ignore[no-untyped-def]
    for at in range(len(nodes)):
        if trie.node_flags[nodes[at]] & (NEED_NEEDLE << view) and trie.node_needles[nodes[at]] > FEW_NEEDLES:
            _passed(f, trie, facts, out, nodes[at], view, op, string, number)


@inlined
def _starts(f, trie, facts, constants, out, data, start, end, nodes, view, number):  # type: ignore[no-untyped-def]
    count = needles_at(constants, data, start, end, f.needle_found)
    for at in range(count):
        _met(f, trie, facts, out, f.needle_found[at], nodes, view, _STARTS, number)


@inlined
def _searched(f, trie, facts, constants, out, data, start, end, nodes, view, number):  # type: ignore[no-untyped-def]
    """Looks for every needle in one value that is no slice of the document's text."""
    f.header[TURN] += 1
    for place in range(start, end):
        count = needles_at(constants, data, place, end, f.needle_found)
        for at in range(count):
            string = f.needle_found[at]
            if f.needle_turn[string] != f.header[TURN]:
                f.needle_turn[string] = f.header[TURN]
                _met(f, trie, facts, out, string, nodes, view, _CONTAINS, number)


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
                _list_kinds(f, constants, text, number)
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
    _group_hits(f, hits, number)
    return True


@inlined
def _list_kinds(f, constants, text, number):  # type: ignore[no-untyped-def]
    """Which needles stand in the text at all, for `_follow`."""
    kinds = 0
    for place in range(len(text)):
        count = needles_at(constants, text, place, len(text), f.needle_found)
        for at in range(count):
            string = f.needle_found[at]
            if f.needle_seen[string] != number:
                f.needle_seen[string] = number
                f.needle_kind[string] = kinds
                f.kind_string[kinds] = string
                f.kind_start[kinds] = len(text)
                kinds += 1
    f.header[KINDS_HIT] = kinds
    f.header[FROM] = len(text)


@inlined
def _follow(f, constants, text, start):  # type: ignore[no-untyped-def]
    """Where hits are not kept: `kind_start` becomes the first hit of each needle from `start` on. Values come in
    falling order of their beginnings, so each needle is followed through the text once."""
    kinds = f.header[KINDS_HIT]
    if start > f.header[FROM]:
        f.header[FROM] = len(text)
        for kind in range(kinds):
            f.kind_start[kind] = len(text)
    for kind in range(kinds):
        string = f.kind_string[kind]
        first, last = constants.string_start[string], constants.string_start[string + 1]
        stop = min(f.header[FROM] + last - first - 1, np.int64(len(text)))
        place = index_of(text, start, stop, constants.data, first, last)
        if place >= 0:
            f.kind_start[kind] = place
    f.header[FROM] = start


@inlined
def _group_hits(f, hits, number):  # type: ignore[no-untyped-def]
    """Sorts the hits by needle as well: a counting sort."""
    kinds = 0
    for at in range(hits):
        string = f.hit_string[at]
        if f.needle_seen[string] != number:
            f.needle_seen[string] = number
            f.needle_kind[string] = kinds
            f.kind_string[kinds] = string
            f.kind_start[kinds + 1] = 0
            kinds += 1
        f.kind_start[f.needle_kind[string] + 1] += 1
    f.kind_start[0] = 0
    for kind in range(kinds):
        f.kind_start[kind + 1] += f.kind_start[kind]
    for at in range(hits):
        kind = f.needle_kind[f.hit_string[at]]
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
def _contained(f, trie, facts, constants, out, start, end, nodes, number):  # type: ignore[no-untyped-def]
    """The needles within a slice of the text: by going over its hits, or over the needles when those are fewer."""
    kinds = f.header[KINDS_HIT]
    if f.header[HITS] < 0:
        for kind in range(kinds):
            string = f.kind_string[kind]
            if f.kind_start[kind] + constants.string_start[string + 1] - constants.string_start[string] <= end:
                _met(f, trie, facts, out, string, nodes, _STRING, _CONTAINS, number)
        return
    low = _lower_bound(f.hit_at, np.int64(0), f.header[HITS], start)
    high = _lower_bound(f.hit_at, low, f.header[HITS], end)
    if high - low > 8 * kinds:
        for kind in range(kinds):
            string = f.kind_string[kind]
            at = _lower_bound(f.kind_hits, f.kind_start[kind], f.kind_start[kind + 1], start)
            length = constants.string_start[string + 1] - constants.string_start[string]
            if at < f.kind_start[kind + 1] and f.kind_hits[at] + length <= end:
                _met(f, trie, facts, out, string, nodes, _STRING, _CONTAINS, number)
        return
    f.header[TURN] += 1
    for at in range(low, high):
        string = f.hit_string[at]
        length = constants.string_start[string + 1] - constants.string_start[string]
        if f.needle_turn[string] != f.header[TURN] and f.hit_at[at] + length <= end:
            f.needle_turn[string] = f.header[TURN]
            _met(f, trie, facts, out, string, nodes, _STRING, _CONTAINS, number)
