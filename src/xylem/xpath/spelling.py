"""Writes an expression's tree as XPath again, with prefixes of its own (`ns1`, `ns2`, …).

What libxml2 is asked to verify is written by this, not taken from the subscription's text, so it says what was
understood. Parsing what is written gives the tree back, but for names and numbers that libxml2 would read
otherwise than the document's parser and `number()` do.

This module knows nothing of patterns.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from xylem.xpath.parser import PRECEDENCE
from xylem.xpath.pattern import NodeTest
from xylem.xpath.syntax import (
    ABOVE,
    EVERY_NODE_BELOW,
    HERE,
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Filter,
    Instruction,
    Literal,
    Logic,
    Negative,
    Number,
    Path,
    Start,
    Step,
    StepAxis,
    Union,
)
from xylem.xpath.words import Prefixes, literal, numeral

_ROOT = 0  # `/ and x` would go on to a step called `and`
_SIGN = 7  # binds tighter than every binary operator
_UNION = 8
_PATH = 9

_LETTERS = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0391-\u03a1\u03a3-\u03c9\u0410-\u044f"
    "\u3041-\u3094\u30a1-\u30fa\u4e00-\u9fa5"
)
_EVERYWHERE = re.compile(rf"[{_LETTERS}][{_LETTERS}\-.0-9]*\Z")
"""Names of the letters that most people use, which are names in every edition of XML. libxml2 reads expressions by the
fourth edition, this room by the fifth: all other names are written as tests of the name."""


class Spelled(NamedTuple):
    expression: str
    namespaces: tuple[tuple[str, str], ...]


def spell_expression(expression: Expression) -> Spelled:
    """An expression for the document node, and the prefixes that it uses. O(size)."""
    prefixes = Prefixes({})
    text = _Speller(prefixes).expression(expression, 0)
    return Spelled(text, tuple(sorted(prefixes.used.items())))


class _Speller:
    def __init__(self, prefixes: Prefixes) -> None:
        self.prefixes = prefixes

    def expression(self, expression: Expression, rank: int) -> str:
        """An expression as an operand of an operator that binds as tightly as `rank`."""
        text, own = self.ranked(expression)
        return f"({text})" if own < rank else text

    def ranked(self, expression: Expression) -> tuple[str, int]:
        """The text, and how tightly it holds together."""
        match expression:
            case Path(start, steps):
                return self.path(start, steps), _PATH if steps else _ROOT
            case Filter(primary, predicates):
                return f"({self.expression(primary, 0)})" + self.predicates(predicates), _PATH
            case Union(items):
                return " | ".join(self.expression(item, _PATH) for item in items), _UNION
            case Logic(operator, items):
                rank = PRECEDENCE[operator]
                return f" {operator} ".join(self.expression(item, rank + 1) for item in items), rank
            case Comparison(operator, left, right) | Arithmetic(operator, left, right):
                rank = PRECEDENCE[operator]
                return f"{self.expression(left, rank)} {operator} {self.expression(right, rank + 1)}", rank
            case Negative(item):
                return "-" + self.expression(item, _SIGN), _SIGN
            case Literal(value):
                return literal(value), _PATH
            case Number(number):
                return numeral(number), _PATH
            case Call(name, arguments):
                return f"{name}({', '.join(self.expression(argument, 0) for argument in arguments)})", _PATH

    def path(self, start: Start | Expression, steps: tuple[Step, ...]) -> str:
        gap = "" if start is Start.RELATIVE else "/"
        if isinstance(start, Start):
            text = "" if steps else gap
        else:
            # Without parentheses, `(a)/b` would be a location path.
            text = self.expression(start, _PATH + isinstance(start, Path))
        for index, step in enumerate(steps):
            if step == EVERY_NODE_BELOW and gap == "/" and index < len(steps) - 1:
                gap = "//"
                continue
            text += gap + self.step(step)
            gap = "/"
        return text

    def step(self, step: Step) -> str:
        if step == HERE:
            return "."
        if step == ABOVE:
            return ".."
        axis, test, predicates = step
        spelled = {StepAxis.CHILD: "", StepAxis.ATTRIBUTE: "@"}.get(axis, f"{axis.value}::")
        if isinstance(test, NodeTest) and test.local and not _EVERYWHERE.match(test.local):
            spelled += f"*[local-name() = {literal(test.local)} and namespace-uri() = {literal(test.namespace or '')}]"
        elif isinstance(test, NodeTest):
            spelled += self.prefixes.test(test)
        elif isinstance(test, Instruction):
            spelled += f"processing-instruction({'' if test.target is None else literal(test.target)})"
        else:
            spelled += f"{test.value}()"
        return spelled + self.predicates(predicates)

    def predicates(self, predicates: tuple[Expression, ...]) -> str:
        return "".join(f"[{self.expression(predicate, 0)}]" for predicate in predicates)
