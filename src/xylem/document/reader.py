"""The front door of reading: bytes or text in, `Document` out, or a `DocumentError` that says why not.

The kernel reader is used where the capsule of CPython's expat can be trusted, else the plain one;
`Reader.kind` says which. XYLEM_READER=plain in the environment asks for the plain one.

What comes in is kept as it is in `Document.data`, with one exception: text, and documents in an encoding that expat
does not read, are kept as UTF-8 behind a byte order mark, so that whoever parses `data` again reads the same.
"""

from __future__ import annotations

import os
from typing import Literal, Protocol

from xylem.document.capsule import expat
from xylem.document.encodings import WIDE, check_pairs, from_text
from xylem.document.limits import DEFAULT_LIMITS, Limits
from xylem.document.model import Document
from xylem.document.plain import PlainReader
from xylem.document.vocabulary import Vocabulary
from xylem.errors import UsageError

Kind = Literal["auto", "kernel", "plain"]


class _Reading(Protocol):
    def read(self, data: bytes) -> Document: ...


class Reader:
    """Reads documents against one vocabulary; safe to use from many threads."""

    __slots__ = ("_read", "kind", "limits", "vocabulary")

    def __init__(self, vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS, kind: Kind = "auto") -> None:
        self.vocabulary = vocabulary
        self.limits = limits
        reading = _reading(vocabulary, limits, kind)
        self.kind: Literal["kernel", "plain"] = "plain" if isinstance(reading, PlainReader) else "kernel"
        self._read = reading.read

    def read(self, data: bytes | bytearray | memoryview | str) -> Document:
        """One document; raises DocumentError with reason, line and column."""
        if type(data) is not bytes:
            data = from_text(data) if isinstance(data, str) else bytes(data)
        if len(data) > self.limits.bytes:
            raise self.limits.exceeded("bytes")
        if data.startswith(WIDE):
            check_pairs(data)
        return self._read(data)

    def __reduce__(self) -> tuple[object, ...]:
        return (Reader, (self.vocabulary, self.limits))


def read(
    data: bytes | bytearray | memoryview | str, vocabulary: Vocabulary, limits: Limits = DEFAULT_LIMITS
) -> Document:
    """One document; who reads many keeps a `Reader`."""
    return Reader(vocabulary, limits).read(data)


def _reading(vocabulary: Vocabulary, limits: Limits, kind: Kind) -> _Reading:
    functions = expat()
    if kind == "kernel" and functions is None:
        raise UsageError("the kernel reader was asked for, and this Python's expat has no capsule that it knows")
    plain = kind == "plain" or functions is None or (kind == "auto" and os.environ.get("XYLEM_READER") == "plain")
    if plain or functions is None:
        return PlainReader(vocabulary, limits)
    # Numba and the compiled handlers are loaded with the first kernel reader, not by whoever imports this room.
    from xylem.document.kernel_reader import KernelReader, usable

    return KernelReader(vocabulary, limits, functions) if usable() else PlainReader(vocabulary, limits)
