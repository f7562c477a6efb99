"""Predicates that hold for a wanted share of the values."""

from __future__ import annotations

from random import Random

import pytest
from lxml import etree

from xylem.errors import UsageError
from xylem.workload import PredicateOn, SubscriptionParameters, bundled_schema, subscriptions
from xylem.workload.chance import Free
from xylem.workload.selectivity import search_for, share_of_values
from xylem.workload.values import ValueKind, Values, zipf

NUMBERS = Values(ValueKind.NUMBER, tuple(str(number) for number in (7, 3, 11, 2.5, 19)), zipf(5, 1.0))
LETTERS = Values(ValueKind.STRING, tuple("abcdefghijklmnopqrst"), zipf(20, 0.0))
SINGLE = Values(ValueKind.STRING, ("only 'one'",), (1.0,))

# The values, the share asked for, and how far from it the nearest comparison may be.
SHARES = [
    (LETTERS, 0.05, 1e-9),
    (LETTERS, 0.5, 1e-9),
    (LETTERS, 1.0, 1e-9),
    (LETTERS, 0.0, 0.05 + 1e-9),
    (NUMBERS, 0.5, 0.172),
    (NUMBERS, 1.0, 1e-9),
    (SINGLE, 0.1, 0.9 + 1e-9),
]


@pytest.mark.parametrize(("values", "wanted", "away"), SHARES)
def test_the_share_is_as_near_as_it_can_be(values: Values, wanted: float, away: float) -> None:
    chance = Free()
    for seed in range(20):
        chance.sow(f"{seed}")
        judge = etree.XPath(f"boolean(self::node()[{share_of_values(chance, '@v', values, wanted)}])")
        held = 0.0
        for value, low, high in zip(values.values, (0.0, *values.cumulative), values.cumulative, strict=False):
            held += (high - low) * bool(judge(etree.Element("e", v=value)))
        assert held > 0 and abs(held / values.cumulative[-1] - wanted) <= away


def test_searches_find_the_wanted_share_of_texts() -> None:
    words = Values(ValueKind.STRING, tuple(f"w{number}w" for number in range(500)), zipf(500, 1.0))
    chance, random = Free(), Random(1)
    texts = [" ".join(words.draw(random.random()) for _ in range(random.randint(1, 12))) for _ in range(3_000)]
    for wanted in (0.2, 0.05):
        chance.sow("1")
        judge = etree.XPath(f"boolean(self::node()[{search_for(chance, '.', words, wanted)}])")
        held = 0
        for text in texts:
            element = etree.Element("e")
            element.text = text
            held += bool(judge(element))
        assert wanted / 2 < held / len(texts) < wanted * 2


@pytest.mark.parametrize(("compared", "attributes", "text"), [(PredicateOn.ATTRIBUTES, 1, 0), (PredicateOn.TEXT, 0, 1)])
def test_what_is_compared_can_be_chosen(compared: PredicateOn, attributes: int, text: int) -> None:
    parameters = SubscriptionParameters(count=300, predicate=1.0, predicate_on=compared, selectivity=0.1)
    made = "\n".join(xpath for _, xpath in subscriptions(bundled_schema(), parameters))
    assert ("@" in made, ". " in made or "(., " in made) == (bool(attributes), bool(text))


def test_a_share_is_a_probability() -> None:
    with pytest.raises(UsageError, match="selectivity is a probability"):
        SubscriptionParameters(selectivity=1.5)
