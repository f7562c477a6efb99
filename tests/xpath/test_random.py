"""Random expressions of the whole language and random documents: libxml2 is the judge.

Beside each random document, every expression is asked of a few that have everything in them.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scale import scaled
from tests.xpath.documents import SPECIAL, documents, random_document
from tests.xpath.expressions import NAMESPACES, Subscription, expression, expressions
from tests.xpath.judge import Sample, check
from xylem.xpath import canonical, parse, spell

SAMPLES = [Sample(text) for text in SPECIAL]


@given(expressions(), documents())
def test_an_expression_means_what_libxml2_says(subscription: Subscription, document: str) -> None:
    for sample in (*SAMPLES, Sample(document)):
        check(subscription, sample)


@given(expressions(tree_patterns=True), documents())
def test_a_tree_pattern_means_what_libxml2_says(subscription: Subscription, document: str) -> None:
    for sample in (*SAMPLES, Sample(document)):
        check(subscription, sample)


def seeds(number: int) -> range:
    return range(scaled(number))


@pytest.mark.parametrize("plain", [False, True], ids=["whole language", "tree patterns"])
def test_many_expressions_and_documents(plain: bool) -> None:
    """The same from a plain generator, which makes far more examples a second."""
    random = Random(20_260_101)
    for _ in seeds(900):
        subscription = expression(random, random.choice((1, 2, 3)), tree_patterns=plain)
        for sample in (*SAMPLES, *(Sample(random_document(random)) for _ in range(4))):
            check(subscription, sample)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_very_many_expressions_and_documents(seed: int) -> None:
    random = Random(seed)
    for _ in seeds(10_000):
        subscription = expression(random, random.choice((1, 2, 3, 4)), tree_patterns=random.random() < 0.3)
        for sample in (*SAMPLES, *(Sample(random_document(random)) for _ in range(6))):
            check(subscription, sample)


@given(expressions())
def test_what_is_printed_is_parsed_to_the_same(subscription: Subscription) -> None:
    pattern = parse(subscription, NAMESPACES)
    printed = spell(pattern)
    assert parse(printed.expression, dict(printed.namespaces)) == pattern
    assert parse(spell(pattern, NAMESPACES).expression, NAMESPACES | dict(printed.namespaces)) == pattern


@given(expressions())
def test_a_canonical_form_is_its_own(subscription: Subscription) -> None:
    condition = parse(subscription, NAMESPACES).condition
    assert canonical(condition) == condition


@given(expressions(tree_patterns=True), st.randoms(use_true_random=False))
def test_blanks_between_tokens_do_not_matter(subscription: Subscription, random: Random) -> None:
    from xylem.xpath.tokens import offsets

    cuts = [0, *offsets(subscription)]
    pieces = [subscription[start:end] for start, end in zip(cuts, [*cuts[1:], None], strict=True)]
    spaced = random.choice((" ", "\n", "\t\r\n ")).join(pieces)
    assert parse(spaced, NAMESPACES) == parse(subscription, NAMESPACES)
