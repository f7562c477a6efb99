"""The entry for fuzzing: whatever bytes come, a document or a reject with reason, line and column comes out, and
both readers say the same. What libxml2 reads of it too is the same document."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from tests.conftest import LONG
from tests.document.readers import Reject, agreed
from tests.document.views import of_document, of_lxml, parse_lxml, vocabulary_of
from tests.document.writing import DocumentWriter
from tests.scale import scaled
from tests.shared_data import SHARED
from xylem.document import Document, Limits, split

_PIECES = (
    "<", ">", "/", "/>", "</", "<a", "<a>", "</a>", "<b", "=", "'", '"', " ", "\n", "\r", "&", ";", "&#", "&#x", "&e;",
    "&amp;", "]]>", "<![CDATA[", "<!--", "-->", "<?", "?>", "<?xml", "<!DOCTYPE a [", "]>", "<!ENTITY e ",
    "<!ENTITY % p ", "%p;", "<!ATTLIST a b CDATA ", "SYSTEM", "PUBLIC", "xmlns", "xmlns:p", "p:", "xml:",
    "version='1.0'", "encoding=", "'utf-16'", "'cp1252'", "standalone='yes'", "é",
    "名", "\x00", "\x0c", "\ufeff", "\U0001f333",
)  # fmt: skip

_LIMITS = Limits(
    depth=20, elements=200, attributes=20, name=100, attribute_value=1_000, text=5_000, attribute_text=5_000
)


def _answered(data: bytes) -> Document | Reject:
    found = agreed(data)
    if isinstance(found, Reject):
        assert found.reason
        assert (found.line >= 1 and found.column >= 1) or not found.line
    tight = agreed(data, limits=_LIMITS)
    assert isinstance(tight, Reject) or isinstance(found, Document)
    return found


@given(st.binary(max_size=300))
@example(b"")
@example(b"\xff\xfe")
@example(b"\x00<")
@example(b"<?xml version='1.0' encoding='UTF-16'?><a/>")
def test_arbitrary_bytes(data: bytes) -> None:
    _answered(data)


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
@example("<a>" * 300)
@example("<!DOCTYPE a [<!ENTITY e '&e;'>]><a>&e;</a>")
def test_arbitrary_pieces_of_markup(text: str) -> None:
    _answered(text.encode())
    for name in ("a", "{u}p"):
        list(split(_Bytes(text.encode()), name))


class _Bytes:
    """A stream of some bytes, all at once."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int) -> bytes:
        data, self._data = self._data, b""
        return data


def _mutated(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 5))):
        place = random.randrange(len(changed) + 1)
        draw = random.random()
        if draw < 0.3:
            changed[place:place] = random.choice(_PIECES).encode()
        elif draw < 0.6:
            del changed[place : place + random.choice((1, 1, 3, 20))]
        elif draw < 0.8:
            start = random.randrange(len(changed) + 1)
            changed[place:place] = changed[start : start + random.choice((1, 5, 40))]
        elif place < len(changed):
            changed[place] = random.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("shard", range(4))
def test_mutations_of_generated_documents(shard: int) -> None:
    kept = 0
    for seed in range(shard, scaled(200_000 if LONG else 4_000), 4):
        writer = DocumentWriter(seed, bare=seed % 3 == 0)
        data = _mutated(writer.data() if seed % 3 else writer.text().encode(), Random(seed))
        found = _answered(data)
        if isinstance(found, Document):
            kept += _same_as_libxml2(data)
    assert kept > scaled(50)


def _same_as_libxml2(data: bytes) -> bool:
    """Compares a document that libxml2 reads as well; entities with elements are left out, which it reads otherwise."""
    if b"<!ENTITY" in data or b"<\0!\0E\0N\0T" in data or b"\0<\0!\0E\0N" in data:
        return False
    try:
        expected = of_lxml(parse_lxml(data))
    except etree.XMLSyntaxError:
        return False
    found = agreed(data, vocabulary_of(expected))
    assert isinstance(found, Document)
    assert of_document(found) == expected, data
    return True


def test_mutations_of_real_documents() -> None:
    if SHARED is None:
        pytest.skip("no shared data beside this checkout")
    files = [path for path in sorted((SHARED / "docs").rglob("*.xml")) if path.stat().st_size < 30_000]
    random = Random(5)
    for path in random.sample(files, min(len(files), scaled(3_000 if LONG else 150))):
        data = path.read_bytes()
        for _ in range(20 if LONG else 4):
            _answered(_mutated(data, random))
        _answered(data[: random.randrange(len(data) + 1)])


def test_cut_anywhere() -> None:
    """A document that ends too early is a reject at every place, but for what may be missing at its end."""
    for seed in range(scaled(12)):
        text = DocumentWriter(seed).text().rstrip()
        data = text.encode()
        for end in range(0, min(len(data), 1_500)):
            found = agreed(data[:end])
            if isinstance(found, Document):
                assert data[end:].lstrip().startswith((b"<!--", b"<?")), data[end:]
