"""Subscriptions and documents of which wanted shares match, judged by libxml2."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from lxml import etree

from tests.scale import scaled
from xylem.errors import UsageError
from xylem.workload import DocumentParameters, SubscriptionParameters, bundled_schema, pairs


def judged(texts: Sequence[str], made: Sequence[bytes]) -> list[list[int]]:
    roots = [etree.fromstring(document) for document in made]
    judges = [etree.XPath(f"boolean({text})") for text in texts]
    return [[place for place, judge in enumerate(judges) if judge(root)] for root in roots]


@pytest.mark.parametrize(("documents", "subscriptions"), [(0.5, 0.25), (0.2, 0.5), (0.0, 0.0)])
def test_the_shares_are_those_asked_for(documents: float, subscriptions: float) -> None:
    wanted = SubscriptionParameters(count=scaled(100), min_depth=3, max_depth=7, predicate=0.4)
    found = pairs(bundled_schema(), wanted, DocumentParameters(count=scaled(40)), judged, documents, subscriptions)
    assert len(found.subscriptions) == scaled(100) and len(found.documents) == scaled(40)
    assert len({xpath for _, xpath in found.subscriptions}) == scaled(100)
    hits = judged([xpath for _, xpath in found.subscriptions], found.documents)
    assert found.matching_documents == sum(map(bool, hits)) / len(hits)
    assert found.matching_subscriptions == len({place for places in hits for place in places}) / scaled(100)
    assert abs(found.matching_subscriptions - subscriptions) <= 0.01
    assert abs(found.matching_documents - documents) <= 0.1


def test_shares_that_cannot_be_had_are_refused() -> None:
    wanted = SubscriptionParameters(count=20, max_depth=1, wildcard=0, descendant=0, distinct=False)
    with pytest.raises(UsageError, match="too few subscriptions"):
        pairs(bundled_schema(), wanted, DocumentParameters(count=10), judged, 0.5, 0.25)
    with pytest.raises(UsageError, match="is a probability"):
        pairs(bundled_schema(), wanted, DocumentParameters(count=10), judged, 1.5, 0.25)
