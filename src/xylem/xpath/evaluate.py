"""What a formula means: the plain evaluator that everything faster is measured against.

`holds(formula, node)` is the specification of patterns. It asks a tree through the `Node` protocol and
recurses as the formula does; it remembers nothing and skips nothing.

This module knows nothing of how documents are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from xylem.xpath.numbers import BLANKS, string_to_number
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


class Node(Protocol):
    """A node of a document: the document node, an element, an attribute or a text node."""

    @property
    def order(self) -> int:
        """Its place in document order; no other node of the document has the same."""

    @property
    def name(self) -> tuple[str, str]:
        """Namespace and local part of an element or attribute; anything for the others."""

    def elements(self) -> Iterable[Node]:
        """The element children, in order."""

    def attributes(self) -> Iterable[Node]:
        """The attributes, without namespace declarations; none but for elements."""

    def texts(self) -> Iterable[Node]:
        """The text node children, in order; a text node is maximal."""

    def string_value(self) -> str: ...


def holds(formula: Formula, node: Node) -> bool:
    """Whether a formula is true of a node."""
    match formula:
        case Test():
            return passes(formula, node.string_value())
        case Exists(step):
            return any(holds(step.condition, found) for found in _step(node, step))
        case Count(path, op, value):
            return _compare(op, float(len(_reach(node, path))), value)
        case First(path, test):
            reached = _reach(node, path)
            return passes(test, reached[min(reached)].string_value() if reached else "")
        case And(items):
            return all(holds(item, node) for item in items)
        case Or(items):
            return any(holds(item, node) for item in items)
        case Not(item):
            return not holds(item, node)


def passes(test: Test, text: str) -> bool:
    """Whether a string-value passes a test."""
    value = test.value
    if isinstance(value, str):
        if test.view is View.NORMAL:
            text = normalize_space(text)
        if test.op is Op.CONTAINS:
            return value in text
        if test.op is Op.STARTS_WITH:
            return text.startswith(value)
        return (text == value) == (test.op is Op.EQ)
    match test.view:
        case View.NUMBER:
            return _compare(test.op, string_to_number(text), value)
        case View.LENGTH:
            return _compare(test.op, float(len(text)), value)
        case _:
            return _compare(test.op, float(len(normalize_space(text))), value)


def normalize_space(text: str) -> str:
    """Without blanks around it, and with one space for every run of blanks inside."""
    for blank in BLANKS[1:]:
        text = text.replace(blank, " ")
    return " ".join(part for part in text.split(" ") if part)


def _compare(op: Op, left: float, right: float) -> bool:
    match op:
        case Op.EQ:
            return left == right
        case Op.NE:
            return left != right
        case Op.LT:
            return left < right
        case Op.LE:
            return left <= right
        case Op.GT:
            return left > right
        case _:
            return left >= right


def _reach(node: Node, path: tuple[PatternNode, ...]) -> dict[int, Node]:
    """The nodes at the end of a path, each once, by their place in document order."""
    here = {node.order: node}
    for step in path:
        here = {
            found.order: found
            for origin in here.values()
            for found in _step(origin, step)
            if holds(step.condition, found)
        }
    return here


def _step(node: Node, step: PatternNode) -> Iterator[Node]:
    """The nodes that a step finds from a node, before its condition."""
    origins = iter((node,)) if step.axis is Axis.CHILD else _self_and_below(node)
    for origin in origins:
        for found in _children(origin, step.test.kind):
            if accepts(step.test, found.name):
                yield found


def _children(node: Node, kind: Kind) -> Iterable[Node]:
    if kind is Kind.ELEMENT:
        return node.elements()
    return node.attributes() if kind is Kind.ATTRIBUTE else node.texts()


def _self_and_below(node: Node) -> Iterator[Node]:
    """A node and the elements below it."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(here.elements())


def accepts(test: NodeTest, name: tuple[str, str]) -> bool:
    """Whether a node test accepts a node of its kind that has this name."""
    namespace, local = name
    if test.kind is Kind.TEXT:
        return True
    return (test.namespace is None or test.namespace == namespace) and (test.local is None or test.local == local)
