"""Records: what `--record` splits off is the same document as that subtree of the whole file, whatever the pieces in
which the file comes, and in memory that does not grow with the file."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from lxml import etree

from tests.conftest import LONG
from tests.document.views import View, of_document, of_lxml, parse_lxml, vocabulary_of
from tests.document.writing import DocumentWriter
from tests.scale import scaled
from xylem.document import Document, Limits, Vocabulary, documents, read, split, stream_documents
from xylem.errors import DocumentError, UsageError


class _Dribble(io.RawIOBase):
    """A stream that gives little at a time."""

    def __init__(self, data: bytes, seed: int) -> None:
        self._data, self._place, self._random = data, 0, Random(seed)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        piece = self._data[self._place : self._place + self._random.choice((1, 2, 7, 100))]
        self._place += len(piece)
        return piece


def _split(data: bytes | str, name: str, limits: Limits | None = None) -> list[bytes | DocumentError]:
    data = data.encode() if isinstance(data, str) else data
    return list(split(io.BytesIO(data), name, limits or Limits()))


def _records(data: bytes | str, name: str) -> list[bytes]:
    found = _split(data, name)
    assert all(isinstance(record, bytes) for record in found), found
    return [record for record in found if isinstance(record, bytes)]


CASES: list[tuple[str, str, list[str]]] = [
    ("<r/>", "r", ["<r/>"]),
    ("<r>1</r>", "r", ["<r>1</r>"]),
    ("<a><r/><r/></a>", "r", ["<r/>", "<r/>"]),
    ("<a><r/></a>", "r", ["<r/>"]),
    ("<a><b><r/></b></a>", "r", ["<r/>"]),
    ("<a><r /><r b='/>'/><r\n/></a>", "r", ["<r />", "<r b='/>'/>", "<r\n/>"]),
    ("<a><r></r><r\t></r ></a>", "r", ["<r></r>", "<r\t></r >"]),
    ("<a><r b='>'>1</r>x<r>2</r></a>", "r", ["<r b='>'>1</r>", "<r>2</r>"]),
    ("<a><r>1<r>2</r></r><r>3</r></a>", "r", ["<r>1<r>2</r></r>", "<r>3</r>"]),
    ("<a><r><r/></r><b><r/></b></a>", "r", ["<r><r/></r>", "<r/>"]),
    ("<a><r><!-- </r> --><![CDATA[</r>]]><?p </r>?></r></a>", "r", ["<r><!-- </r> --><![CDATA[</r>]]><?p </r>?></r>"]),
    ("<?xml version='1.0'?><!-- c --><a><?p?><r/></a>", "r", ["<r/>"]),
    ("\ufeff<a><r/></a>", "r", ["<r/>"]),
    ("<a xmlns='u'><r/></a>", "r", ["<r xmlns=\"u\"/>"]),
    ("<a xmlns='u'><r xmlns=''/></a>", "r", ["<r xmlns=''/>"]),
    ("<a xmlns='u'><b xmlns=''><r/></b></a>", "r", ["<r/>"]),
    ("<a xmlns:p='u' xmlns:q='v'><p:r q:b=''/></a>", "r", ["<p:r xmlns:p=\"u\" xmlns:q=\"v\" q:b=''/>"]),
    ("<a xmlns:p='u'><b xmlns:p='v'><p:r/></b><p:r/></a>", "r", ["<p:r xmlns:p=\"v\"/>", "<p:r xmlns:p=\"u\"/>"]),
    ("<a xmlns:p='u&quot;&amp;&lt;'><r/></a>", "r", ["<r xmlns:p=\"u&quot;&amp;&lt;\"/>"]),
    ("<a xmlns:p='u' xmlns:q='u'><p:r/><q:r/><r/></a>", "q:r", ["<q:r xmlns:p=\"u\" xmlns:q=\"u\"/>"]),
    ("<a xmlns:p='u'><p:r/><r/></a>", "{u}r", ["<p:r xmlns:p=\"u\"/>"]),
    ("<a xmlns='u'><r/><r xmlns='v'/></a>", "{u}r", ["<r xmlns=\"u\"/>"]),
    ("<a xmlns='u'><r/><r xmlns=''/></a>", "{}r", ["<r xmlns=''/>"]),
    ("<!DOCTYPE a [<!ENTITY e 'x'>]><a><r>&e;</r></a>", "r", ["<!DOCTYPE a [<!ENTITY e 'x'>]><r>&e;</r>"]),
    ("<!DOCTYPE a SYSTEM 'd'><a><r>&e;</r></a>", "r", ["<!DOCTYPE a SYSTEM \"d\"><r>&e;</r>"]),
    ("<!DOCTYPE a PUBLIC 'p' 'd' [ ] ><a><r/></a>", "r", ["<!DOCTYPE a PUBLIC \"p\" \"d\" [ ] ><r/>"]),
    ("<!DOCTYPE a SYSTEM '\"'><a><r/></a>", "r", ["<!DOCTYPE a SYSTEM '\"'><r/>"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "name", "records"), CASES)
def test_records(text: str, name: str, records: list[str]) -> None:
    assert [record.decode() for record in _records(text, name)] == records


@pytest.mark.parametrize(
    ("text", "name", "places"),
    [
        ("<!DOCTYPE a [<!ENTITY e '<r>1</r>'>]><a>&e;<r>2</r></a>", "r", ["entity", "<r>2</r>"]),
        ("<!DOCTYPE a [<!ENTITY e '<r/>'>]><a><r/>&e;&e;</a>", "r", ["<r/>", "entity", "entity"]),
    ],
)
def test_a_record_in_an_entity_is_a_reject_of_its_own(text: str, name: str, places: list[str]) -> None:
    found = _split(text, name)
    assert len(found) == len(places)
    for record, part in zip(found, places, strict=True):
        if isinstance(record, DocumentError):
            assert part == "entity"
            assert "entity cannot be split off" in record.reason
            assert (record.line, record.column > 1) == (1, True)
        else:
            assert record.decode().endswith(part)


@pytest.mark.parametrize("name", ["", "a:b:c", "{u}p:r", "a b", ":", "{u", "{u}"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(UsageError, match="record name"):
        _split("<a/>", name)


def _subtrees(root: etree._Element, local: str) -> list[View]:
    """The outermost elements of a local name, each as a document."""
    found: list[View] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node.tag, str) and etree.QName(node).localname == local:
            found.append(of_lxml(node))
        else:
            waiting += reversed(node)
    return found


def test_records_are_the_subtrees_of_the_whole() -> None:
    seen = 0
    for seed in range(scaled(20_000 if LONG else 1_500)):
        data = DocumentWriter(seed).data()
        if b"&m;" in data or "&m;".encode("utf-16-le") in data or "&m;".encode("utf-16-be") in data:
            continue
        root = parse_lxml(data)
        for local in ("item", "b"):
            expected = _subtrees(root, local)
            found = list(split(_Dribble(data, seed) if seed % 2 else io.BytesIO(data), local))  # type: ignore[arg-type]
            if not expected:
                assert [type(record) for record in found] == [DocumentError], f"seed {seed}"
                continue
            assert [_view(record, view) for record, view in zip(found, expected, strict=True)] == expected, (
                f"seed {seed}"
            )
            seen += len(expected)
    assert seen > scaled(500)


def _view(record: bytes | DocumentError, expected: View) -> View:
    assert isinstance(record, bytes), record
    return of_document(read(record, vocabulary_of(expected)))


def test_defaults_and_entities_mean_the_same_in_a_record() -> None:
    text = (
        "<!DOCTYPE a [<!ATTLIST r d CDATA 'x'><!ATTLIST a xmlns CDATA 'urn:d'><!ENTITY e '<b/>'>]>"
        "<a><r>&e;</r><r d='y'/></a>"
    )
    vocabulary = Vocabulary()
    element, inner, attribute = vocabulary.name("urn:d", "r"), vocabulary.name("urn:d", "b"), vocabulary.name("", "d")
    first, second = (read(record, vocabulary) for record in _records(text, "r"))
    assert first.arrays.tag.tolist() == [0, element, inner]
    assert first.arrays.attr_name.tolist() == second.arrays.attr_name.tolist() == [attribute]
    assert [document.attribute_value(0) for document in (first, second)] == ["x", "y"]


def test_standalone_goes_along() -> None:
    """Otherwise an entity that nobody declares would stand for nothing in the record and be an error in the file."""
    (record,) = _records("<?xml version='1.0' standalone='yes'?><a><r/></a>", "r")
    assert record == b'<?xml version="1.0" standalone="yes"?><r/>'


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "windows-1252", "shift_jis"])
def test_records_of_other_encodings_are_utf8(encoding: str) -> None:
    word = {"shift_jis": "表ソ", "iso-8859-1": "é"}.get(encoding, "é€" if "1252" in encoding else "é名")
    record = f"<r b='{word}'>{word}</r>"
    text = f"<?xml version='1.0' encoding='{encoding}'?><a>{record * 500}</a>"
    assert _records(text.encode(encoding), "r") == [record.encode()] * 500


def test_utf16_without_mark_or_declaration() -> None:
    assert _records("<a><r>é</r></a>".encode("utf-16-le"), "r") == ["<r>é</r>".encode()]


TAILS = [
    ("<a><r/><r>2</r>", "no element found", 1),
    ("<a><r/><r>2</r><r>", "no element found", 1),
    ("<a><r/><r>2</r></b>", "mismatched tag", 1),
    ("<a><r/><r>2</r>\n&", "not well-formed", 2),
    ("<a><r/><r>2</r></a>\n<b/>", "junk after document element", 2),
]


@pytest.mark.parametrize(("text", "reason", "line"), TAILS)
def test_a_malformed_tail_comes_after_the_records_before_it(text: str, reason: str, line: int) -> None:
    *records, last = _split(text, "r")
    assert records == [b"<r/>", b"<r>2</r>"]
    assert isinstance(last, DocumentError)
    assert reason in last.reason
    assert (last.line, last.column > 0) == (line, True)


@pytest.mark.parametrize("text", ["", "<a/>", "<a><b/></a>"])
def test_no_record_at_all_is_said(text: str) -> None:
    (last,) = _split(text, "r")
    assert isinstance(last, DocumentError)
    assert ("no element `r` to split at" in last.reason) == bool(text)


def test_bytes_that_are_wrong_in_their_encoding() -> None:
    data = b"<?xml version='1.0' encoding='windows-1252'?>\n<a><r/>" + b" " * 10_000 + b"\n\x81</a>"
    *records, last = _split(data, "r")
    assert records == [b"<r/>"]
    assert isinstance(last, DocumentError)
    assert last.line == 3


def test_limits_of_records() -> None:
    long = "<r>" + "x" * 100 + "</r>"
    first, second, third = _split(f"<a><r/>{long}<r>2</r></a>", "r", Limits(bytes=60))
    assert (first, third) == (b"<r/>", b"<r>2</r>")
    assert isinstance(second, DocumentError)
    assert second.reason.startswith("limit `bytes` exceeded")
    (found,) = _split("<a><a><a><r/></a></a></a>", "r", Limits(depth=2))
    assert isinstance(found, DocumentError)
    assert (found.reason[:13], found.line, found.column) == ("limit `depth`", 1, 7)


def test_records_that_carry_much_more_than_they_are() -> None:
    """Each record repeats the internal subset; a million of them may not make gigabytes of a megabyte."""
    subset = f"<!DOCTYPE a [<!ENTITY e '{'x' * 100_000}'>]>"
    *_, last = _split(f"{subset}<a>{'<r/>' * 100_000}</a>", "r")
    assert isinstance(last, DocumentError)
    assert last.reason.startswith("limit `amplification` exceeded")


def test_defaults_outside_of_records_are_counted() -> None:
    defaults = " ".join(f"b{number} CDATA ''" for number in range(5_000))
    *_, last = _split(f"<!DOCTYPE a [<!ATTLIST c {defaults}>]><a>{'<c/>' * 50_000}<r/></a>", "r")
    assert isinstance(last, DocumentError)
    assert last.reason.startswith("limit `amplification` exceeded")


def test_entities_of_elements_with_many_defaults() -> None:
    defaults = " ".join(f"b{number} CDATA ''" for number in range(101))
    subset = f"<!ATTLIST c {defaults}><!ENTITY e '{'<c/>' * 1_000}'>"
    *_, last = _split(f"<!DOCTYPE a [{subset}]><a>{'&e;' * 1_000}<r/></a>", "r")
    assert isinstance(last, DocumentError)
    assert last.reason.startswith("limit `amplification` exceeded")


def test_names_of_records(tmp_path: Path) -> None:
    path = tmp_path / "file.xml"
    path.write_text("<a><r>1</r><r>2</r></b>")
    found = list(documents([path], record="r"))
    assert [source.name for source in found] == [f"{path}#1", f"{path}#2", f"{path}#3"]
    last = found[2].content
    assert isinstance(last, DocumentError)
    assert last.document == f"{path}#3"
    (source,) = stream_documents("-", io.BytesIO(b"<r/>"), record="r")
    assert (source.name, source.content) == ("-#1", b"<r/>")


_MEASURE = """
import io, resource, sys
from xylem.document import split

def pieces(size):
    yield b"<?xml version='1.0'?><feed xmlns='urn:f'>"
    piece = 50 * (b"<entry id='1'><title>Some title</title><text>" + b"word " * 200 + b"</text></entry>")
    for _ in range(size // len(piece) + 1):
        yield piece
    yield b"</feed>"

class Feed(io.RawIOBase):
    def __init__(self, size):
        self.pieces = pieces(size)
    def read(self, size=-1):
        return next(self.pieces, b"")

list(split(io.BytesIO(b"<a><entry/></a>"), "entry"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = 0
for record in split(Feed(int(sys.argv[1])), "entry"):
    assert isinstance(record, bytes) and record.startswith(b'<entry xmlns="urn:f" id='), record
    count += 1
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_file() -> None:
    """A process of its own, because a process never forgets its peak."""
    size = (400 if LONG else 40) << 20
    result = subprocess.run([sys.executable, "-c", _MEASURE, str(size)], capture_output=True, check=True)
    count, kilobytes = map(int, result.stdout.split())
    assert count > size // 1_100
    assert kilobytes < 20_000


def test_one_huge_token_between_records() -> None:
    data = f"<a><r/><!--{'x' * 5_000_000}--><r/></a>"
    assert _records(data, "r") == [b"<r/>", b"<r/>"]


def test_a_document_of_records_is_a_document() -> None:
    document = read(_records("<a xmlns='u'><r>1</r></a>", "r")[0], Vocabulary())
    assert isinstance(document, Document)
    assert document.string_value(0) == "1"
