"""The tokens of XPath 1.0, found by one regular expression.

`tokenise` gives bare strings: what a token is shows in its first character, and where it stood is worked out
only when somebody asks (`offsets`), because only errors and rewritten expressions do. A name and its
prefix are one token (`p:a`, `p:*`), as no blank may stand between them. A character that begins no token
comes out as a token of its own, and no grammar rule takes it.

This module knows nothing of grammar: whether `and` is a name or an operator shows in its place.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NAME_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME_CHARACTER = _NAME_START + "\\-.0-9\u00b7\u0300-\u036f\u203f\u2040"
NC_NAME = f"[{_NAME_START}][{_NAME_CHARACTER}]*"

_TOKEN = re.compile(
    rf"({NC_NAME}(?::(?:{NC_NAME}|\*))?"
    r"|//|/|\.\.|[0-9]+(?:\.[0-9]*)?|\.[0-9]+|\.|::|!=|<=|>="
    r"""|"[^"]*"|'[^']*'|[^ \t\r\n])"""
)
_NAME_TOKEN = re.compile(rf"{NC_NAME}(?::(?:{NC_NAME}|\*))?\Z")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

KEPT_NAMES = 4096  # in each cache of names: more than schemas have, and a bound for names of 64 KiB each

END = ""
"""The token after the last one."""


def tokenise(text: str) -> list[str]:
    """The tokens of a text, with `END` behind them. O(length)."""
    found: list[str] = _TOKEN.findall(text)
    found.append(END)
    return found


def offsets(text: str) -> list[int]:
    """Where each token of a text starts, `END` included."""
    return [*(match.start() for match in _TOKEN.finditer(text)), len(text)]


@lru_cache(KEPT_NAMES)
def is_name(token: str) -> bool:
    return _NAME_TOKEN.match(token) is not None


def is_number(token: str) -> bool:
    # Digits of other scripts are decimal to Python, and nothing to XPath.
    return token.lstrip(".")[:1].isdecimal() and token.isascii()


def is_literal(token: str) -> bool:
    return len(token) > 1 and token[0] in "'\""


def forbidden(text: str) -> int | None:
    """Where the first character stands that no XML document can hold, if there is one."""
    found = _FORBIDDEN.search(text)
    return None if found is None else found.start()
