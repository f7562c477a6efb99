"""Subscription files: what each form takes, and which line is named when it is not of its form."""

from __future__ import annotations

import pytest

from xylem.cli.subscriptions import Entry, Form, bindings, entries, form_of
from xylem.errors import SubscriptionFileError

# name, content -> (id, xpath, line[, namespaces]) each
READ = {
    "tab": ("a.tsv", b"x\t//a\ny\t//b\n", [("x", "//a", 1), ("y", "//b", 2)]),
    "no last newline": ("a.tsv", b"x\t//a", [("x", "//a", 1)]),
    "comments and blanks": ("a.tsv", b"# one\n\n  \nx\t//a\n#y\t//b\n", [("x", "//a", 4)]),
    "carriage returns": ("a.tsv", b"x\t//a\r\ny\t//b\r\n", [("x", "//a", 1), ("y", "//b", 2)]),
    "byte order mark": ("a.tsv", b"\xef\xbb\xbfx\t//a\n", [("x", "//a", 1)]),
    "tab within": ("a.tsv", b"x\t//a[.\t= 'b']\n", [("x", "//a[.\t= 'b']", 1)]),
    "empty expression": ("a.tsv", b"x\t\n", [("x", "", 1)]),
    "hash within": ("a.tsv", b"x\t//a[. = '#']\n", [("x", "//a[. = '#']", 1)]),
    "line separator within": ("a.tsv", "x\t//a[. = '\u2028']\n".encode(), [("x", "//a[. = '\u2028']", 1)]),
    "unknown ending": ("queries", b"x\t//a\n", [("x", "//a", 1)]),
    "csv": ("a.csv", b"x,//a\ny,//b\n", [("x", "//a", 1), ("y", "//b", 2)]),
    "csv header": ("a.csv", b"id,xpath\nx,//a\n", [("x", "//a", 2)]),
    "csv columns by name": ("a.csv", b"XPath,owner,ID\n//a,me,x\n", [("x", "//a", 2)]),
    "csv quoted": ("a.csv", b'x,"//a[b = ""c,d""]"\n', [("x", '//a[b = "c,d"]', 1)]),
    "csv over lines": ("a.csv", b'x,"//a\n[b]"\ny,//b\n', [("x", "//a\n[b]", 1), ("y", "//b", 3)]),
    "csv blank lines": ("a.csv", b"x,//a\n\ny,//b\n", [("x", "//a", 1), ("y", "//b", 3)]),
    "csv crlf and mark": ("a.csv", b"\xef\xbb\xbfid,xpath\r\nx,//a\r\n", [("x", "//a", 2)]),
    "csv namespaces": (
        "a.csv",
        b"x,//p:a,p=urn:p q=urn:q\ny,//b\n",
        [("x", "//p:a", 1, {"p": "urn:p", "q": "urn:q"}), ("y", "//b", 2)],
    ),
    "csv long field": ("a.csv", b"x,//" + b"a" * 200_000, [("x", "//" + "a" * 200_000, 1)]),
    "csv that only looks like a header": ("a.csv", b"id,//a\n", [("id", "//a", 1)]),
    "blanks in an id": ("a.tsv", " zoë b \t //a \n".encode(), [("zoë b", "//a", 1)]),
    "hash in csv": ("a.csv", b"#x,//a\n", [("#x", "//a", 1)]),
    "hash in jsonl": ("a.jsonl", b'{"id": "#x", "xpath": "//a"}\n', [("#x", "//a", 1)]),
    "jsonl": ("a.jsonl", b'{"id": "x", "xpath": "//a"}\n', [("x", "//a", 1)]),
    "jsonl number": ("a.jsonl", b'{"id": 7, "xpath": "//a"}\n', [("7", "//a", 1)]),
    "jsonl namespaces": (
        "a.ndjson",
        b'\n{"id": "x", "xpath": "//p:a", "namespaces": {"p": "urn:p"}}\r\n',
        [("x", "//p:a", 2, {"p": "urn:p"})],
    ),
}

# name, content -> line named, words of the message
REFUSED = {
    "empty": ("a.tsv", b"", 0, "holds no subscriptions"),
    "comments only": ("a.tsv", b"# nothing\n\n", 0, "holds no subscriptions"),
    "empty csv": ("a.csv", b"id,xpath\n", 0, "holds no subscriptions"),
    "empty jsonl": ("a.jsonl", b"\n", 0, "holds no subscriptions"),
    "no tab": ("a.tsv", b"x\t//a\nx //b\n", 2, "expected id<TAB>xpath"),
    "no id": ("a.tsv", b"x\t//a\n\t//b\n", 2, "the id is empty"),
    "blank id": ("a.jsonl", b'{"id": " ", "xpath": "//a"}', 1, "the id is empty"),
    "binary": ("a.tsv", b"x\t//a\n\x00\x01\x02", 2, "binary"),
    "a document": ("a.tsv", b"<?xml version='1.0'?>\n<a/>\n", 1, "expected id<TAB>xpath"),
    "latin-1": ("a.tsv", "x\t//a\ny\t//b[. = 'é']\n".encode("latin-1"), 2, "met byte 0xe9"),
    "utf-16": ("a.tsv", "x\t//a\n".encode("utf-16"), 1, "UTF-16"),
    "utf-16 csv": ("a.csv", "x,//a\n".encode("utf-16-be"), 1, "NUL"),
    "csv one field": ("a.csv", b"x,//a\ny\n", 2, "met 1 fields"),
    "csv four fields": ("a.csv", b"x,//a,p=u,more\n", 1, "met 4 fields"),
    "csv open quote": ("a.csv", b'x,"//a\n', 1, "is no CSV"),
    "csv after quote": ("a.csv", b'x,"//a"b\n', 1, "is no CSV"),
    "csv namespaces": ("a.csv", b"x,//a\ny,//p:a,urn:p\n", 2, "expected prefix=URI"),
    "csv twice": ("a.csv", b"x,//p:a,p=u p=v\n", 1, "bound twice"),
    "csv header without xpath": ("a.csv", b"id,query\nx,//a\n", 1, "without the column `xpath`"),
    "csv header without id": ("a.csv", b"\nname,XPath\nx,//a\n", 2, "without the column `id`"),
    "csv header with two ids": ("a.csv", b"id,id,xpath\nx,y,//a\n", 1, "a column twice"),
    "csv semicolons": ("a.csv", b"id;xpath\nx;//a\n", 1, "met 1 fields"),
    "csv misses a column": ("a.csv", b"namespaces,id,xpath\np=u,x\n", 2, "met 2 fields"),
    "jsonl default namespace": ("a.jsonl", b'{"id": "x", "xpath": "//a", "namespaces": {"": "u"}}', 1, "prefix=URI"),
    "jsonl empty namespace": ("a.jsonl", b'{"id": "x", "xpath": "//p:a", "namespaces": {"p": ""}}', 1, "prefix=URI"),
    "jsonl fraction": ("a.jsonl", b'{"id": 7.5, "xpath": "//a"}\n', 1, "$.id"),
    "jsonl truth": ("a.jsonl", b'{"id": true, "xpath": "//a"}\n', 1, "$.id"),
    "huge line": ("a.tsv", b"x\t//a\n" + b"y" * 10_000_000, 2, "expected id<TAB>xpath"),
    "jsonl broken": ("a.jsonl", b'{"id": "x", "xpath": "//a"}\n{"id": "y"\n', 2, "truncated"),
    "jsonl list": ("a.jsonl", b'["x", "//a"]\n', 1, "Expected `object`"),
    "jsonl missing": ("a.jsonl", b'{"id": "x"}\n', 1, "`xpath`"),
    "jsonl misspelt": ("a.jsonl", b'{"id": "x", "xpath": "//p:a", "namespace": {}}\n', 1, "`namespace`"),
    "jsonl kind": ("a.jsonl", b'{"id": "x", "xpath": 5}\n', 1, "$.xpath"),
    "jsonl deep": ("a.jsonl", b"[" * 100_000, 1, "expected"),
}


@pytest.mark.parametrize("case", READ)
def test_reads(case: str) -> None:
    name, content, expected = READ[case]
    assert list(entries(content, name)) == [Entry(*facts) for facts in expected]


@pytest.mark.parametrize("case", REFUSED)
def test_refuses_naming_the_line(case: str) -> None:
    name, content, line, words = REFUSED[case]
    with pytest.raises(SubscriptionFileError) as caught:
        list(entries(content, name))
    assert caught.value.line == line
    assert words in caught.value.message
    assert str(caught.value).startswith(f"{name}:{line}: " if line else f"{name}: ")
    assert len(str(caught.value)) < 300


def test_form_can_be_told() -> None:
    assert form_of("A.CSV") is Form.CSV
    assert [entry.xpath for entry in entries(b"x,//a\n", "-", Form.CSV)] == ["//a"]


def test_bindings() -> None:
    assert bindings(["p=urn:p", "q=a=b", "p=urn:p"]) == {"p": "urn:p", "q": "a=b"}
    for wrong in ("p", "=u", "p=", "", "p q=u", "1=u", "a:b=u"):
        with pytest.raises(ValueError, match="expected prefix=URI"):
            bindings([wrong])
    xml = "http://www.w3.org/XML/1998/namespace"
    assert bindings([f"xml={xml}"]) == {"xml": xml}
    for wrong in ("xml=urn:x", f"x={xml}", "xmlns=urn:x"):
        with pytest.raises(ValueError, match="mean what they mean"):
            bindings([wrong])
