"""Splitting a file of any size at the elements of one name, in memory that is bounded by the largest record.

The file is fed to expat in pieces; the handlers find where records begin and end, and a record is the slice of
the bytes between, with the namespace declarations that it inherits written into its start tag, behind the
file's own DOCTYPE if it has one, so that entities and default attributes mean the same. A file that is not UTF-8 is
decoded as it comes in, so records always are.

A record's name is a local name in any namespace (`item`), a name as it is written (`n:item`), or a namespace and
a local name (`{urn:n}item`, `{}item` for none). A record inside a record belongs to the outer one.

Invariant: the buffer begins at the first byte that may still be needed. This module knows nothing of what is
done with records.
"""

from __future__ import annotations

import pyexpat
import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

from xylem.document.encodings import is_native
from xylem.document.limits import AMPLIFICATION_FREE_BYTES, DEFAULT_LIMITS, Limits
from xylem.document.pieces import piece_size
from xylem.document.rejection import UNKNOWN_ENCODING, not_well_formed
from xylem.document.scope import Scope
from xylem.document.transcoding import Utf8Stream
from xylem.errors import DocumentError, UsageError

_TAG = re.compile(rb"(<[^\s/>\"'&]++)(?:[^\"'>]++|\"[^\"]*+\"|'[^']*+')*+>")
_WANTED = re.compile(r"(?:\{(?P<namespace>[^{}]*)\})?(?:(?P<prefix>[^\s{}:]+):)?(?P<local>[^\s{}:]+)")


def split(stream: BinaryIO, record_name: str, limits: Limits = DEFAULT_LIMITS) -> Iterator[bytes | DocumentError]:
    """The records of a file, in order; what is wrong with one stands in its place, and what ends the file early,
    or that there is no record at all, at the end."""
    splitter = _Splitter(record_name, limits)
    try:
        source = Utf8Stream(stream)
        splitter.begin(source.utf8_declared)
        while not splitter.finished:
            splitter.feed(source.read(splitter.piece_bytes))
            while splitter.ready:
                yield splitter.ready.popleft()
    except DocumentError as error:
        yield from splitter.ready
        yield error
        return
    if not splitter.records:
        yield DocumentError(f"no element `{record_name}` to split at")


class _Splitter:
    """One file being split: bytes in, records out."""

    def __init__(self, record_name: str, limits: Limits) -> None:
        wanted = _WANTED.fullmatch(record_name)
        if wanted is None or (wanted["namespace"] is not None and wanted["prefix"] is not None):
            raise UsageError(f"record name {record_name!r}: expected NAME, PREFIX:NAME or {{URI}}NAME")
        self._namespace, self._prefix, self._local = wanted["namespace"], wanted["prefix"], wanted["local"]
        self._limits = limits
        self._known: dict[str, bool] = {}  # whether a name as written may be a record's
        self._scope = Scope()
        self.ready: deque[bytes | DocumentError] = deque()
        self.records = 0
        self.finished = False
        self._in_prolog = True
        self._defaults = 0  # values that the internal subset declares
        self._markup = False  # whether an entity holds elements
        self._attributes = 0  # of all elements outside records, defaults included
        self._unfinished = 0  # bytes fed since the parser last got on
        self._buffer = bytearray()
        self._base = 0  # the place of the buffer's first byte in the file
        self._start = -1  # the place of the record that is open
        self._depth = 0  # elements open inside it, itself included
        self._inherited = b""
        self._too_long = False
        self._prolog = b""
        self._subset_start = -1
        self._delivered = 0

    def begin(self, encoding: str | None) -> None:
        self._overruled = encoding is not None
        self._parser = parser = pyexpat.ParserCreate(encoding)
        parser.ordered_attributes = True
        parser.StartElementHandler = self._outside_start
        parser.EndElementHandler = self._outside_end
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._doctype_start
        parser.EndDoctypeDeclHandler = self._doctype_end
        parser.AttlistDeclHandler = self._attribute_declared
        parser.EntityDeclHandler = self._entity_declared

    @property
    def piece_bytes(self) -> int:
        """The size of the next piece."""
        return piece_size(self._defaults, self._in_prolog, self._unfinished)

    def feed(self, piece: bytes) -> None:
        """Takes the next piece of the file; an empty one ends it."""
        self._buffer += piece
        before = self._parser.CurrentByteIndex
        self.finished = not piece
        try:
            self._parser.Parse(piece, self.finished)
        except pyexpat.ExpatError as error:
            raise not_well_formed(error.code, b"", error.lineno, error.offset + 1) from None
        now = self._parser.CurrentByteIndex
        self._unfinished = self._unfinished + len(piece) if now == before else 0
        if len(self._buffer) - max(now - self._base, 0) > self._limits.bytes:
            raise self._exceeded("bytes")
        self._drop(now)

    def _drop(self, now: int) -> None:
        """Forgets the bytes before the open record, or before what the parser is at."""
        if self._start >= 0 and now - self._start > self._limits.bytes:
            self._too_long = True
        needed = [place for place in (self._start, self._subset_start) if place >= 0 and not self._too_long]
        keep = min([now, *needed])
        if keep > self._base:
            del self._buffer[: keep - self._base]
            self._base = keep

    def _outside_start(self, name: str, attributes: list[str]) -> None:
        self._in_prolog = False
        self._attributes += len(attributes) // 2
        if 8 * self._attributes > AMPLIFICATION_FREE_BYTES:
            self._check_amplification(8 * self._attributes)
        wanted = self._known.get(name)
        if wanted is None:
            wanted = self._may_be(name)
        if wanted and self._is_record(name, attributes):
            self._open(attributes)
            return
        self._scope.enter(attributes)
        if len(self._scope) > self._limits.depth:
            raise self._exceeded("depth")

    def _outside_end(self, name: str) -> None:
        self._scope.leave()

    def _may_be(self, name: str) -> bool:
        prefix, _, local = name.rpartition(":")
        found = local == self._local and self._prefix in (None, prefix)
        # A file can hold any number of names; those that are seen again are seen early.
        if len(self._known) < 10_000:
            self._known[name] = found
        return found

    def _is_record(self, name: str, attributes: list[str]) -> bool:
        if self._namespace is None:
            return True
        return self._scope.namespace(name.rpartition(":")[0], attributes) == self._namespace

    def _open(self, attributes: list[str]) -> None:
        self._start = self._parser.CurrentByteIndex
        self._depth = 1
        self._too_long = False
        self._inherited = self._scope.inherited(attributes)
        # Who reads the record adds the defaults again.
        self._parser.specified_attributes = True
        self._parser.StartElementHandler = self._inside_start
        self._parser.EndElementHandler = self._inside_end

    def _inside_start(self, name: str, attributes: list[str]) -> None:
        self._depth += 1

    def _inside_end(self, name: str) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.records += 1
            self.ready.append(self._record(self._parser.CurrentByteIndex))
            self._start = -1
            self._parser.specified_attributes = False
            self._parser.StartElementHandler = self._outside_start
            self._parser.EndElementHandler = self._outside_end

    def _record(self, end: int) -> bytes | DocumentError:
        """The open record as a document of its own; `end` is the place of its end tag."""
        if self._too_long:
            return self._exceeded("bytes")
        first = self._start - self._base
        tag = _TAG.match(self._buffer, first)
        close = self._close(tag.end(), end - self._base) if tag else 0
        if tag is None or close == 0:
            reason = "a record that begins or ends in an entity cannot be split off"
            return DocumentError(reason, line=self._parser.CurrentLineNumber, column=self._column())
        name = first + len(tag[1])
        parts = (self._prolog, self._buffer[first:name], self._inherited, self._buffer[name:close])
        record = b"".join(parts)
        self._delivered += len(record)
        if len(record) > self._limits.bytes:
            return self._exceeded("bytes")
        self._check_amplification(self._delivered)
        return record

    def _exceeded(self, limit: str) -> DocumentError:
        return self._limits.exceeded(limit, line=self._parser.CurrentLineNumber, column=self._column())

    def _column(self) -> int:
        return self._parser.CurrentColumnNumber + 1

    def _check_amplification(self, grown: int) -> None:
        """Holds what has come out of the file, or was made of it, against its bytes so far."""
        if grown > AMPLIFICATION_FREE_BYTES + self._limits.amplification * (self._base + len(self._buffer)):
            raise self._exceeded("amplification")

    def _close(self, opened: int, end: int) -> int:
        """Where the record ends in the buffer, or 0. An empty-element tag ends it at once: the parser reports its end
        at the byte after it or at its first one, so the tag itself is asked."""
        if self._buffer.startswith(b"/>", opened - 2):
            return opened
        return self._buffer.find(b">", end) + 1 if self._buffer.startswith(b"</", end) else 0

    def _attribute_declared(self, element: str, name: str, kind: str, default: str | None, required: int) -> None:
        self._defaults += default is not None
        self._check_declarations()

    def _entity_declared(self, name: str, parameter: bool, value: str | None, *ignored: str | None) -> None:
        self._markup = self._markup or (value is not None and "<" in value)
        self._check_declarations()

    def _check_declarations(self) -> None:
        if self._defaults > self._limits.attributes:
            raise self._exceeded("attributes")
        if self._markup and self._defaults > self._limits.amplification:
            raise self._exceeded("amplification")

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and not self._overruled and not is_native(encoding):
            # A declaration too long for `Utf8Stream`.
            line, column = self._parser.CurrentLineNumber, self._column()
            raise not_well_formed(UNKNOWN_ENCODING, b"", line, column)
        if standalone == 1:
            self._prolog = b'<?xml version="1.0" standalone="yes"?>'

    def _doctype_start(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        external = "" if system is None else f" SYSTEM {_quoted(system)}"
        if system is not None and public is not None:
            external = f" PUBLIC {_quoted(public)} {_quoted(system)}"
        self._prolog += f"<!DOCTYPE {name}{external}".encode()
        if has_subset:
            self._subset_start = self._parser.CurrentByteIndex
        else:
            self._prolog += b">"

    def _doctype_end(self) -> None:
        if self._subset_start >= 0:
            first, last = self._subset_start - self._base, self._parser.CurrentByteIndex - self._base
            self._prolog += b" " + self._buffer[first : last + 1]
            self._subset_start = -1


def _quoted(literal: str) -> str:
    return f"'{literal}'" if '"' in literal else f'"{literal}"'
