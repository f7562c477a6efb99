"""The plain reader: the same document by ordinary Python handlers.

It is the readable account of what the arrays mean, the twin that the fast reader is tested against, and the
reader of every Python whose expat cannot be driven through its capsule. pyexpat cuts what it is given into
megabytes, so a token of many megabytes takes it a time that grows with the square of them.

This module knows nothing of the encodings that expat does not read, only whom to ask.
"""

from __future__ import annotations

import pyexpat
from collections.abc import Callable

import numpy as np

from xylem.document.encodings import BOM, is_native, transcoded
from xylem.document.limits import AMPLIFICATION_FREE_BYTES, Limits
from xylem.document.model import Document, DocumentArrays, IntArray
from xylem.document.pieces import piece_size
from xylem.document.rejection import UNKNOWN_ENCODING, not_well_formed, over_limit
from xylem.document.vocabulary import OTHER, SEPARATOR, Vocabulary


class _OtherEncoding(Exception):
    """The document declares an encoding that expat does not read."""


class PlainReader:
    """Reads documents in encodings that expat knows; safe to use from many threads."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits) -> None:
        self._vocabulary = vocabulary
        self._limits = limits

    def read(self, data: bytes) -> Document:
        """The document, or DocumentError."""
        version = self._vocabulary.version
        parse = _Parse(self._vocabulary, self._limits, data)
        try:
            parse.run()
        except _OtherEncoding:
            decoded = transcoded(data)
            if decoded is None:
                raise not_well_formed(UNKNOWN_ENCODING, data, 1, 1) from None
            return self.read(decoded)
        return Document(data, parse.arrays(), self._vocabulary, version, parse.skipped)


def marked_encoding(data: bytes) -> str | None:
    """The encoding that a byte order mark tells, which overrules the declaration."""
    return "UTF-8" if data.startswith(BOM) else "UTF-16" if data.startswith((b"\xfe\xff", b"\xff\xfe")) else None


def new_parser(data: bytes) -> pyexpat.XMLParserType:
    """A parser that reports names as the arrays want them."""
    parser = pyexpat.ParserCreate(marked_encoding(data), SEPARATOR)
    parser.ordered_attributes = True
    return parser


def run_parser(parser: pyexpat.XMLParserType, data: bytes, next_piece: Callable[[], int] | None = None) -> None:
    """Parses a whole document, in pieces if somebody says of what size; raises DocumentError where it is not
    well-formed."""
    position, view = 0, memoryview(data)
    try:
        while next_piece is not None and (size := next_piece()) < len(data) - position:
            parser.Parse(view[position : position + size], False)
            position += size
        parser.Parse(view[position:], True)
    except pyexpat.ExpatError as error:
        raise not_well_formed(error.code, data, error.lineno, error.offset + 1) from None


class _Parse:
    """One parse: the columns as lists, and the handlers that fill them."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits, data: bytes) -> None:
        self._find = vocabulary.find
        self._limits = limits
        self._data = data
        self._budget = max(AMPLIFICATION_FREE_BYTES, limits.amplification * len(data))
        self.tag, self.parent, self.depth, self.end = [OTHER], [-1], [0], [0]
        self.text_start, self.text_end, self.attr_start = [0], [0], [0]
        self.attr_name: list[int] = []
        self.attr_offset: list[int] = []
        self.attr_text = bytearray()
        self.text_parent: list[int] = []
        self.text_offset: list[int] = []
        self.text = bytearray()
        self.skipped = 0
        self._row = 0  # the innermost open element
        self._in_text = False
        self._declarations = 0  # of the element that comes next
        self._declared = 0
        self._names_size = 0
        self._defaults = 0
        self._declares = ""  # the beginning of the declaration that is open, if it matters
        self._markup = False  # whether an entity may hold elements
        self._events = 0
        self._unfinished = (0, 0)  # events when the last piece was fed, and the bytes that brought no further one

    def run(self) -> None:
        parser = self._parser = new_parser(self._data)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = parser.ProcessingInstructionHandler = self._split
        parser.StartNamespaceDeclHandler = self._declare
        parser.DefaultHandlerExpand = self._anything_else
        if marked_encoding(self._data) is None:
            parser.XmlDeclHandler = self._declaration
        run_parser(parser, self._data, self._next_piece)
        self.end[0], self.text_end[0] = len(self.tag), len(self.text)

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        # Left alone, pyexpat would ask Python's codecs byte by byte.
        if encoding is not None and not is_native(encoding):
            raise _OtherEncoding

    def _next_piece(self) -> int:
        events, unfinished = self._unfinished
        unfinished = unfinished if events == self._events else 0
        size = piece_size(self._defaults, len(self.tag) == 1, unfinished)
        self._unfinished = (self._events, unfinished + size)
        return size

    def _start(self, name: str, attributes: list[str]) -> None:
        self._events += 1
        self._in_text = False
        row, depth = len(self.tag), self.depth[self._row] + 1
        self._check(depth <= self._limits.depth, "depth")
        self._check(row <= self._limits.elements, "elements")
        self.tag.append(self._id(name))
        self.parent.append(self._row)
        self.depth.append(depth)
        self.end.append(0)
        self.text_start.append(len(self.text))
        self.text_end.append(0)
        self.attr_start.append(len(self.attr_name))
        self._row = row
        self._attributes(attributes)
        self._check_budget()

    def _attributes(self, attributes: list[str]) -> None:
        count, self._declarations = self._declarations, 0
        self._declared += count
        for name, value in zip(attributes[::2], attributes[1::2], strict=True):
            count += 1
            self._check(count <= self._limits.attributes, "attributes")
            self._attribute(name, value.encode())
        self._check(count <= self._limits.attributes, "attributes")

    def _attribute(self, name: str, value: bytes) -> None:
        identifier = self._id(name)
        self._check(len(value) <= self._limits.attribute_value, "attribute_value")
        total = len(self.attr_text) + len(value) + 8 * len(self.attr_name)
        self._check(total <= self._limits.attribute_text, "attribute_text")
        self.attr_name.append(identifier)
        self.attr_offset.append(len(self.attr_text))
        self.attr_text += value

    def _end(self, name: str) -> None:
        self._events += 1
        self._in_text = False
        self.end[self._row] = len(self.tag)
        self.text_end[self._row] = len(self.text)
        self._row = self.parent[self._row]

    def _characters(self, characters: str) -> None:
        self._events += 1
        octets = characters.encode()
        self._check(len(self.text) + len(octets) <= self._limits.text, "text")
        if not self._in_text:
            self._in_text = True
            self.text_parent.append(self._row)
            self.text_offset.append(len(self.text))
        self.text += octets
        self._check_budget()

    def _split(self, *ignored: str) -> None:
        self._events += 1
        self._in_text = False

    def _declare(self, prefix: str | None, uri: str) -> None:
        self._declarations += 1

    def _anything_else(self, characters: str) -> None:
        self._events += 1
        if self._row:
            # What has no handler and starts with an ampersand is a reference that expat skipped.
            self.skipped += characters.startswith("&")
        elif len(self.tag) == 1:
            self._token(characters)
            self._check(self._defaults <= self._limits.attributes, "attributes")
            self._check(not self._markup or self._defaults <= self._limits.amplification, "amplification")

    def _token(self, characters: str) -> None:
        """Takes note of a token of the internal subset, which may be one of a few parts of a long literal."""
        if characters == ">":
            self._declares = ""
        elif self._declares == "A":
            self._defaults += characters[0] in "\"'"
        elif self._declares == "EN":
            # A character reference may stand for the beginning of a tag.
            self._markup = self._markup or "<" in characters or "&#" in characters
        elif characters.startswith(("<!A", "<!EN")):
            self._declares = "A" if characters[2] == "A" else "EN"

    def _id(self, name: str) -> int:
        size = len(name.encode())
        self._check(size <= self._limits.name, "name")
        self._names_size += size
        namespace, _, local = name.rpartition(SEPARATOR)
        return self._find(namespace, local)

    def _check(self, fine: bool, limit: str) -> None:
        if not fine:
            parser = self._parser
            line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
            raise over_limit(limit, self._limits, self._data, line, column)

    def _check_budget(self) -> None:
        pieces = len(self.attr_name) + len(self.tag) + self._declared
        used = len(self.text) + len(self.attr_text) + self._names_size + 8 * pieces
        self._check(used <= self._budget, "amplification")

    def arrays(self) -> DocumentArrays:
        return DocumentArrays(
            tag=_ints(self.tag),
            parent=_ints(self.parent),
            depth=_ints(self.depth),
            end=_ints(self.end),
            text_start=_ints(self.text_start),
            text_end=_ints(self.text_end),
            attr_start=_ints([*self.attr_start, len(self.attr_name)]),
            attr_name=_ints(self.attr_name),
            attr_offset=_ints([*self.attr_offset, len(self.attr_text)]),
            attr_text=np.frombuffer(self.attr_text, np.uint8),
            text_parent=_ints(self.text_parent),
            text_offset=_ints([*self.text_offset, len(self.text)]),
            text=np.frombuffer(self.text, np.uint8),
        )


def _ints(values: list[int]) -> IntArray:
    return np.array(values, np.int32)
