"""Hostile expressions: each is a named error or an answer, in bounded time, wherever on the stack one asks."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.xpath.judge import Sample
from tests.xpath.oracle import truth
from xylem.errors import XPathError
from xylem.matching.verified import Verifier
from xylem.xpath import MAX_CHARACTERS, MAX_NESTING, MAX_NODES, MAX_TOKENS, TreePattern, holds, parse, spell
from xylem.xpath.order import measure

SECONDS = 10.0  # the slowest takes half a second on an idle machine

SHAPES: dict[str, Callable[[int], str]] = {
    "brackets": lambda n: "a" + "[b" * n + "]" * n,
    "brackets with paths": lambda n: "a" + "[b/c" * n + "]" * n,
    "brackets with and": lambda n: "a" + "[x and b" * n + "]" * n,
    "brackets with not": lambda n: "a" + "[not(b" * n + ")]" * n,
    "brackets with counts": lambda n: "a" + "[count(b" * n + ") = 2]" * n,
    "brackets with other axes": lambda n: "a" + "[ancestor::b" * n + "]" * n,
    "parentheses": lambda n: "(" * n + "a" + ")" * n,
    "filters": lambda n: "(" * n + "a" + ")[1]" * n,
    "not": lambda n: "not(" * n + "a" + ")" * n,
    "concat": lambda n: "concat('', " * n + "a" + ")" * n,
    "signs": lambda n: "-" * n + "a",
    "steps": lambda n: "/".join(["a"] * n),
    "steps with predicates": lambda n: "/".join(["a[b]"] * n),
    "steps with positions": lambda n: "/".join(["a[2]"] * n),
    "far steps": lambda n: "//*" * n,
    "steps up": lambda n: "a" + "/.." * n,
    "steps down and up": lambda n: "a" + "/../b" * n,
    "descendant-or-self": lambda n: "a" + "/descendant-or-self::b" * n,
    "ancestor-or-self": lambda n: "a" + "/ancestor-or-self::b" * n,
    "ancestors of anything": lambda n: "//ancestor-or-self::a[string()]" + "/.." * n,
    "names told apart": lambda n: "*" + "[self::a or self::b]/*" * n,
    "predicates": lambda n: "a" + "[b]" * n,
    "different predicates": lambda n: "a" + "".join(f"[b{i}]" for i in range(n)),
    "or": lambda n: " or ".join(f"a{i}" for i in range(n)),
    "or, verified": lambda n: " or ".join(["id(1)"] * n),
    "and, verified": lambda n: " and ".join(["lang('x')"] * n),
    "union, verified": lambda n: " | ".join(["a[last()]/.."] * n),
    "arguments, verified": lambda n: f"concat({', '.join(['a'] * n)}, a)",
    "equal truth values": lambda n: " = ".join(f"(a = {i})" for i in range(n)),
    "comparisons": lambda n: " = ".join(["a"] * n),
    "sums": lambda n: " + ".join(["a"] * n),
    "facts about the parent": lambda n: f"a[{' or '.join(f'../b{i} and x{i}' for i in range(n))}]",
    "facts about the root": lambda n: f"a[{' or '.join(f'/b{i} and x{i}' for i in range(n))}]",
    "nested facts": lambda n: "a" + "[../b or c[../d and e" * n + "]]" * n,
    "numbers of numbers": lambda n: "a" + "[number(b" * n + ")]" * n,
}
SMALL = Sample("<a><b>1</b><a/></a>")


def outcome(text: str) -> TreePattern | XPathError:
    start = time.process_time()
    try:
        return parse(text)
    except XPathError as error:
        assert 1 <= error.column <= len(text) + 1
        assert error.construct in ("nesting", "size", "length"), error
        return error
    finally:
        assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("shape", SHAPES)
def test_a_large_expression_is_an_answer_or_a_named_error(shape: str) -> None:
    for size in (1, 3, 8, 20, 60, 65, 120, 130, 500, 1300, 10_000):
        found = outcome(SHAPES[shape](size))
        if isinstance(found, TreePattern):
            assert measure(found.condition, MAX_NODES)[0] <= MAX_NODES
            assert spell(found).expression
            if found.verification is not None:
                Verifier().holds(found.verification, SMALL.tree)  # libxml2 takes whatever we take
        else:
            assert size > 20, found


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_refused_does_not_depend_on_the_callers_stack(shape: str) -> None:
    def deep(frames: int, text: str) -> TreePattern | XPathError:
        return deep(frames - 1, text) if frames else outcome(text)

    for size in (40, 100):
        text = SHAPES[shape](size)
        shallow, far = outcome(text), deep(700, text)
        if isinstance(shallow, TreePattern):
            assert shallow == far
        else:
            assert isinstance(far, XPathError) and far.args == shallow.args


def test_the_limits_are_where_they_are_said_to_be() -> None:
    assert isinstance(outcome("(" * MAX_NESTING + "a" + ")" * MAX_NESTING), TreePattern)
    with pytest.raises(XPathError, match=f"more than {MAX_NESTING} brackets") as caught:
        parse("(" * (MAX_NESTING + 1) + "a" + ")" * (MAX_NESTING + 1))
    assert caught.value.column == MAX_NESTING + 1
    assert isinstance(outcome("a" + "[b]" * ((MAX_TOKENS - 2) // 3)), TreePattern)
    with pytest.raises(XPathError, match="tokens: the limit is"):
        parse("a" + "[b]" * (MAX_TOKENS // 3 + 1))
    assert isinstance(outcome(f"a = '{'x' * (MAX_CHARACTERS - 6)}'"), TreePattern)
    with pytest.raises(XPathError, match=f"characters: the limit is {MAX_CHARACTERS}") as caught:
        parse(f"a = '{'x' * (MAX_CHARACTERS - 5)}'")
    assert caught.value.construct == "length"


@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, "[" * 1_000_000, "(" * 1_000_000, "'" * 1_000_001, "/a" * 500_000, "a" + "[b]" * 100_000,
     "9" * 1_000_000, " " * 1_000_000, "\N{GRINNING FACE}" * 300_000],
    ids=["name", "brackets", "parentheses", "quotes", "steps", "predicates", "digits", "blanks", "emoji"],
)  # fmt: skip
def test_a_megabyte_is_refused_at_once(text: str) -> None:
    start = time.process_time()
    with pytest.raises(XPathError):
        parse(text)
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize("code", [0x00, 0x01, 0x08, 0x0B, 0x1F, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF])
def test_characters_that_no_document_holds_are_refused(code: int) -> None:
    for text in (f"a{chr(code)}", f"a = '{chr(code)}'"):
        with pytest.raises(XPathError) as caught:
            parse(text)
        assert (caught.value.column, caught.value.construct) == (text.index(chr(code)) + 1, "character")


@pytest.mark.parametrize("number", ["9" * 400, "0." + "0" * 400 + "1", "1" + "0" * 308, "." + "9" * 400])
def test_numbers_beyond_double_are_answers(number: str) -> None:
    document = Sample(f"<a><b>{number}</b><b>-{number}</b></a>")
    for operator in ("=", "<", ">", "!="):
        text = f"/a/b {operator} {number}"
        pattern = parse(text)
        assert pattern.exact
        assert holds(pattern.condition, document.root) == truth(text, document.tree)
        assert parse(spell(pattern).expression) == pattern
