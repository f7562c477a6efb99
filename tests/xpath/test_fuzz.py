"""Any text at all: the parser answers with a pattern or an XPathError at a place in the text, and refuses what libxml2
refuses. Where libxml2 takes more, the reason is one of a few."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.conftest import LONG
from tests.scale import scaled
from tests.shared_data import SHARED
from tests.xpath.expressions import NAMESPACES, expression
from tests.xpath.real import expressions as real_expressions
from xylem.errors import XPathError
from xylem.xpath import caret, parse

# Why an expression that libxml2 compiles is refused, by the construct that the error names or its message.
LENIENT: list[tuple[str, str, Callable[[XPathError], bool]]] = [
    ("variables", "nothing binds them", lambda e: e.construct.startswith("variable ")),
    ("functions", "libxml2 looks names and arguments up when it evaluates",
     lambda e: e.construct.startswith("function ")),
    ("types", "libxml2 finds out when it evaluates",
     lambda e: "needs a node-set" in e.message),
    ("prefixes", "libxml2 looks them up when it evaluates", lambda e: e.construct.startswith("unbound prefix ")),
    ("limits", "ours are named", lambda e: e.construct in ("nesting", "size", "length")),
    ("characters", "no document holds them", lambda e: e.construct == "character"),
    ("calls", "libxml2 lets the end of the text close a call",
     lambda e: e.construct == "end of expression" and "(" in e.expression),
    ("grammar", "libxml2 reads `///a`, `1e3`, `a andb`, `p :a`, which XPath 1.0 does not", lambda e: bool(
        re.match(r"(?s).*(/\s*/\s*/|/\s+/|[0-9.]\s*[eE]|(and|or|div|mod)[\w.\-*]|\s:|:\s)", e.expression))),
]  # fmt: skip
_FIFTH_EDITION = re.compile("[^\x00-\x7f]")  # libxml2 reads names of expressions by XML's fourth edition


def compiles(text: str) -> bool:
    try:
        etree.XPath(text, namespaces=NAMESPACES)
    except (etree.XPathError, ValueError):
        return False
    return True


def check(text: str) -> None:
    try:
        parse(text, NAMESPACES)
    except XPathError as error:
        assert error.expression == text
        assert 1 <= error.column <= len(text) + 1
        assert error.message and error.construct
        assert caret(error).split("\n")[1].endswith("^")
        assert not compiles(text) or any(applies(error) for _, _, applies in LENIENT), (text, error)
    else:
        assert compiles(text) or _FIFTH_EDITION.search(text), text


PIECES = (
    "a", "b", "*", "/", "//", ".", "..", "@", "[", "]", "(", ")", "|", "and", "or", "div", "mod", "=", "!=", "<", "<=",
    "+", "-", "1", ".5", "2.", "'x'", '"', "'", ",", "::", ":", "child", "text", "node", "not", "count", "position",
    "p:a", "p", "u:a", "$v", " ", "\n", "é", "!", "processing-instruction", "true", "e", "\t", "self", "lang",
)  # fmt: skip


@given(st.text(max_size=40))
def test_any_text(text: str) -> None:
    check(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_any_tokens(pieces: list[str]) -> None:
    check("".join(pieces))
    check(" ".join(pieces))


def mutated(random: Random, text: str) -> str:
    for _ in range(random.choice((1, 1, 2, 3))):
        at = random.randrange(len(text) + 1)
        match random.choice(("drop", "insert", "swap", "cut", "double")):
            case "drop":
                text = text[:at] + text[at + 1 :]
            case "insert":
                text = text[:at] + random.choice(PIECES) + text[at:]
            case "swap":
                text = text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
            case "cut":
                text = text[:at]
            case "double":
                text = text[:at] + text[at : at + 5] + text[at:]
    return text


def test_mutated_expressions() -> None:
    """Real expressions, where they are at hand, and random ones, each changed a little."""
    random = Random(11)
    seeds: list[str] = [expression(random, 2) for _ in range(scaled(400))]
    if SHARED is not None:
        seeds += [e.text for found in real_expressions(SHARED / "xpaths" / "open").values() for e in found]
    for _ in range(scaled(100_000 if LONG else 6_000)):
        check(mutated(random, random.choice(seeds)))


ODDITIES = [
    ("[]", False),
    ("a\udc80", False),
    ("a\x00", False),
    ("''''", False),
    ("/ and a", False),
    ("(/) and a", True),
    ("*[*]*[*]", False),
    ("-(-(-1))", True),
    ("''=\"\"", True),
    ("..//.", True),
    ("a[.=.]", True),
]


@pytest.mark.parametrize("text, taken", ODDITIES)
def test_cases_with_a_name(text: str, taken: bool) -> None:
    check(text)
    if taken:
        parse(text)
    else:
        with pytest.raises(XPathError):
            parse(text)
