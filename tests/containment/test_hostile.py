"""Queries made to cost much: an answer, or "not known", after a bounded search."""

from __future__ import annotations

import time

import pytest

from xylem.containment import compare
from xylem.xpath import parse

MOST_SECONDS = 20.0
"""Each takes a second or so; this is what a busy machine may make of that."""


def each(form: str, number: int, between: str = "") -> str:
    """The same with 0, 1, 2 … in it."""
    return between.join(form.replace("#", str(at)) for at in range(number))


HOLES = range(6)
PIGEONS = " and ".join("(" + " or ".join(f"x{i}-{h}" for h in HOLES) + ")" for i in range(7))
SHARED = " or ".join(f"(x{i}-{h} and x{j}-{h})" for h in HOLES for i in range(7) for j in range(i))

# The first, the second, and the answers that are right.
HOSTILE: dict[str, tuple[str, str, set[bool | None]]] = {
    "a thousand branches": ("/r" + each("[a#]", 1000), "/r[z]" + each("[a#]", 1000), {True}),
    "a branch too many": ("/r[z]" + each("[a#]", 400), "/r" + each("[a#]", 400), {False, None}),
    "stars with branches": ("/r" + each("[*[a#][b#]]", 300), "/r" + each("[*[a#][b#1]]", 300), {False, None}),
    "a long path": (each("//a", 126), each("//a", 127), {True}),
    "a long path with branches": (each("//a[b]", 61), each("//a[b]", 60), {False, None}),
    "deep nesting": ("//a" + "[.//a" * 59 + "]" * 59, "//a" + "[.//a" * 60 + "]" * 60, {True}),
    "many choices": (
        each("/r[a# and b#]", 300, " or "),
        f"/r[{each('(a# or b#)', 300, ' and ')}]",
        {False, None},
    ),
    "pigeons": (f"/r[{SHARED}]", f"/r[{PIGEONS}]", {True, None}),
    "many values": (
        "/r[" + each("contains(a, 'x#')", 400, " or ") + "]",
        "/r[" + each("contains(a, 'yq#z')", 400, " and ") + "]",
        {False, None},
    ),
    "a string of a million": ("/r[string-length(a) = 5]", "/r[string-length(a) = 1000000]", {False, None}),
    "a billion nodes": ("//b", "count(//a) > 1000000000", {False, None}),
    "stars and gaps": ("//*//*//*//*//*[x]", "//*//*//*//*//*//*[x][y]", {True}),
    "many unions": (each("//a#//b", 400, "|"), each("//a#/c/b", 400, "|"), {True, None}),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_the_search_is_bounded(case: str) -> None:
    first, second, right = HOSTILE[case]
    outer, inner = parse(first), parse(second)
    start = time.monotonic()
    answer = compare(outer, inner)
    assert time.monotonic() - start < MOST_SECONDS
    assert answer.contains in right


def test_the_stack_of_the_caller_decides_nothing() -> None:
    """The same answer from deep inside other calls."""
    outer, inner = parse("//" + "//".join(["a[b]"] * 41)), parse("//" + "//".join(["a[b]"] * 40))

    def below(levels: int) -> bool | None:
        return below(levels - 1) if levels else compare(outer, inner).contains

    assert below(0) is below(400) is False
