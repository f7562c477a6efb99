"""Which encoding a document is in, and UTF-8 for those that expat does not read itself.

Expat reads UTF-8, UTF-16, ISO-8859-1 and US-ASCII. A document that declares another encoding which Python
knows is decoded strictly and handed on as UTF-8 behind a byte order mark, which overrules the declaration for every
XML processor. Only encodings that extend ASCII are taken: what cannot even write the declaration, or can
write markup in a second way (UTF-7), is refused by name.

This module knows nothing of XML beyond the declaration.
"""

from __future__ import annotations

import codecs
import re
from encodings import normalize_encoding
from encodings.aliases import aliases

from xylem.errors import DocumentError

BOM = codecs.BOM_UTF8

_NATIVE = frozenset({"utf-8", "utf-16", "utf-16le", "utf-16be", "iso-8859-1", "us-ascii"})

# Python's names of the codecs that extend ASCII. Others are not even looked up: Python remembers every name that it
# was ever asked for and does not know, and hostile documents know many.
_TAKEN = re.compile(
    r"ascii|utf_8|latin_1|iso8859_([2-9]|1[013456])|cp(437|720|737|775|85[025678]|86[0-3569]|874|125[0-8]|932|949|950)"
    r"|koi8_[rtu]|kz1048|ptcp154|tis_620|hp_roman8"
    r"|mac_(arabic|croatian|cyrillic|farsi|greek|iceland|latin2|roman|romanian|turkish)"
    r"|big5(hkscs)?|gb2312|gbk|gb18030|johab|shift_jis|euc_(jp|jis_2004|jisx0213|kr)|iso2022_(jp(_1|_2|_2004|_3|_ext)?|kr)"
)

_DECLARATION = re.compile(
    rb"""<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:'[^'<>]*'|"[^"<>]*")"""
    rb"""[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(['"])([A-Za-z][A-Za-z0-9._-]*)\1"""
)

# Longer than any declaration with its optional spaces; a longer one in UTF-16 is left to expat to judge.
_DECLARATION_BYTES = 16 * 1024

# How a document in UTF-16 begins, marked or not.
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"<\0", b"\0<")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CHECKED_BYTES = 1024 * 1024

# What shows within the first bytes that no declaration can be read in the usual way.
_FOREIGN = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (b"<\0\0\0", "UTF-32"),
    (b"\0\0\0<", "UTF-32"),
    (b"\x4c\x6f\xa7\x94", "EBCDIC"),
    (b"+ADw-", "UTF-7"),
)


def foreign(data: bytes) -> DocumentError | None:
    """The reject of a document whose first bytes show an encoding that is never read."""
    for prefix, name in _FOREIGN:
        if data.startswith(prefix):
            return _refused(name)
    return None


def is_native(name: str) -> bool:
    """Whether expat reads documents that declare this encoding."""
    return name.lower() in _NATIVE


def _declared(data: bytes) -> tuple[str | None, str]:
    """The encoding that the XML declaration names, and the UTF-16 that this is written in, if it is."""
    wide = ""
    if data.startswith((b"<\0", b"\0<")):
        wide = "utf_16_le" if data[1] == 0 else "utf_16_be"
        data = data[:_DECLARATION_BYTES].decode(wide, errors="replace").encode()
    found = _DECLARATION.match(data)
    return (found[2].decode() if found else None), wide


def codec_of(name: str, wide: str = "") -> str:
    """Python's codec for a declared encoding; raises DocumentError when documents in it are not read."""
    normal = normalize_encoding(name).lower()
    codec = aliases.get(normal, normal)
    if wide and codec in ("utf_16", wide):
        return wide
    if wide or not _TAKEN.fullmatch(codec):
        raise _refused(name)
    return codec


def transcoded(data: bytes) -> bytes | None:
    """The document as UTF-8 behind a byte order mark if expat does not read its declared encoding; None if it
    does. Raises DocumentError for encodings that nobody reads and for bytes that are wrong in theirs."""
    name, wide = _declared(data)
    if name is None or is_native(name):
        return None
    codec = codec_of(name, wide)
    try:
        return BOM + data.decode(codec).encode()
    except UnicodeDecodeError as error:
        line, column = _place(data[: error.start], codec)
        reason = f"not well-formed: bytes that are not {name}, the declared encoding"
        raise DocumentError(reason, line=line, column=column) from None


def check_pairs(data: bytes) -> None:
    """Raises DocumentError for a document in UTF-16 (see `WIDE`) with half a pair of surrogates: expat takes whatever
    comes next for the other half."""
    refused = foreign(data)
    if refused is not None:
        raise refused
    codec = "utf_16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else _declared(data)[1]
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for start in range(0, len(data), _CHECKED_BYTES):
            decoder.decode(data[start : start + _CHECKED_BYTES])
    except UnicodeDecodeError:
        before = data[: len(data) & ~1].decode(codec, errors="surrogatepass")
        whole = before[: _first_surrogate(before)]
        line, column = whole.count("\n") + 1, len(whole) - whole.rfind("\n")
        reason = "not well-formed: half a pair of surrogates"
        raise DocumentError(reason, line=line, column=column) from None


def _first_surrogate(text: str) -> int:
    found = _SURROGATE.search(text)
    return found.start() if found else len(text)


def encoding_of(data: bytes) -> str | None:
    """Python's codec for a document that begins like this, or None when its bytes are UTF-8 as they stand."""
    if data.startswith(BOM):
        return None
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf_16"
    name, wide = _declared(data)
    if wide or name is None or name.lower() in ("utf-8", "us-ascii"):
        return wide or None
    # A document that says UTF-16 in single bytes is left to expat, which refuses it.
    return None if name.lower().startswith("utf-16") else codec_of(name)


def from_text(text: str) -> bytes:
    """The bytes of a document given as text, whatever encoding it declares."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start]
        reason = "not well-formed: the text holds a lone surrogate, which no document can"
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise DocumentError(reason, line=line, column=column) from None
    name, _ = _declared(data)
    return data if name is None or name.lower() == "utf-8" else BOM + data


def _refused(name: str) -> DocumentError:
    reason = f"encoding {name} is not supported; UTF-8, UTF-16 and the encodings that extend ASCII are"
    return DocumentError(reason, line=1, column=1)


def _place(before: bytes, codec: str) -> tuple[int, int]:
    text = before.decode(codec, errors="replace")
    return text.count("\n") + 1, len(text) - text.rfind("\n")
