"""What the tests of values need: each value is looked at once for all subscriptions that ask about it.

Equality: the value is looked up among the constants, and node and constant together in the trie's table of
tests. Order: "some price is above 15" depends on the largest price alone, so that a group of thresholds keeps two
numbers for a document and is read once at its end, up to the threshold that fails. Inequality: any value that
nobody compares with, or two different ones, differ from every constant. `contains` and `starts-with`: see `needles`.

Tests that are facts are settled for each value: those that it passes are gathered as a set of facts. Of a group of
ordered tests a value passes the first so many, and these are one set, made once.

Values come again and again, within a document and from document to document: what a short one passes at a set of
trie nodes is remembered as its *verdict*.

This module knows nothing of states and of how a document is walked.
"""

from __future__ import annotations

import numpy as np

from xylem.kernels import inlined
from xylem.matching.tables import find, has_room, put
from xylem.matching.text import length_in_characters, normalize, to_number
from xylem.matching.tree.cache import NO_ROOM
from xylem.matching.tree.constants import find_number, find_string
from xylem.matching.tree.found import (
    FINISHED,
    GATHERED,
    HITS_FULL,
    MET,
    REACHED,
    RISE_FULL,
    TESTED,
    TOUCHED,
    passed,
    reach,
)
from xylem.matching.tree.needles import search, search_text
from xylem.matching.tree.rise import COUNT, LIST, MET_BY, PROVES, RECORD, VERDICTS, pile_of, unite, value_of
from xylem.matching.tree.sets import EMPTY_SET, USED, sets_fit
from xylem.matching.tree.trie import (
    LOWER,
    NEED_EQUAL,
    NEED_GROUP,
    NEED_NEEDLE,
    NOTED,
    ONCE,
    UNEQUAL,
)
from xylem.xpath.pattern import Op, View

_EQ, _GE, _LE = int(Op.EQ), int(Op.GE), int(Op.LE)
_STRING, _NORMAL, _NUMBER, _LENGTH, _NORMAL_LENGTH = (int(view) for view in View)
_NEEDS_STRING = NEED_EQUAL | NEED_GROUP | NEED_NEEDLE
_NEEDS_NUMBER = NEED_EQUAL | NEED_GROUP


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
                holds = f.group_all[group] or trie.test_constant[test] != value
            else:
                holds = _passes(trie, kind, test, value)
            if holds:
                reach(f, trie, out, trie.test_end[test], number)
            elif kind != UNEQUAL:
                break
    f.header[TOUCHED] = 0


@inlined
def known_verdict(r, group, value):  # type: ignore[no-untyped-def]
    """What a value passes at a set of trie nodes, if that was worked out already; else -1."""
    return find(r.verdicts, (np.int64(group) << 32) | np.int64(value))


@inlined
def take_value(f, r, trie, facts, constants, out, data, start, end, group, nodes, flags, in_text, found, number):  # type: ignore[no-untyped-def]
    """Tests one value for those `nodes` of a set of trie nodes (`group`) that ask about it, and gathers what it
    proves. `in_text`: it is a slice of the document's text; `found`: its verdict, or -1 where that must be looked up.
    FINISHED, or what must grow before it is taken again."""
    if found < 0:
        value = value_of(r, constants, data, start, end)
        if value == NO_ROOM:
            return RISE_FULL
        if value < 0:
            return _examine(f, r, trie, facts, constants, out, data, start, end, nodes, flags, in_text, number)
        found = known_verdict(r, group, value)
    if found < 0:
        key = (np.int64(group) << 32) | np.int64(value)
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
                if whole and not search_text(f, constants, data, number):
                    return HITS_FULL
                search(f, trie, facts, constants, out, source, first, last, nodes, view, whole, number)
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
                passed(f, trie, facts, out, nodes[at], view, _EQ, constant, number)
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
