"""Comparisons and calls that look at values: which tests of which nodes they are.

A value that comes from one node or path through functions that a `Test` can view it by (`string`, `number`,
`normalize-space`, `string-length`) compares exactly with a constant. Of all other values only what they need
is said: a sum is no number unless its paths reach something.

This module knows nothing of steps (see `walk`) and leaves the logic of `and`, `or` and `not` to its owner.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

from xylem.xpath import normal
from xylem.xpath.bounds import ALWAYS, NEVER, UNKNOWN, Bounds, at_most, both, either, exactly, further_up, opposite
from xylem.xpath.bounds import constant as certainly
from xylem.xpath.constants import MIRRORED, Constant, compare, compare_numbers, constant, to_boolean, to_number
from xylem.xpath.evaluate import passes
from xylem.xpath.functions import type_of
from xylem.xpath.here import Here, Where, document
from xylem.xpath.limits import MAX_COUNTED
from xylem.xpath.order import is_small
from xylem.xpath.pattern import FALSE, TRUE, Formula, Kind, Op, Test, View
from xylem.xpath.syntax import HERE, Arithmetic, Call, Comparison, Expression, Negative, Path, Start, Type
from xylem.xpath.walk import Walker, always

OPS = {"=": Op.EQ, "!=": Op.NE, "<": Op.LT, "<=": Op.LE, ">": Op.GT, ">=": Op.GE}

_SELF = Path(Start.RELATIVE, (HERE,), 0)
_VIEWS = {"string": View.STRING, "normalize-space": View.NORMAL}
_NUMBERS = {"number": View.NUMBER, "string-length": View.LENGTH}
_SHRINKING = ("translate", "substring", "substring-before", "substring-after", "normalize-space", "string")
_NAMES = ("name", "local-name", "namespace-uri")


class Seen(NamedTuple):
    """A value that is a view of the string-value of a node-set's first node."""

    view: View
    nodes: Expression


class Truth(Protocol):
    """Decides what an expression's boolean value says of a node."""

    def boolean(self, expression: Expression, here: Here) -> Bounds: ...


class Comparer:
    def __init__(self, owner: Truth, walker: Walker) -> None:
        self.owner = owner
        self.walker = walker

    def comparison(self, expression: Comparison, here: Here) -> Bounds:
        operator, left, right = expression
        first, second = constant(left), constant(right)
        if first is not None and second is not None:
            return certainly(compare(operator, first, second))
        if second is not None:
            return self.with_constant(operator, left, second, here)
        if first is not None:
            return self.with_constant(MIRRORED[operator], right, first, here)
        return self.between(operator, left, right, here)

    # With a constant ----------------------------------------------------------------------------------------

    def with_constant(self, operator: str, left: Expression, value: Constant, here: Here) -> Bounds:
        kind = type_of(left)
        equality = operator in ("=", "!=")
        if kind is Type.BOOLEAN or (isinstance(value, bool) and (equality or kind is Type.NODES)):
            return self.truth(operator, left, value, here)
        if kind is Type.NODES:
            return self.some(operator, left, value, here)
        if equality and kind is Type.STRING and isinstance(value, str):
            return self.string(operator, left, value, here)
        return self.number(operator, left, to_number(value), here)

    def truth(self, operator: str, left: Expression, value: Constant, here: Here) -> Bounds:
        """A truth value against a constant: what would true give, what false?"""
        if operator in ("=", "!="):
            value = to_boolean(value)
        on, off = compare(operator, True, value), compare(operator, False, value)
        if on == off:
            return certainly(on)
        said = self.owner.boolean(left, here)
        return said if on else opposite(said)

    def some(self, operator: str, nodes: Expression, value: Constant, here: Here) -> Bounds:
        """Some node of a set compares so with a constant."""
        if isinstance(value, str) and operator in ("=", "!="):
            return self.passing(nodes, normal.test(View.STRING, OPS[operator], value), here)
        number = to_number(value)
        if math.isnan(number):
            return self.walker.reaches(nodes, here) if operator == "!=" else NEVER
        return self.passing(nodes, normal.test(View.NUMBER, OPS[operator], number), here)

    def passing(self, nodes: Expression, test: Formula, here: Here) -> Bounds:
        """Some node of a set passes a test."""
        if test == TRUE:
            return self.walker.reaches(nodes, here)
        return NEVER if test == FALSE else self.walker.reaches(nodes, here, lambda found: _own(test, found))

    def string(self, operator: str, left: Expression, value: str, here: Here) -> Bounds:
        seen = self.seen(left, here)
        if seen is not None:
            return self.view(seen, OPS[operator], value, here)
        known = self.known_name(left, here)
        if known is not None:
            return certainly((known == value) == (operator == "="))
        if (value == "") != (operator == "="):
            return at_most(self.not_empty(left, here))
        return UNKNOWN

    def number(self, operator: str, left: Expression, value: float, here: Here) -> Bounds:
        if isinstance(left, Negative):
            return self.number(MIRRORED[operator], left.item, -value, here)
        if math.isnan(value):
            return certainly(operator == "!=")
        if isinstance(left, Call) and left.name == "count":
            return self.count(left.arguments[0], operator, value, here)
        seen = self.seen_number(left, here)
        if seen is not None:
            return self.view(seen, OPS[operator], value, here)
        if operator == "!=":
            return UNKNOWN
        if isinstance(left, Call) and left.name == "sum":
            some = UNKNOWN if compare_numbers(operator, 0.0, value) else self.walker.reaches(left.arguments[0], here)
            return at_most(some.upper)
        return at_most(self.a_number(left, here))

    # Between two values that both depend on the document ----------------------------------------------------

    def between(self, operator: str, left: Expression, right: Expression, here: Here) -> Bounds:
        kinds = type_of(left), type_of(right)
        if Type.BOOLEAN in kinds:
            if operator not in ("=", "!="):
                return UNKNOWN
            first, second = self.owner.boolean(left, here), self.owner.boolean(right, here)
            if not all(is_small(side) for bounds in (first, second) for side in bounds):
                return UNKNOWN
            equal = either([both([first, second]), both([opposite(first), opposite(second)])])
            return equal if operator == "=" else opposite(equal)
        needed = [
            self.compared(side, kind, operator, kinds, here) for side, kind in zip((left, right), kinds, strict=True)
        ]
        return at_most(normal.conjunction(needed))

    def compared(self, side: Expression, kind: Type, operator: str, kinds: tuple[Type, Type], here: Here) -> Formula:
        """What one side of a comparison needs for it to hold."""
        if kind is Type.NODES:
            return self.walker.reaches(side, here).upper
        if operator == "!=" or (operator == "=" and Type.NUMBER not in kinds):
            return TRUE
        return self.a_number(side, here)

    def a_number(self, expression: Expression, here: Here) -> Formula:
        """What must hold for the number of an expression not to be NaN."""
        value = constant(expression)
        if value is not None:
            return FALSE if math.isnan(to_number(value)) else TRUE
        seen = self.seen_number(expression, here)
        if seen is not None:
            return self.view(seen, Op.GE, -math.inf, here).upper
        match expression:
            case Arithmetic(_, left, right):
                return normal.conjunction([self.a_number(left, here), self.a_number(right, here)])
            case Negative(item) | Call("floor" | "ceiling" | "round" | "number", (item,)):
                return self.a_number(item, here)
            case _:
                return self.not_empty(expression, here) if type_of(expression) is Type.STRING else TRUE

    def not_empty(self, expression: Expression, here: Here) -> Formula:
        """What must hold for the string of an expression not to be empty."""
        value = constant(expression)
        if value is not None:
            return TRUE if value != "" else FALSE
        seen = self.seen(expression, here)
        if seen is not None:
            return self.view(seen, Op.NE, "", here).upper
        match expression:
            case Call(name, arguments) if name in _SHRINKING and arguments:
                return self.not_empty(arguments[0], here)
            case Call("concat", arguments):
                return normal.disjunction([self.not_empty(argument, here) for argument in arguments])
            case Call(name, (nodes,)) if name in _NAMES:
                return self.walker.reaches(nodes, here).upper
            case _:
                return TRUE

    # Views of nodes -----------------------------------------------------------------------------------------

    def seen(self, expression: Expression, here: Here) -> Seen | None:
        """The string of an expression, if it is a view of a node's."""
        if type_of(expression) is Type.NODES:
            return Seen(View.STRING, expression)
        if isinstance(expression, Call) and expression.name in _VIEWS:
            if not expression.arguments:
                return Seen(_VIEWS[expression.name], _SELF)
            inner = self.seen(expression.arguments[0], here)
            if inner is not None and expression.name == "normalize-space":
                return Seen(View.NORMAL, inner.nodes)
            return inner
        return None

    def seen_number(self, expression: Expression, here: Here) -> Seen | None:
        """The number of an expression, if it is a view of a node's string."""
        if type_of(expression) in (Type.STRING, Type.NODES):
            inner = self.seen(expression, here)
            return None if inner is None else Seen(View.NUMBER, inner.nodes)
        if not isinstance(expression, Call) or expression.name not in _NUMBERS:
            return None
        view = _NUMBERS[expression.name]
        if not expression.arguments:
            return Seen(view, _SELF)
        argument = expression.arguments[0]
        if expression.name == "number" and type_of(argument) is Type.NUMBER:
            return self.seen_number(argument, here)
        inner = self.seen(argument, here)
        if inner is None:
            return None
        normal = view is View.LENGTH and inner.view is View.NORMAL
        return Seen(View.NORMAL_LENGTH if normal else view, inner.nodes)

    def view(self, seen: Seen, op: Op, value: str | float, here: Here) -> Bounds:
        """The first node of a set, seen so, compares with a constant."""
        test = normal.test(seen.view, op, value)
        if not isinstance(test, Test):
            return exactly(test)
        return self.first(seen.nodes, test, here)

    def first(self, nodes: Expression, test: Test, here: Here) -> Bounds:
        """The first node of a set passes a test, or an empty string does if there is none."""
        if isinstance(nodes, Path) and nodes.start is Start.ABSOLUTE and here.where is not Where.DOCUMENT:
            return further_up(True, self.first(nodes, test, document()))
        path = self.walker.chain(nodes, here, in_order=True)
        if path == ():
            return _own(test, here)
        if path is not None and len(path) <= MAX_COUNTED:
            return exactly(normal.first(path, test))
        passing = self.walker.reaches(nodes, here, lambda found: _own(test, found))
        if not passes(test, ""):
            return at_most(passing.upper)
        some = self.walker.reaches(nodes, here)
        none = opposite(some)
        return Bounds(none.lower, normal.disjunction([none.upper, passing.upper]))

    def count(self, nodes: Expression, operator: str, value: float, here: Here) -> Bounds:
        if isinstance(nodes, Path) and nodes.start is Start.ABSOLUTE and here.where is not Where.DOCUMENT:
            return further_up(True, self.count(nodes, operator, value, document()))
        path = self.walker.chain(nodes, here)
        if path == ():
            return certainly(compare_numbers(operator, 1.0, value))
        if path is not None and len(path) <= MAX_COUNTED:
            return exactly(normal.count(path, OPS[operator], value))
        some = self.walker.reaches(nodes, here, always)
        if compare_numbers(operator, 0.0, value):
            none = opposite(some)
            return none if _only_zero(operator, value) else Bounds(none.lower, TRUE)
        return some if _all_but_zero(operator, value) else at_most(some.upper)

    def known_name(self, expression: Expression, here: Here) -> str | None:
        """The local name or namespace of the node itself, where the step to it says it."""
        if not isinstance(expression, Call) or expression.name not in _NAMES:
            return None
        if expression.arguments and self.walker.chain(expression.arguments[0], here) != ():
            return None
        if here.where is Where.DOCUMENT or here.where is Where.TEXT:
            return ""
        test = here.test
        if test is None or test.kind is Kind.TEXT:
            return None
        if expression.name == "namespace-uri":
            return test.namespace
        return test.local if expression.name == "local-name" or test.namespace == "" else None

    # Strings in strings -------------------------------------------------------------------------------------

    def contains(self, op: Op, arguments: tuple[Expression, ...], here: Here) -> Bounds:
        """`contains()` and `starts-with()`."""
        part = constant(arguments[1])
        text = part if isinstance(part, str) else None
        if text is None:
            return UNKNOWN
        if text == "":
            return ALWAYS
        seen = self.seen(arguments[0], here)
        if seen is not None:
            return self.view(seen, op, text, here)
        known = self.known_name(arguments[0], here)
        if known is not None:
            return certainly(text in known if op is Op.CONTAINS else known.startswith(text))
        return at_most(self.not_empty(arguments[0], here))


def _own(test: Formula, here: Here) -> Bounds:
    """A test of the node's own value; patterns know no comments."""
    return UNKNOWN if here.where is Where.OTHER else exactly(test)


def _only_zero(operator: str, value: float) -> bool:
    """Whether, of all counts, only zero compares so; zero does."""
    return operator in ("=", "<", "<=") and not compare_numbers(operator, 1.0, value)


def _all_but_zero(operator: str, value: float) -> bool:
    """Whether all counts but zero compare so; zero does not."""
    return operator in ("!=", ">", ">=") and compare_numbers(operator, 1.0, value) and (operator != "!=" or value == 0)
