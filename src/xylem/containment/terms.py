"""Formulas as numbers: each distinct part once, with negation moved down to the values.

A search that asks the same questions over and over compares and remembers sets of parts, so parts are small integers
here. `not` is gone: what must not exist is an `Every` whose condition is the opposite, what must not be counted is
another count. The opposite of a number is a number, made when it is first asked for.

This module knows nothing of what satisfies a formula.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xylem.xpath import normal
from xylem.xpath.evaluate import passes
from xylem.xpath.pattern import (
    And,
    Axis,
    Count,
    Exists,
    First,
    Formula,
    NodeTest,
    Not,
    Op,
    Or,
    PatternNode,
    Test,
)


@dataclass(frozen=True, slots=True)
class All:
    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Any:
    items: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """There is such a node, and the inner term holds there."""

    axis: Axis
    test: NodeTest
    inner: int


@dataclass(frozen=True, slots=True)
class Every:
    """The inner term holds at every such node."""

    axis: Axis
    test: NodeTest
    inner: int


@dataclass(frozen=True, slots=True)
class Value:
    test: Test
    wanted: bool


@dataclass(frozen=True, slots=True)
class Number:
    """A count whose number is known within bounds."""

    count: Count


@dataclass(frozen=True, slots=True)
class Leading:
    """The value of a path's first node, or "", passes the test or fails it."""

    first: First
    wanted: bool


Term = All | Any | Some | Every | Value | Number | Leading


class Terms:
    """The table of terms of one search."""

    __slots__ = ("_numbers", "_opposites", "false", "table", "true")

    def __init__(self) -> None:
        self.table: list[Term] = []
        self._numbers: dict[Term, int] = {}
        self._opposites: dict[int, int] = {}
        self.true = self.number(All(()))
        self.false = self.number(Any(()))

    def number(self, term: Term) -> int:
        found = self._numbers.get(term)
        if found is None:
            found = self._numbers[term] = len(self.table)
            self.table.append(term)
        return found

    # Formulas -------------------------------------------------------------------------------------------------------

    def of(self, formula: Formula) -> int:
        """The number of a formula. O(size)."""
        match formula:
            case And(items):
                return self.all(self.of(item) for item in items)
            case Or(items):
                return self.any(self.of(item) for item in items)
            case Not(item):
                return self.opposite(self.of(item))
            case Exists(PatternNode(axis, test, condition)):
                return self.some(axis, test, self.of(condition))
            case Test():
                return self.number(Value(formula, True))
            case Count():
                return self._count(formula)
            case First():
                return self.number(Leading(formula, True))

    def _count(self, count: Count) -> int:
        """Counts that are questions of existence in disguise are put as such."""
        found = normal.count(count.path, count.op, count.value)
        return self.number(Number(found)) if isinstance(found, Count) else self.of(found)

    def all(self, items: Iterable[int]) -> int:
        kept = tuple(sorted({item for item in items if item != self.true}))
        if self.false in kept:
            return self.false
        return kept[0] if len(kept) == 1 else self.number(All(kept))

    def any(self, items: Iterable[int]) -> int:
        kept = tuple(sorted({item for item in items if item != self.false}))
        if self.true in kept:
            return self.true
        return kept[0] if len(kept) == 1 else self.number(Any(kept))

    def some(self, axis: Axis, test: NodeTest, inner: int) -> int:
        return self.false if inner == self.false else self.number(Some(axis, test, inner))

    def every(self, axis: Axis, test: NodeTest, inner: int) -> int:
        return self.true if inner == self.true else self.number(Every(axis, test, inner))

    def opposite(self, number: int) -> int:
        """The term that holds exactly where this one does not. O(1) but for the first time."""
        found = self._opposites.get(number)
        if found is None:
            found = self._turned(self.table[number])
            self._opposites[number] = found
            self._opposites.setdefault(found, number)
        return found

    def _turned(self, term: Term) -> int:
        match term:
            case All(items):
                return self.any(self.opposite(item) for item in items)
            case Any(items):
                return self.all(self.opposite(item) for item in items)
            case Some(axis, test, inner):
                return self.every(axis, test, self.opposite(inner))
            case Every(axis, test, inner):
                return self.some(axis, test, self.opposite(inner))
            case Value(test, wanted):
                return self.number(Value(test, not wanted))
            case Number(count):
                return self.of(normal.negation(count))
            case Leading(first, wanted):
                return self.number(Leading(first, not wanted))

    # What follows from a term -----------------------------------------------------------------------------------

    def path(self, steps: tuple[PatternNode, ...], end: int) -> int:
        """There is a node at the end of a path where the end holds."""
        found = end
        for step in reversed(steps):
            found = self.some(step.axis, step.test, self.all((self.of(step.condition), found)))
        return found

    def nearer(self, number: int, some: Some) -> int:
        """A node below is a child, or below a child."""
        child = self.some(Axis.CHILD, some.test, some.inner)
        return self.any((child, self.some(Axis.CHILD, normal.ANY_ELEMENT, number)))

    def consequence(self, term: Number | Leading) -> int:
        """What a term that is not taken apart says in other terms."""
        if isinstance(term, Number):
            return self.path(term.count.path, self.true) if least(term.count) > 0 else self.true
        return self._of_first(term.first.path, self.number(Value(term.first.test, term.wanted)))

    def _of_first(self, steps: tuple[PatternNode, ...], value: int) -> int:
        """A node at the end of the path has the value; if "" has it, there may be no node."""
        reached = self.path(steps, value)
        literal = self.table[value]
        assert isinstance(literal, Value)
        if passes(literal.test, "") is not literal.wanted:
            return reached
        return self.any((reached, self.opposite(self.path(steps, self.true))))


def least(count: Count) -> int:
    """The least number that a count admits; counts are canonical."""
    return int(count.value) if count.op in (Op.EQ, Op.GE) else 0


def most(count: Count) -> int | None:
    """The largest number that a count admits; None: no bound."""
    if count.op is Op.EQ:
        return int(count.value)
    return int(count.value) - 1 if count.op is Op.LT else None
