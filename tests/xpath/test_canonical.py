"""The canonical form: equal questions written differently become one object, different ones never do.

That no two different questions share a form is proven by evaluation here for the pairs below, and in
`test_exhaustive` for all small patterns.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.scale import scaled
from tests.xpath.documents import SPECIAL, random_document
from tests.xpath.expressions import NAMESPACES, expression
from tests.xpath.judge import Sample
from tests.xpath.oracle import truth
from xylem.xpath import holds, parse

SAME = [
    # long and short spellings
    ("//a", "/descendant::a"),
    ("//a", "/descendant-or-self::node()/child::a"),
    ("//a", "/descendant-or-self::a"),
    ("//a/@b", "//a/attribute::b"),
    ("a/b", "//a/b"),
    ("//a[b]", "//a[child::b]"),
    ("//a[.//b]", "//a[descendant::b]"),
    ("//a/./b", "//a/b"),
    ("//a[self::a]", "//a"),
    ("//a[self::b]", "//a[false()]"),
    ("//a/b/..", "//a[b]"),
    # `//` and `*`
    ("//*/a", "/*//a"),
    ("//*/*/a", "/*//*/a"),
    ("//*//*//a", "/*/*//a"),
    ("//*//*", "/*/*"),
    ("//*", "/*"),
    ("//a//*", "//a/*"),
    ("//a//*//b", "//a/*//b"),
    # predicates and steps
    ("//a[b][c]", "//a[c and b]"),
    ("//a[b and c and d]", "//a[d][b][c]"),
    ("//a[b/c]", "//a[b[c]]"),
    ("//a[b]", "//a/b"),
    ("//a[b or c]", "//a[c or b]"),
    ("//a[b | c]", "//a[b or c]"),
    ("//a | //b", "//b | //a"),
    ("//a | //a", "//a"),
    ("//a[not(not(b))]", "//a[b]"),
    ("//a[not(b or c)]", "//a[not(b)][not(c)]"),
    ("//a[not(b and c)]", "//a[not(b) or not(c)]"),
    ("//a[boolean(b)]", "//a[b]"),
    # what goes without saying
    ("//a[b][b/c]", "//a[b/c]"),
    ("//a[.//b][b]", "//a[b]"),
    ("//a[*][b]", "//a[b]"),
    ("//a[b or b[c]]", "//a[b]"),
    ("//a[true()]", "//a"),
    ("//a[b or not(b)]", "//a"),
    ("//a[b and not(b)]", "//a[false()]"),
    ("//a | //a[b]", "//a"),
    ("/*[//a]", "//a"),
    # values
    ("//a[b = 'x']", "//a[b[. = 'x']]"),
    ("//a[b = 'x']", "//a['x' = b]"),
    ("//a[b < 5]", "//a[5 > b]"),
    ("//a[b = 5]", "//a[b = 5.0]"),
    ("//a[b = 5]", "//a[b = 10 div 2]"),
    ("//a[b = -0]", "//a[b = 0]"),
    ("//a[string(.) = 'x']", "//a[. = 'x']"),
    ("//a[number(.) = 1]", "//a[. = 1]"),
    ("//a[contains(., '')]", "//a"),
    ("//a[starts-with(., '')]", "//a"),
    ("//a[contains(., 'ab')][contains(., 'b')]", "//a[contains(., 'ab')]"),
    ("//a[. = 'abc'][starts-with(., 'ab')]", "//a[. = 'abc']"),
    ("//a[. > 5][. > 3]", "//a[. > 5]"),
    ("//a[. = 'x'][. != 'x']", "//a[false()]"),
    ("//a[string-length(.) > 0]", "//a[. != '']"),
    ("//a[string-length(.) >= 3]", "//a[string-length(.) > 2.5]"),
    ("//a[normalize-space(.) = '']", "//a[not(normalize-space())]"),
    ("//a[normalize-space(.) = ' x']", "//a[false()]"),
    # counts and positions
    ("//a[count(b) > 0]", "//a[b]"),
    ("//a[count(b) = 0]", "//a[not(b)]"),
    ("//a[count(b) >= 2]", "//a[count(b) > 1]"),
    ("//a[count(b) >= 2]", "//a[b[2]]"),
    ("//a[count(b) < 1]", "//a[not(b)]"),
    ("//a[1]", "//a"),
    ("//a[last()]", "//a"),
    ("(//a)[1]", "//a"),
    ("//a[position() = 1]", "//a[1]"),
    # prefixes are names for namespaces
    ("//p:a[p:b]", "//p:a/p:b"),
]  # fmt: skip

DIFFERENT = [
    ("//a/b", "//a//b"),
    ("//a[b]", "//a[b][c]"),
    ("//a[b][c]", "//a[b/c]"),
    ("//a[b or c]", "//a[b and c]"),
    ("//a[not(b)]", "//a/*[not(self::b)]"),
    ("//a[b != 'x']", "//a[not(b = 'x')]"),
    ("//a[b = '1']", "//a[b = 1]"),
    ("//a[b < 5]", "//a[not(b >= 5)]"),
    ("//a[contains(b, 'x')]", "//a[b[contains(., 'x')]]"),
    ("//a[@b]", "//a[b]"),
    ("//a", "//p:a"),
    ("//*/a", "//a"),
    ("//*//a", "//a"),
    ("//a//*", "//a"),
    ("//a[text()]", "//a[. != '']"),
    ("//a[2]", "//a[count(//a) >= 2]"),
    ("(//a)[2]", "//a[2]"),
    ("/*/a", "//*/a"),
]


@pytest.mark.parametrize("first, second", SAME)
def test_equal_questions_are_equal_objects(first: str, second: str) -> None:
    one, other = parse(first, NAMESPACES), parse(second, NAMESPACES)
    assert one == other
    assert hash(one) == hash(other)


def test_different_prefixes_of_one_namespace_do_not_matter() -> None:
    assert parse("//x:a", {"x": "urn:p"}) == parse("//p:a", NAMESPACES)
    assert parse("//p:a", {"p": "urn:other"}) != parse("//p:a", NAMESPACES)
    assert parse("//x:a[last() - 1]", {"x": "urn:p"}) == parse("//p:a[last() - 1]", NAMESPACES)


@pytest.mark.parametrize("first, second", DIFFERENT)
def test_different_questions_are_different_objects(first: str, second: str) -> None:
    one, other = parse(first, NAMESPACES), parse(second, NAMESPACES)
    assert one != other
    random = Random(1)
    samples = [Sample(text) for text in SPECIAL]
    samples += [Sample(random_document(random)) for _ in range(400)]
    samples += [Sample("<c><a/><b><a/></b></c>"), Sample("<c><a>1</a><b><a>2</a></b></c>"),
                Sample("<a><a><b>5</b><c/></a></a>"),
                Sample("<a><b>x</b><b>y</b></a>"), Sample("<a><b>1.0</b></a>"), Sample("<a><b>z</b><b>x</b></a>"),
                Sample("<a><c><b/></c></a>")]  # fmt: skip
    answers = [(holds(one.condition, s.root), holds(other.condition, s.root)) for s in samples]
    assert any(a != b for a, b in answers), "no document tells them apart: are they different?"


def test_expressions_of_one_form_agree_on_every_document() -> None:
    """Random expressions are sorted by their forms; libxml2 must not tell two of one form apart."""
    random = Random(7)
    forms: dict[object, set[str]] = {}
    asked: dict[str, str] = {}
    for _ in range(scaled(6_000)):
        text = expression(random, random.choice((1, 1, 2)), tree_patterns=True)
        asked[str(text)] = text.asked
        forms.setdefault(parse(text, NAMESPACES), set()).add(str(text))
    shared = [sorted(texts) for texts in forms.values() if len(texts) > 1]
    assert shared
    samples = [Sample(text) for text in SPECIAL] + [Sample(random_document(random)) for _ in range(12)]
    for texts in shared:
        for sample in samples:
            answers = {truth(asked[text], sample.tree) for text in texts[:6]}
            assert len(answers) == 1, (texts[:6], sample.text)
