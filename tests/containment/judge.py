"""What containment means, asked of documents: the reference evaluator for many, libxml2 for single ones."""

from __future__ import annotations

from collections.abc import Mapping

from tests.xpath import tree
from tests.xpath.expressions import NAMESPACES
from tests.xpath.oracle import truth
from xylem.containment import Comparison
from xylem.xpath import TreePattern, holds, spell


def matching(pattern: TreePattern, documents: list[tree.TreeNode]) -> int:
    """Which documents an exact pattern matches, as bits."""
    return sum(holds(pattern.condition, document) << at for at, document in enumerate(documents))


def check_witness(answer: Comparison, outer: TreePattern, inner: TreePattern) -> None:
    """Fails unless libxml2 says that the witness matches the inner pattern alone."""
    assert answer.witness is not None
    read = tree.read(answer.witness)
    assert _true(inner, read), (spell(inner), answer.witness)
    assert not _true(outer, read), (spell(outer), answer.witness)


def _true(pattern: TreePattern, document: object) -> bool:
    expression, namespaces = spell(pattern)
    bound: Mapping[str, str] = {**NAMESPACES, **dict(namespaces)}
    return truth(expression, document, bound)  # type: ignore[arg-type]
