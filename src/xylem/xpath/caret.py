"""Where in an expression an error is: the expression, and a caret below the column."""

from __future__ import annotations

from xylem.errors import XPathError

WIDTH = 76
"""How many characters of a long expression are shown."""


def caret(error: XPathError) -> str:
    """Two lines: the expression, shortened around the column if it is long, and a caret under the column."""
    at = min(max(error.column - 1, 0), len(error.expression))
    start = max(0, min(at - WIDTH // 2, len(error.expression) - WIDTH))
    end = start + WIDTH
    before = _visible(error.expression[start:at])
    after = _visible(error.expression[at:end])
    head = "…" if start else ""
    tail = "…" if end < len(error.expression) else ""
    return f"{head}{before}{after}{tail}\n{' ' * (len(head) + len(before))}^"


def _visible(text: str) -> str:
    """The text with whatever would not print as one character escaped."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
