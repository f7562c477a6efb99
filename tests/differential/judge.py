"""libxml2, through lxml, as the judge of what a subscription means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lxml import etree

NAMESPACES = {"p": "urn:p", "q": "urn:q"}


def parsed(data: bytes | str) -> etree._ElementTree:
    """A document as lxml reads it: entities and defaults of its own count, nothing is fetched."""
    raw = data.encode() if isinstance(data, str) else data
    parser = etree.XMLParser(resolve_entities="internal", attribute_defaults=True, no_network=True, huge_tree=True)
    tree = etree.ElementTree(etree.fromstring(raw, parser))
    tree.docinfo.clear()  # whose entities libxml2 takes for nodes of the document
    return tree


class Judge:
    """Expressions to be evaluated at the document node, compiled once."""

    def __init__(self, expressions: Sequence[str], namespaces: Mapping[str, str] = NAMESPACES) -> None:
        bound = dict(namespaces)
        # lxml evaluates at the root element; a predicate of the document node moves the context there.
        self._compiled = [
            etree.XPath(f"boolean(/self::node()[boolean({text})])", namespaces=bound, regexp=False)
            for text in expressions
        ]

    def matching(self, data: bytes | str) -> list[int]:
        """The numbers of the expressions that are true of a document."""
        tree = parsed(data)
        return [number for number, xpath in enumerate(self._compiled) if xpath(tree)]
