"""A document as its inferred schema spells it, without namespaces, so that a DTD can judge it: a DTD compares names as
they are written, and documents write one namespace in many ways."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from lxml import etree

from xylem.schema import Schema
from xylem.schema.dtd_text import dtd_text


def plain_dtd(schema: Schema) -> Any:
    """The schema's DTD, colons written as dots and bindings left out."""
    lines = dtd_text(schema).splitlines()
    kept = [line for line in lines if not (line.startswith("<!ATTLIST") and line.split()[2].startswith("xmlns"))]
    return etree.DTD(BytesIO("\n".join(kept).replace(":", ".").encode()))


def renamed(schema: Schema, document: bytes) -> Any:
    """The document with the schema's tags, without comments and instructions."""
    tags = {schema.expanded(name): name.replace(":", ".") for name in schema.elements}
    bindings = {
        a.default: a.name.partition(":")[2] for e in schema for a in e.attributes if a.name.startswith("xmlns:")
    }
    bindings["http://www.w3.org/XML/1998/namespace"] = "xml"

    def copy(node: Any) -> Any:
        made = etree.Element(tags[_split(node.tag)])
        for name, value in node.attrib.items():
            namespace, local = _split(name)
            made.set(f"{bindings[namespace]}.{local}" if namespace else local, value)
        made.text = node.text
        for child in node:
            if isinstance(child.tag, str):
                made.append(copy(child))
                made[-1].tail = child.tail
            elif len(made):
                made[-1].tail = (made[-1].tail or "") + (child.tail or "")
            else:
                made.text = (made.text or "") + (child.tail or "")
        return made

    parser = etree.XMLParser(no_network=True, huge_tree=True, attribute_defaults=True)
    return copy(etree.fromstring(document, parser))


def _split(name: str) -> tuple[str, str]:
    namespace, _, local = name.rpartition("}")
    return namespace[1:], local
