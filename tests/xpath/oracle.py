"""What libxml2 says of an expression, asked as the design says: the judge of the whole room.

Nothing here comes from the code under test but the tokens, which show where a union's operands begin.
"""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from tests.xpath.expressions import NAMESPACES


def truth(expression: str, tree: etree._ElementTree, namespaces: Mapping[str, str] = NAMESPACES) -> bool:
    """boolean() of an expression at the document node."""
    # lxml starts from the root element; inside this predicate, the document node is the context node.
    return bool(tree.xpath(f"boolean(/self::node()[boolean({expression})])", namespaces=dict(namespaces)))
