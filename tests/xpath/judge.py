"""One subscription against one document, asked in every way that has to agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from tests.xpath import tree
from tests.xpath.expressions import NAMESPACES, Subscription
from tests.xpath.oracle import truth
from xylem.matching.verified import Verifier
from xylem.xpath import holds, parse, spell
from xylem.xpath.bounds import Bounds
from xylem.xpath.parser import Parser
from xylem.xpath.translate import anchored, translate

_VERIFIER = Verifier()


@dataclass
class Sample:
    """A document, as libxml2 and the reference evaluator see it."""

    text: str

    @cached_property
    def tree(self) -> etree._ElementTree:
        return tree.read(self.text)

    @cached_property
    def root(self) -> tree.TreeNode:
        return tree.document(self.tree)


def bounds(text: str, namespaces: Mapping[str, str] = NAMESPACES) -> Bounds:
    return translate(anchored(Parser(text, namespaces).parse()), text)


def check(subscription: Subscription, sample: Sample, namespaces: Mapping[str, str] = NAMESPACES) -> None:
    """Fails where the pattern, its bounds, what it prints or what is verified differs from libxml2's answer."""
    context = (subscription, sample.text)
    expected = truth(subscription.asked, sample.tree, namespaces)
    pattern = parse(subscription, namespaces)
    said = holds(pattern.condition, sample.root)
    printed = spell(pattern)
    if pattern.verification is None:
        assert said == expected, context
        assert truth(printed.expression, sample.tree, dict(printed.namespaces)) == expected, (printed, *context)
        return
    assert said or not expected, context
    assert not holds(bounds(subscription, namespaces).lower, sample.root) or expected, context
    assert _VERIFIER.holds(pattern.verification, sample.tree) == expected, (printed, *context)
