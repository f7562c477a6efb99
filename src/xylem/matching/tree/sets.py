"""Sets of small integers, each kept once and known by a number: what states of automatons are made of.

A set is a run of integers in an arena; equal runs get equal numbers, so whoever asks must write the members in
an order that follows from the set alone. Set 0 is the empty one. The arena may hold other runs too.

This module knows nothing of what the members are.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined
from xylem.matching.arrays import grown
from xylem.matching.tables import Table, clear, find, has_room, new_table, put, room
from xylem.matching.text import mix

EMPTY_SET = 0

# header fields
SETS, USED, WANTED, SEED = range(4)  # WANTED: members that were asked for last


class SetArrays(NamedTuple):
    header: npt.NDArray[np.int64]
    arena: npt.NDArray[np.int32]
    start: npt.NDArray[np.int64]
    size: npt.NDArray[np.int32]
    following: npt.NDArray[np.int32]  # another set with the same hash, or -1
    table: Table


def new_sets(sets: int, members: int) -> SetArrays:
    """A store that holds the empty set."""
    made = SetArrays(
        np.array([0, 0, 0, secrets.randbits(62)], np.int64),
        np.zeros(members, np.int32),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int32),
        np.zeros(sets, np.int32),
        new_table(sets),
    )
    clear_sets(made)
    return made


def clear_sets(s: SetArrays) -> None:
    """Forgets everything but the empty set."""
    clear(s.table)
    s.header[USED] = 0
    s.header[SETS] = 1
    s.start[EMPTY_SET] = s.size[EMPTY_SET] = 0


def enlarged_sets(s: SetArrays, members: int) -> SetArrays:
    """Room for twice as many sets where they fill half, and for `members` more integers at least, or as many as were
    asked for last."""
    members = max(members, int(s.header[WANTED]))
    if s.header[USED] + members > len(s.arena):
        s = s._replace(arena=grown(s.arena, int(s.header[USED]) + members))
    if 2 * s.header[SETS] >= len(s.start):
        sets = 2 * len(s.start)
        s = s._replace(
            start=grown(s.start, sets), size=grown(s.size, sets), following=grown(s.following, sets),
            table=room(s.table, sets - int(s.header[SETS])),
        )  # fmt: skip
    return s


def members(s: SetArrays, group: int) -> npt.NDArray[np.int32]:
    """The members of a set."""
    start = s.start[group]
    return s.arena[start : start + s.size[group]]


@inlined
def sets_fit(s, sets, members):  # type: ignore[no-untyped-def]
    """Whether there is room for so many more sets with so many members in all."""
    s.header[WANTED] = members
    return (
        s.header[USED] + members <= len(s.arena) and s.header[SETS] + sets <= len(s.start) and has_room(s.table, sets)
    )


@inlined
def _hash(members, count, seed):  # type: ignore[no-untyped-def]
    """A key for a set. The seed is a secret, so that documents cannot be written to make sets collide."""
    key = np.uint64(seed)
    for at in range(0, count - 1, 2):
        key = (key ^ (np.uint64(members[at]) << np.uint64(32)) ^ np.uint64(members[at + 1])) * np.uint64(
            0x9E3779B97F4A7C15
        )
        key ^= key >> np.uint64(29)
    if count & 1:
        key = mix(key ^ np.uint64(members[count - 1]))
    return np.int64(mix(key) >> np.uint64(1))


@inlined
def intern(s, members, count):  # type: ignore[no-untyped-def]
    """The number of a set, given one now if it has none; there must be room. O(count)."""
    if count == 0:
        return np.int32(EMPTY_SET)
    hashed = _hash(members, count, s.header[SEED])
    twin = find(s.table, hashed)
    found = twin
    while found >= 0:
        if s.size[found] == count:
            start = s.start[found]
            at = 0
            while at < count and s.arena[start + at] == members[at]:
                at += 1
            if at == count:
                return found
        found = s.following[found]
    new = np.int32(s.header[SETS])
    s.header[SETS] += 1
    start = s.header[USED]
    for at in range(count):
        s.arena[start + at] = members[at]
    s.header[USED] += count
    s.start[new] = start
    s.size[new] = count
    s.following[new] = -1
    if twin >= 0:
        s.following[new] = s.following[twin]
        s.following[twin] = new
    else:
        put(s.table, hashed, new)
    return new


@inlined
def sort(values, start, end):  # type: ignore[no-untyped-def]
    """Shell's sort: in place, no recursion; what comes here is short or nearly sorted."""
    gap = 1
    while gap < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(start + gap, end):
            value = values[at]
            place = at
            while place >= start + gap and values[place - gap] > value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value
        gap //= 3
