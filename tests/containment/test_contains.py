"""Any two queries: named cases, random ones against documents, every small pair of twigs against every small tree."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from tests.containment.judge import check_witness, matching
from tests.differential.expressions import random_subscription
from tests.differential.spaces import subscriptions
from tests.scale import scaled
from tests.xpath.documents import SPECIAL, all_trees, random_document
from tests.xpath.expressions import NAMESPACES, expression
from tests.xpath.tree import TreeNode, document, read
from xylem.containment import compare, contains, unsatisfiable
from xylem.xpath import TreePattern, parse
from xylem.xpath.normal import conjunction, disjunction

# The first contains the second, and not the other way round.
CONTAINS = [
    ("//a", "/a"),
    ("/a", "/a/b"),
    ("//a[b]", "//a[b][c]"),
    ("//a[.//b]", "//a[c/b]"),
    ("//a[*/c]", "//a[b[c]]"),
    ("//*[b]", "//a/b"),
    ("/*[a//b[c]]", "/x/a/y/b[c]"),
    ("//a[b or c]", "//a[c]"),
    ("//a[b] | //c", "//a[b][d]"),
    ("//a[not(b/c)]", "//a[not(b)]"),
    ("//a[not(b)]", "//a[not(*)]"),
    ("//a[not(b and c)]", "//a[not(b)]"),
    ("//a[not(b[@x > 5])]", "//a[not(b[@x > 4])]"),
    ("/a[*/c]", "/a[b/c or d/c]"),
    ("//b[c]/d", "/a//b[c]/d"),
    ("//a[b//c][.//d]", "//a[b[c]/d]"),
    ("/a[b > 15]", "/a[b > 20]"),
    ("//a[starts-with(., 'ab')]", "//a[. = 'abc']"),
    ("//a[contains(., 'x')]", "//a[b = 'yxz']"),
    ("//a[string-length(.) > 2]", "//a[b/c = 'yxz']"),
    ("//a//text()", "//a[. = 'x']"),
    ("/a[b]", "/a[count(b) > 2]"),
    ("/a[count(b) > 1]", "/a[count(b) > 2]"),
    ("count(//@x) > 1", "count(//@x) > 2"),
    ("count(//x) > 1", "count(//x) > 2"),
    ("/a[count(*) > 1]", "/a[count(b[c]) = 3]"),
    ("//a[b[contains(., 'x')]]", "//a[contains(b, 'xy')]"),
    ("//a[contains(b, 'x')]", "//a[contains(b, 'xy')]"),
    ("//a", "//a[2]"),
    ("//a | //b[2]", "//a[b]"),
    ("//a[@*]", "//a[@x = '1']"),
    ("//a[@p:*]", "//a[@p:x]"),
    ("//p:*[b]", "//p:a[b][c]"),
    ("//a[@x > 3 or @x < 3]", "//a[@x = 2]"),
]
EQUAL = [
    ("//a[b][c]", "//a[c and b and b]"),
    ("//a[b] | //a[c]", "//a[b or c]"),
    ("//a[not(b or c)]", "//a[not(b)][not(c)]"),
    ("/a[.//c]", "/a[c or *//c]"),
    ("/a//b", "/a/b | /a/*//b"),
    ("//a[b[c or d]]", "//a[b/c or b/d]"),
    ("//a[. != '']", "//a[.//text()]"),
    ("//a and /*[not(*)]", "/a[not(*)]"),
    ("//a[@x = '1' and @x = '2']", "//a[. = 'x' and . = 'y']"),
    ("/a[b] | /c[d]", "/*[self::a[b] or self::c[d]]"),
]
UNSATISFIABLE = [
    "//a[@x = '1' and @x = '2']",
    "//a[b and not(b)]",
    "//a[b/c and not(b)]",
    "/a/b and /c",
    "count(/a) = 2",
    "//a[@x > 5][@x < 5]",
    "//a[. = ''][b = 'x']",
    "//a[. = 'x']/b[. = 'y']",
    "//a[count(@x) > 1]",
    "//a[not(*)]//b",
    "//a[string-length(.) < 3][contains(., 'abc')]",
    "//@xmlns",
]


def parsed(text: str) -> TreePattern:
    return parse(text, NAMESPACES)


@pytest.mark.parametrize(("outer", "inner"), CONTAINS)
def test_one_contains_the_other(outer: str, inner: str) -> None:
    assert contains(parsed(outer), parsed(inner)) is True
    answer = compare(parsed(inner), parsed(outer))
    assert answer.contains is False
    check_witness(answer, parsed(inner), parsed(outer))


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_each_contains_the_other(one: str, other: str) -> None:
    assert contains(parsed(one), parsed(other)) is True
    assert contains(parsed(other), parsed(one)) is True


@pytest.mark.parametrize("text", UNSATISFIABLE)
def test_what_no_document_matches(text: str) -> None:
    assert unsatisfiable(parsed(text))
    assert contains(parsed("/never"), parsed(text)) is True


@pytest.mark.parametrize("text", ["//a", "//a[b][not(c)]", "//a[. > 5][. < 6]", "true()", "//a[2]"])
def test_what_some_document_matches(text: str) -> None:
    assert not unsatisfiable(parsed(text))


def test_a_verified_expression_is_taken_between_its_bounds() -> None:
    assert contains(parsed("//a[b]"), parsed("//a[b][2]")) is True
    assert contains(parsed("//a[2]"), parsed("//a[2]")) is True
    assert contains(parsed("//b | //a[2]"), parsed("//b[c]")) is True
    assert contains(parsed("//a[2]"), parsed("//a")) is not True
    answer = compare(parsed("//a[2]"), parsed("//b"))
    check_witness(answer, parsed("//a[2]"), parsed("//b"))


def test_not_known_is_an_answer() -> None:
    assert contains(parsed("//a[sum(b) > 2]"), parsed("//a[sum(b) > 3]")) is None
    assert contains(parsed("/a[c or *//c]"), parsed("/a[.//c]"), budget=1) is None


# Against documents -------------------------------------------------------------------------------------------------


def sample(random: Random, size: int) -> list[TreeNode]:
    return [document(read(text)) for text in (*SPECIAL, *(random_document(random) for _ in range(size)))]


def drawn(random: Random, deep: bool) -> TreePattern:
    if deep:
        return parse(random_subscription(random, 0.03).xpath, NAMESPACES)
    return parse(expression(random, random.choice((1, 1, 2)), tree_patterns=random.random() < 0.9), NAMESPACES)


@pytest.mark.parametrize(("deep", "known"), [(False, 0.95), (True, 0.9)], ids=["shallow", "deep"])
def test_random_pairs(deep: bool, known: float) -> None:
    """A yes holds for every document of a large sample, and libxml2 says that the witness of a no is one."""
    random = Random(20_260_202)
    documents = sample(random, scaled(150))
    answers: dict[bool | None, int] = {True: 0, False: 0, None: 0}
    patterns = [drawn(random, deep) for _ in range(scaled(150))]
    exact = [pattern for pattern in patterns if pattern.exact]
    matched = {pattern: matching(pattern, documents) for pattern in exact}
    for _ in range(scaled(1_200)):
        outer, inner = random.choice(patterns), random.choice(patterns)
        answer = compare(outer, inner)
        if outer.exact and inner.exact:
            answers[answer.contains] += 1
            if answer.contains:
                assert not matched[inner] & ~matched[outer], (outer, inner)
        if answer.contains is False:
            check_witness(answer, outer, inner)
    assert answers[True] and answers[False]
    assert answers[None] <= (1 - known) * sum(answers.values())


def test_every_pattern_contains_itself_and_what_is_added_to() -> None:
    random = Random(11)
    for _ in range(scaled(400)):
        one, other = drawn(random, True), drawn(random, False)
        assert contains(one, one) is True
        if one.exact and other.exact:
            both = TreePattern(conjunction((one.condition, other.condition)))
            either = TreePattern(disjunction((one.condition, other.condition)))
            assert contains(one, both) in (True, None)
            assert contains(either, one) in (True, None)


def test_containment_is_transitive() -> None:
    random = Random(12)
    patterns = [parse(text) for text in subscriptions(2, True)]
    chains = 0
    for _ in range(scaled(4_000)):
        one, two, three = (random.choice(patterns) for _ in range(3))
        if contains(one, two) and contains(two, three):
            chains += 1
            assert contains(one, three) is True
    assert chains > scaled(4_000) // 100


def test_all_small_twigs() -> None:
    """Every pair of patterns of up to two steps, negated ones too, against all trees of up to five elements with
    their names and a third one: the answer is known, and it is yes if and only if no tree of these tells the two apart.
    Three nodes are enough for what the inner pattern asks and the outer one excludes, two more for a root above and an
    element between."""
    patterns = sorted({parse(text) for size in (1, 2) for text in subscriptions(size, True)}, key=repr)
    documents = [document(read(text)) for size in range(1, 6) for text in all_trees(size, "abz")]
    matched = [matching(pattern, documents) for pattern in patterns]
    for outer, inner in product(range(len(patterns)), repeat=2):
        found = contains(patterns[outer], patterns[inner])
        expected = not matched[inner] & ~matched[outer]
        assert found is expected, (patterns[outer], patterns[inner])
