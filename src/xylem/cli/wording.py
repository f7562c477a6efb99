"""Parts of patterns in XPath's own words, for people to read.

This module knows nothing of documents.
"""

from __future__ import annotations

from collections.abc import Mapping

from xylem.xpath.pattern import (
    And,
    Axis,
    Count,
    Exists,
    First,
    Formula,
    Kind,
    NodeTest,
    Not,
    Op,
    Or,
    PatternNode,
    Test,
    View,
)

_SIGN = {Op.EQ: "=", Op.NE: "!=", Op.LT: "<", Op.LE: "<=", Op.GT: ">", Op.GE: ">="}
_CALL = {Op.CONTAINS: "contains", Op.STARTS_WITH: "starts-with"}
_VIEW = {
    View.STRING: "{}",
    View.NORMAL: "normalize-space({})",
    View.NUMBER: "number({})",
    View.LENGTH: "string-length({})",
    View.NORMAL_LENGTH: "string-length(normalize-space({}))",
}

Prefixes = Mapping[str, str]  # namespace -> prefix


def part_words(part: Formula | PatternNode, prefixes: Prefixes) -> str:
    """One part by itself, without what hangs below it."""
    match part:
        case PatternNode():
            return step_words(part, prefixes)
        case Exists(node):
            return step_words(node, prefixes)
        case Test():
            return test_words(part, ".")
        case And(items):
            return "all of" if items else "true"
        case Or(items):
            return "one of" if items else "false"
        case Not():
            return "not"
        case Count(path, op, value):
            return f"count({path_words(path, prefixes)}) {_SIGN[op]} {number_words(value)}"
        case First(path, test):
            return test_words(test, f"string({path_words(path, prefixes)})")


def path_words(path: tuple[PatternNode, ...], prefixes: Prefixes) -> str:
    """A path as seen from the node above it."""
    return "".join(step_words(node, prefixes) for node in path).removeprefix("/")


def step_words(node: PatternNode, prefixes: Prefixes) -> str:
    """A step with its axis, as `/name` or `//@name`."""
    return ("/" if node.axis is Axis.CHILD else "//") + _name(node.test, prefixes)


def test_words(test: Test, subject: str) -> str:
    """A comparison of some value with a constant."""
    viewed = _VIEW[test.view].format(subject)
    if test.op in _CALL:
        return f"{_CALL[test.op]}({viewed}, {value_words(test.value)})"
    return f"{viewed} {_SIGN[test.op]} {value_words(test.value)}"


def value_words(value: str | float, most: int = 60) -> str:
    """A constant or a value that was met: quoted and on one line, or a number."""
    if not isinstance(value, str):
        return number_words(value)
    shown = value if len(value) <= most else value[: most - 1] + "…"
    return repr(shown)


def number_words(value: float) -> str:
    return str(int(value)) if value == value and abs(value) < 1e15 and value == int(value) else str(value)


def _name(test: NodeTest, prefixes: Prefixes) -> str:
    if test.kind is Kind.TEXT:
        return "text()"
    local = test.local if test.local is not None else "*"
    if test.namespace:
        prefix = prefixes.get(test.namespace)
        local = f"{prefix}:{local}" if prefix else f"{{{test.namespace}}}{local}"
    return f"@{local}" if test.kind is Kind.ATTRIBUTE else local
