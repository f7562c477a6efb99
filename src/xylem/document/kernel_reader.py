"""The fast reader: expat driven by compiled callbacks, with the GIL released for the whole parse.

`parse` is one C call that fills a scratch record; then two arrays of the exact size are made, the scratch is
copied into them, and a `Document`'s columns are slices of the two. Scratches are kept in a pool for the next
document, so a thread that reads finds one warm; a scratch that a giant document has stretched is given back to
the C heap instead.

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
from xylem.document.model import Document, DocumentArrays
from xylem.document.names import SEPARATOR, NameBlock, WordArray, table_of
from xylem.document.rejection import not_well_formed, out_of_memory, over_limit
from xylem.document.vocabulary import Vocabulary

# The first size of a scratch's tables and texts, which is that of documents of some kilobytes.
_FIRST_ROWS = 1_024
_FIRST_TEXT_BYTES = 16 * 1024

# A scratch that has grown beyond this is not kept: eight megabytes hold any document of about a megabyte.
_KEPT_BYTES = 8 * 1024 * 1024

# As many scratches are kept as threads may be reading at once before the next read has to make one anew.
_KEPT_SCRATCHES = 32

_WORD = ctypes.c_int64
_PARSE_TYPE = ctypes.CFUNCTYPE(None, _WORD, _WORD, _WORD, _WORD, _WORD, ctypes.c_char_p, _WORD)

_LIMITS_AT = state.word_of(f"max_{PARSING_LIMITS[0]}")
_NAMES_AT = state.word_of("names")
_UNKNOWN_ENCODING_AT = state.word_of("unknown_encoding")
_CAPACITIES_AT = state.word_of("row_table_capacity")


class Scratch:
    """The record that one parse fills, and the blocks it points to."""

    __slots__ = ("__weakref__", "address", "limits", "names", "record")

    def __init__(self) -> None:
        self.record: WordArray = np.zeros(state.STATE_WORDS, np.int64)
        self.address = int(self.record.ctypes.data)
        self.limits: WordArray | None = None
        self.names: NameBlock | None = None
        # The finalizer holds the record itself, so its blocks are freed while the record is still there.
        weakref.finalize(self, _release, self.record)
        if not state.allocate_blocks(self.address, _FIRST_ROWS, _FIRST_TEXT_BYTES):
            raise MemoryError("no memory for the scratch of a reader")

    def size_bytes(self) -> int:
        rows, attributes, nodes, text, attribute_text = self.record[_CAPACITIES_AT : _CAPACITIES_AT + 5].tolist()
        tables = state.ROW_COLUMNS * rows + state.ATTR_COLUMNS * attributes + state.NODE_COLUMNS * nodes
        return 4 * int(tables) + int(text) + int(attribute_text)


def _release(record: WordArray) -> None:
    state.release_blocks(record.ctypes.data)


# Taking from and adding to a list are atomic, so the pool needs no lock.
_pool: list[Scratch] = []


class _Driver:
    """The addresses that every parse is given; they live as long as the process."""

    def __init__(self, expat: Expat) -> None:
        self._functions = np.array([expat.functions[name] for name in handlers.DRIVER_FUNCTIONS], np.int64)
        self._handlers = np.array([handler.address for handler in handlers.HANDLERS], np.int64)
        self._texts = [ctypes.create_string_buffer(text) for text in (SEPARATOR.encode(), b"UTF-8", b"UTF-16")]
        self._strings = np.array([ctypes.addressof(text) for text in self._texts], np.int64)
        self.parse = _PARSE_TYPE(handlers.parse.address)
        # Expat seeds its hash tables with this instead of asking the system for each parser.
        salt = secrets.randbits(62) | 1
        self.constants = (self._functions.ctypes.data, self._handlers.ctypes.data, self._strings.ctypes.data, salt)


_drivers: dict[tuple[int, int, int], _Driver] = {}


def _driver(expat: Expat) -> _Driver:
    return _drivers.setdefault(expat.version, _drivers.get(expat.version) or _Driver(expat))


class KernelReader:
    """Reads documents in encodings that expat knows; safe to use from many threads."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits, expat: Expat) -> None:
        self._vocabulary = vocabulary
        self._limits = limits
        self._names = table_of(vocabulary)
        self._limit_words: WordArray = np.array([getattr(limits, name) for name in PARSING_LIMITS], np.int64)
        driver = _driver(expat)
        self._parse, self._constants = driver.parse, driver.constants

    def read(self, data: bytes) -> Document:
        """The document, or DocumentError."""
        version, block = self._names.refresh(self._vocabulary)
        try:
            scratch = _pool.pop()
        except IndexError:
            scratch = Scratch()
        record = scratch.record
        if scratch.limits is not self._limit_words:
            record[_LIMITS_AT : _LIMITS_AT + len(PARSING_LIMITS)] = scratch.limits = self._limit_words
        if scratch.names is not block:
            scratch.names = block
            record[_NAMES_AT] = block.address
        self._parse(scratch.address, *self._constants, data, len(data))
        results = record[: state.RESULT_WORDS].tolist()
        if results[0] or results[3]:
            unknown = record[_UNKNOWN_ENCODING_AT] != 0
            _keep(scratch)
            decoded = transcoded(data) if unknown else None
            if decoded is None:
                raise self._reject(data, results)
            return self.read(decoded)
        arrays = _packed(scratch.address, results)
        _keep(scratch)
        return Document(data, arrays, self._vocabulary, version, results[4])

    def _reject(self, data: bytes, results: list[int]) -> Exception:
        failure, line, column, error = results[:4]
        if failure == state.OUT_OF_MEMORY:
            return out_of_memory(line, column)
        if failure:
            return over_limit(failure, self._limits, line, column)
        return not_well_formed(error, data, line, column)


def _keep(scratch: Scratch) -> None:
    if len(_pool) < _KEPT_SCRATCHES and scratch.size_bytes() <= _KEPT_BYTES:
        _pool.append(scratch)


def _packed(address: int, results: list[int]) -> DocumentArrays:
    rows, attributes, nodes, text, attribute_text = results[5:]
    integers = np.empty(7 * rows + 2 * attributes + 2 * nodes + 3, np.int32)
    octets = np.empty(attribute_text + text, np.uint8)
    state.pack(address, integers, octets)
    a, b = 7 * rows + 1, 7 * rows + 1 + attributes
    c, d = b + attributes + 1, b + attributes + 1 + nodes
    return DocumentArrays(
        integers[:rows],
        integers[rows : 2 * rows],
        integers[2 * rows : 3 * rows],
        integers[3 * rows : 4 * rows],
        integers[4 * rows : 5 * rows],
        integers[5 * rows : 6 * rows],
        integers[6 * rows : a],
        integers[a:b],
        integers[b:c],
        octets[:attribute_text],
        integers[c:d],
        integers[d:],
        octets[attribute_text:],
    )
