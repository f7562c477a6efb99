"""The subscription language after parsing: an immutable tree pattern.

A subscription asks one yes-or-no question of a document, so a path and a predicate say the same
kind of thing: "there is a node below this one that …". A `TreePattern` is therefore one formula
that is asked of the document node. `/a/b[c = 'x']//d` reads

    Exists(child a, Exists(child b, And(Exists(child c, Test(= 'x')), Exists(descendant d))))

Attributes and text nodes are leaves of the tree like elements. CHILD of an element is its own
attribute or text; DESCENDANT is an attribute of the element *or of any element below it*, and a
text node anywhere below it.

Invariant: patterns made by `parse` are canonical (see `canonical`), so equal questions that the
canonical form recognises are equal objects: `==` and `hash` compare meaning.

This module knows nothing of documents, engines or XPath's syntax.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Axis(IntEnum):
    CHILD = 0
    DESCENDANT = 1


class Kind(IntEnum):
    ELEMENT = 0
    ATTRIBUTE = 1
    TEXT = 2

    __hash__ = int.__hash__  # PERF: Enum's own is a call of Python, and every step of a query is looked up


class View(IntEnum):
    """What of a node's string-value a `Test` looks at."""

    STRING = 0  # the string-value itself
    NORMAL = 1  # normalize-space(.)
    NUMBER = 2  # number(.)
    LENGTH = 3  # string-length(.), in characters
    NORMAL_LENGTH = 4  # string-length(normalize-space(.))


class Op(IntEnum):
    EQ = 0
    NE = 1
    LT = 2
    LE = 3
    GT = 4
    GE = 5
    CONTAINS = 6
    STARTS_WITH = 7


@dataclass(frozen=True, slots=True)
class NodeTest:
    """Which nodes a step accepts. `local` None: any name. `namespace` "": no namespace; None (only
    with `local` None): any namespace. A text node has neither."""

    kind: Kind
    local: str | None
    namespace: str | None


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of the node's own value with a constant: STRING and NORMAL take EQ, NE, CONTAINS
    and STARTS_WITH with a `str`; the numeric views take EQ … GE with a `float` that is not NaN."""

    view: View
    op: Op
    value: str | float


@dataclass(frozen=True, slots=True)
class Exists:
    """There is such a node."""

    node: PatternNode


@dataclass(frozen=True, slots=True)
class Count:
    """count(path) compared with a number; each step hangs below the one before it."""

    path: tuple[PatternNode, ...]
    op: Op
    value: float


@dataclass(frozen=True, slots=True)
class First:
    """A test of the string-value of the path's first node in document order, or of "" if it has none:
    what XPath makes of a node-set where a function wants a string."""

    path: tuple[PatternNode, ...]
    test: Test


@dataclass(frozen=True, slots=True)
class And:
    """All hold; `And(())` is true."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One holds at least; `Or(())` is false."""

    items: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Not:
    item: Formula


Formula = Test | Exists | Count | First | And | Or | Not

TRUE = And(())
FALSE = Or(())


@dataclass(frozen=True, slots=True)
class PatternNode:
    """One step: where to look from the node above, what to accept there, what must hold there."""

    axis: Axis
    test: NodeTest
    condition: Formula


@dataclass(frozen=True, slots=True)
class Verification:
    """An XPath expression to be evaluated by libxml2 with the document node as its context: its boolean() decides.
    It is never a relative location path, which a subscription would look for everywhere."""

    expression: str
    namespaces: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TreePattern:
    """A formula at the document node. With `verification`, the formula is only necessary: a document
    that satisfies it is a match if the verification says so too."""

    condition: Formula
    verification: Verification | None = None

    @property
    def exact(self) -> bool:
        """Whether the formula alone decides."""
        return self.verification is None
