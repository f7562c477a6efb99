"""The fast reader: expat driven by compiled callbacks, with the GIL released for the whole parse.

`parse` is one call that fills a scratch record; then one block of the exact size is made, the scratch is copied
into it, and a `Document`'s columns are slices of it. Scratches are kept in a pool for the next
document, so a thread that reads finds one warm; a scratch that a giant document has stretched is given back to
the C heap instead.

PERF: the work around the parse costs about three microseconds a document, which is a quarter of what bare expat
takes for two kilobytes; hence constants instead of look-ups here, and no call that could be spared.

This module knows nothing of the encodings that expat does not read, only whom to ask.
"""

from __future__ import annotations

import ctypes
import secrets
import weakref

import numpy as np

from xylem.document import handlers, state
from xylem.document.capsule import Expat
from xylem.document.encodings import transcoded
from xylem.document.limits import PARSING_LIMITS, Limits
from xylem.document.model import FRAME_INTEGERS, Document, Packed
from xylem.document.names import NameBlock, WordArray, table_of
from xylem.document.rejection import not_well_formed, out_of_memory, over_limit
from xylem.document.vocabulary import SEPARATOR, Vocabulary
from xylem.errors import DocumentError

# The first size of a scratch's tables and texts, which is that of documents of some kilobytes.
_FIRST_ROWS = 1_024
_FIRST_TEXT_BYTES = 16 * 1024

# A scratch that has grown beyond this is not kept: it holds any document of about five megabytes.
_KEPT_BYTES = 32 * 1024 * 1024

# As many scratches are kept as threads may be reading at once before the next read has to make one anew.
_KEPT_SCRATCHES = 16

_RESULTS = slice(0, len(state.RESULTS))
_LIMITS = slice(state.word_of(f"max_{PARSING_LIMITS[0]}"), state.STATE_WORDS)
_NAMES = state.word_of("names")

# Where the bytes of a `bytes` object begin, counted from its address.
_BYTES_AT = bytes.__basicsize__ - 1


def usable() -> bool:
    """Whether the bytes of a document are where this reader looks for them."""
    probe = b"the bytes of a document"
    return ctypes.string_at(id(probe) + _BYTES_AT, len(probe)) == probe


class _Driver:
    """The addresses that every parse is given; they live as long as the process."""

    def __init__(self, expat: Expat) -> None:
        self._functions = np.array([expat.functions[name] for name in handlers.DRIVER_FUNCTIONS], np.int64)
        self._handlers = np.array([handler.address for handler in handlers.HANDLERS], np.int64)
        self._texts = [ctypes.create_string_buffer(text) for text in (SEPARATOR.encode(), b"UTF-8", b"UTF-16")]
        self._strings = np.array([ctypes.addressof(text) for text in self._texts], np.int64)
        self._given = {
            "functions": self._functions.ctypes.data,
            "handlers": self._handlers.ctypes.data,
            "strings": self._strings.ctypes.data,
            "get_line": expat.functions["get_line"],
            "get_column": expat.functions["get_column"],
            # Expat seeds its hash tables with this instead of asking the system for each parser.
            "salt": secrets.randbits(62) | 1,
        }

    def give(self, record: WordArray) -> None:
        for name, value in self._given.items():
            record[state.word_of(name)] = value


class _Scratch:
    """The record that one parse fills, and the blocks it points to."""

    __slots__ = ("__weakref__", "address", "limits", "names", "record")

    def __init__(self, driver: _Driver) -> None:
        self.record: WordArray = np.zeros(state.STATE_WORDS, np.int64)
        self.address = int(self.record.ctypes.data)
        self.limits: WordArray | None = None
        self.names: NameBlock | None = None
        driver.give(self.record)
        # The finalizer holds the record itself, so its blocks are freed while the record is still there.
        weakref.finalize(self, _release, self.record).atexit = False
        if not state.allocate_blocks(self.address, _FIRST_ROWS, _FIRST_TEXT_BYTES):
            raise MemoryError("no memory for the scratch of a reader")


def _release(record: WordArray) -> None:
    state.release_blocks(record.ctypes.data)


# Taking from and adding to a list are atomic, so the pool needs no lock.
_pool: list[_Scratch] = []
_driver: list[_Driver] = []


def _new_scratch(expat: Expat) -> _Scratch:
    if not _driver:
        _driver.append(_Driver(expat))
    return _Scratch(_driver[0])


class KernelReader:
    """Reads documents in encodings that expat knows; safe to use from many threads."""

    __slots__ = ("_expat", "_limit_words", "_limits", "_names", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary, limits: Limits, expat: Expat) -> None:
        self._vocabulary = vocabulary
        self._limits = limits
        self._expat = expat
        self._names = table_of(vocabulary)
        self._limit_words: WordArray = np.array([getattr(limits, name) for name in PARSING_LIMITS], np.int64)

    def read(self, data: bytes) -> Document:
        """The document, or DocumentError."""
        vocabulary = self._vocabulary
        version, block = self._names.refresh(vocabulary)
        try:
            scratch = _pool.pop()
        except IndexError:
            scratch = _new_scratch(self._expat)
        record, address = scratch.record, scratch.address
        if scratch.limits is not self._limit_words:
            record[_LIMITS] = scratch.limits = self._limit_words
        if scratch.names is not block:
            scratch.names = block
            record[_NAMES] = block.address
        handlers.parse(address, id(data) + _BYTES_AT, len(data))
        failure, error, line, column, unknown, size, skipped, *counts = record[_RESULTS].tolist()
        packed = None if failure or error else _packed(address, *counts)
        if size <= _KEPT_BYTES and len(_pool) < _KEPT_SCRATCHES:
            _pool.append(scratch)
        if packed is not None:
            return Document(data, packed, vocabulary, version, skipped)
        decoded = transcoded(data) if unknown else None
        if decoded is None:
            raise self._reject(failure, error, data, line, column)
        return self.read(decoded)

    def _reject(self, failure: int, error: int, data: bytes, line: int, column: int) -> DocumentError:
        if failure == state.OUT_OF_MEMORY:
            return out_of_memory(line, column)
        if failure:
            return over_limit(PARSING_LIMITS[failure - 1], self._limits, data, line, column)
        return not_well_formed(error, data, line, column)


_new_tuple = tuple.__new__
_empty, _int32, _pack = np.empty, np.dtype(np.int32), state.pack


def _packed(address: int, rows: int, attributes: int, nodes: int, text: int, attribute_text: int) -> Packed:
    integers = FRAME_INTEGERS + 7 * rows + 2 * attributes + 2 * nodes + 3
    block = _empty(integers + (text + attribute_text + 3) // 4, _int32)
    # Making the named tuple the way that its own `_make` does spares a Python frame.
    return _new_tuple(Packed, (block, _pack(address, block), rows, attributes, nodes, text, attribute_text))
