"""Encodings: what is read, what is refused by name, and what the bytes say against what they declare."""

from __future__ import annotations

import codecs
from encodings.aliases import aliases

import pytest
from lxml import etree

from tests.document.readers import Reject, accepted, agreed, rejected
from xylem.document.encodings import codec_of, transcoded
from xylem.errors import DocumentError


def _declared(name: str, text: str, codec: str | None = None, mark: bytes = b"") -> bytes:
    return mark + f"<?xml version='1.0' encoding='{name}'?><a>{text}</a>".encode(codec or name)


def _wide(*parts: str | int) -> bytes:
    """A document in UTF-16 with some units given as numbers."""
    units = (part.to_bytes(2, "little") if isinstance(part, int) else part.encode("utf-16-le") for part in parts)
    return codecs.BOM_UTF16_LE + b"".join(units)


# Declared name, text, Python's codec if it has another name, mark.
READ: list[tuple[str, str, str | None, bytes]] = [
    ("utf-8", "é名\U0001f333", None, b""),
    ("UTF8", "é名\U0001f333", None, b""),
    ("utf-8", "é名\U0001f333", None, codecs.BOM_UTF8),
    ("UTF-16", "é名\U0001f333", None, b""),
    ("utf-16", "é名\U0001f333", "utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16", "é名\U0001f333", "utf-16-be", codecs.BOM_UTF16_BE),
    ("UTF-16LE", "é名\U0001f333", "utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16", "é名\U0001f333", "utf-16-le", b""),
    ("utf-16", "é名\U0001f333", "utf-16-be", b""),
    ("utf-16le", "é名\U0001f333", "utf-16-le", b""),
    ("utf-16be", "é名\U0001f333", "utf-16-be", b""),
    ("ISO-8859-1", "é\x85\xff", None, b""),
    ("Latin1", "é\xff", None, b""),
    ("us-ascii", "e", None, b""),
    ("ASCII", "e", None, b""),
    ("ISO-8859-2", "ąż", None, b""),
    ("iso-8859-15", "€", None, b""),
    ("windows-1252", "€’", None, b""),
    ("cp1251", "Жук", None, b""),
    ("KOI8-R", "Жук", None, b""),
    ("macintosh", "é", None, b""),
    ("Shift_JIS", "表ソ名", None, b""),
    ("EUC-JP", "表名", None, b""),
    ("ISO-2022-JP", "表名", None, b""),
    ("GB2312", "名", None, b""),
    ("gb18030", "名\U0001f333", None, b""),
    ("Big5", "名", None, b""),
    ("EUC-KR", "한", None, b""),
    # A byte order mark says more than the declaration.
    ("iso-8859-1", "é名", "utf-8", codecs.BOM_UTF8),
    ("utf-8", "é名", "utf-16-le", codecs.BOM_UTF16_LE),
]


@pytest.mark.parametrize(("name", "text", "codec", "mark"), READ)
def test_read(name: str, text: str, codec: str | None, mark: bytes) -> None:
    data = _declared(name, text, codec, mark)
    document = accepted(data)
    assert document.string_value(0) == text
    # Whoever parses the document's bytes again reads the same.
    assert accepted(document.data).string_value(0) == text
    assert etree.fromstring(document.data).text == text


REFUSED: list[tuple[bytes, str, tuple[int, int]]] = [
    (_declared("utf-7", "x"), "encoding utf-7 is not supported", (1, 1)),
    (b"+ADw-a/+AD4-", "encoding UTF-7 is not supported", (1, 1)),
    ("<a/>".encode("utf-32"), "encoding UTF-32 is not supported", (1, 1)),
    ("<a/>".encode("utf-32-le"), "encoding UTF-32 is not supported", (1, 1)),
    (codecs.BOM_UTF32_BE + "<a/>".encode("utf-32-be"), "encoding UTF-32 is not supported", (1, 1)),
    (_declared("cp500", "x"), "encoding EBCDIC is not supported", (1, 1)),
    (_declared("cp875", "x", "ascii"), "encoding cp875 is not supported", (1, 1)),
    (_declared("hz", "x", "ascii"), "encoding hz is not supported", (1, 1)),
    (_declared("rot13", "x", "ascii"), "encoding rot13 is not supported", (1, 1)),
    (_declared("unicode_escape", "x", "ascii"), "encoding unicode_escape is not supported", (1, 1)),
    (_declared("no-such-thing", "x", "ascii"), "encoding no-such-thing is not supported", (1, 1)),
    (_declared("x" * 900, "x", "ascii"), "encoding xxx", (1, 1)),
    # Single bytes cannot say UTF-16.
    (_declared("utf-16", "x", "ascii"), "not well-formed: encoding specified in XML declaration is incorrect", (1, 31)),
    (b"<a>\xe9</a>", "not well-formed: invalid token", (1, 4)),
    (b"<a>\n\xc0\xbc</a>", "not well-formed: invalid token", (2, 1)),  # an overlong form of <
    (b"<a>\xed\xa0\x80</a>", "not well-formed: invalid token", (1, 4)),  # a surrogate
    (b"<a>\xf4\x90\x80\x80</a>", "not well-formed: invalid token", (1, 4)),  # beyond the last character
    (b"<a>\xef\xbf\xbf</a>", "not well-formed: invalid token", (1, 4)),  # no character
    (b"<a>\0</a>", "not well-formed: invalid token", (1, 4)),
    (b"<a>x\x01</a>", "not well-formed: invalid token", (1, 5)),
    (b"\0", "not well-formed", (1, 1)),
    (_wide("<a>", 0xD800, "x</a>"), "not well-formed: half a pair of surrogates", (1, 4)),
    (_wide("<a>\n", 0xD800, 0xD800, "</a>"), "not well-formed: half a pair of surrogates", (2, 1)),
    (_wide("<a b='", 0xDBFF, "'/>"), "not well-formed: half a pair of surrogates", (1, 7)),
    (_wide("<a><!--", 0xDC00, "--></a>"), "not well-formed: half a pair of surrogates", (1, 8)),
    (_wide("<a>", 0xD800)[2:], "not well-formed: partial character", (1, 4)),
    (_wide("<a>")[:-1], "not well-formed: unclosed token", (1, 1)),
    (_declared("us-ascii", "é", "latin-1"), "not well-formed: invalid token", (1, 45)),
    (_declared("windows-1252", "\x81", "latin-1"), "not well-formed: bytes that are not windows-1252", (1, 49)),
    (_declared("shift_jis", "\n\x81\xff", "latin-1"), "not well-formed: bytes that are not shift_jis", (2, 1)),
]


@pytest.mark.parametrize(("data", "reason", "place"), REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_refused(data: bytes, reason: str, place: tuple[int, int]) -> None:
    found = rejected(data)
    assert found.reason.startswith(reason)
    assert (found.line, found.column) == place


ILL_FORMED: list[tuple[str, str]] = [
    ("<a>&#xD800;</a>", "reference to invalid character number"),
    ("<a>&#1;</a>", "reference to invalid character number"),
    ("<a>&#0;</a>", "reference to invalid character number"),
    ("<a>&#xFFFE;</a>", "reference to invalid character number"),
    ("<a>&#x110000;</a>", "reference to invalid character number"),
    ("<a>&#99999999999999999999;</a>", "reference to invalid character number"),
    ("<a>]]></a>", "invalid token"),
    ("<a/><b/>", "junk after document element"),
    ("<a/>x", "junk after document element"),
    ("", "no element found"),
    (" \n ", "no element found"),
    ("<!-- only -->", "no element found"),
    ("x", "syntax error"),
    ("<a", "unclosed token"),
    ("<a>", "no element found"),
    ("<a><b></a>", "mismatched tag"),
    ("<a b='1' b='2'/>", "duplicate attribute"),
    ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", "duplicate attribute"),
    ("<p:a/>", "unbound prefix"),
    ("<a p:b=''/>", "unbound prefix"),
    ("<a xmlns:p=''/>", "must not undeclare prefix"),
    ("<a xmlns:xml='urn:x'/>", "reserved prefix (xml) must not be undeclared or bound to another namespace name"),
    ("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", "prefix must not be bound to one of the reserved"),
    ("<a xmlns:xmlns='urn:x'/>", "reserved prefix (xmlns) must not be declared or undeclared"),
    ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", "prefix must not be bound to one of the reserved namespace"),
    ("<xmlns:a/>", "unbound prefix"),
    ("<a:b:c xmlns:a='u'/>", "invalid token"),
    ("<:a/>", "invalid token"),
    ("<a><![CDATA[x</a>", "unclosed CDATA section"),
    ("<a><!-- -- --></a>", "invalid token"),
    ("<?xml version='1.1'?><a>&#1;</a>", "reference to invalid character number"),
    (" <?xml version='1.0'?><a/>", "XML or text declaration not at start of entity"),
    ("<a b=c/>", "invalid token"),
    ("<a b='<'/>", "invalid token"),
    ("<1a/>", "invalid token"),
    ("<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;</b></a>", "asynchronous entity"),
    ("<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><a b='&e;'/>", "reference to external entity in attribute"),
]


@pytest.mark.parametrize(("text", "message"), ILL_FORMED)
def test_ill_formed(text: str, message: str) -> None:
    found = rejected(text)
    assert found.reason.startswith(f"not well-formed: {message}")
    assert found.line >= 1
    assert found.column >= 1


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("<a>\n  <b></a>", 2, 8),
        ("<a>\r\n\r\n&</a>", 3, 2),
        ("\ufeff<a &/>", 1, 4),
        ("<é &/>", 1, 4),
        ("<a>\n\U0001f333&</a>", 2, 3),
    ],
)
def test_lines_and_columns_count_characters(text: str, line: int, column: int) -> None:
    found = rejected(text)
    assert (found.line, found.column) == (line, column)


WELL_FORMED = {
    "xml is bound": "<a xml:lang='en' xmlns:xml='http://www.w3.org/XML/1998/namespace'/>",
    "a prefix bound again": "<p:a xmlns:p='u'><p:b xmlns:p='v'/><p:c/></p:a>",
    "a default and none": "<a xmlns='u'><b xmlns=''><c/></b><d/></a>",
    "the same local name": "<a xmlns:p='u' b='1' p:b='2'/>",
    "a namespace that is no address": "<a xmlns='é b'/>",
    "XML 1.1 as if it were 1.0": "<?xml version='1.1'?><a>\x85</a>",
    "a declaration with spaces": "<?xml version='1.0' standalone='yes' ?>\n<a/>\n",
}


@pytest.mark.parametrize("case", WELL_FORMED)
def test_well_formed(case: str) -> None:
    accepted(WELL_FORMED[case])


def test_text_in_any_declared_encoding() -> None:
    """Text has no encoding, so what it declares does not count."""
    for name in ("utf-8", "UTF-16", "iso-8859-1", "utf-7", "cp500", "nonsense"):
        text = f"<?xml version='1.0' encoding='{name}'?><a>é名</a>"
        assert accepted(text).string_value(0) == "é名"
    assert accepted("\ufeff<a>é</a>").string_value(0) == "é"


def test_text_with_a_lone_surrogate() -> None:
    found = agreed("<a>\nx\ud800</a>")
    assert isinstance(found, Reject)
    assert (found.line, found.column) == (2, 2)


def test_every_codec_that_is_taken_extends_ascii() -> None:
    ascii_text = "".join(chr(code) for code in (9, 10, 13, *range(32, 127)))
    taken = 0
    for name in sorted({*aliases, *aliases.values()}):
        try:
            codec = codec_of(name)
        except DocumentError as error:
            assert error.reason.startswith(f"encoding {name} is not supported")
            continue
        taken += 1
        assert ascii_text.encode("ascii").decode(codec) == ascii_text, name
    assert taken > 200


def test_names_of_codecs_are_not_remembered() -> None:
    """Python keeps every name that it does not know; a stream of hostile documents must not fill that memory."""
    import encodings

    before = len(encodings._cache)  # type: ignore[attr-defined]
    for number in range(500):
        with pytest.raises(DocumentError):
            transcoded(_declared(f"mac_x{number}", "x", "ascii"))
        rejected(_declared(f"cp9{number}x", "x", "ascii"))
    assert len(encodings._cache) <= before + 5  # type: ignore[attr-defined]
