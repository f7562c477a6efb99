"""XPath's grammar: what each spelling means, told by another spelling of the same, and what is no expression."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.xpath.expressions import AXES, NAMESPACES
from xylem.errors import XPathError
from xylem.xpath import caret, parse
from xylem.xpath.functions import FUNCTIONS
from xylem.xpath.parser import Parser
from xylem.xpath.spelling import spell_expression
from xylem.xpath.tokens import tokenise

LONG_FORMS = [
    # abbreviations
    ("a", "child::a"),
    ("@a", "attribute::a"),
    ("a/.", "child::a/self::node()"),
    ("a/..", "child::a/parent::node()"),
    ("a//b", "child::a/descendant-or-self::node()/child::b"),
    ("//a", "/descendant-or-self::node()/child::a"),
    ("//@a", "/descendant-or-self::node()/attribute::a"),
    ("/*/text()", "/child::*/child::text()"),
    # precedence, lowest first
    ("a or b and c", "a or (b and c)"),
    ("a and b = c", "a and (b = c)"),
    ("a = b < c", "a = (b < c)"),
    ("a < b + c", "a < (b + c)"),
    ("a + b * c", "a + (b * c)"),
    ("- a | b", "-(a | b)"),
    ("-a * b", "(-a) * b"),
    ("--a", "-(-a)"),
    ("a | b/c", "a | (b/c)"),
    # all but `or` and `and` group from the left
    ("a - b - c", "(a - b) - c"),
    ("a div b mod c", "(a div b) mod c"),
    ("a = b != c", "(a = b) != c"),
    ("a < b <= c > d >= e", "(((a < b) <= c) > d) >= e"),
    # names that look like operators, and operators that look like names
    ("and and and", "child::and and child::and"),
    ("or or or", "child::or or child::or"),
    ("div div div", "child::div div child::div"),
    ("mod mod mod", "child::mod mod child::mod"),
    ("* * *", "child::* * child::*"),
    ("@* * @*", "attribute::* * attribute::*"),
    ("a[* and *]", "a[child::* and child::*]"),
    ("a[*]*b", "(a[child::*]) * b"),
    ("(a)*b", "(a) * b"),
    ("1*2", "1 * 2"),
    ("'a'and'b'", "'a' and 'b'"),
    ("/or", "/child::or"),
    ("//and//div", "//child::and//child::div"),
    ("text", "child::text"),
    ("node/comment", "child::node/child::comment"),
    ("child/parent", "child::child/child::parent"),
    ("child::child", "child"),
    ("self::self", "self::self"),
    ("id", "child::id"),
    ("count[count(count) = 1]", "child::count[count(child::count) = 1]"),
    ("a-b", "child::a-b"),
    ("a -b", "a - b"),
    ("a - b", "a -b"),
    ("a.b", "child::a.b"),
    ("_a1", "child::_a1"),
    ("xml:lang", "child::xml:lang"),
    ("p:*", "child::p:*"),
    ("p:and", "child::p:and"),
    # numbers and strings
    (".5 = a", "0.5 = a"),
    ("1. = a", "1 = a"),
    ("1.50 = a", "1.5 = a"),
    ("007 = a", "7 = a"),
    ("a = \"b\"", "a = 'b'"),
    ("a = ''", 'a = ""'),
    # blanks
    (" \t\r\n/ a / b [ 1 ] ", "/a/b[1]"),
    ("child :: a", "child::a"),
    ("@ a", "@a"),
    ("count ( a )", "count(a)"),
    ("text ( )", "text()"),
    ("processing-instruction ( 't' )", "processing-instruction('t')"),
    (".. / .", "../."),
    # parentheses
    ("(a)", "a"),
    ("((a | b))", "a | b"),
    ("(/)", "/"),
]  # fmt: skip


def spelled(text: str) -> str:
    return spell_expression(Parser(text, NAMESPACES).parse()).expression


@pytest.mark.parametrize("short, long", LONG_FORMS)
def test_a_spelling_means_the_same_as_its_long_form(short: str, long: str) -> None:
    assert spelled(short) == spelled(long)
    etree.XPath(short, namespaces=NAMESPACES)


@pytest.mark.parametrize("axis", AXES)
def test_every_axis_takes_every_node_test(axis: str) -> None:
    for test in ("a", "*", "p:a", "p:*", "node()", "text()", "comment()", "processing-instruction()",
                 "processing-instruction('t')"):  # fmt: skip
        text = f"a/{axis}::{test}[1]"
        assert parse(text, NAMESPACES) == parse(f" a / {axis} :: {test} [ 1 ] ", NAMESPACES)
        etree.XPath(text, namespaces=NAMESPACES)


def test_different_groupings_are_different_trees() -> None:
    pairs = [
        ("a - b - c", "a - (b - c)"), ("(a or b) and c", "a or b and c"), ("-a + b", "-(a + b)"),
        ("(a = b) = c", "a = (b = c)"), ("(//a)[1]", "//a[1]"), ("(a | b)/c", "a | b/c"),
    ]  # fmt: skip
    for first, second in pairs:
        assert spelled(first) != spelled(second)


# What is refused: expression, column, construct, and whether libxml2 compiles it all the same. ------------------------

REFUSED = [
    ("", 1, "expression", False),
    (" ", 2, "expression", False),
    ("$x", 1, "variable $x", True),
    ("a[b = $limit]", 7, "variable $limit", True),
    ("matches(a, 'b')", 1, "function matches()", True),
    ("a[p:f()]", 3, "function p:f()", True),
    ("a[lower-case(b) = 'c']", 3, "function lower-case()", True),
    ("count()", 1, "function count()", True),
    ("count(a, b)", 1, "function count()", True),
    ("a[contains(b)]", 3, "function contains()", True),
    ("concat('a')", 1, "function concat()", True),
    ("true(1)", 1, "function true()", True),
    ("substring('a', 1, 2, 3)", 1, "function substring()", True),
    ("count(1)", 1, "function count()", True),
    ("sum('a')", 1, "function sum()", True),
    ("a[name(1)]", 3, "function name()", True),
    ("1 | a", 3, "the union operator |", True),
    ("a | 'b'", 3, "the union operator |", True),
    ("'a'/b", 4, "a step", True),
    ("1[2]", 2, "a predicate", True),
    ("count(a)/b", 9, "a step", True),
    ("position() = 1", 1, "function position()", True),
    ("a[1] and last()", 10, "function last()", True),
    ("u:a", 1, "unbound prefix u", True),
    ("a/@u:b", 4, "unbound prefix u", True),
    ("a[u:*]", 3, "unbound prefix u", True),
    ("sideways::a", 1, "axis sideways", False),
    ("Child::a", 1, "axis Child", False),
    ("child::foo()", 8, "foo()", False),
    ("a/count(b)", 3, "count()", False),
    ("comment(1)", 9, "1", False),
    ("processing-instruction(t)", 24, "t", False),
    ("(a", 3, "end of expression", False),
    ("a)", 2, ")", False),
    ("a[b", 4, "end of expression", False),
    ("a]", 2, "]", False),
    ("a[]", 3, "]", False),
    ("a[(b]", 5, "]", False),
    ("()", 2, ")", False),
    ("/a/", 4, "end of expression", False),
    ("//", 3, "end of expression", False),
    ("a//", 4, "end of expression", False),
    ("a or", 5, "end of expression", False),
    ("or a", 4, "a", False),
    ("a b", 3, "b", False),
    ("a 'b'", 3, "'b'", False),
    ("a = = b", 5, "=", False),
    ("a == b", 4, "=", False),
    ("a ! b", 3, "!", False),
    ("a ,b", 3, ",", False),
    ("+1", 1, "+", False),
    ("a[.b]", 4, "b", False),
    (".[1]", 2, "[", False),
    ("..[1]", 3, "[", False),
    ("@", 2, "end of expression", False),
    ("@@a", 2, "@", False),
    ("@.", 2, ".", False),
    ("'abc", 1, "string literal", False),
    ("a = \"b'", 5, "string literal", False),
    ("a;b", 2, ";", False),
    ("#", 1, "#", False),
    ("{a}", 1, "{", False),
    ("a\u00a0b", 2, "\u00a0", False),
    ("1 2", 3, "2", False),
    ("1..2", 3, ".2", False),
    ("*:a", 2, ":", False),
    ("a:", 2, ":", False),
    ("a:b:c", 1, "unbound prefix a", False),
    ("p:a:b", 4, ":", False),
    # What libxml2's own parser takes beyond the grammar.
    ("///a", 3, "/", True),
    ("1e3", 2, "e3", True),
    ("a andb", 3, "andb", True),
    ("p :a", 3, ":", True),
]  # fmt: skip


@pytest.mark.parametrize("text, column, construct, lenient", REFUSED)
def test_what_is_no_expression_is_refused(text: str, column: int, construct: str, lenient: bool) -> None:
    with pytest.raises(XPathError) as caught:
        parse(text, NAMESPACES)
    error = caught.value
    assert (error.column, error.construct) == (column, construct)
    assert error.expression == text
    assert error.message and f"column {column}" in str(error)
    if lenient:
        etree.XPath(text, namespaces=NAMESPACES)
    else:
        with pytest.raises((etree.XPathSyntaxError, ValueError)):
            etree.XPath(text, namespaces=NAMESPACES)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_every_function_is_held_to_its_number_of_arguments(name: str) -> None:
    signature = FUNCTIONS[name]
    for count in range(6):
        text = f"a[{name}({', '.join(['b'] * count)})]"
        if signature.fewest <= count <= signature.most:
            assert parse(text) is not None
        else:
            with pytest.raises(XPathError, match=f"{name}\\(\\) has .* takes"):
                parse(text)


def test_strict_refuses_what_is_only_indexed_in_part() -> None:
    assert parse("//a[b = 1]", strict=True).exact
    with pytest.raises(XPathError, match="cannot be indexed"):
        parse("//a[last() - 1]", strict=True)


def test_the_caret_stands_under_the_column() -> None:
    with pytest.raises(XPathError) as caught:
        parse("//a[b = $limit]")
    line, mark = caret(caught.value).split("\n")
    assert line == "//a[b = $limit]"
    assert line[mark.index("^")] == "$"


def test_a_long_expression_is_shown_around_the_caret() -> None:
    with pytest.raises(XPathError) as caught:
        parse("/".join(["abc"] * 200) + "[\t$x]")
    line, mark = caret(caught.value).split("\n")
    assert len(line) < 100 and line.startswith("…") and "\\t" in line
    assert line[mark.index("^")] == "$"


def test_errors_survive_pickling() -> None:
    import pickle

    with pytest.raises(XPathError) as caught:
        parse("$x")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.message, again.expression, again.column, again.construct) == (
        caught.value.message, "$x", 1, "variable $x",
    )  # fmt: skip


def test_tokens() -> None:
    assert tokenise("//p:*[.5<=@a]/..") == ["//", "p:*", "[", ".5", "<=", "@", "a", "]", "/", "..", ""]
