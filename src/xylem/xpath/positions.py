"""What predicates say of a node's position among the nodes of its axis.

This module knows the few forms that real expressions use; every other is somebody else's to bound.
"""

from __future__ import annotations

from xylem.xpath.constants import MIRRORED, constant
from xylem.xpath.functions import type_of
from xylem.xpath.syntax import Call, Comparison, Expression, Type

POSITION = Call("position", ())
LAST = Call("last", ())


def place(predicate: Expression) -> float | None:
    """The one position, from 1, that a predicate asks for: `[3]`, `[position() = 3]`."""
    compared = _position_against(predicate)
    if compared is not None and compared[0] == "=":
        value = constant(compared[1])
    elif type_of(predicate) is Type.NUMBER:
        value = constant(predicate)
    else:
        return None
    return value if isinstance(value, float) and value >= 1 and value.is_integer() else None


def is_first(predicate: Expression) -> bool:
    """Whether only the first node passes."""
    return place(predicate) == 1


def keeps_one(predicate: Expression) -> bool:
    """Whether a node passes wherever there is one: `[1]`, `[last()]`, `[position() <= 3]`."""
    if predicate == LAST or place(predicate) == 1:
        return True
    compared = _position_against(predicate)
    if compared is None:
        return False
    operator, other = compared
    if operator == "=" and other == LAST:
        return True
    bound = constant(other)
    if not isinstance(bound, float):
        return False
    return (operator == "<" and bound > 1) or (operator == "<=" and bound >= 1)


def _position_against(predicate: Expression) -> tuple[str, Expression] | None:
    """What `position()` is compared with, and how."""
    if not isinstance(predicate, Comparison):
        return None
    if predicate.left == POSITION:
        return predicate.operator, predicate.right
    if predicate.right == POSITION:
        return MIRRORED[predicate.operator], predicate.left
    return None
