"""Values: what is said to be impossible no string does, what is found does it, and the implications people expect."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from tests.scale import scaled
from xylem.containment.strings import Literal, Verdict, holds, lifted, solve
from xylem.xpath import parse
from xylem.xpath.pattern import Exists, Op, View
from xylem.xpath.pattern import Test as ValueTest

STRINGS = [
    *("".join(parts) for length in range(4) for parts in product("ab 1", repeat=length)),
    *("5", "05", "5.0", " 5 ", "-5", "6", "7.5", "1e1", "1e999", "-1e999", "NaN", "abab", "\tab", "a\nb", "a  b"),
    *("ab b a", "xaby", "abcab", "aaaaa", "  a  b  ", "b1", "55"),
]
TEXTS = ("", "a", "b", "ab", "a b", "1", "ba")
NUMBERS = (-1.0, 0.0, 1.0, 5.0, 6.0)
TESTS = [
    *(ValueTest(view, op, text)
      for view in (View.STRING, View.NORMAL)
      for op in (Op.EQ, Op.NE, Op.CONTAINS, Op.STARTS_WITH)
      for text in TEXTS),
    *(ValueTest(View.NUMBER, op, number)
      for op in (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE) for number in NUMBERS),
    *(ValueTest(view, op, float(length))
      for view in (View.LENGTH, View.NORMAL_LENGTH) for op in (Op.EQ, Op.NE, Op.LT, Op.GE) for length in range(4)),
]  # fmt: skip
LITERALS: list[Literal] = [(test, wanted) for test in TESTS for wanted in (True, False)]
PASSED = {literal: sum(holds(literal, text) << at for at, text in enumerate(STRINGS)) for literal in LITERALS}


def check(literals: list[Literal]) -> str | Verdict:
    found = solve(literals)
    passing = -1
    for literal in literals:
        passing &= PASSED[literal]
    if found is Verdict.IMPOSSIBLE:
        assert not passing, (literals, [text for at, text in enumerate(STRINGS) if passing >> at & 1])
    elif isinstance(found, str):
        assert all(holds(literal, found) for literal in literals), (literals, found)
    return found


def test_all_pairs_of_tests() -> None:
    random = Random(3)
    pairs = [(one, other) for one, other in product(LITERALS, repeat=2) if LITERALS.index(one) < LITERALS.index(other)]
    unknown = 0
    for one, other in random.sample(pairs, scaled(9_000)):
        found = check([one, other])
        if found is Verdict.UNKNOWN:
            # What some string of the sample does is found.
            assert not PASSED[one] & PASSED[other], (one, other)
            unknown += 1
    assert unknown < scaled(9_000) // 50


def test_random_sets_of_tests() -> None:
    random = Random(4)
    for _ in range(scaled(6_000)):
        check(random.sample(LITERALS, random.randint(3, 5)))


def literal(text: str, wanted: bool = True) -> Literal:
    """The test of `//a[…]`."""
    formula = parse(f"//a[{text}]").condition
    assert isinstance(formula, Exists) and isinstance(formula.node.condition, ValueTest), text
    return formula.node.condition, wanted


IMPLIED = [
    (". > 20", ". > 15"),
    (". >= 20", ". > 19"),
    (". = 20", ". > 15"),
    (". = 20", ". != 21"),
    (". < 3", ". <= 3"),
    (". = 'abc'", "starts-with(., 'ab')"),
    (". = 'abc'", "contains(., 'bc')"),
    (". = 'abc'", "string-length(.) = 3"),
    (". = ' abc '", "normalize-space(.) = 'abc'"),
    (". = ' 7 '", ". = 7"),
    (". = ' 7 '", ". > 6.5"),
    (". = 'abc'", ". != 7"),
    ("normalize-space(.) = '7'", ". = 7"),
    ("normalize-space(.) = 'a b'", "contains(., 'b')"),
    ("normalize-space(.) = 'a b'", "string-length(.) >= 3"),
    ("starts-with(., 'abc')", "starts-with(., 'ab')"),
    ("starts-with(., 'abc')", "contains(., 'bc')"),
    ("starts-with(., 'abc')", "string-length(.) > 2"),
    ("contains(., 'abc')", ". != ''"),
    ("contains(., 'abc')", "contains(normalize-space(.), 'abc')"),
    ("contains(normalize-space(.), 'a b')", "contains(., 'a')"),
    ("string-length(.) > 4", "string-length(.) > 3"),
    ("string-length(.) = 4", "string-length(.) != 5"),
    ("string-length(normalize-space(.)) > 4", "string-length(.) > 3"),
    (". > 5", ". != ''"),
]
NOT_IMPLIED = [
    (". > 15", ". > 20"),
    (". = 7", ". = '7'"),
    (". != 21", ". < 21"),
    ("normalize-space(.) = 'a b'", "contains(., 'a b')"),
    ("contains(., 'a b')", "starts-with(., 'a b')"),
    ("contains(., 'a  b')", "contains(normalize-space(.), 'a  b')"),
    ("string-length(.) > 3", "string-length(normalize-space(.)) > 3"),
    (". != 5", ". < 5"),
    ("contains(., '5')", ". = 5"),
]


@pytest.mark.parametrize(("first", "second"), IMPLIED)
def test_implied(first: str, second: str) -> None:
    assert solve([literal(first), literal(second, False)]) is Verdict.IMPOSSIBLE


@pytest.mark.parametrize(("first", "second"), NOT_IMPLIED)
def test_not_implied(first: str, second: str) -> None:
    text = solve([literal(first), literal(second, False)])
    assert isinstance(text, str)
    assert holds(literal(first), text) and not holds(literal(second), text)


EXCLUDING = [
    (". > 5", ". < 5"),
    (". > 5", "contains(., 'x')"),
    ("starts-with(., 'ab')", "starts-with(., 'ac')"),
    ("contains(., 'abc')", "string-length(.) < 3"),
    ("string-length(.) = 2", "string-length(normalize-space(.)) = 3"),
    ("starts-with(normalize-space(.), ' a')", ". != ''"),
    ("contains(normalize-space(.), 'a  b')", ". != ''"),
    ("normalize-space(.) = ''", ". = 1"),
]


@pytest.mark.parametrize(("first", "second"), EXCLUDING)
def test_excluding(first: str, second: str) -> None:
    assert solve([literal(first), literal(second)]) is Verdict.IMPOSSIBLE


def test_what_a_part_says_of_the_whole() -> None:
    """Any string around the part has what is lifted from it."""
    for one in LITERALS:
        for said in lifted(one):
            for part in STRINGS:
                if holds(one, part):
                    assert holds(said, part) and holds(said, f"b{part}") and holds(said, f"{part} 1"), (one, said, part)
