"""Parts of patterns in XPath's own words, each by itself, for people to read.

This module knows nothing of documents, and leaves spelling to the language.
"""

from __future__ import annotations

from collections.abc import Mapping

from xylem.xpath import spell_formula
from xylem.xpath.pattern import TRUE, And, Count, Exists, First, Formula, Not, Or, PatternNode

_LONGEST_VALUE = 60


def part_words(part: Formula | PatternNode, namespaces: Mapping[str, str]) -> str:
    """One part without what hangs below it."""
    match part:
        case PatternNode():
            return spell_formula(Exists(_bare(part)), namespaces).expression
        case Exists(node):
            return part_words(node, namespaces)
        case And(items):
            return "all of" if items else "anything"
        case Or(items):
            return "one of" if items else "nothing"
        case Not():
            return "not"
        case Count(path, op, value):
            part = Count(tuple(map(_bare, path)), op, value)
        case First(path, test):
            part = First(tuple(map(_bare, path)), test)
    return spell_formula(part, namespaces, inside=True).expression


def value_words(value: str | float) -> str:
    """A value that was met: a string quoted, on one line and not too long, or a number."""
    if not isinstance(value, str):
        return f"{value:g}"
    return repr(value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…")


def _bare(node: PatternNode) -> PatternNode:
    return PatternNode(node.axis, node.test, TRUE)
