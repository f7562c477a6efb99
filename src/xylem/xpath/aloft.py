"""Facts about nodes further up, met where only nodes further down can be asked.

A predicate may look up: `a[../b]`, `a[/r/c]`. A formula cannot, so the translator leaves an `Aloft` there: the
fact, and whether it is one of the parent or of the document node. Whoever builds the step from the parent takes
the facts of the parent out again: a formula F that holds more often the more facts hold is the same as

    (fact and F with the fact true) or F with the fact false

and neither side asks anything below about it. Facts of the document node stay until the whole formula is built.

Invariant: no formula that leaves the translator holds an `Aloft`. A fact is never below a `Not` of its own
level, as the opposite of a fact is a fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xylem.xpath.pattern import FALSE, TRUE, Formula


@dataclass(frozen=True, slots=True)
class Aloft:
    """`item` holds of the document node (`root`) or else of the parent."""

    root: bool
    item: Formula


def aloft(root: bool, item: Formula) -> Formula:
    """The fact as a part of a formula. The type `Formula` leaves it out because no finished formula holds one."""
    if item in (TRUE, FALSE):
        return item
    return cast(Formula, Aloft(root, item))
