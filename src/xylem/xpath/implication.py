"""Does one formula imply another: a cheap test that is sound and not complete.

True means that every node that satisfies the first satisfies the second. The test looks for a mapping of the
second formula's steps onto the first's, with a bound on its work, so its answer depends on the two
formulas alone. Deciding containment in full is another room's business.
"""

from __future__ import annotations

from xylem.xpath.evaluate import passes
from xylem.xpath.pattern import And, Axis, Count, Exists, First, Formula, Kind, NodeTest, Not, Op, Or, PatternNode, Test

MAX_STEPS = 100
"""Of one comparison: canonical form compares siblings in pairs, so this times their number squared is its cost."""


def implies(first: Formula, second: Formula) -> bool:
    """Whether the first formula certainly implies the second. Bounded by `MAX_STEPS`."""
    return _Comparison().implies(first, second)


class _Comparison:
    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_STEPS

    def implies(self, first: Formula, second: Formula) -> bool:
        self.left -= 1
        if self.left < 0:
            return False
        if first is second:
            return True
        if isinstance(second, And):
            return all(self.implies(first, item) for item in second.items)
        if isinstance(first, Or):
            return all(self.implies(item, second) for item in first.items)
        if isinstance(first, And):
            return any(self.implies(item, second) for item in first.items) or self._one_of(first, second)
        return self._one_of(first, second) or self._plain(first, second)

    def _one_of(self, first: Formula, second: Formula) -> bool:
        return isinstance(second, Or) and any(self.implies(first, item) for item in second.items)

    def _plain(self, first: Formula, second: Formula) -> bool:
        """Neither is an And, nor the first an Or."""
        match first, second:
            case Exists(n), Exists(m):
                return self._exists(n, m)
            case Test(), Test():
                return _test_implies(first, second)
            case Not(item), Not(other):
                return self.implies(other, item)
            case Count(path, op, value), Count(other_path, other_op, other_value):
                return path == other_path and _number_implies(op, value, other_op, other_value)
            case First(path, test), First(other_path, other_test):
                return path == other_path and _test_implies(test, other_test)
            case _:
                return False

    def _exists(self, first: PatternNode, second: PatternNode) -> bool:
        if second.axis is Axis.CHILD and first.axis is Axis.DESCENDANT:
            return False
        if narrower(first.test, second.test) and self.implies(first.condition, second.condition):
            return True
        if second.axis is Axis.CHILD or first.test.kind is not Kind.ELEMENT:
            return False
        # What is below a node that is below is below.
        condition = first.condition
        items = condition.items if isinstance(condition, And) else (condition,)
        return any(isinstance(item, Exists) and self.implies(item, Exists(second)) for item in items)


def narrower(first: NodeTest, second: NodeTest) -> bool:
    """Whether every node that the first accepts is accepted by the second."""
    if first.kind is not second.kind:
        return False
    if second.local is None:
        return second.namespace is None or second.namespace == first.namespace
    return first.local == second.local and first.namespace == second.namespace


def _test_implies(first: Test, second: Test) -> bool:
    if first.view is not second.view:
        return False
    if first.op is Op.EQ:
        return _equal_to_implies(first, second)
    if isinstance(first.value, str) and isinstance(second.value, str):
        if first.op is second.op is Op.STARTS_WITH:
            return first.value.startswith(second.value)
        if first.op in (Op.STARTS_WITH, Op.CONTAINS):
            if second.op is Op.CONTAINS:
                return second.value in first.value
            return second.op is Op.NE and second.value == "" and first.value != ""
        return first == second
    assert isinstance(first.value, float) and isinstance(second.value, float)
    return _number_implies(first.op, first.value, second.op, second.value)


def _equal_to_implies(first: Test, second: Test) -> bool:
    """The value is known: ask the second test of it."""
    if isinstance(first.value, str):
        return passes(second, first.value)
    assert isinstance(second.value, float)
    return _number_implies(Op.EQ, first.value, second.op, second.value)


def _number_implies(first: Op, bound: float, second: Op, other: float) -> bool:
    """Whether `x first bound` implies `x second other`, for numbers x and for NaN."""
    if first is second and bound == other:
        return True
    match first:
        case Op.EQ:
            return {
                Op.EQ: bound == other, Op.NE: bound != other, Op.LT: bound < other,
                Op.LE: bound <= other, Op.GT: bound > other, Op.GE: bound >= other,
            }[second]  # fmt: skip
        case Op.LT | Op.LE:
            strict = bound < other or (bound == other and first is Op.LT)
            return strict if second in (Op.LT, Op.NE) else second is Op.LE and bound <= other
        case Op.GT | Op.GE:
            strict = bound > other or (bound == other and first is Op.GT)
            return strict if second in (Op.GT, Op.NE) else second is Op.GE and bound >= other
        case _:
            return False
