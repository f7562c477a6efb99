"""The strings and numbers that subscriptions compare with, interned as small integers.

A value of a document is looked up once and then stands for itself: if nobody compares with it, no
equality can hold. Strings that are looked for *inside* values (`contains`, `starts-with`) also stand in a
trie of bytes, so that one pass over a text finds all of them. A node keeps up to `NEEDLES_KEPT` strings that go on
from it, to be compared; more of them move down, each by its next byte, so that a thousand strings with one beginning
cost no more than a few. Most places of a text begin no needle, and a filter of a bit for
each hash of the first four bytes says so at once; needles shorter than that have a filter of their own.

Constants are hashed with a seed of their own, so that nobody can choose colliding ones. They are never
removed one by one; a rebuilt engine starts with new ones.

This module knows nothing of who compares what.
"""

from __future__ import annotations

import math
import secrets
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.frames import Frame, frame_at
from xylem.kernels import inlined, kernel
from xylem.matching.arrays import bytes_of, grown
from xylem.matching.tables import Table, find, new_table, put, room
from xylem.matching.text import equal, mix

LONGEST_NEEDLE = 256  # bytes; whoever has longer ones must look for them otherwise
NEEDLES_KEPT = 8  # at a node of the trie
_ROOT = 0
_EAGER = 4  # bytes by which strings are always told apart, and that the filter looks at
_FILTER_BITS = 18  # 32 KB, which a processor's first cache holds; 10,000 needles fill a twentieth of it

# header fields
STRINGS, NUMBERS, NEEDLE_NODES, LONGEST, SEED, NEEDLES, SHORT_NEEDLES = range(7)


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
    needle_leaps: Table  # the first four bytes -> node
    needle_filter: npt.NDArray[np.uint64]  # a bit for the hash of the first four bytes
    needle_pairs: npt.NDArray[np.uint8]  # a bit for each pair of bytes that a needle of less than four begins with


constants_at = frame_at(ConstantArrays)


class Constants:
    """Grows with what is interned; O(length) for each."""

    def __init__(self) -> None:
        header = np.zeros(8, np.int64)
        header[NEEDLE_NODES] = 1
        header[SEED] = secrets.randbits(62)
        self.frame = Frame(
            ConstantArrays(
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
                new_table(64),
                np.zeros(1 << (_FILTER_BITS - 6), np.uint64),
                np.zeros(8192, np.uint8),
            )
        )

    @property
    def arrays(self) -> ConstantArrays:
        return self.frame.arrays

    def _grow(self, **larger: Any) -> None:
        """Takes the arrays that had to grow."""
        arrays = self.frame.arrays
        if any(array is not getattr(arrays, name) for name, array in larger.items()):
            self.frame.arrays = arrays._replace(**larger)

    def string(self, value: bytes) -> int:
        """The number of a string, given one now if it has none."""
        a = self.arrays
        count, used = int(a.header[STRINGS]), int(a.string_start[a.header[STRINGS]])
        self._grow(
            data=grown(a.data, used + len(value)),
            string_start=grown(a.string_start, count + 2),
            string_next=grown(a.string_next, count + 1, -1),
            strings=room(a.strings, 1),
            needle_next=grown(a.needle_next, count + 1, -1),
            needle_known=grown(a.needle_known, count + 1),
        )
        return int(_intern_string(self.frame.address, np.frombuffer(value or b"\0", np.uint8), len(value)))

    def number(self, value: float) -> int:
        a = self.arrays
        count = int(a.header[NUMBERS])
        self._grow(
            number_value=grown(a.number_value, count + 1),
            number_next=grown(a.number_next, count + 1, -1),
            numbers=room(a.numbers, 1),
        )
        return int(_intern_number(self.frame.address, value))

    def needle(self, string: int) -> None:
        """From now on texts are searched for this string."""
        a = self.arrays
        if a.needle_known[string]:
            return
        nodes = int(a.header[NEEDLE_NODES])
        most = _EAGER + (NEEDLES_KEPT + 1) * LONGEST_NEEDLE  # if all that are kept move down, level after level
        self._grow(
            needle_edges=room(a.needle_edges, most),
            needle_head=grown(a.needle_head, nodes + most, -1),
            needle_leaps=room(a.needle_leaps, 1),
        )
        _enter_needle(self.frame.address, string)

    def size_bytes(self) -> int:
        return bytes_of(self.arrays)


@inlined
def _four(data, at):  # type: ignore[no-untyped-def]
    """Four bytes as a number."""
    return (
        np.int64(data[at])
        | np.int64(data[at + 1]) << 8
        | np.int64(data[at + 2]) << 16
        | np.int64(data[at + 3]) << 24
    )  # fmt: skip


@inlined
def hash_string(a, data, start, end):  # type: ignore[no-untyped-def]
    value = np.uint64(a.header[SEED]) ^ np.uint64(end - start)
    at = start
    while at + 4 <= end:
        value = (value ^ np.uint64(_four(data, at))) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(29)
        at += 4
    while at < end:
        value = (value ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
        at += 1
    return np.int64(mix(value) >> np.uint64(1))


@inlined
def find_string(a, data, start, end):  # type: ignore[no-untyped-def]
    """The number of the string that stands there, or -1."""
    if end - start > a.header[LONGEST]:
        return np.int32(-1)
    found = find(a.strings, hash_string(a, data, start, end))
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
def _intern_string(address, data, length):  # type: ignore[no-untyped-def]
    a = constants_at(address)
    found = find_string(a, data, 0, length)
    if found >= 0:
        return found
    new = np.int32(a.header[STRINGS])
    start = a.string_start[new]
    for at in range(length):
        a.data[start + at] = data[at]
    a.string_start[new + 1] = start + length
    key = hash_string(a, data, 0, length)
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
def _intern_number(address, value):  # type: ignore[no-untyped-def]
    a = constants_at(address)
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
def _enter_needle(address, string):  # type: ignore[no-untyped-def]
    a = constants_at(address)
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
        if depth == _EAGER:
            _enter_leap(a, _four(a.data, start), node)
    a.needle_next[string] = a.needle_head[node]
    a.needle_head[node] = string
    while depth < length and _is_crowded(a, node, depth):
        _spread(a, node, depth)
        node = _needle_below(a, node, a.data[start + depth], False)
        depth += 1
    a.needle_known[string] = 1
    a.header[NEEDLES] += 1
    if length < _EAGER:
        a.header[SHORT_NEEDLES] += 1
    if length == 1:
        for second in range(256):
            _set_pair(a, a.data[start], second)
    elif 1 < length < _EAGER:
        _set_pair(a, a.data[start], a.data[start + 1])


@inlined
def _filter_place(four):  # type: ignore[no-untyped-def]
    return (np.uint64(four) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - _FILTER_BITS)


@inlined
def _enter_leap(a, four, node):  # type: ignore[no-untyped-def]
    if find(a.needle_leaps, four) < 0:
        put(a.needle_leaps, four, node)
        place = _filter_place(four)
        a.needle_filter[place >> np.uint64(6)] |= np.uint64(1) << (place & np.uint64(63))


@inlined
def _set_pair(a, first, second):  # type: ignore[no-untyped-def]
    pair = np.int64(first) * 256 + second
    a.needle_pairs[pair >> 3] |= np.uint8(1 << (pair & 7))


@inlined
def needles_at(a, data, at, end, found):  # type: ignore[no-untyped-def]
    """Writes the needles that begin at a byte and end by `end` to `found`, which has room for all; returns how
    many. The empty needle is not among them."""
    count = 0
    if a.header[SHORT_NEEDLES] > 0:
        count = _short_needles_at(a, data, at, end, found)
    if end - at < _EAGER:
        return count
    four = _four(data, at)
    place = _filter_place(four)
    if not a.needle_filter[place >> np.uint64(6)] >> (place & np.uint64(63)) & np.uint64(1):
        return count
    node = np.int64(find(a.needle_leaps, four))
    depth = _EAGER
    while node >= 0:
        string = a.needle_head[node]
        while string >= 0:
            count = _found_at(a, data, at, end, string, depth, found, count)
            string = a.needle_next[string]
        if at + depth >= end:
            break
        node = np.int64(find(a.needle_edges, node * 256 + data[at + depth]))
        depth += 1
    return count


@inlined
def _found_at(a, data, at, end, string, depth, found, count):  # type: ignore[no-untyped-def]
    """Adds a needle whose first `depth` bytes stand there, if the rest does."""
    start, stop = a.string_start[string], a.string_start[string + 1]
    if at + stop - start <= end and equal(data, at + depth, at + stop - start, a.data, start + depth, stop):
        found[count] = string
        count += 1
    return count


@inlined
def _short_needles_at(a, data, at, end, found):  # type: ignore[no-untyped-def]
    """Those of less than four bytes."""
    count = 0
    if end - at > 1:
        pair = np.int64(data[at]) * 256 + data[at + 1]
        if not a.needle_pairs[pair >> 3] >> np.uint8(pair & 7) & 1:
            return count
    node = np.int64(_ROOT)
    for depth in range(min(_EAGER - 1, end - at)):
        node = np.int64(find(a.needle_edges, node * 256 + data[at + depth]))
        if node < 0:
            break
        string = a.needle_head[node]
        while string >= 0:
            found[count] = string
            count += 1
            string = a.needle_next[string]
    return count
