"""What can be said of an expression by a formula: a lower and an upper bound.

Wherever the lower formula holds, the expression is true; wherever the expression is true, the upper one holds. They are
one object when the formula says exactly what the expression says. Negation swaps them, which is why a
necessary pattern alone would not do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xylem.xpath.aloft import aloft
from xylem.xpath.normal import conjunction, disjunction, negation
from xylem.xpath.pattern import FALSE, TRUE, Formula


class Bounds(NamedTuple):
    lower: Formula
    upper: Formula

    @property
    def exact(self) -> bool:
        return self.lower is self.upper


def exactly(formula: Formula) -> Bounds:
    return Bounds(formula, formula)


ALWAYS = exactly(TRUE)
NEVER = exactly(FALSE)
UNKNOWN = Bounds(FALSE, TRUE)


def constant(value: bool) -> Bounds:
    return ALWAYS if value else NEVER


def at_most(upper: Formula) -> Bounds:
    """Nothing is known but what must hold."""
    return NEVER if upper == FALSE else Bounds(FALSE, upper)


def both(items: Sequence[Bounds]) -> Bounds:
    """All of the expressions are true."""
    if len(items) == 1:
        return items[0]
    upper = conjunction([item.upper for item in items])
    if all(item.exact for item in items):
        return exactly(upper)
    return _tidy(conjunction([item.lower for item in items]), upper)


def either(items: Sequence[Bounds]) -> Bounds:
    """One of the expressions is true."""
    if len(items) == 1:
        return items[0]
    upper = disjunction([item.upper for item in items])
    if all(item.exact for item in items):
        return exactly(upper)
    return _tidy(disjunction([item.lower for item in items]), upper)


def opposite(item: Bounds) -> Bounds:
    """The expression is false."""
    upper = negation(item.lower)
    return exactly(upper) if item.exact else _tidy(negation(item.upper), upper)


def further_up(root: bool, item: Bounds) -> Bounds:
    """The same of the document node, or of the parent."""
    upper = aloft(root, item.upper)
    return exactly(upper) if item.exact else _tidy(aloft(root, item.lower), upper)


def _tidy(lower: Formula, upper: Formula) -> Bounds:
    """Bounds that met are exact."""
    return exactly(upper) if lower == upper else Bounds(lower, upper)
