"""The strings and numbers that subscriptions compare with, interned as small integers.

A value of a document is looked up once and then stands for itself: if nobody compares with it, no
equality can hold. Strings that are looked for *inside* values (`contains`, `starts-with`) also stand in a
trie of bytes, so that one pass over a text finds all of them. A node keeps up to `NEEDLES_KEPT` strings that go on
from it, to be compared; more of them move down, each by its next byte, so that a thousand strings with one beginning
cost no more than a few.

Constants are hashed with a seed of their own, so that nobody can choose colliding ones. They are never
removed one by one; a rebuilt engine starts with new ones.

This module knows nothing of who compares what.
"""

from __future__ import annotations

import math
import secrets
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.kernels import inlined, kernel
from xylem.matching.arrays import grown
from xylem.matching.tables import Table, find, new_table, put, room
from xylem.matching.text import equal, mix

LONGEST_NEEDLE = 256  # bytes; whoever has longer ones must look for them otherwise
NEEDLES_KEPT = 8  # at a node of the trie
_EAGER = 2  # bytes by which strings are always told apart: few texts come that far
_ROOT = 0

# header fields
STRINGS, NUMBERS, NEEDLE_NODES, LONGEST, SEED, NEEDLES = range(6)


class ConstantArrays(NamedTuple):
    """What kernels see. String i is `data[string_start[i] : string_start[i + 1]]`."""

    header: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]
    string_start: npt.NDArray[np.int64]
    string_next: npt.NDArray[np.int32]  # another string with the same hash, or -1
    strings: Table
    number_value: npt.NDArray[np.float64]
    number_next: npt.NDArray[np.int32]
    numbers: Table
    needle_edges: Table  # node * 256 + byte -> node
    needle_head: npt.NDArray[np.int32]  # per node: first string that ends here or is kept here, or -1
    needle_next: npt.NDArray[np.int32]  # per string: the next one at the same node
    needle_known: npt.NDArray[np.uint8]  # per string: whether it is in the trie
    needle_pairs: npt.NDArray[np.uint8]  # a bit for each pair of bytes that some needle begins with


class Constants:
    """Grows with what is interned; O(length) for each."""

    def __init__(self) -> None:
        header = np.zeros(8, np.int64)
        header[NEEDLE_NODES] = 1
        header[SEED] = secrets.randbits(62)
        self.arrays = ConstantArrays(
            header,
            np.zeros(1024, np.uint8),
            np.zeros(65, np.int64),
            np.full(64, -1, np.int32),
            new_table(64),
            np.zeros(64, np.float64),
            np.full(64, -1, np.int32),
            new_table(64),
            new_table(64),
            np.full(64, -1, np.int32),
            np.full(64, -1, np.int32),
            np.zeros(64, np.uint8),
            np.zeros(8192, np.uint8),
        )

    def string(self, value: bytes) -> int:
        """The number of a string, given one now if it has none."""
        a = self.arrays
        count, used = int(a.header[STRINGS]), int(a.string_start[a.header[STRINGS]])
        self.arrays = a = a._replace(
            data=grown(a.data, used + len(value)),
            string_start=grown(a.string_start, count + 2),
            string_next=grown(a.string_next, count + 1, -1),
            strings=room(a.strings, 1),
            needle_next=grown(a.needle_next, count + 1, -1),
            needle_known=grown(a.needle_known, count + 1),
        )
        return int(_intern_string(a, np.frombuffer(value or b"\0", np.uint8), len(value)))

    def number(self, value: float) -> int:
        a = self.arrays
        count = int(a.header[NUMBERS])
        self.arrays = a = a._replace(
            number_value=grown(a.number_value, count + 1),
            number_next=grown(a.number_next, count + 1, -1),
            numbers=room(a.numbers, 1),
        )
        return int(_intern_number(a, value))

    def needle(self, string: int) -> None:
        """From now on texts are searched for this string."""
        a = self.arrays
        if a.needle_known[string]:
            return
        nodes = int(a.header[NEEDLE_NODES])
        most = _EAGER + (NEEDLES_KEPT + 1) * LONGEST_NEEDLE  # if all that are kept move down, level after level
        self.arrays = a = a._replace(
            needle_edges=room(a.needle_edges, most), needle_head=grown(a.needle_head, nodes + most, -1)
        )
        _enter_needle(a, string)

    def size_bytes(self) -> int:
        return sum(
            part.nbytes if isinstance(part, np.ndarray) else part.keys.nbytes + part.values.nbytes
            for part in self.arrays
        )


@inlined
def _hash_string(a, data, start, end):  # type: ignore[no-untyped-def]
    value = np.uint64(a.header[SEED])
    for at in range(start, end):
        value = (value ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
    return np.int64(mix(value) >> np.uint64(1))


@inlined
def find_string(a, data, start, end):  # type: ignore[no-untyped-def]
    """The number of the string that stands there, or -1."""
    if end - start > a.header[LONGEST]:
        return np.int32(-1)
    found = find(a.strings, _hash_string(a, data, start, end))
    while found >= 0:
        if equal(data, start, end, a.data, a.string_start[found], a.string_start[found + 1]):
            return found
        found = a.string_next[found]
    return np.int32(-1)


@inlined
def _hash_number(a, value):  # type: ignore[no-untyped-def]
    """A key for a double that is not NaN; both zeros are one number."""
    if math.isinf(value):
        bits = np.int64(value > 0)
    else:
        mantissa, exponent = math.frexp(value)
        bits = np.int64(mantissa * 9007199254740992.0) * 4096 + exponent
    return np.int64(mix(np.uint64(bits) ^ np.uint64(a.header[SEED])) >> np.uint64(1))


@inlined
def find_number(a, value):  # type: ignore[no-untyped-def]
    """The number's number, or -1; -1 for NaN."""
    if a.header[NUMBERS] == 0 or value != value:
        return np.int32(-1)
    found = find(a.numbers, _hash_number(a, value))
    while found >= 0 and a.number_value[found] != value:
        found = a.number_next[found]
    return found


@kernel
def _intern_string(a, data, length):  # type: ignore[no-untyped-def]
    found = find_string(a, data, 0, length)
    if found >= 0:
        return found
    new = np.int32(a.header[STRINGS])
    start = a.string_start[new]
    for at in range(length):
        a.data[start + at] = data[at]
    a.string_start[new + 1] = start + length
    key = _hash_string(a, data, 0, length)
    twin = find(a.strings, key)
    if twin >= 0:
        a.string_next[new] = a.string_next[twin]
        a.string_next[twin] = new
    else:
        put(a.strings, key, new)
    a.header[STRINGS] += 1
    a.header[LONGEST] = max(a.header[LONGEST], length)
    return new


@kernel
def _intern_number(a, value):  # type: ignore[no-untyped-def]
    found = find_number(a, value)
    if found >= 0:
        return found
    new = np.int32(a.header[NUMBERS])
    a.number_value[new] = value
    key = _hash_number(a, value)
    twin = find(a.numbers, key)
    if twin >= 0:
        a.number_next[new] = a.number_next[twin]
        a.number_next[twin] = new
    else:
        put(a.numbers, key, new)
    a.header[NUMBERS] += 1
    return new


@inlined
def _needle_below(a, node, byte, make):  # type: ignore[no-untyped-def]
    """The node that a byte leads to; -1 if there is none and none is to be made."""
    below = find(a.needle_edges, node * 256 + byte)
    if below < 0 and make:
        below = np.int32(a.header[NEEDLE_NODES])
        a.header[NEEDLE_NODES] += 1
        put(a.needle_edges, node * 256 + byte, below)
    return np.int64(below)


@inlined
def _is_crowded(a, node, depth):  # type: ignore[no-untyped-def]
    going_on = 0
    string = a.needle_head[node]
    while string >= 0:
        going_on += a.string_start[string + 1] - a.string_start[string] > depth
        string = a.needle_next[string]
    return going_on > NEEDLES_KEPT


@inlined
def _spread(a, node, depth):  # type: ignore[no-untyped-def]
    """Moves the strings that go on from a node to the nodes that their next bytes lead to."""
    string = a.needle_head[node]
    a.needle_head[node] = -1
    while string >= 0:
        following = a.needle_next[string]
        start, end = a.string_start[string], a.string_start[string + 1]
        there = node if end - start == depth else _needle_below(a, node, a.data[start + depth], True)
        a.needle_next[string] = a.needle_head[there]
        a.needle_head[there] = string
        string = following


@kernel
def _enter_needle(a, string):  # type: ignore[no-untyped-def]
    start = a.string_start[string]
    length = a.string_start[string + 1] - start
    node = np.int64(_ROOT)
    depth = 0
    while depth < length:
        below = _needle_below(a, node, a.data[start + depth], depth < _EAGER)
        if below < 0:
            break
        node = below
        depth += 1
    a.needle_next[string] = a.needle_head[node]
    a.needle_head[node] = string
    while depth < length and _is_crowded(a, node, depth):
        _spread(a, node, depth)
        node = _needle_below(a, node, a.data[start + depth], False)
        depth += 1
    a.needle_known[string] = 1
    a.header[NEEDLES] += 1
    if length == 1:
        for second in range(256):
            _set_pair(a, a.data[start], second)
    elif length > 1:
        _set_pair(a, a.data[start], a.data[start + 1])


@inlined
def _set_pair(a, first, second):  # type: ignore[no-untyped-def]
    pair = np.int64(first) * 256 + second
    a.needle_pairs[pair >> 3] |= np.uint8(1 << (pair & 7))


@inlined
def needles_at(a, data, at, end, found):  # type: ignore[no-untyped-def]
    """Writes the needles that begin at a byte and end by `end` to `found`; returns how many, at most
    len(found). The empty needle is not among them."""
    count = 0
    if end - at > 1:
        pair = np.int64(data[at]) * 256 + data[at + 1]
        if not a.needle_pairs[pair >> 3] >> np.uint8(pair & 7) & 1:
            return count
    node = np.int64(_ROOT)
    depth = 0
    while at + depth < end:
        below = find(a.needle_edges, node * 256 + data[at + depth])
        if below < 0:
            break
        node = np.int64(below)
        depth += 1
        string = a.needle_head[node]
        while string >= 0:
            start, stop = a.string_start[string], a.string_start[string + 1]
            if stop - start == depth or (
                at + stop - start <= end and equal(data, at + depth, at + stop - start, a.data, start + depth, stop)
            ):
                if count < len(found):
                    found[count] = string
                    count += 1
            string = a.needle_next[string]
    return count
