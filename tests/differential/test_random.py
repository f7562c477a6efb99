"""Engines against libxml2 on random subscriptions and random documents.

Many subscriptions stand in one matcher, so that they share structure as they do in the field; the seed and the two
texts in a failure are all that is needed to see it again.
"""

from __future__ import annotations

import random

import pytest

from tests.differential.documents import random_document
from tests.differential.expressions import Subscription, random_subscription
from tests.differential.judge import NAMESPACES, Judge
from tests.scale import scaled
from xylem import Matcher, XPathError
from xylem.xpath import parse


def _pairs(engine: str, seed: int, subscriptions: int, documents: int, rare: float = 0.06) -> tuple[int, int, int]:
    """Asserts that an engine and libxml2 agree; says how many pairs there were, how many matched, and how many of the
    subscriptions a pattern says in full."""
    rng = random.Random(seed)
    matcher = Matcher(engine, namespaces=NAMESPACES)
    asked: list[Subscription] = []
    while len(asked) < subscriptions:
        one = random_subscription(rng, rare)
        try:
            matcher.add(len(asked), one.xpath)
        except XPathError as error:  # axes that look around, in each other: one in some thousand
            assert error.construct == "size", one
            continue
        asked.append(one)
    judge = Judge([one.judged for one in asked])
    matched = 0
    for _ in range(documents):
        text = random_document(rng)
        expected = judge.matching(text)
        found = list(matcher.match(text))
        wrong = [asked[number] for number in sorted(set(found) ^ set(expected))]
        assert wrong == [], (seed, text)
        matched += len(expected)
    matcher._check()
    exact = sum(parse(one.xpath, NAMESPACES).exact for one in asked)
    return subscriptions * documents, matched, exact


@pytest.mark.parametrize("seed", range(scaled(12)))
def test_tree_agrees_with_libxml2(seed: int) -> None:
    pairs, matched, exact = _pairs("tree", seed, 400, 60)
    assert 0.08 < matched / pairs < 0.6, "both outcomes are frequent"
    assert exact > 200, "most of what is drawn is indexed in full"


@pytest.mark.parametrize("seed", range(100, 100 + scaled(6)))
def test_tree_agrees_on_what_patterns_say_in_full(seed: int) -> None:
    pairs, matched, exact = _pairs("tree", seed, 500, 60, rare=0.0)
    assert 0.08 < matched / pairs < 0.6
    assert exact > 400


@pytest.mark.parametrize("seed", range(200, 200 + scaled(4)))
def test_reference_agrees_with_libxml2(seed: int) -> None:
    _pairs("reference", seed, 300, 20)


@pytest.mark.parametrize("seed", range(300, 300 + scaled(10)))
def test_few_subscriptions_at_a_time(seed: int) -> None:
    """What a query needs must not depend on the others that happen to be there."""
    for inner in range(12):
        _pairs("tree", 1_000 * seed + inner, 3, 12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10_000, 10_000 + scaled(400)))
def test_tree_agrees_with_libxml2_for_long(seed: int) -> None:
    _pairs("tree", seed, 1_000, 150, rare=(0.0, 0.06, 0.2)[seed % 3])
