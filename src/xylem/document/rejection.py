"""The rejects that both readers give, in the same words.

This module knows expat's error codes, and nothing of how a parse goes.
"""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from pyexpat import errors

from xylem.document.encodings import foreign
from xylem.document.limits import AMPLIFICATION_FREE_BYTES, Limits
from xylem.errors import DocumentError

# Of enum XML_Error in expat.h, which never renumbers: NO_MEMORY, INVALID_TOKEN, UNKNOWN_ENCODING, and
# AMPLIFICATION_LIMIT_BREACH.
_NO_MEMORY, _INVALID_TOKEN, UNKNOWN_ENCODING, _AMPLIFICATION = 1, 4, 18, 43

_MARKS = (BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)


def not_well_formed(code: int, data: bytes, line: int, column: int) -> DocumentError:
    """The reject for an error code of expat's at a place (1-based)."""
    refused = foreign(data)
    if refused is not None:
        return refused
    column = column_of(data, line, column)
    if code == _AMPLIFICATION:
        reason = f"more than 100 times its own size by entities beyond {AMPLIFICATION_FREE_BYTES:,} bytes"
        return DocumentError(f"limit `amplification` exceeded: {reason}", line=line, column=column)
    if code == _NO_MEMORY:
        return out_of_memory(line, column)
    message = "invalid token" if code == _INVALID_TOKEN else errors.messages.get(code, f"error {code} of expat")
    return DocumentError(f"not well-formed: {message}", line=line, column=column)


def over_limit(limit: str, limits: Limits, data: bytes, line: int, column: int) -> DocumentError:
    """The reject of a document that passes the limit of this name at a place."""
    return limits.exceeded(limit, line=line, column=column_of(data, line, column))


def column_of(data: bytes, line: int, column: int) -> int:
    """The column that a reader of the text would count: expat counts a byte order mark as a character."""
    return column - 1 if line == 1 and column > 1 and data.startswith(_MARKS) else column


def out_of_memory(line: int, column: int) -> DocumentError:
    return DocumentError("no memory left for the arrays of this document", line=line, column=column)
