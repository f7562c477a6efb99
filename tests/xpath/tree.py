"""Documents as the reference evaluator wants to see them, made from lxml's trees."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree


@dataclass(slots=True, eq=False)
class TreeNode:
    """The document node, an element, an attribute or a text node."""

    order: int
    name: tuple[str, str] = ("", "")
    text: str = ""
    element_children: list[TreeNode] = field(default_factory=list)
    attribute_children: list[TreeNode] = field(default_factory=list)
    text_children: list[TreeNode] = field(default_factory=list)

    def elements(self) -> list[TreeNode]:
        return self.element_children

    def attributes(self) -> list[TreeNode]:
        return self.attribute_children

    def texts(self) -> list[TreeNode]:
        return self.text_children

    def string_value(self) -> str:
        return self.text


class _Builder:
    def __init__(self) -> None:
        self.count = 0

    def node(self, name: str = "", text: str = "") -> TreeNode:
        self.count += 1
        namespace, _, local = name.rpartition("}")
        return TreeNode(self.count, (namespace[1:], local), text)

    def element(self, source: etree._Element) -> TreeNode:
        found = self.node(source.tag, source.xpath("string()"))
        found.attribute_children = [self.node(name, value) for name, value in source.attrib.items()]
        if source.text:
            found.text_children.append(self.node(text=source.text))
        for child in source:
            if isinstance(child.tag, str):
                found.element_children.append(self.element(child))
            if child.tail:
                found.text_children.append(self.node(text=child.tail))
        return found


def document(tree: etree._ElementTree) -> TreeNode:
    """The document node of a parsed document."""
    builder = _Builder()
    found = builder.node()
    root = builder.element(tree.getroot())
    found.element_children.append(root)
    found.text = root.text
    return found


def read(text: str | bytes) -> etree._ElementTree:
    """A document as lxml reads it, entities of its own resolved."""
    tree = etree.ElementTree(etree.fromstring(text))
    tree.docinfo.clear()  # see test_oddities: libxml2 counts entity declarations as text of the document node
    return tree
