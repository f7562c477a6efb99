"""From an expression to what a formula can say of it.

`translate` gives bounds at the document node for a whole subscription; they coincide when the pattern says it all.
This module holds the logic: truth values, `and`, `or`, `not`, predicates. Paths are followed in `walk`, values are
compared in `compare`.
"""

from __future__ import annotations

from xylem.errors import XPathError
from xylem.xpath import normal
from xylem.xpath.bounds import ALWAYS, NEVER, UNKNOWN, Bounds, at_most, both, either, exactly, opposite
from xylem.xpath.bounds import constant as certainly
from xylem.xpath.compare import Comparer
from xylem.xpath.constants import constant, to_boolean
from xylem.xpath.functions import type_of
from xylem.xpath.here import Here, Where, document
from xylem.xpath.hoist import facts, settle
from xylem.xpath.limits import MAX_LEVELS, MAX_NODES
from xylem.xpath.order import measure
from xylem.xpath.pattern import TRUE, Op
from xylem.xpath.positions import LAST, POSITION
from xylem.xpath.syntax import (
    EVERY_NODE_BELOW,
    Call,
    Comparison,
    Expression,
    Filter,
    Logic,
    Path,
    Start,
    Type,
    Union,
)
from xylem.xpath.walk import TooLargeError, Walker


def translate(expression: Expression, text: str) -> Bounds:
    """Bounds of a subscription that `anchored` made; `text` is what errors show.

    Nothing is said of an expression whose translation would be much larger than itself.
    """
    try:
        said = Translator().boolean(expression, document())
    except TooLargeError:
        return UNKNOWN
    upper = normal.at_document(settle(said.upper, True))
    parts, levels = measure(upper, MAX_NODES)
    if parts > MAX_NODES:
        return UNKNOWN
    if levels > MAX_LEVELS:
        message = f"the pattern has more than {MAX_LEVELS} levels"
        raise XPathError(message, expression=text, column=1, construct="nesting")
    if said.exact and not facts(said.upper, root=True):
        return exactly(upper)
    # Facts that are too many are taken as unknown, which even exact bounds do not survive.
    lower = normal.at_document(settle(said.lower, False))
    return exactly(upper) if lower == upper else Bounds(lower, upper)


def anchored(expression: Expression) -> Expression:
    """A subscription as an expression for the document node: a relative location path looks everywhere."""
    match expression:
        case Path(Start.RELATIVE, steps, at):
            return Path(Start.ABSOLUTE, (EVERY_NODE_BELOW, *steps), at)
        case Union(items) if all(is_location(item) for item in items):
            return Union(tuple(anchored(item) for item in items))
        case _:
            return expression


def is_location(expression: Expression) -> bool:
    if isinstance(expression, Union):
        return all(is_location(item) for item in expression.items)
    return isinstance(expression, Path) and isinstance(expression.start, Start)


class Translator:
    """One translation: decides truth values and predicates for the walker and the comparer."""

    def __init__(self) -> None:
        self.walker = Walker(self)
        self.comparer = Comparer(self, self.walker)

    def boolean(self, expression: Expression, here: Here) -> Bounds:
        """The truth value of an expression at a node."""
        match expression:
            case Path() | Filter() | Union():
                return self.walker.reaches(expression, here)
            case Comparison():
                if POSITION in expression or LAST in expression:
                    return UNKNOWN
                return self.comparer.comparison(expression, here)
            case Logic("and", items):
                return both([self.boolean(item, here) for item in items])
            case Logic(_, items):
                return either([self.boolean(item, here) for item in items])
        value = constant(expression)
        if value is not None:
            return certainly(to_boolean(value))
        match type_of(expression):
            case Type.BOOLEAN:
                return self.call(expression, here)
            case Type.STRING:
                return self.comparer.string("!=", expression, "", here)
            case Type.NUMBER:
                return self.nonzero(expression, here)
            case _:
                return self.walker.reaches(expression, here)

    def call(self, expression: Expression, here: Here) -> Bounds:
        """A function that gives a truth value."""
        assert isinstance(expression, Call)
        match expression.name:
            case "not":
                return opposite(self.boolean(expression.arguments[0], here))
            case "boolean":
                return self.boolean(expression.arguments[0], here)
            case "contains":
                return self.comparer.contains(Op.CONTAINS, expression.arguments, here)
            case "starts-with":
                return self.comparer.contains(Op.STARTS_WITH, expression.arguments, here)
            case _:
                # lang() asks an attribute of this node or of one above it.
                return NEVER if here.where is Where.DOCUMENT else UNKNOWN

    def nonzero(self, expression: Expression, here: Here) -> Bounds:
        """A number counts as true unless it is zero or NaN."""
        if expression in (POSITION, LAST):
            return ALWAYS
        below = self.comparer.number("<", expression, 0.0, here)
        above = self.comparer.number(">", expression, 0.0, here)
        return either([below, above])

    def predicates(self, predicates: tuple[Expression, ...], here: Here, alone: bool) -> Bounds:
        """Whether all predicates hold; `alone`: the node is the only one on its axis."""
        return both([self.predicate(predicate, here, alone) for predicate in predicates]) if predicates else ALWAYS

    def predicate(self, predicate: Expression, here: Here, alone: bool) -> Bounds:
        if type_of(predicate) is not Type.NUMBER:
            return self.boolean(predicate, here)
        if predicate == LAST:
            return ALWAYS if alone else UNKNOWN
        value = constant(predicate)
        if not isinstance(value, float):
            return UNKNOWN
        if value < 1 or not value.is_integer():
            return NEVER
        if alone:
            return certainly(value == 1)
        return at_most(TRUE)
