"""Hash tables in flat arrays, for kernels: open addressing, linear probing, sizes that are powers of two.

A table maps non-negative 64-bit keys to non-negative 32-bit values; -1 marks a free place. Nothing is ever deleted
from one: what dies goes when the structure around it is built anew. The caller keeps them at most half full
(`room`), so that a probe always ends.

Each table hashes with a seed of its own: keys are made of names and numbers that strangers choose, and nobody can
choose them to meet in one place.

This module knows nothing of what the keys mean.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined, kernel
from xylem.matching.text import mix

FREE = -1


class Table(NamedTuple):
    """`used` holds the number of entries and the seed."""

    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.int32]
    used: npt.NDArray[np.int64]


def new_table(capacity: int) -> Table:
    """A table with room for `capacity` entries at least."""
    size = 16
    while size < 2 * capacity:
        size *= 2
    return Table(np.full(size, FREE, np.int64), np.zeros(size, np.int32), np.array([0, secrets.randbits(62)], np.int64))


def room(table: Table, more: int) -> Table:
    """The table itself, or a larger one with the same entries, with room for `more` of them. O(1) amortised."""
    needed = int(table.used[0]) + more
    if 2 * needed <= len(table.keys):
        return table
    larger = new_table(2 * needed)
    _copy(table, larger)
    return larger


def clear(table: Table) -> None:
    table.keys.fill(FREE)
    table.used[0] = 0


def size_bytes(table: Table) -> int:
    return table.keys.nbytes + table.values.nbytes


@inlined
def find(table, key):  # type: ignore[no-untyped-def]
    """The value of a key, or -1."""
    mask = len(table.keys) - 1
    at = np.int64(mix(key ^ table.used[1])) & mask
    while True:
        found = table.keys[at]
        if found == key:
            return table.values[at]
        if found == FREE:
            return np.int32(-1)
        at = (at + 1) & mask


@inlined
def put(table, key, value):  # type: ignore[no-untyped-def]
    """Enters a key that is not there."""
    mask = len(table.keys) - 1
    at = np.int64(mix(key ^ table.used[1])) & mask
    while table.keys[at] != FREE:
        at = (at + 1) & mask
    table.keys[at] = key
    table.values[at] = value
    table.used[0] += 1


@kernel
def _copy(table, larger):  # type: ignore[no-untyped-def]
    for at in range(len(table.keys)):
        if table.keys[at] != FREE:
            put(larger, table.keys[at], table.values[at])
