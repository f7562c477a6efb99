"""One document through one forest: the loops over rows that everything else serves.

Going down, each row's state follows from its parent's. Going up, in reverse document order, a set that is met for the
first time in the document tells what matches there, values are tested where tests hang, and facts rise to the
parent (see `rise`). The walk stops when arrays must grow and goes on at the same row, which is safe because
nothing that is met twice says anything new. States may be forgotten in between: a row whose state is unknown gets it
from its ancestors again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.document.model import DocumentArrays
from xylem.frames import frame_at
from xylem.kernels import inlined, kernel
from xylem.matching.arrays import grown
from xylem.matching.tree.cache import (
    ASKED,
    DEAD,
    FLAGS,
    LINE,
    NO_ROOM,
    SEEN,
    SLOTS,
    TOLD,
    VALUES,
    CacheArrays,
    at_of,
    deep_of,
    flags_of,
    known_move,
    move,
    start_state,
    tell_set,
)
from xylem.matching.tree.constants import constants_at
from xylem.matching.tree.forest import forest_at
from xylem.matching.tree.found import (
    CACHE_FULL,
    CANDIDATES,
    FINISHED,
    GATHERED,
    HITS_OF,
    RISE_FULL,
    TOUCHED,
    FoundArrays,
    ask,
)
from xylem.matching.tree.outcomes import outcome
from xylem.matching.tree.rise import (
    COUNT,
    LIST,
    MET_BY,
    NOTHING,
    PROVES,
    RECORD,
    RiseArrays,
    known_value,
    pile_of,
    unite,
)
from xylem.matching.tree.sets import EMPTY_SET
from xylem.matching.tree.trie import ATTRIBUTE, DESC_ATTRIBUTE, DESC_TEXT, HAS_TEXT, TEXT
from xylem.matching.tree.values import finish_groups, known_verdict, take_value
from xylem.xpath.pattern import Kind

_ELEMENT, _ATTRIBUTE, _TEXT = (int(kind) for kind in Kind)
UNKNOWN = -1

# phases: not begun, going down, going up
FRESH, DESCENT, ASCENT, DONE = range(4)

PHASE, AT, EVALUATED, TEXT_AT, LOOKED = range(5)  # header fields; LOOKED: what was looked up ahead still holds


class WalkArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    states: npt.NDArray[np.int32]  # per row
    gathered: npt.NDArray[np.int32]  # per row: what the nodes below have proved so far
    row_verdict: npt.NDArray[np.int32]  # per row, looked up ahead: the verdict of its value, or -1
    attr_state: npt.NDArray[np.int32]  # per attribute, looked up ahead: its state, or -1
    attr_verdict: npt.NDArray[np.int32]  # … and the verdict of its value, or -1
    path: npt.NDArray[np.int32]
    work: npt.NDArray[np.int32]  # where sets are put together


class PartArrays(NamedTuple):
    """All that a walk changes."""

    walk: WalkArrays
    found: FoundArrays
    cache: CacheArrays
    rise: RiseArrays


part_at = frame_at(PartArrays)
document_at = frame_at(DocumentArrays)


def new_walk() -> WalkArrays:
    def ints(size: int) -> npt.NDArray[np.int32]:
        return np.zeros(size, np.int32)

    return WalkArrays(np.zeros(8, np.int64), ints(64), ints(64), ints(64), ints(64), ints(64), ints(64), ints(4096))


def fitted_walk(w: WalkArrays, rows: int, attributes: int) -> WalkArrays:
    """The arrays with room for a document of this size."""
    return w._replace(
        states=grown(w.states, rows), gathered=grown(w.gathered, rows), row_verdict=grown(w.row_verdict, rows),
        attr_state=grown(w.attr_state, attributes), attr_verdict=grown(w.attr_verdict, attributes),
        path=grown(w.path, rows),
    )  # fmt: skip


@inlined
def _space(spaces, name):  # type: ignore[no-untyped-def]
    return spaces[name] if name < len(spaces) else np.int32(0)


@inlined
def _state_of(w, c, trie, doc, spaces, row):  # type: ignore[no-untyped-def]
    """A row's state, made from its nearest ancestor's that is known; NO_ROOM when the arrays must grow."""
    depth = 0
    at = row
    while w.states[at] == UNKNOWN and at > 0:
        w.path[depth] = at
        depth += 1
        at = doc.parent[at]
    state = w.states[at]
    if state == UNKNOWN:
        state = start_state(c, trie, w.work)
        if state == NO_ROOM:
            return state
        w.states[0] = state
    while depth > 0:
        depth -= 1
        at = w.path[depth]
        if state != DEAD:
            tag = doc.tag[at]
            state = move(c, trie, state, _ELEMENT, tag, _space(spaces, tag), w.work)
            if state == NO_ROOM:
                return state
        w.states[at] = state
    return state


@inlined
def _visit(f, c, trie, facts, out, group, number):  # type: ignore[no-untyped-def]
    """What follows from meeting a set, once a document. False when the arrays must grow."""
    known = LINE * np.int64(group)
    if c.known[known + SEEN] == number:
        return True
    if not tell_set(c, trie, facts, group):
        return False
    c.known[known + SEEN] = number
    arena, at = c.sets.arena, c.known[known + TOLD]
    for place in range(at, at + c.known[known + SLOTS]):
        slot = arena[place]
        out[slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
    at += c.known[known + SLOTS]
    for place in range(at, at + c.known[known + ASKED]):
        ask(f, trie, out, arena[place], number)
    return True


@inlined
def _meet(p, forest, constants, out, state, data, start, end, in_text, verdict, row, number):  # type: ignore[no-untyped-def]
    """A node of the document at a state, with its value (and the verdict of it, or -1) and, for an element, what was
    gathered below it. What it proves is gathered at `row`, if that is not -1. FINISHED, or what must grow."""
    f, c, r, trie = p.found, p.cache, p.rise, forest.trie
    group = at_of(c, state)
    if not _visit(f, c, trie, forest.facts, out, group, number):
        return CACHE_FULL
    known = LINE * np.int64(group)
    if c.known[known + VALUES] > 0:
        at = c.known[known + TOLD] + c.known[known + SLOTS] + c.known[known + ASKED]
        nodes = c.sets.arena[at : at + c.known[known + VALUES]]
        flags = c.known[known + FLAGS]
        stopped = take_value(
            f, r, trie, forest.facts, constants, out, data, start, end, group, nodes, flags, in_text, verdict, number
        )  # fmt: skip
        if stopped != FINISHED:
            return stopped
    return _conclude(p, forest, out, state, row, number)


@inlined
def _conclude(p, forest, out, state, row, number):  # type: ignore[no-untyped-def]
    """What follows from all that was gathered for a node."""
    r = p.rise
    found = outcome(r, p.cache, forest.trie, forest.facts, state, np.int32(p.found.header[GATHERED]))
    if found < 0:
        return RISE_FULL
    if found == NOTHING:
        return FINISHED
    known = RECORD * np.int64(found)
    if row >= 0:
        united = unite(r, p.walk.gathered[row], np.int32(r.outcome[known + PROVES]))
        if united < 0:
            return RISE_FULL
        p.walk.gathered[row] = united
    if r.outcome[known + MET_BY] != number:
        r.outcome[known + MET_BY] = number
        at = r.outcome[known + LIST]
        for place in range(at, at + r.outcome[known + COUNT]):
            slot = r.sets.arena[place]
            out[slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
    return FINISHED


@inlined
def _attributes(p, forest, constants, doc, spaces, out, row, state, number):  # type: ignore[no-untyped-def]
    c = p.cache
    if not (flags_of(c, at_of(c, state)) & ATTRIBUTE) | (flags_of(c, deep_of(c, state)) & DESC_ATTRIBUTE):
        return FINISHED
    for at in range(doc.attr_start[row], doc.attr_start[row + 1]):
        below, verdict = np.int32(-1), np.int32(-1)
        if p.walk.header[LOOKED]:
            below, verdict = p.walk.attr_state[at], p.walk.attr_verdict[at]
        if below < 0:
            name = doc.attr_name[at]
            below = move(c, forest.trie, state, _ATTRIBUTE, name, _space(spaces, name), p.walk.work)
            if below == NO_ROOM:
                return CACHE_FULL
        if below != DEAD:
            start, end = np.int64(doc.attr_offset[at]), np.int64(doc.attr_offset[at + 1])
            p.found.header[GATHERED] = EMPTY_SET
            stopped = _meet(p, forest, constants, out, below, doc.attr_text, start, end, False, verdict, row, number)
            if stopped != FINISHED:
                return stopped
    return FINISHED


@inlined
def _text(p, forest, constants, doc, spaces, out, at, number):  # type: ignore[no-untyped-def]
    w, c = p.walk, p.cache
    row = doc.text_parent[at]
    state = _state_of(w, c, forest.trie, doc, spaces, row)
    if state == NO_ROOM:
        return CACHE_FULL
    if not (flags_of(c, at_of(c, state)) & TEXT) | (flags_of(c, deep_of(c, state)) & DESC_TEXT):
        return FINISHED
    below = move(c, forest.trie, state, _TEXT, 0, np.int32(0), w.work)
    if below == NO_ROOM:
        return CACHE_FULL
    if below == DEAD:
        return FINISHED
    start, end = np.int64(doc.text_offset[at]), np.int64(doc.text_offset[at + 1])
    p.found.header[GATHERED] = EMPTY_SET
    return _meet(p, forest, constants, out, below, doc.text, start, end, True, np.int32(-1), row, number)


@inlined
def _row(p, forest, constants, doc, spaces, out, row, number):  # type: ignore[no-untyped-def]
    state = _state_of(p.walk, p.cache, forest.trie, doc, spaces, row)
    if state == NO_ROOM:
        return CACHE_FULL
    if state == DEAD:
        return FINISHED
    stopped = _attributes(p, forest, constants, doc, spaces, out, row, state, number)
    if stopped != FINISHED:
        return stopped
    gathered = p.walk.gathered[row]
    if at_of(p.cache, state) == EMPTY_SET and gathered == EMPTY_SET:
        return FINISHED
    p.found.header[GATHERED] = gathered
    start, end = np.int64(doc.text_start[row]), np.int64(doc.text_end[row])
    verdict = p.walk.row_verdict[row] if p.walk.header[LOOKED] else np.int32(-1)
    return _meet(p, forest, constants, out, state, doc.text, start, end, True, verdict, doc.parent[row], number)


@inlined
def _go_down(p, forest, doc, spaces):  # type: ignore[no-untyped-def]
    """Gives every row its state."""
    w, c, trie = p.walk, p.cache, forest.trie
    for row in range(w.header[AT], len(doc.tag)):
        state = w.states[doc.parent[row]] if row > 0 else UNKNOWN
        if state == UNKNOWN:
            state = _state_of(w, c, trie, doc, spaces, row)
        elif state != DEAD:
            tag = doc.tag[row]
            state = move(c, trie, state, _ELEMENT, tag, _space(spaces, tag), w.work)
        if state == NO_ROOM:
            w.header[AT] = row
            return CACHE_FULL
        w.states[row] = state
    return FINISHED


@inlined
def _look_ahead(p, constants, doc):  # type: ignore[no-untyped-def]
    """Looks up what is known of attributes and values, in loops of which each does one thing: so the processor waits
    for many of these look-ups at once, and not for one after the other."""
    w, c, r = p.walk, p.cache, p.rise
    for row in range(len(doc.tag)):
        state = w.states[row]
        asks = state > DEAD and flags_of(c, at_of(c, state)) & ATTRIBUTE | (
            flags_of(c, deep_of(c, state)) & DESC_ATTRIBUTE
        )
        for at in range(doc.attr_start[row], doc.attr_start[row + 1]):
            w.attr_state[at] = known_move(c, state, _ATTRIBUTE, doc.attr_name[at]) if asks else min(state, DEAD)
    for at in range(len(doc.attr_name)):
        start, end = np.int64(doc.attr_offset[at]), np.int64(doc.attr_offset[at + 1])
        w.attr_verdict[at] = _known_value(c, r, constants, w.attr_state[at], doc.attr_text, start, end)
    for row in range(len(doc.tag)):
        start, end = np.int64(doc.text_start[row]), np.int64(doc.text_end[row])
        w.row_verdict[row] = _known_value(c, r, constants, w.states[row], doc.text, start, end)
    for at in range(len(doc.attr_name)):
        if w.attr_verdict[at] >= 0:
            w.attr_verdict[at] = known_verdict(r, at_of(c, w.attr_state[at]), w.attr_verdict[at])
    for row in range(len(doc.tag)):
        if w.row_verdict[row] >= 0:
            w.row_verdict[row] = known_verdict(r, at_of(c, w.states[row]), w.row_verdict[row])
    w.header[LOOKED] = 1


@inlined
def _known_value(c, r, constants, state, data, start, end):  # type: ignore[no-untyped-def]
    """The number of a value that somebody asks about, or -1."""
    if state <= DEAD:
        return np.int32(-1)
    known = LINE * np.int64(at_of(c, state))
    if c.known[known + TOLD] < 0 or c.known[known + VALUES] == 0:
        return np.int32(-1)
    return known_value(r, constants, data, start, end)


@inlined
def _go_up(p, forest, constants, doc, spaces, out, number):  # type: ignore[no-untyped-def]
    """Visits the rows in reverse document order, and before each the text nodes that begin in it or behind it:
    their parents are the row and its ancestors."""
    h = p.walk.header
    for row in range(h[AT], -1, -1):
        if forest.trie.header[HAS_TEXT]:
            while h[TEXT_AT] > 0 and doc.text_offset[h[TEXT_AT] - 1] >= doc.text_start[row]:
                stopped = _text(p, forest, constants, doc, spaces, out, h[TEXT_AT] - 1, number)
                if stopped != FINISHED:
                    h[AT] = row
                    return stopped
                h[TEXT_AT] -= 1
        stopped = _row(p, forest, constants, doc, spaces, out, row, number)
        if stopped != FINISHED:
            h[AT] = row
            return stopped
    return FINISHED


@inlined
def _begin(w, f, rows):  # type: ignore[no-untyped-def]
    """Makes ready for a new document."""
    w.header[PHASE] = DESCENT
    w.header[AT] = 0
    w.header[LOOKED] = 0
    for row in range(rows):
        w.states[row] = UNKNOWN
        w.gathered[row] = EMPTY_SET
    f.header[CANDIDATES] = 0
    f.header[TOUCHED] = 0
    f.header[HITS_OF] = -1


@kernel
def walk(part_address, forest_address, constants_address, document_address, spaces, out, number):  # type: ignore[no-untyped-def]
    """Goes on with a document where the header says; sets the bits of slots that match, and lists the candidates.
    Returns FINISHED, or what must grow before it is called again."""
    p, forest = part_at(part_address), forest_at(forest_address)
    constants, doc = constants_at(constants_address), document_at(document_address)
    h = p.walk.header
    if h[PHASE] == FRESH:
        _begin(p.walk, p.found, len(doc.tag))
    if h[PHASE] == DESCENT:
        stopped = _go_down(p, forest, doc, spaces)
        if stopped != FINISHED:
            return stopped
        h[PHASE] = ASCENT
        h[AT] = len(doc.tag) - 1
        h[TEXT_AT] = len(doc.text_parent)
        _look_ahead(p, constants, doc)
    if h[PHASE] == ASCENT:
        stopped = _go_up(p, forest, constants, doc, spaces, out, number)
        if stopped != FINISHED:
            return stopped
        h[PHASE] = DONE
    finish_groups(p.found, forest.trie, out, number)
    return FINISHED


@kernel
def restore(part_address, row, members):  # type: ignore[no-untyped-def]
    """Gathers facts for a row again; False when the arrays must grow first."""
    p = part_at(part_address)
    for at in range(len(members)):
        p.rise.work[at] = members[at]
    gathered = pile_of(p.rise, len(members))
    if gathered >= 0:
        p.walk.gathered[row] = gathered
    return gathered >= 0
