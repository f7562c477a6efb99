"""Real documents, the conformance suites and ill-formed files from the wild: what libxml2 reads, both readers read the
same, and what is refused has a reason and a place. Exceptions are listed, with their reasons."""

from __future__ import annotations

import gzip
import posixpath
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from tests.conftest import LONG
from tests.document.readers import Reject, agreed, check
from tests.document.views import View, of_document, of_lxml, parse_leniently, parse_lxml, vocabulary_of
from tests.scale import scaled
from tests.shared_data import need
from xylem.document import Document

_LARGEST_BYTES = 100_000_000 if LONG else 1_000_000

# What libxml2 reads and the readers refuse, by the beginning of the reason.
REFUSED = {
    "encoding UTF-32 is not supported": "no feed in the wild uses it; these are tests of a library for feeds",
}

# What the readers accept and libxml2 refuses although it is well-formed, by a part of libxml2's message.
ACCEPTED = {
    "not a valid URI": "a namespace's name need not be looked up, so any text will do",
    "is not an NCName": "of xml:id, which is another recommendation",
    "attribute type should be ID": "of xml:id, which is another recommendation",
    "already defined": "of identifiers, which is a matter of validity",
    "not defined": "an entity that may be declared in a subset which nobody reads",
    "failed to load": "an external subset or entity, which nobody fetches",
    "Maximum entity amplification factor exceeded": "default attributes, a hundred times as many as ours may bring",
    "invalid default value": "a matter of validity",
    "too may ID attributes": "a matter of validity",
    "Redefinition of element": "a matter of validity",
}

# What libxml2 does not read to the end, although it is well-formed: it misses a parameter entity, or counts default
# attributes as amplification. And one where it reads the elements of an entity outside of all namespaces.
NOT_COMPARED = {"759579.xml", "lol_param.xml", "t8.xml", "t8a.xml", "quadratic-defattr.xml", "ns-ent.xml"}


def _compared(data: bytes) -> str:
    """What became of a document; fails when the readers and libxml2 do not agree."""
    strict, message = _strictly(data)
    found = agreed(data)
    if isinstance(found, Reject):
        assert found.reason
        if strict is None:
            assert found.line >= 1, found
            assert found.column >= 1, found
            return "refused"
        assert any(found.reason.startswith(reason) for reason in REFUSED), found
        return "only libxml2 reads it"
    if strict is None:
        assert any(part in message for part in ACCEPTED), message
    for expected in [strict] if strict else _lenient(data):
        document = agreed(data, vocabulary_of(expected))
        assert isinstance(document, Document)
        if of_document(document) == expected:
            break
    else:
        raise AssertionError("libxml2 reads something else")
    return "read" if strict else "libxml2 refuses it"


def _strictly(data: bytes) -> tuple[View | None, str]:
    try:
        return of_lxml(parse_lxml(data)), ""
    except etree.XMLSyntaxError as error:
        return None, str(error)


def _lenient(data: bytes) -> list[View]:
    """With default attributes and without: a reference to a parameter entity that is not read ends the declarations
    that count, and libxml2 does not know of it."""
    roots = (parse_leniently(data, defaults) for defaults in (True, False))
    return [of_lxml(root) for root in roots if root is not None]


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".gz", ".tgz", ".zip") and path.stat().st_size <= _LARGEST_BYTES:
            yield path


def _all_compared(files: list[Path]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in files:
        if path.name.rpartition("__")[2] in NOT_COMPARED:
            assert isinstance(agreed(path.read_bytes()), Document), path.name
            counts["not compared"] += 1
            continue
        try:
            counts[_compared(path.read_bytes())] += 1
        except AssertionError as error:
            raise AssertionError(f"{path.parent.name}/{path.name}: {error}") from error
    return counts


def test_real_documents() -> None:
    files = list(_files(need("docs")))
    step = 1 if LONG else max(1, len(files) // scaled(700))
    counts = _all_compared(files[::step])
    assert counts["read"] > 0.8 * sum(counts.values()), counts
    assert not counts["refused"] > 0.1 * sum(counts.values()), counts


@pytest.mark.parametrize("suite", ["libxml2-parser", "libxml2-valid", "jaxen-xpath"])
def test_suites(suite: str) -> None:
    files = [path for path in _files(need("conformance", suite)) if path.suffix == ".xml"]
    assert sum(_all_compared(files).values()) == len(files) > 5


def test_ill_formed_files_from_the_wild() -> None:
    counts = _all_compared(list(_files(need("conformance", "real-illformed"))))
    assert counts["refused"] > 50, counts


# The W3C's tests that say something else of a reader that is neither validating nor reading external entities.

# Well-formed by XML 1.0 and refused, because they are not namespace-well-formed: names with colons that are no prefix.
COLONS = {"oasis/p04pass1.xml", "oasis/p05pass1.xml", "xmltest/valid/sa/012.xml"}

# Not well-formed and yet read. The first two declare another encoding than their byte order mark; the mark is right
# for every other reader too.
MARKED = {"eduni/misc/007.xml", "eduni/misc/008.xml"}

# Read as the suite says, and otherwise by libxml2: a carriage return or a line end out of an entity, and the defaults
# of a document with a reference to an external parameter entity.
OTHERWISE = {"xmltest/valid/sa/068.xml", "xmltest/valid/sa/108.xml", "xmltest/valid/sa/097.xml"}


def _w3c_tests(archive: zipfile.ZipFile) -> Iterator[tuple[str, str, str]]:
    """Path, type and the entities that must be read to find out."""
    names = set(archive.namelist())
    for name in sorted(names):
        data = archive.read(name) if name.endswith(".xml") else b""
        if b"<TESTCASES" not in data:
            continue
        for test in etree.fromstring(data, etree.XMLParser(recover=True, no_network=True)).iter("TEST"):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), test.get("URI")))
            # Expat knows the names of the fourth edition and nothing of XML 1.1, and that is what is promised.
            newer = test.get("VERSION") == "1.1" or test.get("RECOMMENDATION", "").endswith("1.1")
            if path in names and not newer and test.get("EDITION") != "5":
                yield path, test.get("TYPE"), test.get("ENTITIES", "none")


def test_w3c() -> None:
    counts: Counter[str] = Counter()
    with zipfile.ZipFile(need("conformance", "w3c", "xmlts20130923.zip")) as archive:
        for path, kind, entities in _w3c_tests(archive):
            short, data = path.removeprefix("xmlconf/"), archive.read(path)
            found = agreed(data)
            counts[kind] += 1
            if kind == "not-wf" and entities == "none":
                assert isinstance(found, Reject) == (short not in MARKED), path
            elif kind in ("valid", "invalid"):
                assert isinstance(found, Document) == (short not in COLONS), path
                if isinstance(found, Document) and short not in OTHERWISE:
                    assert _compared(data) in ("read", "libxml2 refuses it"), path
    assert counts["not-wf"] > 1_100, counts
    assert counts["valid"] + counts["invalid"] > 500, counts


@pytest.mark.parametrize(
    ("name", "text", "attribute"),
    [
        ("xmltest/valid/sa/068.xml", "\r", None),
        ("xmltest/valid/sa/108.xml", "", "x y"),
        ("xmltest/valid/sa/097.xml", "", "v1"),
    ],
)
def test_where_libxml2_reads_otherwise(name: str, text: str, attribute: str | None) -> None:
    with zipfile.ZipFile(need("conformance", "w3c", "xmlts20130923.zip")) as archive:
        found = agreed(archive.read(f"xmlconf/{name}"))
    assert isinstance(found, Document)
    assert found.string_value(0) == text
    assert [found.attribute_value(index) for index in range(len(found.arrays.attr_name))] == [attribute] * bool(
        attribute
    )


@pytest.mark.long
def test_large_compressed_documents() -> None:
    for path in sorted(need("docs").rglob("*.gz")):
        found = agreed(gzip.decompress(path.read_bytes()))
        assert isinstance(found, Document), found
        check(found)
