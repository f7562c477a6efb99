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
    """Key and value of each place lie side by side, so that a look-up touches one line of memory. `used` holds
    the number of entries and the seed."""

    entries: npt.NDArray[np.int64]
    used: npt.NDArray[np.int64]


def new_table(capacity: int) -> Table:
    """A table with room for `capacity` entries at least."""
    size = 16
    while size < 2 * capacity:
        size *= 2
    return Table(np.full(2 * size, FREE, np.int64), np.array([0, secrets.randbits(62)], np.int64))


def room(table: Table, more: int) -> Table:
    """The table itself, or a larger one with the same entries, with room for `more` of them. O(1) amortised."""
    if fits(table, more):
        return table
    larger = new_table(int(table.used[0]) + more)
    _copy(table.entries, larger)
    return larger


def clear(table: Table) -> None:
    table.entries.fill(FREE)
    table.used[0] = 0


def fits(table: Table, more: int) -> bool:
    """Whether there is room for `more` entries."""
    return bool(4 * (table.used[0] + more) <= len(table.entries))


@inlined
def has_room(table, more):  # type: ignore[no-untyped-def]
    """The same, for kernels."""
    return 4 * (table.used[0] + more) <= len(table.entries)


@inlined
def find(table, key):  # type: ignore[no-untyped-def]
    """The value of a key, or -1."""
    entries = table.entries
    mask = len(entries) - 1
    at = (np.int64(mix(key ^ table.used[1])) << 1) & mask
    while True:
        found = entries[at]
        if found == key:
            return np.int32(entries[at + 1])
        if found == FREE:
            return np.int32(-1)
        at = (at + 2) & mask


@inlined
def put(table, key, value):  # type: ignore[no-untyped-def]
    """Enters a key that is not there."""
    entries = table.entries
    mask = len(entries) - 1
    at = (np.int64(mix(key ^ table.used[1])) << 1) & mask
    while entries[at] != FREE:
        at = (at + 2) & mask
    entries[at] = key
    entries[at + 1] = value
    table.used[0] += 1


@kernel
def _copy(entries, larger):  # type: ignore[no-untyped-def]
    for at in range(0, len(entries), 2):
        if entries[at] != FREE:
            put(larger, entries[at], entries[at + 1])
