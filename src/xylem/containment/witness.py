"""Documents that tell two patterns apart: built from a proposal, looked at, and written as XML.

A proposal leaves names and some values open. Names that nobody mentions are made up here, and text is
put where it makes the values of elements come out. Nothing is believed: a document is a witness when the
evaluator, and libxml2 where an expression must be verified, says so.

This module knows nothing of how proposals are found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from xylem.containment.models import Child, Place
from xylem.containment.strings import Literal, holds, solve
from xylem.document import Document, Reader
from xylem.errors import DocumentError
from xylem.matching.explain import Learning, ask
from xylem.matching.verified import Verifier
from xylem.xpath.pattern import Kind, NodeTest, TreePattern

MOST_NODES = 5_000
"""Of a witness: nobody reads a larger one, and looking at it costs its size times the pattern's."""

MOST_ASKED = 50_000
"""Answers at single nodes that looking at a witness may take: half a second."""

_XML = "http://www.w3.org/XML/1998/namespace"
_VERIFIER = Verifier()


@dataclass(eq=False, slots=True)
class WitnessNode:
    """The document node (`kind` None), an element, an attribute or a text. `content` are the elements and texts of
    an element, in order."""

    kind: Kind | None
    name: tuple[str, str]
    value: str = ""
    literals: tuple[Literal, ...] = ()
    own: list[WitnessNode] = field(default_factory=list)
    content: list[WitnessNode] = field(default_factory=list)

    def leaves(self) -> Iterator[WitnessNode]:
        """The text nodes at or below, in order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.kind is Kind.TEXT:
                yield node
            waiting.extend(reversed(node.content))


def chain(word: Sequence[NodeTest]) -> Child:
    """The proposal of a document with one node below the other."""
    child = Child(word[-1], Place())
    for symbol in reversed(word[:-1]):
        child = Child(symbol, Place(children=(child,)))
    return child


def build(root: Child, patterns: Sequence[TreePattern]) -> WitnessNode | None:
    """The document of a proposal, with names that the patterns do not mention; None if it would be too large."""
    builder = _Builder(_Unmentioned(patterns))
    document = builder.put(root)
    if document is None:
        return None
    for node in reversed(builder.made):
        if node.kind is Kind.ELEMENT and node.literals:
            _settle(node)
    return document


def tells_apart(document: bytes, outer: TreePattern, inner: TreePattern) -> bool:
    """Whether a document matches the inner pattern and certainly not the outer one. What takes too much work to look
    at proves nothing."""
    try:
        read = Reader(Learning(), kind="plain").read(document)
        return _matches(read, inner) is True and _matches(read, outer) is False
    except DocumentError:
        return False


def _matches(document: Document, pattern: TreePattern) -> bool | None:
    """None: not known."""
    found = ask(document, pattern.condition, MOST_ASKED)
    if pattern.verification is None or not found:
        return found
    return _VERIFIER.holds(pattern.verification, _VERIFIER.tree(document))


class _Unmentioned:
    """Names that no pattern mentions."""

    def __init__(self, patterns: Sequence[TreePattern]) -> None:
        words = set(re.findall(r"[\w.:-]+", repr(patterns)))
        self.local = next(name for name in _names("z") if name not in words)
        bare = NodeTest(Kind.ELEMENT, None, ""), NodeTest(Kind.ATTRIBUTE, None, "")
        outside = any(repr(test) in repr(patterns) for test in bare)
        self.namespace = next(uri for uri in _names("urn:z") if uri not in words) if outside else ""

    def name(self, symbol: NodeTest, again: int) -> tuple[str, str]:
        if symbol.local is not None:
            return symbol.namespace or "", symbol.local
        local = f"{self.local}{again}" if again else self.local
        return (self.namespace if symbol.namespace is None else symbol.namespace), local


def _names(first: str) -> Iterator[str]:
    yield first
    number = 0
    while True:
        number += 1
        yield f"{first}-{number}"


@dataclass(slots=True)
class _Builder:
    """Makes nodes of places, in document order."""

    unmentioned: _Unmentioned
    made: list[WitnessNode] = field(default_factory=list)

    def put(self, root: Child) -> WitnessNode | None:
        """The document node of a proposal; None if it is too large."""
        document = WitnessNode(None, ("", ""))
        waiting = [(document, root)]
        while waiting:
            above, child = waiting.pop()
            for again in range(child.times):
                if len(self.made) == MOST_NODES:
                    return None
                node = self.node(above, child, again)
                # Attributes first, which is where document order has them.
                below = sorted(child.place.children, key=lambda c: c.symbol.kind is Kind.ATTRIBUTE)
                waiting += [(node, each) for each in below]
        return document

    def node(self, above: WitnessNode, child: Child, again: int) -> WitnessNode:
        symbol, place = child.symbol, child.place
        if symbol.kind is Kind.ATTRIBUTE and symbol.local is None:
            again = len(above.own)
        name = self.unmentioned.name(symbol, again) if symbol.kind is not Kind.TEXT else ("", "")
        value = (place.value or "x") if symbol.kind is Kind.TEXT else (place.value or "")
        node = WitnessNode(symbol.kind, name, value, place.literals)
        (above.own if symbol.kind is Kind.ATTRIBUTE else above.content).append(node)
        self.made.append(node)
        return node


def _in_order(document: WitnessNode) -> Iterator[WitnessNode]:
    waiting = [document]
    while waiting:
        node = waiting.pop()
        yield node
        yield from node.own
        waiting.extend(reversed(node.content))


def _settle(element: WitnessNode) -> None:
    """Changes one text below an element so that the element's own string-value comes out, or adds one, if that will
    do."""
    texts = list(element.leaves())
    whole = "".join(node.value for node in texts)
    if _has(element, whole):
        return
    for at, node in enumerate(texts):
        before = "".join(text.value for text in texts[:at])
        after = "".join(text.value for text in texts[at + 1 :])
        for value in _values(element, node, before, after):
            if _has(node, value) and _has(element, before + value + after):
                node.value = value
                return
    added = WitnessNode(Kind.TEXT, ("", ""))
    for value in (*_values(element, added, whole, ""), "x", " ", "0"):
        if _has(element, whole + value):
            added.value = value
            element.content.append(added)
            return


def _has(node: WitnessNode, value: str) -> bool:
    return all(holds(literal, value) for literal in node.literals)


def _values(element: WitnessNode, text: WitnessNode, before: str, after: str) -> Iterator[str]:
    """Values of one text that may make the whole come out."""
    for literals in ((*element.literals, *text.literals), element.literals):
        wanted = solve(literals)
        if isinstance(wanted, str) and wanted:
            yield wanted
            if wanted.startswith(before) and wanted.endswith(after) and len(wanted) > len(before) + len(after):
                yield wanted[len(before) : len(wanted) - len(after)]


# XML ------------------------------------------------------------------------------------------------------------


def to_xml(document: WitnessNode) -> bytes:
    """The document as XML, without white space that was not asked for."""
    nodes = list(_in_order(document))
    uris = sorted({node.name[0] for node in nodes} - {"", _XML})
    prefixes = {uri: f"n{number}:" for number, uri in enumerate(uris, 1)} | {"": "", _XML: "xml:"}
    declared = "".join(f" xmlns:{prefixes[uri][:-1]}={quoteattr(uri)}" for uri in uris)
    parts: list[str] = []
    waiting: list[WitnessNode | str] = list(reversed(document.content))
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            parts.append(node)
        elif node.kind is Kind.TEXT:
            parts.append(escape(node.value, {"\r": "&#13;"}))
        else:
            name = _spelled(node, prefixes)
            attributes = "".join(f" {_spelled(each, prefixes)}={quoteattr(each.value)}" for each in node.own)
            opened = f"<{name}{declared}{attributes}"
            declared = ""
            parts.append(f"{opened}>" if node.content else f"{opened}/>")
            if node.content:
                waiting.append(f"</{name}>")
                waiting += reversed(_apart(node.content))
    return "".join(parts).encode()


def _apart(content: list[WitnessNode]) -> list[WitnessNode | str]:
    """With a comment between two texts, which would be one otherwise."""
    found: list[WitnessNode | str] = []
    for before, node in zip([None, *content], content, strict=False):
        if before is not None and before.kind is node.kind is Kind.TEXT:
            found.append("<!---->")
        found.append(node)
    return found


def _spelled(node: WitnessNode, prefixes: dict[str, str]) -> str:
    namespace, local = node.name
    return prefixes[namespace] + local
