"""What libxml2 verifies is the document that the reader read."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from xylem import DocumentError, Limits, Matcher

# A document, an expression that an index decides, and one that only libxml2 decides and that asks the same.
SAME = [
    ("<!DOCTYPE r [<!ATTLIST e d CDATA '3'>]><r><e/></r>", "//e[@d = 3]", "sum(//e/@d) = 3"),
    ("<!DOCTYPE r SYSTEM 'no-such.dtd' [<!ATTLIST e d CDATA '3'>]><r><e/></r>", "//e[@d = 3]", "sum(//e/@d) = 3"),
    ("<!DOCTYPE r SYSTEM 'no-such.dtd'><r>a&u;b</r>", "/r[. = 'ab']", "concat(/r, '') = 'ab'"),
    ("<!DOCTYPE r SYSTEM 'no-such.dtd'><r>a&u;b</r>", "/r[text() = 'ab']", "(/r/text())[1] = concat('a', 'b')"),
    ("<!DOCTYPE r SYSTEM 'no-such.dtd'><r a='1&u;2'/>", "/r[@a = 12]", "sum(/r/@a) = 12"),
    ("<!DOCTYPE r [<!ENTITY % p SYSTEM 'no-such.ent'> %p;]><r>a&u;b</r>", "/r[. = 'ab']", "concat(/r, '') = 'ab'"),
    ("<!DOCTYPE r [<!ENTITY u SYSTEM 'no-such.ent'>]><r>a&u;b</r>", "/r[. = 'ab']", "concat(/r, '') = 'ab'"),
    ("<!DOCTYPE r [<!ENTITY u SYSTEM 'http://localhost:9/'>]><r>a&u;b</r>", "/r[. = 'ab']", "concat(/r, '') = 'ab'"),
    ("<!DOCTYPE r [<!ENTITY u 'x<e/>y'>]><r>&u;</r>", "/r[e][. = 'xy']", "concat(/r[e], '') = 'xy'"),
    ("<r>a<![CDATA[b]]>c</r>", "/r[text() = 'abc']", "concat(/r/text(), '') = 'abc'"),
    ("<?xml version='1.0' encoding='iso-8859-1'?><r>é</r>", "/r[. = 'é']", "concat(/r, '') = 'é'"),
    ("<r xmlns='urn:x'><e/></r>", "/*[namespace-uri() = 'urn:x']", "count(/*) mod 2 = 1"),
]


@pytest.mark.parametrize(("document", "indexed", "verified"), SAME)
def test_both_layers_see_one_document(document: str, indexed: str, verified: str) -> None:
    for data in (document, document.encode("iso-8859-1" if "8859" in document else "utf-8")):
        matcher = Matcher()
        matcher.add("indexed", indexed)
        matcher.add("verified", verified)
        assert matcher.pattern("verified").verification is not None
        assert list(matcher.match(data)) == ["indexed", "verified"]


def test_nothing_outside_the_document_is_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("<e>secret</e>")
    (tmp_path / "outside.dtd").write_text("<!ATTLIST r a CDATA 'secret'><!ENTITY f 'secret'>")
    outside = tmp_path.as_uri()
    documents = [
        f"<!DOCTYPE r [<!ENTITY f SYSTEM '{outside}/secret'>]><r>&f;</r>",
        f"<!DOCTYPE r SYSTEM '{outside}/outside.dtd'><r>&f;</r>",
        f"<!DOCTYPE r [<!ENTITY % f SYSTEM '{outside}/outside.dtd'> %f;]><r>&f;</r>",
        f"<r xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='{outside}/secret'/></r>",
    ]
    matcher = Matcher()
    matcher.add("read", "concat(//@a, string(/)) = 'secret' or count(//e) mod 2 = 1")
    matcher.add("unread", "not(contains(concat(//@a, string(/)), 'secret'))")
    for document in documents:
        assert list(matcher.match(document)) == ["unread"], document


def test_a_document_that_libxml2_refuses_is_a_reject() -> None:
    """The reader takes deeper documents than libxml2 does; then nobody can say what the answer is."""
    matcher = Matcher(limits=Limits(depth=10_000))
    matcher.add("indexed", "//a")
    matcher.add("verified", "count(//a) mod 2 = 1")
    with pytest.raises(DocumentError, match="libxml2, which verifies what no index can decide, refuses the document"):
        matcher.match("<a>" * 5_000 + "</a>" * 5_000)
    matcher.remove("verified")
    assert matcher.match("<a>" * 5_000 + "</a>" * 5_000) == ["indexed"]


def test_a_document_that_cannot_match_is_never_shown_to_libxml2() -> None:
    matcher = Matcher(limits=Limits(depth=10_000))
    matcher.add("verified", "//b[count(//a) mod 2 = 1]")
    assert matcher.match("<a>" * 5_000 + "</a>" * 5_000) == []


def test_many_threads_verify_at_once() -> None:
    matcher = Matcher()
    for number in range(40):
        matcher.add(number, f"count(//a) mod 40 = {number}")
    documents = [(n, f"<r>{'<a/>' * n}</r>") for n in range(80)]
    wrong: list[object] = []

    def run() -> None:
        for n, text in documents:
            found = list(matcher.match(text))
            if found != [n % 40]:
                wrong.append((n, found))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
