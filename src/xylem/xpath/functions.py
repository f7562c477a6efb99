"""The 27 functions of XPath 1.0: how many arguments each takes, and what it gives.

This module knows nothing of how calls are translated.
"""

from __future__ import annotations

from typing import NamedTuple

from xylem.xpath.syntax import (
    Arithmetic,
    Call,
    Comparison,
    Expression,
    Filter,
    Literal,
    Logic,
    Negative,
    Number,
    Path,
    Type,
    Union,
)

UNBOUNDED = 1 << 30


class Signature(NamedTuple):
    fewest: int
    most: int
    result: Type
    nodes_only: bool = False  # whether its argument has to be a node-set


FUNCTIONS: dict[str, Signature] = {
    "last": Signature(0, 0, Type.NUMBER),
    "position": Signature(0, 0, Type.NUMBER),
    "count": Signature(1, 1, Type.NUMBER, nodes_only=True),
    "id": Signature(1, 1, Type.NODES),
    "local-name": Signature(0, 1, Type.STRING, nodes_only=True),
    "namespace-uri": Signature(0, 1, Type.STRING, nodes_only=True),
    "name": Signature(0, 1, Type.STRING, nodes_only=True),
    "string": Signature(0, 1, Type.STRING),
    "concat": Signature(2, UNBOUNDED, Type.STRING),
    "starts-with": Signature(2, 2, Type.BOOLEAN),
    "contains": Signature(2, 2, Type.BOOLEAN),
    "substring-before": Signature(2, 2, Type.STRING),
    "substring-after": Signature(2, 2, Type.STRING),
    "substring": Signature(2, 3, Type.STRING),
    "string-length": Signature(0, 1, Type.NUMBER),
    "normalize-space": Signature(0, 1, Type.STRING),
    "translate": Signature(3, 3, Type.STRING),
    "boolean": Signature(1, 1, Type.BOOLEAN),
    "not": Signature(1, 1, Type.BOOLEAN),
    "true": Signature(0, 0, Type.BOOLEAN),
    "false": Signature(0, 0, Type.BOOLEAN),
    "lang": Signature(1, 1, Type.BOOLEAN),
    "number": Signature(0, 1, Type.NUMBER),
    "sum": Signature(1, 1, Type.NUMBER, nodes_only=True),
    "floor": Signature(1, 1, Type.NUMBER),
    "ceiling": Signature(1, 1, Type.NUMBER),
    "round": Signature(1, 1, Type.NUMBER),
}


def type_of(expression: Expression) -> Type:
    """The type of an expression's value."""
    match expression:
        case Path() | Filter() | Union():
            return Type.NODES
        case Logic() | Comparison():
            return Type.BOOLEAN
        case Arithmetic() | Negative() | Number():
            return Type.NUMBER
        case Literal():
            return Type.STRING
        case Call(name):
            return FUNCTIONS[name].result
