"""A stream of bytes in any encoding as a stream of UTF-8 that expat can be fed.

What expat reads itself is handed on as it is; all else is decoded piece by piece. The declaration stays in
the text, so the parser must be told to overlook it.

This module knows nothing of XML beyond the declaration.
"""

from __future__ import annotations

import codecs
from typing import BinaryIO

from xylem.document.encodings import BOM, encoding_of, foreign
from xylem.errors import DocumentError

_FIRST_BYTES = 4 * 1024


class Utf8Stream:
    """A stream in UTF-8; `utf8_declared` is what the parser must be told, None when the declaration holds."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._first = _filled(stream, _FIRST_BYTES)
        refused = foreign(self._first)
        if refused is not None:
            raise refused
        self.codec = encoding_of(self._first)
        self._decoder = codecs.getincrementaldecoder(self.codec)() if self.codec else None
        self.utf8_declared = "UTF-8" if self.codec or self._first.startswith(BOM) else None
        self._line = 1

    def read(self, size: int) -> bytes:
        """The next bytes, about as many as asked for; empty only at the end."""
        while True:
            piece = self._first or self._stream.read(size)
            self._first = b""
            if self._decoder is None:
                return piece
            decoded = self._decoded(piece)
            if decoded or not piece:
                return decoded

    def _decoded(self, piece: bytes) -> bytes:
        assert self._decoder is not None
        try:
            text = self._decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            line = self._line + error.object[: error.start].count(b"\n")
            raise DocumentError(f"not well-formed: bytes that are not {self.codec}", line=line) from None
        self._line += text.count("\n")
        return text.encode()


def _filled(stream: BinaryIO, size: int) -> bytes:
    """So many bytes, or all that there are: a pipe may give fewer than it was asked for."""
    pieces = []
    while size > 0 and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
