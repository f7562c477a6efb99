"""`xylem covers`: what it prints, and how it ends."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import Command, Files


def test_yes(xylem: Command) -> None:
    result = xylem("covers", "//story[@priority <= 3]", "/news/story[@priority = 1]")
    assert (result.code, result.out, result.err) == (0, "yes\n", "")


def test_no_shows_a_document(xylem: Command) -> None:
    result = xylem("covers", "/news/story", "//story")
    assert (result.code, result.out) == (1, "no\n<story/>\n")


def test_the_document_is_one(xylem: Command, files: Files) -> None:
    said = json.loads(xylem("covers", "--json", "//a[b > 20]", "//a[b > 15]").out)
    files({"witness.xml": said["witness"], "two.tsv": "outer\t//a[b > 20]\ninner\t//a[b > 15]\n"})
    assert xylem("match", "--subscriptions", "two.tsv", "witness.xml").lines[0]["subscriptions"] == ["inner"]


def test_not_known(xylem: Command) -> None:
    arguments = ("//a[sum(b) > 2]", "//a[sum(b) > 3]")
    result = xylem("covers", *arguments)
    assert (result.code, result.out) == (1, "not known\n")
    said = json.loads(xylem("covers", "--json", *arguments).out)
    assert said == {"first": arguments[0], "second": arguments[1], "contains": None, "witness": None}


def test_namespaces(xylem: Command) -> None:
    result = xylem("covers", "--ns", "n=urn:n", "--json", "//n:*", "/n:a/n:b")
    assert (result.code, json.loads(result.out)["contains"]) == (0, True)
    result = xylem("covers", "--ns", "n=urn:n", "/n:a/n:b", "//n:*")
    assert result.out.startswith("no\n<n1:z") and ' xmlns:n1="urn:n"' in result.out


def test_a_schema(xylem: Command, files: Files) -> None:
    files({"a.dtd": "<!ELEMENT a (b*)><!ELEMENT b (c?)><!ELEMENT c EMPTY>"})
    assert xylem("covers", "/a/b", "/a//b").code == 1
    assert xylem("covers", "--dtd", "a.dtd", "/a/b", "/a//b").out == "yes\n"
    assert xylem("covers", "--dtd", "a.dtd", "//c", "//b").out == "no\n<a><b></b></a>\n"
    assert xylem("covers", "--dtd", "a.dtd", "--root", "b", "/a", "//c").out == "no\n<b><c></c></b>\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("//a[", "//a"), 4, "the expression is rejected"),
        (("//a", "//p:a"), 4, "the expression is rejected"),
        (("//a",), 2, "covers --help"),
        (("--root", "a", "//a", "//b"), 2, "it needs --dtd"),
        (("--dtd", "missing.dtd", "//a", "//b"), 2, "missing.dtd"),
    ],
)
def test_wrong_usage(xylem: Command, arguments: tuple[str, ...], code: int, said: str) -> None:
    result = xylem("covers", *arguments)
    assert result.code == code
    assert result.out == ""
    assert said in result.err
