"""What libxml2 decides: whether an expression outside the indexed language holds of a document.

Only documents that satisfy the expression's necessary pattern come here. A document is parsed once,
when the first expression asks for it; expressions are compiled when they are first needed and kept in a bounded
cache.

This module knows nothing of engines.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from lxml import etree

from xylem.document.model import Document
from xylem.errors import DocumentError
from xylem.xpath.pattern import Verification

KEPT_EXPRESSIONS = 10_000  # compiled ones; some kilobytes each


class Verifier:
    """Evaluates verifications; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._compiled: OrderedDict[Verification, etree.XPath] = OrderedDict()

    def tree(self, document: Document) -> etree._ElementTree:
        """The document as libxml2 sees it: nothing is fetched, entities are expanded, limits are ours alone."""
        # It was read already, so what libxml2 forgives here are entities that only something external declares.
        parser = etree.XMLParser(
            resolve_entities="internal", no_network=True, load_dtd=False, huge_tree=True, strip_cdata=True, recover=True
        )
        root = etree.fromstring(document.data, parser)
        for error in parser.error_log:
            if error.level == etree.ErrorLevels.FATAL and error.type != etree.ErrorTypes.ERR_UNDECLARED_ENTITY:
                raise DocumentError(
                    f"libxml2, which verifies what no index can decide, refuses the document: {error.message}",
                    line=error.line,
                    column=error.column,
                )
        tree = etree.ElementTree(root)
        # libxml2 takes the text of entities' declarations for text of the document node.
        tree.docinfo.clear()
        return tree

    def holds(self, verification: Verification, tree: etree._ElementTree) -> bool:
        """boolean() of the expression, at the document node."""
        expression = self._expression(verification)
        try:
            return bool(expression(tree))
        except etree.XPathError as error:
            raise DocumentError(
                f"libxml2 cannot evaluate {verification.expression!r} on this document: {error}"
            ) from error

    def _expression(self, verification: Verification) -> etree.XPath:
        with self._lock:
            found = self._compiled.get(verification)
            if found is not None:
                self._compiled.move_to_end(verification)
                return found
        # lxml starts from the root element; inside this predicate, the document node is the context node.
        text = f"boolean(/self::node()[boolean({verification.expression})])"
        made = etree.XPath(text, namespaces=dict(verification.namespaces), regexp=False)
        with self._lock:
            self._compiled[verification] = made
            if len(self._compiled) > KEPT_EXPRESSIONS:
                self._compiled.popitem(last=False)
        return made

    def __reduce__(self) -> tuple[type[Verifier], tuple[()]]:
        return (Verifier, ())
