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

# The document was read already: what libxml2 must forgive are entities that only something unread declares.
_FORGIVEN = (etree.ErrorTypes.ERR_UNDECLARED_ENTITY, etree.ErrorTypes.WAR_UNDECLARED_ENTITY)


class _Nothing(etree.Resolver):  # type: ignore[misc]
    """Stands in for everything outside a document, so that nothing is ever opened."""

    def resolve(self, system_url: str, public_id: str, context: object) -> object:
        return self.resolve_string("", context)


class Verifier:
    """Evaluates verifications; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._compiled: OrderedDict[Verification, etree.XPath] = OrderedDict()

    def tree(self, document: Document) -> etree._ElementTree:
        """The document as libxml2 sees it, and as its reader has seen it: defaults from the internal subset count,
        entities that only something unread could declare stand for nothing."""
        parser = etree.XMLParser(
            resolve_entities=True, attribute_defaults=True, no_network=True, load_dtd=False, huge_tree=True,
            recover=True,
        )  # fmt: skip
        parser.resolvers.add(_Nothing())
        root = etree.fromstring(document.data, parser)
        for met in parser.error_log:
            if met.level == etree.ErrorLevels.FATAL and met.type not in _FORGIVEN:
                raise DocumentError(
                    f"libxml2, which verifies what no index can decide, refuses the document: {met.message}",
                    line=met.line,
                    column=met.column,
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
