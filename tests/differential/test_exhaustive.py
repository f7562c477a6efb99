"""Every small pattern on every small tree, and every comparison of every kind of value: engines against libxml2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import pytest

from tests.differential.judge import Judge
from tests.differential.spaces import chains, subscriptions, trees
from xylem import Matcher

FEW_TREES = [tree for nodes in range(1, 5) for tree in trees(nodes)]
TREES = [*FEW_TREES, *trees(5)]

STRINGS = (
    "", " ", "a", "ab", "ba", "aab", " a ", "a  b", "a\tb", "\u00a0a", "é", "𝒳", "a𝒳", "0", "-0", "1", "01", "1.0",
    "1.", ".5", "0.5", " 5 ", "5", "+5", "-5", "- 5", "--5", "5-", "1e3", "1e999", "0x10", "NaN", "INF", "Infinity",
    "-Infinity", "1 2", "1,5", ".", "-", "99999999999999999999", "0.1", "0.10000000000000001", "0.30000000000000004",
    "3", "2", "٣",
)  # fmt: skip
_NUMBERS = (
    "0",
    "1",
    "5",
    ".5",
    "-5",
    "1000",
    "2.5",
    "0.1",
    "1 div 0",
    "-1 div 0",
    "0 div 0",
    "3",
    "100000000000000000000",
)
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")


def _compare(engine: str, expressions: Sequence[str], documents: Iterable[str]) -> None:
    judge = Judge(expressions)
    matcher = Matcher(engine)
    for number, expression in enumerate(expressions):
        matcher.add(number, expression)
    matched = 0
    pairs = 0
    for text in documents:
        expected = judge.matching(text)
        found = list(matcher.match(text))
        if found != expected:
            raise AssertionError((text, [expressions[number] for number in sorted(set(found) ^ set(expected))][:10]))
        matched += len(expected)
        pairs += len(expressions)
    assert 0 < matched < pairs
    matcher._check()


@pytest.mark.parametrize("engine", ["tree", "reference"])
@pytest.mark.parametrize("steps", [1, 2])
def test_every_pattern_with_negations(engine: str, steps: int) -> None:
    _compare(engine, subscriptions(steps, True), TREES)


def test_every_pattern_of_three_steps() -> None:
    _compare("tree", subscriptions(3, True), TREES)


def test_every_pattern_of_three_steps_by_reference() -> None:
    _compare("reference", subscriptions(3, False), FEW_TREES)


def test_every_pattern_of_four_steps() -> None:
    _compare("tree", subscriptions(4, False), FEW_TREES)


def test_every_chain_of_four_steps() -> None:
    _compare("tree", chains(4), TREES)


def test_every_pattern_of_four_steps_with_negations() -> None:
    _compare("tree", subscriptions(4, True), [tree for nodes in range(1, 4) for tree in trees(nodes)])


@pytest.mark.long
def test_every_pattern_of_four_steps_with_negations_on_every_tree() -> None:
    _compare("tree", subscriptions(4, True), TREES)


@pytest.mark.parametrize("engine", ["tree", "reference"])
def test_every_count_of_every_chain(engine: str) -> None:
    paths = [*chains(1), *chains(2)]
    expressions = [f"count({path}) {op} {n}" for path in paths for op in ("=", "!=", "<", ">=") for n in range(4)]
    relative = [f"//a[count({path[1:] if path[1] != '/' else '.' + path}) = {n}]" for path in paths for n in range(3)]
    _compare(engine, expressions + relative, TREES if engine == "tree" else FEW_TREES)


def test_every_either_or() -> None:
    parts = [path for path in chains(1)] + [f"not({path})" for path in chains(2)]
    _compare(
        "tree", [f"{left} {op} {right}" for left, right in product(parts, repeat=2) for op in ("and", "or")], FEW_TREES
    )


def _tests(value: str) -> list[str]:
    """Every test of a value against every constant."""
    literals = [f"'{text}'" for text in STRINGS]
    views = (value, f"string({value})", f"normalize-space({value})")
    numeric = (value, f"number({value})", f"string-length({value})", f"string-length(normalize-space({value}))")
    return [
        *(f"{view} {op} {text}" for view in views for op in ("=", "!=") for text in literals),
        *(f"{name}({view}, {text})" for name in ("contains", "starts-with") for view in views for text in literals),
        *(f"{view} {op} {number}" for view in numeric for op in _OPERATORS for number in _NUMBERS),
        *(f"{number} {op} {value}" for op in _OPERATORS for number in _NUMBERS),
        *(f"{value} {op} {text}" for op in ("<", ">=") for text in literals),
    ]


def _escaped(text: str) -> str:
    return text.replace("\t", "&#9;")


@pytest.mark.parametrize("engine", ["tree", "reference"])
@pytest.mark.parametrize("value", ["/r/v", "/r/@v", "/r/v/text()", "//@v", "/"])
def test_every_comparison_of_every_value(engine: str, value: str) -> None:
    _compare(engine, _tests(value), [f'<r v="{_escaped(text)}"><v>{_escaped(text)}</v></r>' for text in STRINGS])


@pytest.mark.parametrize("value", [".", "@v", "text()", "v"])
def test_every_comparison_in_a_predicate(value: str) -> None:
    expressions = [f"//*[{test}]" for test in _tests(value)]
    _compare("tree", expressions, [f'<r v="{_escaped(text)}"><v>{_escaped(text)}</v></r>' for text in STRINGS])


@pytest.mark.parametrize("value", ["/r/v", "//@v"])
def test_every_comparison_of_two_values(value: str) -> None:
    """A comparison holds if it holds for some node; what takes a string takes the first."""
    some = STRINGS[::3]
    documents = [
        f'<r><v v="{_escaped(one)}">{_escaped(one)}</v><v v="{_escaped(two)}">{_escaped(two)}</v></r>'
        for one, two in product(some, repeat=2)
    ]
    _compare("tree", _tests(value), documents)
