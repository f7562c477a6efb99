"""One document through one trie: the loop over rows that everything else serves.

Each row's state follows from its parent's; a set that is met for the first time in the document tells what
matches there; values are tested where tests hang. The walk stops when arrays must grow and goes on at the same row,
which is safe because reaching an end twice says nothing new. States may be forgotten in between: a row whose
state is unknown gets it from its ancestors again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined, kernel
from xylem.matching.arrays import grown
from xylem.matching.evaluate import evaluate
from xylem.matching.tree.cache import (
    DEAD,
    NO_ROOM,
    move,
    start_state,
    tell_set,
)
from xylem.matching.tree.trie import ATTRIBUTE, DESC_ATTRIBUTE, DESC_TEXT, HAS_TEXT, TEXT, VALUED
from xylem.matching.tree.values import CANDIDATES, HITS_OF, TOUCHED, ask, finish_groups, take_value
from xylem.xpath.pattern import Kind

_ELEMENT, _ATTRIBUTE, _TEXT = (int(kind) for kind in Kind)
UNKNOWN = -1

# phases, and what the walk answers when it stops
ROWS, TEXTS, DONE = range(3)
FINISHED, CACHE_FULL, HITS_FULL = range(3)

# header fields
PHASE, AT, EVALUATED, MATCHED = range(4)


class WalkArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    states: npt.NDArray[np.int32]  # per row
    path: npt.NDArray[np.int32]
    work: npt.NDArray[np.int32]  # where sets are put together


def new_walk() -> WalkArrays:
    return WalkArrays(np.zeros(8, np.int64), np.zeros(64, np.int32), np.zeros(64, np.int32), np.zeros(4096, np.int32))


def fitted_walk(w: WalkArrays, rows: int) -> WalkArrays:
    if len(w.states) >= rows:
        return w
    return w._replace(states=grown(w.states, rows), path=grown(w.path, rows))


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
def _visit(f, c, trie, out, group, number):  # type: ignore[no-untyped-def]
    """What follows from meeting a set, once a document. False when the arrays must grow."""
    if c.set_seen[group] == number:
        return True
    if not tell_set(c, trie, group):
        return False
    c.set_seen[group] = number
    at = c.set_told[group]
    for place in range(at, at + c.set_slots[group]):
        slot = c.arena[place]
        out[slot >> 6] |= np.uint64(1) << np.uint64(slot & 63)
    at += c.set_slots[group]
    for place in range(at, at + c.set_asked[group]):
        ask(f, trie, out, c.arena[place], number)
    return True


@inlined
def _meet(f, c, trie, constants, out, group, data, start, end, in_text, number):  # type: ignore[no-untyped-def]
    """A node of the document at a set, with its value. FINISHED, or what must grow."""
    if not _visit(f, c, trie, out, group, number):
        return CACHE_FULL
    if c.set_valued[group] > 0:
        at = c.set_told[group] + c.set_slots[group] + c.set_asked[group]
        nodes = c.arena[at : at + c.set_valued[group]]
        flags = c.set_flags[group] & VALUED
        if take_value(f, trie, constants, out, data, start, end, nodes, flags, in_text, number) != 0:
            return HITS_FULL
    return FINISHED


@inlined
def _row(w, f, c, trie, constants, doc, spaces, out, row, number):  # type: ignore[no-untyped-def]
    state = _state_of(w, c, trie, doc, spaces, row)
    if state == NO_ROOM:
        return CACHE_FULL
    if state == DEAD:
        return FINISHED
    group = c.state_at[state]
    if group != 0:
        start, end = np.int64(doc.text_start[row]), np.int64(doc.text_end[row])
        stopped = _meet(f, c, trie, constants, out, group, doc.text, start, end, True, number)
        if stopped != FINISHED:
            return stopped
    if (c.set_flags[group] & ATTRIBUTE) | (c.set_flags[c.state_deep[state]] & DESC_ATTRIBUTE):
        for at in range(doc.attr_start[row], doc.attr_start[row + 1]):
            name = doc.attr_name[at]
            below = move(c, trie, state, _ATTRIBUTE, name, _space(spaces, name), w.work)
            if below == NO_ROOM:
                return CACHE_FULL
            if below != DEAD:
                start, end = np.int64(doc.attr_offset[at]), np.int64(doc.attr_offset[at + 1])
                group = c.state_at[below]
                stopped = _meet(f, c, trie, constants, out, group, doc.attr_text, start, end, False, number)
                if stopped != FINISHED:
                    return stopped
    return FINISHED


@inlined
def _text(w, f, c, trie, constants, doc, spaces, out, at, number):  # type: ignore[no-untyped-def]
    state = _state_of(w, c, trie, doc, spaces, doc.text_parent[at])
    if state == NO_ROOM:
        return CACHE_FULL
    if not (c.set_flags[c.state_at[state]] & TEXT) | (c.set_flags[c.state_deep[state]] & DESC_TEXT):
        return FINISHED
    below = move(c, trie, state, _TEXT, 0, np.int32(0), w.work)
    if below == NO_ROOM:
        return CACHE_FULL
    if below == DEAD:
        return FINISHED
    start, end = np.int64(doc.text_offset[at]), np.int64(doc.text_offset[at + 1])
    return _meet(f, c, trie, constants, out, c.state_at[below], doc.text, start, end, True, number)


@kernel
def walk(w, f, c, trie, constants, doc, spaces, out, number):  # type: ignore[no-untyped-def]
    """Goes on with a document where `header` says; sets the bits of slots whose chains are reached, and lists the
    candidates. Returns FINISHED, or what must grow before it is called again."""
    if w.header[PHASE] == ROWS:
        for row in range(w.header[AT], len(doc.tag)):
            stopped = _row(w, f, c, trie, constants, doc, spaces, out, row, number)
            if stopped != FINISHED:
                w.header[AT] = row
                return stopped
        w.header[PHASE] = TEXTS
        w.header[AT] = 0
    if w.header[PHASE] == TEXTS and trie.header[HAS_TEXT]:
        for at in range(w.header[AT], len(doc.text_parent)):
            stopped = _text(w, f, c, trie, constants, doc, spaces, out, at, number)
            if stopped != FINISHED:
                w.header[AT] = at
                return stopped
    w.header[PHASE] = DONE
    finish_groups(f, trie, out, number)
    return FINISHED


@kernel
def begin(w, f, rows):  # type: ignore[no-untyped-def]
    """Makes ready for a new document."""
    w.header[PHASE] = ROWS
    w.header[AT] = 0
    w.states[:rows] = UNKNOWN
    f.header[CANDIDATES] = 0
    f.header[TOUCHED] = 0
    f.header[HITS_OF] = -1


@kernel
def decide(w, f, trie, e, doc, constants, spaces, programs, alive, out, number):  # type: ignore[no-untyped-def]
    """Evaluates the candidates that have reached all they need."""
    for at in range(f.header[CANDIDATES]):
        who = f.candidates[at]
        slot = trie.complex_slot[who]
        bit = np.uint64(1) << np.uint64(slot & 63)
        if out[slot >> 6] & bit or not alive[slot >> 6] & bit:
            continue
        complete = True
        for place in range(trie.complex_required[who], trie.complex_required[who + 1]):
            if f.end_seen[trie.required[place]] != number:
                complete = False
                break
        if complete:
            w.header[EVALUATED] += 1
            if evaluate(e, doc, constants, spaces, programs, trie.complex_program[who], number):
                out[slot >> 6] |= bit


@kernel
def decide_open(slots, bases, e, doc, constants, spaces, programs, alive, out, number):  # type: ignore[no-untyped-def]
    """Evaluates the subscriptions that have no necessary chain."""
    for at in range(len(slots)):
        word, bit = slots[at] >> 6, np.uint64(1) << np.uint64(slots[at] & 63)
        if alive[word] & bit and evaluate(e, doc, constants, spaces, programs, bases[at], number):
            out[word] |= bit


@kernel
def collect(out, always, alive, subscriptions, found):  # type: ignore[no-untyped-def]
    """Writes the subscriptions whose bits are set, or always match, and are alive to `found`, clears the bits; how
    many, and whether they ascend."""
    count = 0
    ascending = True
    last = np.int32(-1)
    for word in range(len(alive)):
        bits = (out[word] | always[word]) & alive[word]
        out[word] = 0
        while bits != 0:
            low = bits & (~bits + np.uint64(1))
            slot = word * 64 + _position(low)
            bits ^= low
            subscription = subscriptions[slot]
            found[count] = subscription
            ascending &= subscription > last
            last = subscription
            count += 1
    return count, ascending


@inlined
def _position(bit):  # type: ignore[no-untyped-def]
    """The number of the only bit that is set: a multiplication by a de Bruijn sequence."""
    return _DE_BRUIJN[(bit * np.uint64(0x03F79D71B4CB0A89)) >> np.uint64(58)]


_DE_BRUIJN = np.zeros(64, np.int64)
for _at in range(64):
    _DE_BRUIJN[((0x03F79D71B4CB0A89 << _at) & 0xFFFFFFFFFFFFFFFF) >> 58] = _at
