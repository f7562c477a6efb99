"""A vocabulary's names as a flat hash table that C callbacks can search.

A name's key is what expat reports for it: its local part, or namespace, separator, local part. A namespace
that is mentioned as a whole has the key of its unmentioned names: namespace and separator with nothing after
it. Entry `i` is the vocabulary's id `i`, so the table holds an offset and a slot for each name and the
bytes of all keys, one after the other.

The table grows in place while other threads search it: bytes first, then the offset, then the slot, so that a
search meets a whole name or none. When it is full, a block of twice the size replaces it, and those who search
the old one keep it alive. Extending costs O(1) a name, amortised; finding one costs O(its length).

Invariant: after `refresh`, searching equals `Vocabulary.find`. This module knows nothing of parsing.
"""

from __future__ import annotations

import secrets
import threading
import weakref
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from xylem.document.memory import (
    equal_bytes,
    load_byte,
    load_int,
    load_word,
    memcpy,
    short_word,
    store_int,
)
from xylem.document.vocabulary import OTHER, SEPARATOR, Vocabulary
from xylem.kernels import inlined, kernel

WordArray = npt.NDArray[np.int64]

_SEPARATOR_BYTE = ord(SEPARATOR)

# The words of a block's header, which is all that a callback is given.
SLOTS, MASK, OFFSETS, KEYS, WILDCARDS, SEED = range(6)
HEADER_WORDS = 6

# The seed is secret, so that nobody can prepare names that share a slot.
_PROCESS_SEED = secrets.randbits(62) | 1

_FIRST_NAMES = 256
_FIRST_KEY_BYTES = 8 * 1024


@inlined
def hash_key(address: int, length: int, seed: int) -> int:
    """A keyed hash of some bytes, eight at a time."""
    hashed = seed + length
    if length < 8:
        last = short_word(address, length)
    else:
        last = load_word(address + length - 8)
        for position in range(0, length - 8, 8):
            hashed = (hashed ^ load_word(address + position)) * seed
            hashed ^= hashed >> 32
    hashed = (hashed ^ last) * seed
    return hashed ^ (hashed >> 32)


@inlined
def find_key(header: int, address: int, length: int) -> int:
    """The id that has exactly this key, or 0."""
    slots, offsets, keys = load_word(header), load_word(header + 8 * OFFSETS), load_word(header + 8 * KEYS)
    mask = load_word(header + 8 * MASK)
    slot = hash_key(address, length, load_word(header + 8 * SEED)) & mask
    while True:
        found = load_int(slots + 4 * slot)
        if found == 0:
            return 0
        start = load_int(offsets + 4 * found)
        if load_int(offsets + 4 * found + 4) - start == length and equal_bytes(keys + start, address, length):
            return found
        slot = (slot + 1) & mask


@inlined
def find_name(header: int, address: int, length: int) -> int:
    """The id under which a document shows the name that expat spells like this: `Vocabulary.find`."""
    found = find_key(header, address, length)
    if found != 0 or load_word(header + 8 * WILDCARDS) == 0:
        return found
    position = length - 1
    while position >= 0 and load_byte(address + position) != _SEPARATOR_BYTE:
        position -= 1
    if position < 0:
        return load_word(header + 8 * WILDCARDS) - 1
    return find_key(header, address, position + 1)


@kernel
def insert_keys(header: int, added: int, first: int, lengths: npt.NDArray[np.int32]) -> None:
    """Appends keys, which stand one after the other at address `added`, as the ids from `first` on; a length
    below zero is a name that no document can hold."""
    slots, offsets, keys = load_word(header), load_word(header + 8 * OFFSETS), load_word(header + 8 * KEYS)
    mask, seed = load_word(header + 8 * MASK), load_word(header + 8 * SEED)
    for index in range(len(lengths)):
        start = load_int(offsets + 4 * (first + index))
        length = int(lengths[index])
        store_int(offsets + 4 * (first + index + 1), start + max(length, 0))
        if length < 0:
            continue
        memcpy(keys + start, added, length)
        slot = hash_key(added, length, seed) & mask
        while load_int(slots + 4 * slot) != 0:
            slot = (slot + 1) & mask
        store_int(slots + 4 * slot, first + index)
        added += length


@dataclass(frozen=True, slots=True)
class NameBlock:
    """One generation of the table: the arrays, and the header that holds their addresses."""

    header: WordArray
    slots: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int32]
    keys: npt.NDArray[np.uint8]
    address: int

    @classmethod
    def empty(cls, names: int, key_bytes: int) -> NameBlock:
        """Room for this many names; slots are at most half full."""
        slots = np.zeros(1 << (2 * names).bit_length(), np.int32)
        offsets, keys = np.zeros(names + 2, np.int32), np.zeros(key_bytes, np.uint8)
        header = np.zeros(HEADER_WORDS, np.int64)
        header[[SLOTS, MASK, OFFSETS, KEYS]] = slots.ctypes.data, len(slots) - 1, offsets.ctypes.data, keys.ctypes.data
        header[SEED] = _PROCESS_SEED
        return cls(header, slots, offsets, keys, header.ctypes.data)


class NameTable:
    """The table of one vocabulary; shared by all readers of it. Call `refresh` before each use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._names = 1  # ids below this one are in the block; 0 is OTHER and never is
        self.current: tuple[int, NameBlock] = (-1, NameBlock.empty(_FIRST_NAMES, _FIRST_KEY_BYTES))

    def refresh(self, vocabulary: Vocabulary) -> tuple[int, NameBlock]:
        """The block that holds all names of the vocabulary, and a version that it is not older than."""
        current = self.current
        if current[0] == vocabulary.version:
            return current
        with self._lock:
            version, last = vocabulary.version, len(vocabulary)
            spelled = [vocabulary.spell(index) for index in range(self._names, last)]
            self.current = (version, self._extended(spelled))
            self._names = last
            return self.current

    def _extended(self, spelled: list[tuple[str, str | None]]) -> NameBlock:
        keys = [_key(namespace, local) for namespace, local in spelled]
        joined = b"".join(key for key in keys if key is not None)
        block = self._roomy(len(keys), len(joined))
        if keys:
            lengths = np.array([-1 if key is None else len(key) for key in keys], np.int32)
            added = np.frombuffer(joined or b"\0", np.uint8)
            insert_keys(block.address, added.ctypes.data, self._names, lengths)
        for index, (namespace, local) in enumerate(spelled, self._names):
            if local is None:
                # One more than the id of the unmentioned names in no namespace (0 when nobody asked for those): such
                # names come without a separator, so their namespace has no key that could be cut out of them.
                block.header[WILDCARDS] = index + 1 if namespace == "" else max(block.header[WILDCARDS], OTHER + 1)
        return block

    def _roomy(self, names: int, key_bytes: int) -> NameBlock:
        """The current block, or a copy of twice the size when the new names do not fit."""
        block = self.current[1]
        used, filled = self._names, int(block.offsets[self._names])
        if used + names < len(block.offsets) - 1 and filled + key_bytes <= len(block.keys):
            return block
        larger = NameBlock.empty(2 * (used + names), 2 * (filled + key_bytes))
        lengths = np.diff(block.offsets[1 : used + 1])
        lengths[lengths == 0] = -1
        insert_keys(larger.address, block.keys.ctypes.data, 1, lengths)
        larger.header[WILDCARDS] = block.header[WILDCARDS]
        return larger


def _key(namespace: str, local: str | None) -> bytes | None:
    """What expat reports for a name; None for a name that can be in no document."""
    if SEPARATOR in namespace or (local is not None and (SEPARATOR in local or not local)):
        return None
    if local is None:
        return (namespace + SEPARATOR).encode(errors="surrogatepass") if namespace else None
    key = namespace + SEPARATOR + local if namespace else local
    return key.encode(errors="surrogatepass")


_tables: weakref.WeakKeyDictionary[Vocabulary, NameTable] = weakref.WeakKeyDictionary()
_tables_lock = threading.Lock()


def table_of(vocabulary: Vocabulary) -> NameTable:
    """The one table of a vocabulary."""
    with _tables_lock:
        table = _tables.get(vocabulary)
        if table is None:
            table = _tables[vocabulary] = NameTable()
        return table
