"""Writes an expression's tree as XPath again, with prefixes of its own (`ns1`, `ns2`, …).

What libxml2 is asked to verify is written by this, not taken from the subscription's text, so it says what was
understood. lxml starts from the root element where a subscription starts from the document node, so whatever
asks the context node itself, outside all predicates, is written to ask the document node by name.

This module knows nothing of patterns.
"""

from __future__ import annotations

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

_SIGN = 7  # binds tighter than every binary operator
_UNION = 8
_PATH = 9
_OF_CONTEXT = ("string", "number", "normalize-space", "string-length", "name", "local-name", "namespace-uri")


class Spelled(NamedTuple):
    expression: str
    namespaces: tuple[tuple[str, str], ...]


def spell_expression(expression: Expression) -> Spelled:
    """An expression for the document node, and the prefixes that it uses. O(size)."""
    prefixes = Prefixes({})
    text = _Speller(prefixes).expression(expression, 0, True)
    return Spelled(text, tuple(sorted(prefixes.used.items())))


class _Speller:
    def __init__(self, prefixes: Prefixes) -> None:
        self.prefixes = prefixes

    def expression(self, expression: Expression, rank: int, outside: bool) -> str:
        """An expression as an operand of an operator that binds as tightly as `rank`; `outside` all predicates."""
        text, own = self.ranked(expression, outside)
        return f"({text})" if own < rank else text

    def ranked(self, expression: Expression, outside: bool) -> tuple[str, int]:
        """The text, and how tightly it holds together."""
        match expression:
            case Path(start, steps):
                return self.path(start, steps, outside), _PATH
            case Filter(primary, predicates):
                return f"({self.expression(primary, 0, outside)})" + self.predicates(predicates), _PATH
            case Union(items):
                return " | ".join(self.expression(item, _PATH, outside) for item in items), _UNION
            case Logic(operator, items):
                rank = PRECEDENCE[operator]
                return f" {operator} ".join(self.expression(item, rank + 1, outside) for item in items), rank
            case Comparison(operator, left, right) | Arithmetic(operator, left, right):
                rank = PRECEDENCE[operator]
                sides = self.expression(left, rank, outside), self.expression(right, rank + 1, outside)
                return f"{sides[0]} {operator} {sides[1]}", rank
            case Negative(item):
                return "-" + self.expression(item, _SIGN, outside), _SIGN
            case Literal(value):
                return literal(value), _PATH
            case Number(number):
                return numeral(number), _PATH
            case Call():
                return self.call(expression, outside), _PATH

    def call(self, call: Call, outside: bool) -> str:
        name, arguments = call
        if outside and name == "lang":
            return "false()"
        if outside and not arguments and name in _OF_CONTEXT:
            return f"{name}(/)"
        return f"{name}({', '.join(self.expression(argument, 0, outside) for argument in arguments)})"

    def path(self, start: Start | Expression, steps: tuple[Step, ...], outside: bool) -> str:
        if start is Start.RELATIVE and not outside:
            head, gap = "", ""
        elif isinstance(start, Start):
            head, gap = "", "/"
        else:
            head, gap = self.expression(start, _PATH, outside), "/"
        if not steps:
            return head + gap
        text = head
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
        if isinstance(test, NodeTest):
            spelled += self.prefixes.test(test)
        elif isinstance(test, Instruction):
            spelled += f"processing-instruction({'' if test.target is None else literal(test.target)})"
        else:
            spelled += f"{test.value}()"
        return spelled + self.predicates(predicates)

    def predicates(self, predicates: tuple[Expression, ...]) -> str:
        return "".join(f"[{self.expression(predicate, 0, False)}]" for predicate in predicates)
