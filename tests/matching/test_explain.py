"""Explanations agree with the reference evaluator, and say what a person would find in the document."""

from __future__ import annotations

import random

import pytest

from tests.scale import scaled
from xylem.document import Document, Limits, Reader, Vocabulary
from xylem.errors import DocumentError
from xylem.matching.explain import Explanation, Mark, Place, Step, explain, explain_document, stops, unreached
from xylem.matching.nodes import ElementNode
from xylem.xpath import holds, parse
from xylem.xpath.pattern import (
    And,
    Axis,
    Count,
    Exists,
    First,
    Formula,
    Kind,
    NodeTest,
    Not,
    Op,
    Or,
    PatternNode,
    View,
)
from xylem.xpath.pattern import (
    Test as ValueTest,
)

NEWS = b"""<news xmlns:m="urn:m">
  <story n="1"><title>rail</title></story>
  <story n="2">
    <title>road</title><title>rail road</title>
    <m:quote change="-3"/>
  </story>
  text <!-- between --> and more
</news>
"""


def _explained(xpath: str, data: bytes = NEWS) -> Explanation:
    return explain_document(data, parse(xpath, {"m": "urn:m"}), Limits())


def _steps(step: Step) -> list[Step]:
    return [step, *(inner for part in step.parts for inner in _steps(part))]


@pytest.mark.parametrize(
    ("xpath", "match"),
    [
        ("/news", True),
        ("/story", False),
        ("//story[title = 'rail']", True),
        ("//story[title = 'sea']", False),
        ("//story[@n > 1]//m:quote[@change < 0]", True),
        ("//story[@n > 2]", False),
        ("//story[not(title)]", False),
        ("//story[not(m:quote)]", True),
        ("count(//story) = 2", True),
        ("count(//story/title) > 3", False),
        ("//story[count(title) = 2]", True),
        ("starts-with(//title, 'rail')", True),
        ("contains(//title, 'road')", False),
        ("//story[@n = 3] | //m:*", True),
        ("//story[@n = 3 or title = 'sea']", False),
        ("//text()[contains(., 'more')]", True),
        ("/news/story[2]/title[2]", True),
        ("/news/story[3]", False),
        ("//story/following-sibling::story[@n = 2]", True),
    ],
)
def test_the_verdict_is_xpaths(xpath: str, match: bool) -> None:
    explanation = _explained(xpath)
    assert explanation.match is match
    assert bool(stops(explanation.root)) is (explanation.root.mark is Mark.FAILS)


def test_a_witness_has_its_place() -> None:
    explanation = _explained("//story[title = 'road']/@n")
    story = explanation.root
    assert (story.candidates, story.witnesses) == (2, 1)
    assert story.place == Place(Kind.ELEMENT, 4)
    assert explanation.line(Place(Kind.ELEMENT, 4)) == 3
    attribute = next(step for step in _steps(story) if step.place and step.place.kind is Kind.ATTRIBUTE)
    assert explanation.line(attribute.place or Place(Kind.ELEMENT, 0)) == 3


def test_lines_of_text_are_those_of_its_element() -> None:
    explanation = _explained("//title/text()[. = 'rail road']")
    text = next(step for step in _steps(explanation.root) if step.place and step.place.kind is Kind.TEXT)
    assert text.place is not None
    assert explanation.line(text.place) == 4


def test_the_candidate_that_gets_furthest_is_shown() -> None:
    explanation = _explained("//story[@n = 2 and title = 'road' and title = 'sea']")
    story = explanation.root
    assert (story.mark, story.candidates, story.witnesses) == (Mark.FAILS, 2, 0)
    assert story.place == Place(Kind.ELEMENT, 4)
    values = [step.met for step in _steps(story) if isinstance(step.part, ValueTest)]
    assert "2" in values
    last = stops(story)[-1]
    assert isinstance(last.part, ValueTest)
    assert last.part.value == "sea"


def test_what_was_never_asked_is_marked() -> None:
    explanation = _explained("/news/letter[@from]/title")
    marks = {step.mark for step in _steps(explanation.root) if isinstance(step.part, PatternNode)}
    assert marks == {Mark.FAILS, Mark.UNREACHED}
    letter = stops(explanation.root)[-1]
    assert letter.candidates == 0
    assert all(step.mark is Mark.UNREACHED for part in letter.parts for step in _steps(part))


def test_a_count_shows_what_it_counted() -> None:
    explanation = _explained("count(//story/title) > 3")
    assert explanation.root.met == 3.0
    assert [step.witnesses for step in explanation.root.parts] == [2, 3]


def test_libxml2_is_asked_only_where_the_rest_holds() -> None:
    assert _explained("/news/story[2][title = 'road']").verified is True
    assert _explained("/news/story[1][title = 'road']").verified is False
    assert _explained("/news/letter[1][title = 'road']").verified is None
    assert _explained("/news/story").verified is None


def test_a_bad_document_is_rejected() -> None:
    with pytest.raises(DocumentError):
        _explained("//a", b"<a>")


def test_a_deep_document_and_a_deep_pattern() -> None:
    depth = 100
    data = b"<a>" * depth + b"</a>" * depth
    assert _explained("/" + "/a" * depth, data).match
    assert not _explained("/" + "/a" * (depth + 1), data).match
    assert not _explained("//a" * 6 + "/b", data).match


# Random formulas over random trees, all kinds of nodes and of formulas in them.

NAMES = ("a", "b")
VALUES = ("", "1", "2", " 1 ", "ab")


def _random_tree(random_: random.Random, depth: int = 4) -> str:
    name = random_.choice(NAMES)
    attributes = "".join(f" {key}='{random_.choice(VALUES)}'" for key in NAMES if random_.random() < 0.4)
    inside = "".join(
        _random_tree(random_, depth - 1) if depth and random_.random() < 0.6 else random_.choice(VALUES)
        for _ in range(random_.randrange(4))
    )
    return f"<{name}{attributes}>{inside}</{name}>"


def _random_test(random_: random.Random) -> ValueTest:
    if random_.random() < 0.5:
        op = random_.choice((Op.EQ, Op.NE, Op.CONTAINS, Op.STARTS_WITH))
        return ValueTest(random_.choice((View.STRING, View.NORMAL)), op, random_.choice(VALUES))
    view = random_.choice((View.NUMBER, View.LENGTH, View.NORMAL_LENGTH))
    return ValueTest(view, random_.choice(tuple(Op)[:6]), random_.choice((0.0, 1.0, 2.0)))


def _random_node(random_: random.Random, depth: int) -> PatternNode:
    kind = random_.choice((Kind.ELEMENT, Kind.ELEMENT, Kind.ELEMENT, Kind.ATTRIBUTE, Kind.TEXT))
    local = None if kind is Kind.TEXT or random_.random() < 0.3 else random_.choice(NAMES)
    test = NodeTest(kind, local, None if local is None else "")
    return PatternNode(random_.choice(tuple(Axis)), test, _random_formula(random_, depth - 1))


def _random_formula(random_: random.Random, depth: int) -> Formula:
    choice = random_.randrange(9) if depth > 0 else random_.randrange(2)
    if choice == 0:
        return _random_test(random_)
    if choice == 1:
        return And(())
    if choice in (2, 3, 4):
        return Exists(_random_node(random_, depth))
    path = tuple(_random_node(random_, depth - 1) for _ in range(random_.randrange(1, 3)))
    parts = tuple(_random_formula(random_, depth - 1) for _ in range(random_.randrange(3)))
    some: tuple[Formula, ...] = (
        And(parts),
        Or(parts),
        Not(_random_formula(random_, depth - 1)),
        Count(path, random_.choice(tuple(Op)[:6]), float(random_.randrange(3))),
        First(path, _random_test(random_)),
    )
    return some[choice - 5] if choice >= 5 else some[0]


def _check(step: Step, document: Document) -> None:
    """What every explanation owes: a mark that its parts bear out, and numbers that fit together."""
    if step.mark is Mark.UNREACHED:
        assert all(part.mark is Mark.UNREACHED for part in step.parts)
    if isinstance(step.part, PatternNode) and step.mark is not Mark.UNREACHED:
        assert step.candidates is not None
        assert step.witnesses is not None
        assert 0 <= step.witnesses <= step.candidates
        assert (step.witnesses > 0) is (step.mark is Mark.HOLDS)
        assert (step.place is None) is (step.candidates == 0)
        assert (step.parts[0].mark is Mark.HOLDS) is (step.mark is Mark.HOLDS)
    if isinstance(step.part, And | Or) and step.mark is not Mark.UNREACHED:
        join = all if isinstance(step.part, And) else any
        assert join(part.mark is Mark.HOLDS for part in step.parts) is (step.mark is Mark.HOLDS)
    if isinstance(step.part, Not) and step.mark is not Mark.UNREACHED:
        assert (step.parts[0].mark is Mark.HOLDS) is not (step.mark is Mark.HOLDS)
    for part in step.parts:
        _check(part, document)


def test_agrees_with_the_reference() -> None:
    random_ = random.Random(20)
    held = 0
    for _ in range(scaled(300)):
        vocabulary = Vocabulary()
        for name in NAMES:
            vocabulary.name("", name)
        document = Reader(vocabulary, kind="plain").read(_random_tree(random_).encode())
        for _ in range(10):
            formula = _random_formula(random_, 4)
            step = explain(document, formula)
            expected = holds(formula, ElementNode(document, 0))
            assert (step.mark is Mark.HOLDS) is expected
            held += expected
            _check(step, document)
            _check(unreached(formula), document)
            assert bool(stops(step)) is not expected
    assert 0 < held < scaled(300) * 10
