"""Files of subscriptions: TSV, CSV and JSON Lines.

    TSV     id<TAB>xpath                     lines that begin with # and blank lines are skipped
    CSV     id,xpath[,namespaces]            quoted as usual; a first row that names the columns is a header;
                                             namespaces as p=URI, several separated by blanks
    JSONL   {"id": …, "xpath": …, "namespaces": {…}}   one object a line

All are UTF-8, with or without a byte order mark; lines end with LF or CRLF.

A file that is not of its form is refused as a whole, naming the line, for then nothing in it can be
trusted; whether an expression is one that can be matched is decided later, one by one.

This module knows nothing of XPath.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import msgspec

from xylem.errors import SubscriptionFileError

# Python's own limit for a field of a CSV file, 128 KiB, would refuse the whole file for one long expression.
_CSV_FIELD_LIMIT = 1 << 26

# A name without colon, as XML has them; what is beyond is no prefix that an expression could name.
_PREFIX = re.compile(r"[^\W\d][\w.\-]*")
_XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
_WORDS = re.compile(r"[\w \-]*")


class Form(Enum):
    """The form of a subscription file."""

    TSV = "tsv"
    CSV = "csv"
    JSONL = "jsonl"


_FORM_OF_ENDING = {".csv": Form.CSV, ".jsonl": Form.JSONL, ".ndjson": Form.JSONL}


@dataclass(frozen=True, slots=True)
class Entry:
    """One subscription as the file has it, with the 1-based line that it begins on."""

    id: str
    xpath: str
    line: int
    namespaces: Mapping[str, str] = field(default_factory=dict)


def form_of(name: str) -> Form:
    """The form that a file's ending tells; TSV where it tells nothing."""
    return _FORM_OF_ENDING.get(Path(name).suffix.lower(), Form.TSV)


def entries(data: bytes, name: str, form: Form | None = None) -> Iterator[Entry]:
    """The subscriptions in a file's content, in order. Raises SubscriptionFileError where it is not of its form,
    or has none at all."""
    text = _decode(data, name)
    read = {Form.TSV: _tsv, Form.CSV: _csv, Form.JSONL: _jsonl}[form or form_of(name)]
    empty = True
    for entry in read(text, name):
        if not entry.id:
            raise SubscriptionFileError(
                "the id is empty, expected one before the expression", path=name, line=entry.line
            )
        empty = False
        yield entry
    if empty:
        raise SubscriptionFileError("holds no subscriptions", path=name)


def _decode(data: bytes, name: str) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SubscriptionFileError("is UTF-16, expected UTF-8", path=name, line=1)
    if (at := data.find(b"\0")) >= 0:
        raise SubscriptionFileError("is binary (it has a NUL byte), expected text", path=name, line=_line(data, at))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"is not UTF-8: met byte 0x{data[error.start]:02x}"
        raise SubscriptionFileError(found, path=name, line=_line(data, error.start)) from None


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1


def _lines(text: str) -> Iterator[tuple[int, str]]:
    # Not str.splitlines: it also ends lines at characters that may stand in an expression, like U+2028.
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        yield number, line.rstrip("\r\n")


def _tsv(text: str, name: str) -> Iterator[Entry]:
    for number, line in _lines(text):
        if not line.strip() or line.startswith("#"):
            continue
        identifier, tab, xpath = line.partition("\t")
        if not tab:
            raise SubscriptionFileError(f"met {_short(line)}, expected id<TAB>xpath", path=name, line=number)
        yield Entry(identifier.strip(), xpath.strip(), number)


def _csv(text: str, name: str) -> Iterator[Entry]:
    csv.field_size_limit(_CSV_FIELD_LIMIT)
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    columns: tuple[str, ...] | None = None
    begin = 1
    try:
        for row in rows:
            line, begin = begin, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns = _header(row, name, line)
                if columns is not None:
                    continue
                columns = ("id", "xpath", "namespaces")
            yield _csv_entry(columns, row, name, line)
    except csv.Error as error:
        raise SubscriptionFileError(f"is no CSV: {error}", path=name, line=rows.line_num) from None


def _header(row: list[str], name: str, line: int) -> tuple[str, ...] | None:
    """The names of the columns, if the first row names them. A row of plain words with only one of the two that must
    be there is refused: as a subscription it would mean nothing that anybody wants."""
    cells = tuple(cell.strip().lower() for cell in row)
    known = {"id", "xpath"} & set(cells)
    if len(known) == 1 and all(_WORDS.fullmatch(cell) for cell in cells):
        (missing,) = {"id", "xpath"} - known
        raise SubscriptionFileError(f"a header without the column `{missing}`", path=name, line=line)
    if len(set(cells)) < len(cells) and len(known) == 2:
        raise SubscriptionFileError("a header that names a column twice", path=name, line=line)
    return cells if len(known) == 2 else None


def _csv_entry(columns: tuple[str, ...], row: list[str], name: str, line: int) -> Entry:
    cells = dict(zip(columns, row, strict=False))
    if len(row) > len(columns) or "id" not in cells or "xpath" not in cells:
        wanted = ",".join(columns)
        raise SubscriptionFileError(f"met {len(row)} fields, expected {wanted}", path=name, line=line)
    try:
        namespaces = bindings(cells.get("namespaces", "").split())
    except ValueError as error:
        raise SubscriptionFileError(str(error), path=name, line=line) from None
    return Entry(cells["id"].strip(), cells["xpath"].strip(), line, namespaces)


class _JsonLine(msgspec.Struct, forbid_unknown_fields=True):
    id: str | int
    xpath: str
    namespaces: dict[str, str] = {}


def _jsonl(text: str, name: str) -> Iterator[Entry]:
    decoder = msgspec.json.Decoder(_JsonLine)
    for number, line in _lines(text):
        if not line.strip():
            continue
        try:
            item = decoder.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            wanted = '{"id": …, "xpath": …, "namespaces": {…}}'
            message = f"met {_short(line)}, expected {wanted}: {error}"
            raise SubscriptionFileError(message, path=name, line=number) from None
        try:
            for prefix, uri in item.namespaces.items():
                _check_binding(prefix, uri, f"{prefix}={uri}")
        except ValueError as error:
            raise SubscriptionFileError(str(error), path=name, line=number) from None
        yield Entry(str(item.id).strip(), item.xpath, number, item.namespaces)


def bindings(pairs: list[str]) -> dict[str, str]:
    """Namespace prefixes from `p=URI` each; ValueError names the one that is not of that form."""
    bound: dict[str, str] = {}
    for pair in pairs:
        prefix, _, uri = pair.partition("=")
        _check_binding(prefix, uri, pair)
        if bound.setdefault(prefix, uri) != uri:
            raise ValueError(f"the prefix {prefix!r} is bound twice, to {bound[prefix]!r} and to {uri!r}")
    return bound


def _check_binding(prefix: str, uri: str, pair: str) -> None:
    """Raises ValueError for a binding that no expression could use, or that would not mean what it says."""
    if not uri or not _PREFIX.fullmatch(prefix):
        raise ValueError(f"met the namespace {_short(pair)}, expected prefix=URI")
    if prefix == "xmlns" or (prefix == "xml") is not (uri == _XML_NAMESPACE):
        raise ValueError(f"met the namespace {_short(pair)}: xml and xmlns mean what they mean everywhere")


def _short(text: str, most: int = 60) -> str:
    """Foreign text for a message: printable, quoted, and not too long."""
    return repr(text if len(text) <= most else text[: most - 1] + "…")
