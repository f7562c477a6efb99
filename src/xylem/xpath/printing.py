"""Patterns as XPath again: `parse` of what is printed gives the pattern back.

A pattern that a formula says in full is printed from the formula; of others, the expression that is left to
verify is what was subscribed to.
"""

from __future__ import annotations

from collections.abc import Mapping

from xylem.xpath.pattern import (
    FALSE,
    TRUE,
    And,
    Axis,
    Count,
    Exists,
    First,
    Formula,
    Kind,
    Not,
    Op,
    Or,
    PatternNode,
    Test,
    TreePattern,
    View,
)
from xylem.xpath.spelling import Spelled
from xylem.xpath.words import Prefixes, literal, numeral

_OPERATORS = {Op.EQ: "=", Op.NE: "!=", Op.LT: "<", Op.LE: "<=", Op.GT: ">", Op.GE: ">="}
_OR, _AND, _COMPARED = 1, 2, 3


def to_xpath(pattern: TreePattern, namespaces: Mapping[str, str] | None = None) -> str:
    """A pattern as an expression. Namespaces without a prefix in the mapping get ns1, ns2, …; `spell` tells which."""
    return spell(pattern, namespaces).expression


def spell(pattern: TreePattern, namespaces: Mapping[str, str] | None = None) -> Spelled:
    """A pattern as an expression, and the prefixes that it uses with their namespaces. O(size)."""
    if pattern.verification is not None:
        return Spelled(pattern.verification.expression, pattern.verification.namespaces)
    return spell_formula(pattern.condition, namespaces)


def spell_formula(formula: Formula, namespaces: Mapping[str, str] | None = None, *, inside: bool = False) -> Spelled:
    """A formula at the document node, or `inside` a predicate, as an expression."""
    prefixes = Prefixes(namespaces or {})
    text = _Printer(prefixes).formula(formula, not inside, 0)
    return Spelled(text, tuple(sorted(prefixes.used.items())))


class _Printer:
    def __init__(self, prefixes: Prefixes) -> None:
        self.prefixes = prefixes

    def formula(self, formula: Formula, top: bool, rank: int) -> str:
        """A formula as an operand that binds at least as tightly as `rank`; `top`: at the document node."""
        match formula:
            case Exists(node):
                near, far = ("/", "//") if top else ("", ".//")
                return (near if node.axis is Axis.CHILD else far) + self.node(node)
            case Test():
                return self.test(formula, "/" if top else ".")
            case And(items):
                return self.joined("and", items, top, _AND, rank) if formula != TRUE else "true()"
            case Or(items):
                return self.joined("or", items, top, _OR, rank) if formula != FALSE else "false()"
            case Not(item):
                return f"not({self.formula(item, top, 0)})"
            case Count(path, op, value):
                return f"count({self.path(path, top)}) {_OPERATORS[op]} {numeral(value)}"
            case First(path, test):
                return self.test(test, self.path(path, top), of_first=True)

    def joined(self, operator: str, items: tuple[Formula, ...], top: bool, own: int, rank: int) -> str:
        text = f" {operator} ".join(self.formula(item, top, own + 1) for item in items)
        return f"({text})" if own < rank else text

    def path(self, path: tuple[PatternNode, ...], top: bool) -> str:
        """A path whose nodes matter themselves: what must hold of them stands in predicates."""
        text = ""
        for index, node in enumerate(path):
            near, far = ("/", "//") if top or index else ("", ".//")
            text += (near if node.axis is Axis.CHILD else far) + self.step(node) + self.predicates(node.condition)
        return text

    def node(self, node: PatternNode) -> str:
        """A step with what must hold there: one step more, or predicates."""
        if not isinstance(node.condition, Exists):
            return self.step(node) + self.predicates(node.condition)
        below = node.condition.node
        return f"{self.step(node)}{'/' if below.axis is Axis.CHILD else '//'}{self.node(below)}"

    def step(self, node: PatternNode) -> str:
        return ("@" if node.test.kind is Kind.ATTRIBUTE else "") + self.prefixes.test(node.test)

    def predicates(self, condition: Formula) -> str:
        items = condition.items if isinstance(condition, And) else (condition,)
        return "".join(f"[{self.formula(item, False, 0)}]" for item in items)

    def test(self, test: Test, subject: str, of_first: bool = False) -> str:
        """A test of a node; `of_first`: of the first node of a path, as a string."""
        match test.view:
            case View.NORMAL:
                subject = f"normalize-space({subject})"
            case View.LENGTH:
                subject = f"string-length({subject})"
            case View.NORMAL_LENGTH:
                subject = f"string-length(normalize-space({subject}))"
            case View.NUMBER if of_first:
                subject = f"number({subject})"
            case View.STRING if of_first and test.op in _OPERATORS:
                subject = f"string({subject})"
            case _:
                pass
        value = literal(test.value) if isinstance(test.value, str) else numeral(test.value)
        if test.op is Op.CONTAINS:
            return f"contains({subject}, {value})"
        if test.op is Op.STARTS_WITH:
            return f"starts-with({subject}, {value})"
        return f"{subject} {_OPERATORS[test.op]} {value}"
