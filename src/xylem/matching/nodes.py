"""A `Document` as the tree of nodes that the reference evaluator asks.

Rows, attributes and text nodes are numbered so that the numbers follow document order: an element before its
attributes, these before what is inside the element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xylem.document.model import Document


@dataclass(frozen=True, slots=True)
class ElementNode:
    """An element, or the document node (row 0)."""

    document: Document
    row: int

    @property
    def order(self) -> int:
        a = self.document.arrays
        before = int(a.attr_start[self.row]) if self.row else 0
        return self.row + before

    @property
    def name(self) -> tuple[str, str]:
        return _spelled(self.document, int(self.document.arrays.tag[self.row]))

    def elements(self) -> Iterator[ElementNode]:
        a = self.document.arrays
        row, end = self.row + 1, int(a.end[self.row])
        while row < end:
            yield ElementNode(self.document, row)
            row = int(a.end[row])

    def attributes(self) -> Iterator[AttributeNode]:
        a = self.document.arrays
        for index in range(int(a.attr_start[self.row]), int(a.attr_start[self.row + 1])):
            yield AttributeNode(self.document, index, self.order + 1 + index - int(a.attr_start[self.row]))

    def texts(self) -> Iterator[TextNode]:
        a = self.document.arrays
        for index in (a.text_parent == self.row).nonzero()[0].tolist():
            yield TextNode(self.document, index)

    def string_value(self) -> str:
        return self.document.string_value(self.row)


@dataclass(frozen=True, slots=True)
class AttributeNode:
    document: Document
    index: int
    order: int

    @property
    def name(self) -> tuple[str, str]:
        return _spelled(self.document, int(self.document.arrays.attr_name[self.index]))

    def elements(self) -> tuple[ElementNode, ...]:
        return ()

    def attributes(self) -> tuple[AttributeNode, ...]:
        return ()

    def texts(self) -> tuple[TextNode, ...]:
        return ()

    def string_value(self) -> str:
        return self.document.attribute_value(self.index)


@dataclass(frozen=True, slots=True)
class TextNode:
    document: Document
    index: int
    name: tuple[str, str] = ("", "")

    @property
    def order(self) -> int:
        # Only text nodes are compared with text nodes: a path ends at nodes of one kind.
        return self.index

    def elements(self) -> tuple[ElementNode, ...]:
        return ()

    def attributes(self) -> tuple[AttributeNode, ...]:
        return ()

    def texts(self) -> tuple[TextNode, ...]:
        return ()

    def string_value(self) -> str:
        return self.document.text_value(self.index)


def _spelled(document: Document, identifier: int) -> tuple[str, str]:
    """Namespace and local part; a name that nobody mentioned has a local part that no test can have."""
    namespace, local = document.vocabulary.spell(identifier)
    return namespace, "\0" if local is None else local
