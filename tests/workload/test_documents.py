"""Generated documents: valid, of the size asked for, and the same for the same seed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.scale import scaled
from tests.schema.writing import schema_of
from tests.shared_data import SHARED, need
from xylem.errors import UsageError
from xylem.schema import Schema, SchemaError
from xylem.workload import DocumentParameters, Numbers, Shape, SizeClass, ValueParameters, bundled_schema, documents

# lxml cannot judge by these: their content models are ambiguous, or libxml2 does not find their parts.
_UNJUDGED = {"LuceneContribQuery.dtd", "LuceneCoreQuery.dtd", "xhtml11.dtd"}
# Prefixes that the schema binds nowhere; and a schema that is too small for 2 KB.
_REFUSED = {"bibtexmlExtended.dtd": "is bound to no namespace", "hyphenation.dtd": "not of 2000 to 8000"}


def depth(element: etree._Element) -> int:
    return 1 + max((depth(child) for child in element), default=0)


def check(dtd: Path, made: Sequence[bytes]) -> None:
    """Well-formed with namespaces, and valid in lxml's judgement."""
    judge = etree.DTD(str(dtd)) if dtd.name not in _UNJUDGED else None
    for document in made:
        root = etree.fromstring(document)
        assert judge is None or judge.validate(root), judge.error_log


def bundled_file() -> Path:
    import xylem.workload

    return Path(xylem.workload.__file__).parent / "wire.dtd"


def test_the_bundled_schema() -> None:
    made = list(documents(bundled_schema(), DocumentParameters(count=scaled(100))))
    check(bundled_file(), made)
    assert all(2_000 <= len(document) <= 8_000 for document in made)
    assert len(set(made)) == len(made)


def _published() -> list[Path]:
    if SHARED is None:
        return []
    return [path for path in sorted((SHARED / "dtd").rglob("*.dtd")) if _readable(path)]


def _readable(path: Path) -> bool:
    try:
        Schema.from_dtd(path)
    except SchemaError:
        return False
    return True


@pytest.mark.parametrize("dtd", _published(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_published_schemas(dtd: Path) -> None:
    schema = Schema.from_dtd(dtd)
    free = DocumentParameters(count=scaled(5), sizes=(), max_levels=20)
    sized = DocumentParameters(count=scaled(5), sizes=(SizeClass(2_000, 8_000),), max_levels=20, max_repeats=20)
    if dtd.name in _REFUSED:
        with pytest.raises(UsageError, match=_REFUSED[dtd.name]):
            list(documents(schema, sized))
        return
    check(dtd, list(documents(schema, free)))
    check(dtd, list(documents(schema, sized)))


@pytest.mark.parametrize("size", [400, 2_000, 20_000, 300_000])
def test_sizes(size: int) -> None:
    wanted = SizeClass(size, size + size // 3)
    parameters = DocumentParameters(count=3, sizes=(wanted,), max_repeats=max(5, size // 1_000))
    for document in documents(bundled_schema(), parameters):
        assert wanted.least <= len(document) <= wanted.most
        check(bundled_file(), [document])


def test_size_classes_come_by_their_weights() -> None:
    sizes = (SizeClass(1_000, 2_000, 3), SizeClass(10_000, 12_000, 1))
    made = list(documents(bundled_schema(), DocumentParameters(count=200, sizes=sizes)))
    assert 110 < sum(len(document) <= 2_000 for document in made) < 190


@pytest.mark.parametrize("levels", [4, 5, 6, 12, 100])
def test_levels_are_kept(levels: int) -> None:
    parameters = DocumentParameters(count=20, sizes=(), max_levels=levels)
    made = [etree.fromstring(document) for document in documents(bundled_schema(), parameters)]
    assert max(map(depth, made)) <= levels
    assert levels > 12 or max(map(depth, made)) == levels


def test_recursion_goes_as_deep_as_allowed(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT a (a?)>")
    parameters = DocumentParameters(count=1, max_levels=250, optional=1.0, sizes=(SizeClass(1_700, 2_600),))
    assert depth(etree.fromstring(next(documents(schema, parameters)))) == 250


# Whoever changes the generator on purpose changes these: published figures then no longer compare.
SEEDS = [(1, "b646"), (2, "2c2a")]


@pytest.mark.parametrize(("seed", "digest"), SEEDS)
def test_the_same_bytes_for_the_same_seed(seed: int, digest: str) -> None:
    parameters = DocumentParameters(count=20, seed=seed)
    made = list(documents(bundled_schema(), parameters))
    assert made == list(documents(bundled_schema(), parameters))
    assert hashlib.sha256(b"".join(made)).hexdigest()[:4] == digest


def test_a_document_does_not_depend_on_those_before_it() -> None:
    parameters = DocumentParameters(count=10, seed=3)
    assert list(islice(documents(bundled_schema(), parameters), 7, 10)) == list(
        documents(bundled_schema(), parameters, start=7)
    )


def recursion(element: etree._Element, above: tuple[str, ...] = ()) -> int:
    """How often an element stands on one path, at most."""
    here = (*above, element.tag)
    return max([here.count(element.tag), *(recursion(child, here) for child in element)])


@pytest.mark.parametrize("most", [1, 2, 3])
def test_recursion_is_kept_within_its_bound(most: int) -> None:
    parameters = DocumentParameters(
        count=scaled(60), sizes=(SizeClass(3_000, 9_000),), max_levels=20, max_recursion=most
    )
    made = list(documents(bundled_schema(), parameters))
    check(bundled_file(), made)
    assert max(recursion(etree.fromstring(document)) for document in made) == most


def test_what_recursion_would_need_is_not_begun(tmp_path: Path) -> None:
    """Below `a`, an optional `b` would need another `a`; and the choice can only be `d`."""
    text = "<!ELEMENT a (b?, (c | d)+)><!ELEMENT b (a)><!ELEMENT c (e)><!ELEMENT e (a?, b)><!ELEMENT d EMPTY>"
    schema = schema_of(tmp_path, text).with_roots("a")
    made = list(documents(schema, DocumentParameters(count=30, sizes=(), max_recursion=1, optional=1.0)))
    check(tmp_path / "test.dtd", made)
    assert {e.tag for document in made for e in etree.fromstring(document).iter()} == {"a", "d"}


@pytest.mark.parametrize("family", ["nitf-2.5/nitf-2-5.dtd", "docbook-4.5/docbookx.dtd", "xhtml-1.0/xhtml1-strict.dtd"])
def test_published_schemas_without_recursion(family: str) -> None:
    dtd = need("dtd", *family.split("/"))
    parameters = DocumentParameters(count=scaled(10), max_levels=20, max_recursion=1)
    made = list(documents(Schema.from_dtd(dtd), parameters))
    check(dtd, made)
    assert all(recursion(etree.fromstring(document)) == 1 for document in made)


def test_the_large_size_class() -> None:
    parameters = DocumentParameters(count=1, sizes=(SizeClass(10_000_000, 11_000_000),), max_repeats=10_000)
    (document,) = documents(bundled_schema(), parameters)
    assert 10_000_000 <= len(document) <= 11_000_000
    check(bundled_file(), [document])


def test_values_come_as_often_as_their_weights_say(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT r (p+)><!ELEMENT p (#PCDATA)><!ATTLIST p a CDATA #REQUIRED>")
    vocabularies = {"p": {"often": 9.0, "seldom": 1.0}, "@a": Numbers(1, 5, decimals=1, shape=Shape.NORMAL)}
    parameters = DocumentParameters(count=100, sizes=(), values=ValueParameters(vocabularies=vocabularies))
    paragraphs = [p for d in documents(schema, parameters) for p in etree.fromstring(d)]
    assert 0.8 < sum(p.text == "often" for p in paragraphs) / len(paragraphs) < 0.97
    numbers = [float(p.get("a")) for p in paragraphs]
    assert min(numbers) >= 1 and max(numbers) <= 5 and 2.7 < sum(numbers) / len(numbers) < 3.3
    assert sum(2 < number < 4 for number in numbers) / len(numbers) > 0.75  # evenly, it would be half


def test_falling_numbers(tmp_path: Path) -> None:
    weights = Numbers(0, 10, shape=Shape.EXPONENTIAL).weighted()
    assert list(weights) == [str(number) for number in range(11)]
    assert list(weights.values()) == sorted(weights.values(), reverse=True)
    assert weights["0"] == pytest.approx(100 * weights["10"])
    assert Numbers(3, 3).weighted().keys() == {"3"}


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        ([], "empty"),
        ({}, "empty"),
        ("abc", "a list of values"),
        ({"a": 0.0}, "above 0"),
        ({"a": float("nan")}, "above"),
    ],
)
def test_vocabularies_without_sense_are_refused(vocabulary: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ValueParameters(vocabularies={"p": vocabulary})


@pytest.mark.parametrize("settings", [(5, 1), (0, float("inf")), (0, 1, 99), (float("nan"), 1)])
def test_numbers_without_sense_are_refused(settings: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError, match="numbers"):
        Numbers(*settings)


def test_attributes_are_what_their_types_ask(tmp_path: Path) -> None:
    dtd = """<!NOTATION gif SYSTEM "gif"><!ENTITY logo SYSTEM "logo.gif" NDATA gif>
        <!ELEMENT r (i+, q*)><!ELEMENT i EMPTY><!ELEMENT q EMPTY>
        <!ATTLIST i id ID #IMPLIED kind (one | two) #REQUIRED v CDATA #FIXED "&lt;1 '&quot;" t NMTOKENS #REQUIRED>
        <!ATTLIST q to IDREF #REQUIRED all IDREFS #REQUIRED n NOTATION (gif) #REQUIRED>"""
    schema = schema_of(tmp_path, dtd)
    made = list(documents(schema, DocumentParameters(count=50, sizes=())))
    check(tmp_path / "test.dtd", made)
    assert any(b"<q " in document for document in made)


def test_values_come_from_the_vocabularies_given(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT r (p+)><!ELEMENT p (#PCDATA)><!ATTLIST p a CDATA #REQUIRED>")
    values = ValueParameters(vocabularies={"p": ["a & b", "<c>"], "@a": ["x", "\"'<&"]})
    made = [etree.fromstring(d) for d in documents(schema, DocumentParameters(count=30, sizes=(), values=values))]
    assert {p.text for root in made for p in root} == {"a & b", "<c>"}
    assert {p.get("a") for root in made for p in root} == {"x", "\"'<&"}


def test_namespaces_are_declared_where_they_are_not_in_force(tmp_path: Path) -> None:
    text = """<!ELEMENT r (p:a, s)><!ATTLIST r xmlns CDATA #FIXED "urn:r" xmlns:p CDATA #IMPLIED>
        <!ELEMENT p:a (s)><!ATTLIST p:a xmlns CDATA #FIXED "urn:r">
        <!ELEMENT s (t)><!ATTLIST s xmlns CDATA #FIXED "urn:s">
        <!ELEMENT t EMPTY><!ATTLIST t xmlns CDATA #FIXED "urn:r">"""
    schema = schema_of(tmp_path, text)
    values = ValueParameters(namespaces={"p": "urn:p"})
    made = next(documents(schema, DocumentParameters(count=1, sizes=(), values=values)))
    names = [element.tag for element in etree.fromstring(made).iter()]
    expected = ["{urn:r}r", "{urn:p}a", "{urn:s}s", "{urn:r}t", "{urn:s}s", "{urn:r}t"]
    assert names == expected
    assert made.count(b"xmlns=") == 5


IMPOSSIBLE = [
    ("<!ELEMENT a (a)>", {}, SchemaError, "the element 'a' needs content without end"),
    ("<!ELEMENT a (gone)>", {}, SchemaError, "elements that are not declared"),
    ("<!ELEMENT a (b)><!ELEMENT b (c)><!ELEMENT c EMPTY>", {"max_levels": 2}, UsageError, "at least 3 levels, not 2"),
    ("<!ELEMENT a EMPTY>", {}, UsageError, "not of 2000 to 8000"),
    ("<!ELEMENT a (b, b)><!ELEMENT b (#PCDATA)>", {"root": "c"}, UsageError, "declares no element 'c'"),
    ("<!ELEMENT a EMPTY><!ATTLIST a to IDREF #REQUIRED>", {"sizes": ()}, UsageError, "no element in it has one"),
    ("<!ELEMENT a EMPTY><!ATTLIST a e ENTITY #REQUIRED>", {"sizes": ()}, SchemaError, "unparsed entity"),
    ("<!ELEMENT p:a EMPTY>", {"sizes": ()}, UsageError, "bound to no namespace"),
]


@pytest.mark.parametrize(("text", "settings", "kind", "words"), IMPOSSIBLE)
def test_impossible_demands_are_named(
    tmp_path: Path, text: str, settings: dict[str, object], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        list(documents(schema_of(tmp_path, text), DocumentParameters(count=1, **settings)))  # type: ignore[arg-type]


def test_an_element_that_no_document_can_hold_is_left_out(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT a (b?, (c | d)*)><!ELEMENT b (b)><!ELEMENT c (gone)><!ELEMENT d EMPTY>")
    made = list(documents(schema, DocumentParameters(count=20, sizes=())))
    assert {e.tag for document in made for e in etree.fromstring(document).iter()} == {"a", "d"}


@pytest.mark.parametrize(
    "settings", [{"count": -1}, {"optional": 2}, {"max_levels": 0}, {"max_levels": 10_000}, {"optional": float("nan")}]
)
def test_parameters_without_sense_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        DocumentParameters(**settings)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        SizeClass(10, 5)


def test_nitf_documents_are_valid_with_a_doctype() -> None:
    dtd = need("dtd", "nitf-2.5", "nitf-2-5.dtd")
    made = list(documents(Schema.from_dtd(dtd), DocumentParameters(count=10, doctype="nitf-2-5.dtd")))
    assert all(b'<!DOCTYPE nitf SYSTEM "nitf-2-5.dtd">' in document for document in made)
    check(dtd, made)
