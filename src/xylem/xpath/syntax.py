"""An expression as XPath's grammar sees it: the tree that the parser makes.

Names are resolved to namespaces already, parentheses are gone, chains of `and` and `or` are flat, and
every abbreviation is written out (`//` is a step on the axis DESCENDANT_OR_SELF, `.` one on SELF). `at` is the
index of the token that a part starts with.

This module knows nothing of what expressions mean for subscriptions.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import NamedTuple

from xylem.xpath.pattern import NodeTest


class StepAxis(Enum):
    CHILD = "child"
    DESCENDANT = "descendant"
    DESCENDANT_OR_SELF = "descendant-or-self"
    SELF = "self"
    ATTRIBUTE = "attribute"
    PARENT = "parent"
    ANCESTOR = "ancestor"
    ANCESTOR_OR_SELF = "ancestor-or-self"
    FOLLOWING_SIBLING = "following-sibling"
    PRECEDING_SIBLING = "preceding-sibling"
    FOLLOWING = "following"
    PRECEDING = "preceding"
    NAMESPACE = "namespace"

    __hash__ = object.__hash__  # PERF: Enum's own is a call of Python, and every step of a query is looked up


class NodeType(Enum):
    """The node tests that a pattern's `NodeTest` cannot say."""

    NODE = "node"
    COMMENT = "comment"


class Type(IntEnum):
    """The type of an expression's value; without variables it is always known."""

    NODES = 0
    BOOLEAN = 1
    NUMBER = 2
    STRING = 3


class Start(Enum):
    RELATIVE = 0
    ABSOLUTE = 1


class Instruction(NamedTuple):
    """A node test for processing instructions, of one target or of any."""

    target: str | None


class Step(NamedTuple):
    axis: StepAxis
    test: NodeTest | NodeType | Instruction
    predicates: tuple[Expression, ...]


class Path(NamedTuple):
    """A location path, or the steps that follow a filter expression."""

    start: Start | Expression
    steps: tuple[Step, ...]
    at: int


class Filter(NamedTuple):
    """An expression in parentheses, or a call, with predicates of its own."""

    primary: Expression
    predicates: tuple[Expression, ...]


class Union(NamedTuple):
    items: tuple[Expression, ...]


class Logic(NamedTuple):
    """`and` or `or` of two operands or more."""

    operator: str
    items: tuple[Expression, ...]


class Comparison(NamedTuple):
    operator: str  # = != < <= > >=
    left: Expression
    right: Expression


class Arithmetic(NamedTuple):
    operator: str  # + - * div mod
    left: Expression
    right: Expression


class Negative(NamedTuple):
    item: Expression


class Literal(NamedTuple):
    value: str


class Number(NamedTuple):
    value: float


class Call(NamedTuple):
    """A call of a core function with as many arguments as it takes, of types that it takes."""

    name: str
    arguments: tuple[Expression, ...]


Expression = Path | Filter | Union | Logic | Comparison | Arithmetic | Negative | Literal | Number | Call

EVERY_NODE_BELOW = Step(StepAxis.DESCENDANT_OR_SELF, NodeType.NODE, ())
"""What `//` stands for between two steps."""

HERE = Step(StepAxis.SELF, NodeType.NODE, ())
"""What `.` stands for."""

ABOVE = Step(StepAxis.PARENT, NodeType.NODE, ())
"""What `..` stands for."""
