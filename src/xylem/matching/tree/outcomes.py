"""What follows for one node of a document from what is below it: the twigs that hold, and the facts that it proves.

An outcome is worked out once for a state and a gathering. Twigs are asked when a fact that they watch was gathered;
most are dismissed by another fact that they need. The facts of being at the state's trie nodes are the same for all
gatherings and are merged in; facts that somebody further up may ask for rise on.

This module knows nothing of how outcomes are used.
"""

from __future__ import annotations

import numpy as np

from xylem.kernels import inlined
from xylem.matching.program import EXISTS, FALSE, JUMP_FALSE, JUMP_TRUE, NOT, TRUE
from xylem.matching.tables import find, has_room, put
from xylem.matching.tree.cache import ASKED as ASKED_ENDS
from xylem.matching.tree.cache import LINE, NO_ROOM, OPEN, PRESENT, SLOTS, TOLD, at_of, deep_of, flags_of
from xylem.matching.tree.cache import VALUES as VALUED_NODES
from xylem.matching.tree.rise import (
    ASKED_FOR,
    COUNT,
    LIST,
    MET_BY,
    NOTHING,
    OUTCOMES,
    PROVED,
    PROVES,
    RECORD,
    next_turn,
    pile_of_ascending,
    stamp,
)
from xylem.matching.tree.sets import EMPTY_SET, USED, sets_fit, sort
from xylem.matching.tree.trie import DEEP as GOES_ON
from xylem.matching.tree.trie import FACTUAL
from xylem.matching.tree.twigs import ALSO, ASKED, CODE, EMIT, OWNER, TWIG_OF, WATCH_LINE, fact_field


@inlined
def outcome(r, c, trie, facts, state, gathered):  # type: ignore[no-untyped-def]
    """What follows for a node at a state, whose set was told, with what was gathered for it; NO_ROOM when the arrays
    must grow first."""
    if gathered == EMPTY_SET and not flags_of(c, at_of(c, state)) & FACTUAL:
        return np.int32(NOTHING)
    key = (np.int64(state) << 31) | np.int64(gathered)
    found = find(r.outcomes, key)
    if found < 0:
        found = _new_outcome(r, c, trie, facts, state, gathered)
        if found >= 0:
            put(r.outcomes, key, found)
    return found


@inlined
def _new_outcome(r, c, trie, facts, state, gathered):  # type: ignore[no-untyped-def]
    if RECORD * r.header[OUTCOMES] == len(r.outcome) or not has_room(r.outcomes, 1):
        return np.int32(NO_ROOM)
    first = r.piles.start[gathered]
    last = first + r.piles.size[gathered]
    deep = False
    for at in range(first, last):
        deep |= _mark_gathered(r, facts, r.piles.arena[at], 1)
    proved, matched = _consequences(r, c, trie, facts, state, first, last, deep)
    for at in range(first, last):
        _mark_gathered(r, facts, r.piles.arena[at], 0)
    if not sets_fit(r.sets, 1, proved + matched) or not sets_fit(r.piles, 1, 1):
        return np.int32(NO_ROOM)
    new = np.int32(r.header[OUTCOMES])
    r.header[OUTCOMES] += 1
    known = RECORD * np.int64(new)
    r.outcome[known + PROVES] = pile_of_ascending(r, proved)
    start = r.sets.header[USED]
    r.outcome[known + LIST] = start
    for at in range(matched):
        r.sets.arena[start + at] = r.slots[at]
    r.sets.header[USED] += matched
    r.outcome[known + COUNT] = matched
    r.outcome[known + MET_BY] = -1
    return new


@inlined
def _consequences(r, c, trie, facts, state, first, last, deep):  # type: ignore[no-untyped-def]
    """Writes the facts that a node proves to `work`, ascending, and the slots that match to `slots`; how many. The
    sets that were gathered stand in the piles' arena from `first` to `last`; `deep`: some of their facts may be asked
    for from far above."""
    turn = next_turn(r)
    if deep:
        _mark_nodes(r, c, trie, at_of(c, state), turn)
    proved, matched = 0, 0
    for at in range(first, last):
        proved, matched = _from_below(r, facts, r.piles.arena[at], proved, matched, turn)
    proved, matched = _ask_open(r, c, facts, at_of(c, state), proved, matched, turn)
    if deep:
        for at in range(first, last):
            proved = _rising(r, c, facts, deep_of(c, state), r.piles.arena[at], proved, turn)
    sort(r.work, 0, proved)
    return _with_presence(r, c, at_of(c, state), proved), matched


@inlined
def _mark_nodes(r, c, trie, group, turn):  # type: ignore[no-untyped-def]
    """Stamps the nodes of a set that go on asking below."""
    start = c.sets.start[group]
    for at in range(start, start + c.sets.size[group]):
        node = c.sets.arena[at]
        if trie.node_flags[node] & GOES_ON:
            r.node_turn[node] = turn


@inlined
def _is_member(sets, group, wanted):  # type: ignore[no-untyped-def]
    """Whether a set in ascending order has a member. O(log n)."""
    low = sets.start[group]
    end = high = low + sets.size[group]
    while low < high:
        middle = (low + high) >> 1
        if sets.arena[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < end and sets.arena[low] == wanted


@inlined
def _mark_gathered(r, facts, group, mark):  # type: ignore[no-untyped-def]
    """Marks the facts of a set as gathered, or not any more; whether twigs may ask for some of them from far above."""
    deep = np.uint8(0)
    arena, start = r.sets.arena, r.sets.start[group]
    for at in range(start, start + r.sets.size[group]):
        r.gathered[arena[at]] = mark
        deep |= facts.deep[arena[at]]
    return deep != 0


@inlined
def _from_below(r, facts, group, proved, matched, turn):  # type: ignore[no-untyped-def]
    """Asks the twigs that watch some facts; how many facts are proved and slots matched."""
    start = r.sets.start[group]
    for at in range(start, start + r.sets.size[group]):
        fact = r.sets.arena[at]
        watches = facts.watched[2 * np.int64(fact) + 1]
        if watches == 0 or (facts.deep[fact] and r.node_turn[fact_field(facts, fact, OWNER)] != turn):
            continue
        first = WATCH_LINE * np.int64(facts.watched[2 * np.int64(fact)])
        for line in range(first, first + WATCH_LINE * watches, WATCH_LINE):
            also = facts.watch[line + ALSO]
            if also < 0 or r.gathered[also]:
                proved, matched = _ask(r, facts, facts.watch[line + TWIG_OF], proved, matched, turn)
    return proved, matched


@inlined
def _ask_open(r, c, facts, group, proved, matched, turn):  # type: ignore[no-untyped-def]
    """Asks the twigs at the nodes of a set that may hold though nothing was gathered."""
    known = LINE * np.int64(group)
    at = _presence(c, known) + c.known[known + PRESENT]
    for place in range(at, at + c.known[known + OPEN]):
        proved, matched = _ask(r, facts, c.sets.arena[place], proved, matched, turn)
    return proved, matched


@inlined
def _presence(c, known):  # type: ignore[no-untyped-def]
    """Where the list of the facts of being at the nodes of a set begins."""
    return c.known[known + TOLD] + c.known[known + SLOTS] + c.known[known + ASKED_ENDS] + c.known[known + VALUED_NODES]


@inlined
def _with_presence(r, c, group, proved):  # type: ignore[no-untyped-def]
    """Merges the facts of being here into those in `work`, from the back; both ascend, and they share none but what
    has risen from a node below of the same kind. How many there are then."""
    known = LINE * np.int64(group)
    start = _presence(c, known)
    count = c.known[known + PRESENT]
    arena, work = c.sets.arena, r.work
    left, right = np.int64(proved) - 1, start + count - 1
    out = left + count
    while right >= start:
        if left >= 0 and work[left] > arena[right]:
            work[out] = work[left]
            left -= 1
        else:
            if left >= 0 and work[left] == arena[right]:
                left -= 1
            work[out] = arena[right]
            right -= 1
        out -= 1
    gap = out - left  # what was in both leaves one
    if gap > 0:
        for at in range(out + 1, np.int64(proved) + count):
            work[at - gap] = work[at]
    return np.int64(proved) + count - gap


@inlined
def _ask(r, facts, twig, proved, matched, turn):  # type: ignore[no-untyped-def]
    """Whether a twig holds, once a turn; if it does, it is proved, and its subscriptions match."""
    if not stamp(r, twig, ASKED_FOR, turn):
        return proved, matched
    if _holds(r, facts, np.int64(fact_field(facts, twig, CODE)) + 1):
        if fact_field(facts, twig, ASKED):
            stamp(r, twig, PROVED, turn)
            r.work[proved] = twig
            proved += 1
        emit = fact_field(facts, twig, EMIT)
        while emit >= 0:
            r.slots[matched] = facts.emit_slot[emit]
            matched += 1
            emit = facts.emit_next[emit]
    return proved, matched


@inlined
def _holds(r, facts, start):  # type: ignore[no-untyped-def]
    """Runs a twig's code over the facts that were gathered."""
    codes = facts.codes
    at = start
    truth = True
    while True:
        op = codes[at]
        if op == EXISTS:
            truth = r.gathered[codes[at + 1]] != 0
            at += 2
        elif op == JUMP_FALSE:
            at = at + 2 if truth else start + codes[at + 1]
        elif op == JUMP_TRUE:
            at = start + codes[at + 1] if truth else at + 2
        elif op == NOT:
            truth = not truth
            at += 1
        elif op == TRUE or op == FALSE:
            truth = op == TRUE
            at += 1
        else:
            return truth


@inlined
def _rising(r, c, facts, above, group, proved, turn):  # type: ignore[no-untyped-def]
    """Adds the facts of a set from below that somebody further up may ask for, who is at a node of the set `above`."""
    start = r.sets.start[group]
    for at in range(start, start + r.sets.size[group]):
        fact = r.sets.arena[at]
        if not facts.deep[fact]:
            continue
        owner = fact_field(facts, fact, OWNER)
        if stamp(r, fact, PROVED, turn) and (r.node_turn[owner] == turn or _is_member(c.sets, above, owner)):
            r.work[proved] = fact
            proved += 1
    return proved
