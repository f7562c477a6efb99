"""How much of a document a parser is fed at a time, for the kernel reader and the plain one alike.

A parser that is driven through the capsule can be stopped only between two pieces, so a piece must not cost much.
What makes much of little are default attributes, which the parser adds to every element before anybody can object;
the more of them the internal subset declares, the smaller the pieces. A token that is longer than a piece is scanned
again from its start with each piece; pieces grow with such a token, by a factor that keeps its cost linear: the
work of scanning again, and that of the elements which may follow in the piece, are balanced.

This module knows nothing of parsers.
"""

from __future__ import annotations

# The processor's cache holds this much beside the tables, and no piece without default attributes takes a millisecond.
PIECE_BYTES = 64 * 1024

# While the internal subset may still be going on, elements after it come in the same piece.
PROLOG_PIECE_BYTES = 16 * 1024

_SMALLEST_PIECE_BYTES = 64

# Default attributes times bytes: a quarter of a second, for elements of four bytes and attributes with prefixes.
_WORK = 10_000_000


def piece_size(defaults: int, in_prolog: bool, unfinished: int) -> int:
    """The bytes of the next piece after `defaults` declarations of default values, `unfinished` bytes into a token."""
    size = PROLOG_PIECE_BYTES if in_prolog else PIECE_BYTES
    if defaults == 0:
        return max(size, unfinished)
    size = max(_SMALLEST_PIECE_BYTES, min(size, _WORK // defaults))
    return max(size, int(unfinished / (10 * defaults**0.5)))
