"""What the translator knows of the node that an expression is asked of.

It also takes down what the translator would have liked to know: whoever made the `Here` looks at `asked` and
`lost` afterwards and may try again knowing more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from xylem.xpath.bounds import ALWAYS, NEVER, UNKNOWN, Bounds, constant
from xylem.xpath.implication import narrower
from xylem.xpath.pattern import Kind, NodeTest
from xylem.xpath.syntax import Instruction, NodeType


class Where(Enum):
    DOCUMENT = 0
    ELEMENT = 1
    ATTRIBUTE = 2
    TEXT = 3
    OTHER = 4  # a comment, a processing instruction or a namespace: patterns know none of them


WHERE = {Kind.ELEMENT: Where.ELEMENT, Kind.ATTRIBUTE: Where.ATTRIBUTE, Kind.TEXT: Where.TEXT}


@dataclass(slots=True)
class Here:
    where: Where
    test: NodeTest | None = None  # what is known of its name
    parent: Here | None = None  # None also when nothing is known of it
    excluded: frozenset[NodeTest] = frozenset()  # names that it is known not to have
    asked: set[NodeTest] = field(default_factory=set)  # names that would have decided something
    lost: bool = False  # whether the unknown parent would have been needed

    def is_a(self, test: NodeTest | NodeType | Instruction) -> Bounds:
        """Whether the node passes a test on the axis `self`."""
        if test is NodeType.NODE:
            return ALWAYS
        if not isinstance(test, NodeTest):
            return UNKNOWN if self.where is Where.OTHER else NEVER
        if test.kind is Kind.TEXT:
            return constant(self.where is Where.TEXT)
        # A name on any axis but `attribute` is one of elements.
        if test.kind is Kind.ATTRIBUTE or self.where is not Where.ELEMENT or self.test is None:
            return NEVER
        if narrower(self.test, test):
            return ALWAYS
        if not narrower(test, self.test) or test in self.excluded:
            return NEVER
        self.asked.add(test)
        return UNKNOWN

    def known_above(self) -> int:
        """How many nodes above this one are known."""
        count, above = 0, self.parent
        while above is not None:
            count, above = count + 1, above.parent
        return count

    def has_parent(self) -> Here | None:
        """The parent; if there is one but it is unknown, that is taken down."""
        if self.parent is None and self.where is not Where.DOCUMENT:
            self.lost = True
        return self.parent


def document() -> Here:
    return Here(Where.DOCUMENT)
