"""What Xylem is compared with: bare expat, and a loop of compiled XPaths in lxml.

This module knows nothing of Xylem.
"""

from __future__ import annotations

from collections.abc import Sequence
from pyexpat import ParserCreate
from time import perf_counter

from lxml import etree


def parse_bare(documents: Sequence[bytes]) -> None:
    """expat with namespaces and without handlers: what reading costs at least."""
    for document in documents:
        ParserCreate(namespace_separator="\n").Parse(document, True)


def parse_bare_without_namespaces(documents: Sequence[bytes]) -> None:
    """expat as bare as it gets; its documents need not even have their prefixes bound."""
    for document in documents:
        ParserCreate().Parse(document, True)


def parse_into_trees(documents: Sequence[bytes]) -> None:
    """lxml building a tree of each document."""
    for document in documents:
        etree.fromstring(document)


class LxmlLoop:
    """Every XPath evaluated on every document by libxml2."""

    def __init__(self, xpaths: Sequence[str]) -> None:
        # As a subscription, a relative path is asked of every element.
        absolute = [xpath if xpath.startswith("/") else f"//{xpath}" for xpath in xpaths]
        self._compiled = [etree.XPath(f"boolean({xpath})") for xpath in absolute]

    def seconds(self, documents: Sequence[bytes], subscriptions: int) -> float:
        """The time that as many subscriptions would take, parsing included: evaluation is scaled up from
        the XPaths at hand, which are a sample."""
        start = perf_counter()
        trees = [etree.fromstring(document) for document in documents]
        parsed = perf_counter()
        for tree in trees:
            for xpath in self._compiled:
                xpath(tree)
        evaluation = perf_counter() - parsed
        return parsed - start + evaluation * subscriptions / len(self._compiled)

    def matches(self, document: bytes) -> list[bool]:
        return self.answers(etree.fromstring(document))

    def answers(self, tree: etree._Element) -> list[bool]:
        """What `matches` says, of a document that lxml has parsed."""
        return [bool(xpath(tree)) for xpath in self._compiled]
