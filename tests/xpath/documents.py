"""Documents for the tests of the language: random ones, all small ones, and a few with everything in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "p:a", "p:b", "q:a", "é")
TEXTS = (
    "x",
    "1",
    " 1 ",
    "2",
    "a b",
    " ",
    "-1",
    "1.5",
    "NaN",
    "en",
    "a  b",
    "\n",
    "0",
    "é",
    "1e1",
    "x1",
    "<![CDATA[x]]>",
)
ATTRIBUTES = ("n", "m", "p:n", "xml:lang", "id", "xml:id")
VALUES = ("1", "x", "", " 1 ", "en", "en-us", "2", "a b", "NaN", "-1")
OTHERS = ("<!--x-->", "<!---->", "<?t x?>", "<?u?>")
BOUND = ' xmlns:p="urn:p" xmlns:q="urn:q"'

SPECIAL = (
    "<a/>",
    "<a>x</a>",
    "<b n='1'><a>1</a><a> 1 </a><b/></b>",
    "<a><a><a><b>x</b></a></a><b>1</b></a>",
    "<a xmlns='urn:p' n='1'><a xmlns=''>x</a><p:a xmlns:p='urn:p' p:n='2'/></a>",
    "<!--x--><?t x?><a xml:lang='en'>x<b/>y<!-- c -->1<b n='x'> </b><?t y?>2</a><!--y-->",
    "<!DOCTYPE a [<!ATTLIST b id ID #IMPLIED><!ENTITY e 'x<b>1</b>'>]><a><b id='x'>1</b>&e;x<c/></a>",
    "<c><a n='1' m='2'>1</a><a n='2'>2</a><a n='NaN'>x</a><b><![CDATA[1]]>5</b></c>",
)

Choose = Callable[[Sequence[Any]], Any]


def random_document(random: Random, depth: int = 4) -> str:
    return _document(random.choice, depth)


@st.composite
def documents(draw: st.DrawFn, depth: int = 3) -> str:
    return _document(lambda items: items[draw(st.integers(0, len(items) - 1))], depth)


def _document(choose: Choose, depth: int) -> str:
    ids: list[str] = []
    before = choose(("", "", "", "<!--x-->", "<?t x?>"))
    return before + _element(choose, depth, BOUND, ids) + choose(("", "", "", "<!--y-->"))


def _element(choose: Choose, depth: int, bound: str, ids: list[str]) -> str:
    name = choose(NAMES)
    attributes = ""
    for attribute in sorted({choose(ATTRIBUTES) for _ in range(choose((0, 0, 1, 1, 2)))}):
        value = choose(VALUES)
        if attribute == "xml:id":
            value = f"x{len(ids) or ''}"
            ids.append(value)
        attributes += f' {attribute}="{value}"'
    content = "".join(_piece(choose, depth - 1, ids) for _ in range(choose((0, 1, 2, 3)) if depth > 0 else 0))
    return f"<{name}{bound}{attributes}>{content}</{name}>"


def _piece(choose: Choose, depth: int, ids: list[str]) -> str:
    kind = choose(("element", "element", "element", "text", "text", "other"))
    if kind == "element":
        return _element(choose, depth, "", ids)
    return str(choose(TEXTS if kind == "text" else OTHERS))


def all_trees(elements: int, names: Sequence[str] = ("a", "b")) -> Iterator[str]:
    """Every tree of so many elements with these names, without text and attributes."""
    for forest in _forests(elements - 1, names):
        for name in names:
            yield f"<{name}>{forest}</{name}>"


def _forests(elements: int, names: Sequence[str]) -> Iterator[str]:
    if elements == 0:
        yield ""
        return
    for size in range(1, elements + 1):
        for inner, rest, name in product(_forests(size - 1, names), _forests(elements - size, names), names):
            yield f"<{name}>{inner}</{name}>{rest}"
