"""`contains` and `starts-with`: the text of a document is searched once for all needles.

An element's string-value is a slice of that text, so its needles are the hits in the slice. A node of the trie that
asks for few needles looks for each among the hits, one that asks for many goes over the hits. Where the needles stand
nearly everywhere hits are not kept: each needle is then followed through the text.

This module knows nothing of other tests.
"""

from __future__ import annotations

import numpy as np

from xylem.kernels import inlined
from xylem.matching.text import contains, index_of, starts_with
from xylem.matching.tree.constants import NEEDLES, needles_at
from xylem.matching.tree.found import FROM, HITS, HITS_OF, KINDS_HIT, TURN, passed, test_passed
from xylem.matching.tree.trie import NEED_NEEDLE
from xylem.xpath.pattern import Op, View

_CONTAINS, _STARTS = int(Op.CONTAINS), int(Op.STARTS_WITH)
_STRING = int(View.STRING)

FEW_NEEDLES = 16  # of a node, that are looked for one by one
HITS_PER_BYTE = 8  # more hits than that are not kept: needles are then followed one by one


@inlined
def search(f, trie, facts, constants, out, data, start, end, nodes, view, whole, number):  # type: ignore[no-untyped-def]
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
                stands = starts_with(data, start, end, constants.data, first, last)
            elif whole:
                stands = _is_hit(f, string, last - first, start, end, number)
            else:
                stands = contains(data, start, end, constants.data, first, last)
            if stands:
                test_passed(f, trie, facts, out, test, number)
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
            passed(f, trie, facts, out, nodes[at], view, op, string, number)


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
def search_text(f, constants, text, number):  # type: ignore[no-untyped-def]
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
