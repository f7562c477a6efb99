"""Schemas inferred from documents: what examples become, and that every example is valid under them."""

from __future__ import annotations

import gzip
import time
from collections import Counter
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from lxml import etree

from tests.scale import scaled
from tests.schema.models import random_schema
from tests.schema.renaming import plain_dtd, renamed
from tests.shared_data import need
from xylem.document import Limits
from xylem.errors import UsageError
from xylem.schema import ContentKind, PathAutomaton, Schema, SchemaError, first_impossible, observing
from xylem.schema.chains import chain
from xylem.schema.dtd_text import dtd_text
from xylem.workload import DocumentParameters, documents

# Words, one letter for each child, and the model that they make.
CHAINS = [
    (["a"], "(a)"),
    (["", "a"], "(a?)"),
    (["aa", "a"], "(a+)"),
    (["aa", ""], "(a*)"),
    (["ab", "a"], "(a, b?)"),
    (["ab", "ac"], "(a, (b | c))"),
    (["ab", "ac", "a"], "(a, (b | c)?)"),
    (["ab", "ba"], "(a | b)+"),
    (["abd", "acd"], "(a, (b | c), d)"),
    (["abcd", "bd", "d"], "(a?, b?, c?, d)"),
    (["abab", "c"], "((a | b)*, c?)"),
    (["a", "b", "c"], "(a | b | c)"),
    (["abc", "ac", "abbc"], "(a, b*, c)"),
]


def chain_of(words: list[str]) -> str:
    names = dict.fromkeys(letter for word in words for letter in word)
    neighbours = {(first, second) for word in words for first, second in pairwise(word)}
    fillings = Counter(frozenset((name, count > 1) for name, count in Counter(word).items()) for word in words)
    return str(chain(names, neighbours, fillings))


@pytest.mark.parametrize(("words", "model"), CHAINS)
def test_chains(words: list[str], model: str) -> None:
    assert chain_of(words) == model


def document_of(word: str) -> bytes:
    return f"<r>{''.join(f'<{letter}/>' for letter in word)}</r>".encode()


@pytest.mark.parametrize("seed", range(scaled(60)))
def test_examples_are_valid(seed: int) -> None:
    random = Random(seed)
    letters = "abcdef"[: random.randint(1, 6)]
    words = ["".join(random.choices(letters, k=random.randint(0, 6))) for _ in range(random.randint(1, 8))]
    if random.random() < 0.5:
        words = ["".join(sorted(word)) for word in words]
    schema = Schema.from_documents([document_of(word) for word in words])
    dtd = etree.DTD(BytesIO(dtd_text(schema).encode()))
    assert all(dtd.validate(etree.fromstring(document_of(word))) for word in words), (words, dtd_text(schema))


@pytest.mark.parametrize("seed", range(scaled(12)))
def test_documents_of_a_schema_give_one_that_admits_no_other_paths(tmp_path: Path, seed: int) -> None:
    original = random_schema(tmp_path, seed)
    try:
        drawn = list(documents(original, DocumentParameters(count=20, seed=seed, sizes=())))
    except (SchemaError, UsageError):
        return
    schema = Schema.from_documents(drawn)
    for name in schema.elements:
        allowed = {child.name for child in original.children(name)}
        assert {child.name for child in schema.children(name)} <= allowed
    assert all(first_impossible(PathAutomaton.of(schema), document) is None for document in drawn)


CONTENTS = [
    ("<r/>", ContentKind.EMPTY),
    ("<r> </r>", ContentKind.TEXT),
    ("<r><!-- c --></r>", ContentKind.TEXT),
    ("<r><?p?></r>", ContentKind.TEXT),
    ("<r><![CDATA[]]></r>", ContentKind.TEXT),
    ("<r>x</r>", ContentKind.TEXT),
    ("<r> <a/> </r>", ContentKind.ELEMENTS),
    ("<r><!-- c --><a/></r>", ContentKind.ELEMENTS),
    ("<r>x<a/></r>", ContentKind.MIXED),
    ("<r><a/>\u00a0</r>", ContentKind.MIXED),
    ("<r><a/><![CDATA[ ]]></r>", ContentKind.MIXED),
]


@pytest.mark.parametrize(("text", "kind"), CONTENTS)
def test_kinds_of_content(text: str, kind: ContentKind) -> None:
    schema = Schema.from_documents([text.encode()])
    assert schema["r"].content.kind is kind
    assert etree.DTD(BytesIO(dtd_text(schema).encode())).validate(etree.fromstring(text))


def test_frequencies_and_attributes() -> None:
    first = b'<r><a n="1">x</a><a n="2"/>\n<b/></r>'
    schema = Schema.from_documents([first, b'<r><b m="&lt;"/></r>', b"<s/>"])
    assert (schema.name, schema.roots) == ("3 documents", ("r", "s"))
    r, a, b = (schema.seen[name] for name in "rab")
    assert (r.count, r.documents, dict(r.children)) == (2, 2, {"a": 1, "b": 2})
    assert (a.count, a.documents, a.with_text, dict(a.attributes)) == (2, 1, 1, {"n": 2})
    assert a.values["n"] == ("1", "2") and b.values["m"] == ("<",)
    required = {
        (element.name, attribute.name): attribute.required for element in schema for attribute in element.attributes
    }
    assert required == {("a", "n"): True, ("b", "m"): False}
    assert [(schema[name].place.file, schema[name].place.line) for name in "rabs"] == [
        ("document 1", 1),
        ("document 1", 1),
        ("document 1", 2),
        ("document 3", 1),
    ]


NAMESPACES = [
    ([b"<r xmlns='urn:r'><a/></r>"], {"r": ("urn:r", "r"), "a": ("urn:r", "a")}),
    ([b"<p:r xmlns:p='urn:r'><a/></p:r>"], {"p:r": ("urn:r", "r"), "a": ("", "a")}),
    ([b"<r xmlns='urn:r'><a xmlns=''/></r>"], {"n1:r": ("urn:r", "r"), "a": ("", "a")}),
    ([b"<r xmlns='urn:1'/>", b"<r xmlns='urn:2'/>"], {"r": ("urn:1", "r"), "n1:r": ("urn:2", "r")}),
    ([b"<p:r xmlns:p='urn:1'/>", b"<p:r xmlns:p='urn:2'/>"], {"p:r": ("urn:1", "r"), "n1:r": ("urn:2", "r")}),
]


@pytest.mark.parametrize(("texts", "names"), NAMESPACES)
def test_namespaces_have_one_prefix_each(texts: list[bytes], names: dict[str, tuple[str, str]]) -> None:
    schema = Schema.from_documents(texts)
    assert {name: schema.expanded(name) for name in schema.elements} == names
    assert all(first_impossible(PathAutomaton.of(schema), text) is None for text in texts)


def test_attributes_in_namespaces() -> None:
    schema = Schema.from_documents([b"<r xmlns='urn:r' xmlns:q='urn:r' q:x='1' xml:lang='en' y='2'/>"])
    names = {a.name: a.default for a in schema["r"].attributes}
    assert names == {"xmlns": "urn:r", "xmlns:n1": "urn:r", "n1:x": None, "xml:lang": None, "y": None}


def test_files_archives_and_rejects(tmp_path: Path) -> None:
    (tmp_path / "1.xml").write_text("<r><a/></r>")
    (tmp_path / "2.xml").write_text("<r>\n<b></r>")
    (tmp_path / "3.xml.gz").write_bytes(gzip.compress(b"<r><c/></r>"))
    schema = Schema.from_documents([tmp_path])
    assert set(schema.elements) == {"r", "a", "c"}
    assert [(Path(problem.place.file).name, problem.place.line) for problem in schema.problems] == [("2.xml", 2)]
    one = Schema.from_documents([tmp_path / "1.xml"])
    assert one.name.endswith("1.xml")
    assert set(Schema.from_documents([tmp_path / "1.xml"], record="a").elements) == {"a"}


def test_nothing_to_infer_from(tmp_path: Path) -> None:
    for given in ([], [b"<r>"], [tmp_path / "none.xml"], [tmp_path]):
        with pytest.raises(SchemaError, match="no document can be read"):
            Schema.from_documents(given)


def test_limits_hold() -> None:
    schema = Schema.from_documents([b"<a><b/></a>", b"<a><b><c/></b></a>"], limits=Limits(depth=2))
    assert set(schema.elements) == {"a", "b"}
    assert "limit `depth`" in schema.problems[0].message


def test_names_and_fillings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observing, "MAX_FILLINGS", 3)
    words = ["a", "b", "ab", "aab", "c"]
    schema = Schema.from_documents([document_of(word) for word in words])
    assert str(schema["r"].content) == "(a | b | c)*"
    assert schema.seen["r"].children == {"a": 3, "b": 3, "c": 1}
    monkeypatch.setattr(observing, "MAX_NAMES", 3)
    with pytest.raises(UsageError, match="more than 3 different elements"):
        Schema.from_documents([document_of("abc")])


def test_a_regression_wide_elements_take_no_cubic_time() -> None:
    forth = b"".join(b"<e%d/>" % number for number in range(2_000))
    back = b"".join(b"<f%d/>" % number for number in range(2_000, 0, -1))
    documents = [b"<r>" + forth + back + b"</r>", b"<r>" + forth + b"</r>", b"<r>" + back + b"</r>"]
    start = time.perf_counter()
    schema = Schema.from_documents(documents)
    assert time.perf_counter() - start < 10  # half a second; a cubic algorithm takes minutes
    assert [child.name for child in schema.children("r")][:3] == ["e0", "e1", "e2"]
    assert len(schema) == 4_001


REAL = ["csl", "fpml-dtd", "verbnet", "xmltv", "datacite", "newsml-g2", "gpx", "sportsml"]


@pytest.mark.parametrize("collection", REAL)
def test_real_collections_are_valid_under_what_they_show(collection: str) -> None:
    folder = need("docs", collection)
    schema = Schema.from_documents([folder])
    dtd, paths = plain_dtd(schema), PathAutomaton.of(schema)
    for file in sorted(path for path in folder.rglob("*") if path.is_file())[: scaled(40)]:
        document = file.read_bytes()
        assert first_impossible(paths, document) is None, file.name
        assert dtd.validate(renamed(schema, document)), (file.name, dtd.error_log)
