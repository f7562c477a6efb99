"""One account of a document's content, taken from the arrays or from lxml's tree, so that the two can be compared.

Everything stands by row: the document node first, then the elements in document order. Attributes are sorted by name,
since XPath gives them no order; text nodes are maximal, as XPath has them. Equal text and equal spans make equal
string-values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from lxml import etree

from xylem.document import Document, DocumentArrays, Vocabulary

Name = tuple[str, str]


@dataclass
class View:
    names: list[Name] = field(default_factory=lambda: [("", "")])
    parents: list[int] = field(default_factory=lambda: [-1])
    depths: list[int] = field(default_factory=lambda: [0])
    ends: list[int] = field(default_factory=lambda: [0])
    spans: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    attributes: list[list[tuple[Name, str]]] = field(default_factory=lambda: [[]])
    texts: list[tuple[int, int]] = field(default_factory=list)
    """For each text node its parent's row and where it begins."""
    text: bytes = b""


class _Walk:
    """A walk over lxml's tree that needs no recursion."""

    def __init__(self) -> None:
        self.view = View()
        self._pieces: list[bytes] = []
        self._size = 0
        self._in_text = False

    def walk(self, root: etree._Element) -> View:
        waiting: list[tuple[etree._Element, int, bool]] = [(root, 0, True)]
        while waiting:
            node, row, opening = waiting.pop()
            if not isinstance(node.tag, str):
                self._in_text = self._in_text and node.tag is etree.Entity
            elif opening:
                child = self._open(node, row)
                waiting.append((node, child, False))
                waiting += [(inner, child, True) for inner in reversed(node)]
                continue
            else:
                self._close(row)
                row = self.view.parents[row]
            if node is not root:
                self._text(node.tail, row)
        self._close(0)
        self.view.text = b"".join(self._pieces)
        return self.view

    def _open(self, node: etree._Element, parent: int) -> int:
        view, row = self.view, len(self.view.names)
        view.names.append(name_of(node.tag))
        view.parents.append(parent)
        view.depths.append(view.depths[parent] + 1)
        view.ends.append(0)
        view.spans.append((self._size, 0))
        view.attributes.append(sorted((name_of(name), value) for name, value in node.attrib.items()))
        self._in_text = False
        self._text(node.text, row)
        return row

    def _close(self, row: int) -> None:
        self.view.ends[row] = len(self.view.names)
        self.view.spans[row] = (self.view.spans[row][0], self._size)
        self._in_text = False

    def _text(self, text: str | None, row: int) -> None:
        if text:
            if not self._in_text:
                self.view.texts.append((row, self._size))
            self._in_text = True
            self._pieces.append(text.encode())
            self._size += len(self._pieces[-1])


def name_of(tag: str) -> Name:
    namespace, _, local = tag.rpartition("}")
    return namespace[1:], local


class _Nothing(etree.Resolver):
    """What an external subset or entity is read as by whoever fetches nothing."""

    def resolve(self, url: str, identifier: str, context: object) -> object:
        return self.resolve_empty(context)


def parse_lxml(data: bytes) -> etree._Element:
    """A document as libxml2 reads it, with its own entities and default attributes and with nothing fetched."""
    return etree.fromstring(data, _parser(resolve_entities="internal", attribute_defaults=True))


def parse_leniently(data: bytes, attribute_defaults: bool) -> etree._Element | None:
    """The same for who goes on where an entity, an identifier or a prefix is missing; None if that is not far."""
    return etree.fromstring(data, _parser(resolve_entities=True, attribute_defaults=attribute_defaults, recover=True))


def _parser(**options: object) -> etree.XMLParser:
    parser = etree.XMLParser(no_network=True, huge_tree=True, **options)
    parser.resolvers.add(_Nothing())
    return parser


def of_lxml(root: etree._Element) -> View:
    return _Walk().walk(root)


def of_document(document: Document) -> View:
    a, spell = document.arrays, document.vocabulary.spell
    view = View()
    view.names = [(namespace, local or "") for namespace, local in map(spell, a.tag.tolist())]
    view.parents, view.depths, view.ends = a.parent.tolist(), a.depth.tolist(), a.end.tolist()
    view.spans = list(zip(a.text_start.tolist(), a.text_end.tolist(), strict=True))
    names = [(namespace, local or "") for namespace, local in map(spell, a.attr_name.tolist())]
    starts = a.attr_start.tolist()
    view.attributes = [
        sorted((names[index], document.attribute_value(index)) for index in range(first, last))
        for first, last in pairwise(starts)
    ]
    view.texts = list(zip(a.text_parent.tolist(), a.text_offset.tolist()[:-1], strict=True))
    view.text = a.text.tobytes()
    return view


def vocabulary_of(view: View) -> Vocabulary:
    """A vocabulary that knows every name of a document."""
    vocabulary = Vocabulary()
    for name in dict.fromkeys(view.names[1:]):
        vocabulary.name(*name)
    for attributes in view.attributes:
        for name, _ in attributes:
            vocabulary.name(*name)
    return vocabulary


def same_arrays(a: DocumentArrays, b: DocumentArrays) -> bool:
    return all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in zip(a, b, strict=True))
