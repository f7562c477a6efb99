"""Archives: members by name and in order, and every broken or hostile one a named reject that costs nobody else."""

from __future__ import annotations

import gzip
import io
import os
import random
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scale import scaled
from xylem.document import Limits, Source, documents
from xylem.errors import DocumentError


def _read(path: Path, **options: object) -> list[Source]:
    return list(documents([path], **options))  # type: ignore[arg-type]


def _zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def _tar(members: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


MEMBERS = {
    "b.xml": b"<b/>",
    "a/2.xml": b"<two/>",
    "a/10.xml": b"<ten/>",
    "a.xml": b"<a/>",
    "é.xml": b"<e/>",
    ".hid": b"<h/>",
}
SORTED = ["a/10.xml", "a/2.xml", "a.xml", "b.xml", "é.xml"]

ARCHIVES: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "x.zip": _zip,
    "stored.ZIP": lambda members: _zip(members, zipfile.ZIP_STORED),
    "x.tar": _tar,
    "x.tar.gz": lambda members: _tar(members, "w:gz"),
    "x.tgz": lambda members: _tar(members, "w:gz"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_members_are_sorted_and_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name](MEMBERS))
    assert [(source.name, source.content) for source in _read(path)] == [
        (f"{path}!{member}", MEMBERS[member]) for member in SORTED
    ]


@pytest.mark.parametrize("name", ARCHIVES)
def test_records_of_members(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name]({"m.xml": b"<a><r>1</r><r/></a>", "n.xml": b"<r/>"}))
    found = _read(path, record="r")
    assert [(source.name.partition("!")[2], source.content) for source in found] == [
        ("m.xml#1", b"<r>1</r>"),
        ("m.xml#2", b"<r/>"),
        ("n.xml#1", b"<r/>"),
    ]


@pytest.mark.parametrize("name", ARCHIVES)
def test_members_leave_nothing_on_disk(name: str, tmp_path: Path) -> None:
    path = tmp_path / "in" / name
    path.parent.mkdir()
    members = {"../../escaped.xml": b"<a/>", "/rooted.xml": b"<b/>", "some\\back.xml": b"<c/>"}
    path.write_bytes(ARCHIVES[name](members))
    found = _read(path)
    assert sorted(source.content for source in found if isinstance(source.content, bytes)) == [
        b"<a/>",
        b"<b/>",
        b"<c/>",
    ]
    assert all(source.name.startswith(f"{path}!") for source in found)
    assert sorted(entry for _, _, names in os.walk(tmp_path) for entry in names) == [name]


def test_a_compressed_document(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(b"<a>") + gzip.compress(b"</a>"))
    assert _read(path) == [Source(str(path), b"<a></a>")]


def _flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def _encrypted() -> bytes:
    data = bytearray(_zip({"a.xml": b"<a/>"}))
    data[6] |= 1  # the flag in the local header, and in the central directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def _bad_sum() -> bytes:
    data = _zip({"a.xml": b"<a>some text</a>"}, zipfile.ZIP_STORED)
    return data.replace(b"some text", b"same text")


# File name, content, and for each document in it its name behind the path and a part of the reason.
BROKEN: dict[str, tuple[Callable[[], bytes], list[tuple[str, str]]]] = {
    "no.zip": (lambda: b"<a/>", [("", "a broken archive: file is not a zip file")]),
    "empty.zip": (lambda: b"", [("", "a broken archive: file is not a zip file")]),
    "no.tar": (lambda: b"<a/>" * 200, [("", "a broken archive")]),
    "no.tar.gz": (lambda: b"<a/>", [("", "a broken archive: not a gzipped file")]),
    "no.xml.gz": (lambda: b"<a/>", [("", "a broken archive: not a gzipped file")]),
    "cut.zip": (lambda: _zip(MEMBERS)[:-30], [("", "a broken archive")]),
    "cut.tar.gz": (lambda: _tar(MEMBERS, "w:gz")[:-20], [("", "a broken archive: compressed file ended")]),
    "cut.xml.gz": (lambda: gzip.compress(b"<a/>" * 999)[:-9], [("", "a broken archive: compressed file ended")]),
    "sum.xml.gz": (lambda: _flipped(gzip.compress(b"<a/>"), -8), [("", "a broken archive: cRC check failed")]),
    "sum.zip": (_bad_sum, [("!a.xml", "a broken archive: bad CRC-32 for file 'a.xml'")]),
    "encrypted.zip": (_encrypted, [("!a.xml", "an encrypted member, which is not opened")]),
    "bzip2.zip": (lambda: _zip({"a.xml": b"<a/>"}, zipfile.ZIP_BZIP2), [("!a.xml", "neither stored nor deflated")]),
    "lzma.zip": (lambda: _zip({"a.xml": b"<a/>"}, zipfile.ZIP_LZMA), [("!a.xml", "neither stored nor deflated")]),
    "nested.zip": (lambda: _zip({"n.zip": _zip(MEMBERS)}), [("!n.zip", "an archive inside an archive")]),
    "nested.tar": (lambda: _tar({"n.tar.gz": _tar(MEMBERS)}), [("!n.tar.gz", "an archive inside an archive")]),
    "nested.tgz": (lambda: _tar({"n.xml.gz": b""}, "w:gz"), [("!n.xml.gz", "an archive inside an archive")]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_archives(name: str, tmp_path: Path) -> None:
    write, expected = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(write())
    found = _read(path)
    assert [source.name for source in found] == [f"{path}{member}" for member, _ in expected]
    for source, (_, reason) in zip(found, expected, strict=True):
        assert isinstance(source.content, DocumentError)
        assert reason.lower() in source.content.reason.lower()
        assert source.content.document == source.name


def test_a_tar_that_is_cut_gives_what_was_whole(tmp_path: Path) -> None:
    path = tmp_path / "cut.tar"
    path.write_bytes(_tar({"a.xml": b"<a/>", "b.xml": b"<b>" + b"x" * 5_000 + b"</b>"})[:3_000])
    found = _read(path)
    assert any(isinstance(source.content, DocumentError) for source in found)


def test_special_members_of_a_tar(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_bytes(b"<secret/>")
    kinds = {
        "hard.xml": tarfile.LNKTYPE,
        "soft.xml": tarfile.SYMTYPE,
        "pipe.xml": tarfile.FIFOTYPE,
        "char.xml": tarfile.CHRTYPE,
        "block.xml": tarfile.BLKTYPE,
    }
    path = tmp_path / "special.tar"
    with tarfile.open(path, "w") as archive:
        for name, kind in kinds.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, str(tmp_path / "secret.xml")
            archive.addfile(info)
        directory = tarfile.TarInfo("directory.xml")
        directory.type = tarfile.DIRTYPE
        archive.addfile(directory)
        whole = tarfile.TarInfo("whole.xml")
        whole.size = 4
        archive.addfile(whole, io.BytesIO(b"<a/>"))
    found = {source.name.partition("!")[2]: source.content for source in _read(path)}
    assert found.pop("whole.xml") == b"<a/>"
    assert set(found) == set(kinds)
    for content in found.values():
        assert isinstance(content, DocumentError)
        assert "not a regular file" in content.reason


def test_a_zip_member_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "unnamed.zip"
    data = _zip({"aaaa": b"<a/>"}, zipfile.ZIP_STORED)
    # The central directory says that the name is empty, and that its four bytes are the comment.
    place = data.index(b"PK\x01\x02")
    lengths = bytes([0, 0, 0, 0, 4, 0])
    path.write_bytes(data[: place + 28] + lengths + data[place + 34 :])
    (found,) = _read(path)
    assert isinstance(found.content, DocumentError)
    assert found.content.reason.startswith("a broken archive")


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "link.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("link.xml")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/hostname")
    (found,) = _read(path)
    assert isinstance(found.content, DocumentError)
    assert "not a regular file" in found.content.reason


def _zeros(size: int) -> bytes:
    """A gzip file of so many zeros, written without ever holding them."""
    compressor, block = zlib.compressobj(9, wbits=31), bytes(1 << 20)
    return b"".join([*(compressor.compress(block) for _ in range(size >> 20)), compressor.flush()])


@pytest.mark.parametrize("name", ["bomb.xml.gz", "bomb.tar.gz"])
def test_a_gigabyte_in_a_megabyte(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(_zeros(1 << 30))
    assert path.stat().st_size < 1 << 21
    start = time.monotonic()
    (found,) = _read(path)
    assert time.monotonic() - start < 30
    assert isinstance(found.content, DocumentError)
    assert found.content.reason.startswith("limit `archive_ratio` exceeded: more than 200 times its own size")


def test_a_bomb_beside_honest_members(tmp_path: Path) -> None:
    path = tmp_path / "bombs.zip"
    path.write_bytes(_zip({"a.xml": b"<a/>", "b.xml": bytes(30 << 20), "c.xml": bytes(30 << 20), "d.xml": b"<d/>"}))
    found = {source.name.partition("!")[2]: source.content for source in _read(path)}
    assert (found["a.xml"], found["d.xml"]) == (b"<a/>", b"<d/>")
    for name in ("b.xml", "c.xml"):
        content = found[name]
        assert isinstance(content, DocumentError)
        assert "archive_ratio" in content.reason


def test_many_bombs_that_are_small_each(tmp_path: Path) -> None:
    """The archive as a whole has a bound of its own; what comes after is refused too, but by name."""
    path = tmp_path / "many.zip"
    path.write_bytes(_zip({f"{number:02}.xml": bytes(7 << 20) for number in range(20)}))
    reasons = [source.content.reason for source in _read(path) if isinstance(source.content, DocumentError)]
    assert len(reasons) > 5
    assert all("archive_ratio" in reason for reason in reasons)


def test_limits_of_archives(tmp_path: Path) -> None:
    for name, write in ARCHIVES.items():
        path = tmp_path / name
        path.write_bytes(write({f"{number}.xml": b"<a/>" for number in range(5)}))
        assert len(_read(path, limits=Limits(archive_members=5))) == 5
        (found,) = _read(path, limits=Limits(archive_members=4))
        assert isinstance(found.content, DocumentError)
        assert found.content.reason.startswith("limit `archive_members` exceeded: more than 4 members")


def test_a_member_over_the_limit_of_bytes(tmp_path: Path) -> None:
    for name, write in ARCHIVES.items():
        path = tmp_path / name
        path.write_bytes(write({"a.xml": b"<a/>", "b.xml": b"<b>1</b>"}))
        first, second = _read(path, limits=Limits(bytes=4))
        assert first.content == b"<a/>"
        assert isinstance(second.content, DocumentError)
        assert second.content.reason.startswith("limit `bytes` exceeded")


def test_a_tar_header_that_asks_for_too_much(tmp_path: Path) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 33
    path = tmp_path / "long.tar"
    path.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(2_048))
    (found,) = _read(path)
    assert isinstance(found.content, DocumentError)
    assert found.content.reason == "a broken archive: a header that is too long"


def test_a_tar_member_of_negative_size(tmp_path: Path) -> None:
    header = bytearray(tarfile.TarInfo("a.xml").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = b"\xff" * 12
    header[148:156] = b"        "
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "negative.tar"
    path.write_bytes(bytes(header) + bytes(2_048))
    (found,) = _read(path)
    assert isinstance(found.content, DocumentError)
    assert found.content.reason.startswith("a broken archive")


@pytest.mark.parametrize("name", [*ARCHIVES, "x.xml.gz"])
def test_damaged_anywhere(name: str, tmp_path: Path) -> None:
    """Bytes changed, cut or doubled anywhere: every outcome is a document or a named reject."""
    whole = ARCHIVES[name](MEMBERS) if name in ARCHIVES else gzip.compress(b"<a>text</a>" * 50)
    choose = random.Random(name)
    path = tmp_path / name
    for _ in range(scaled(300)):
        data = bytearray(whole)
        for _ in range(choose.choice((1, 1, 2, 8))):
            data[choose.randrange(len(data))] = choose.choice((0, 1, 0x7F, 0x80, 0xFF, choose.randrange(256)))
        if choose.random() < 0.3:
            del data[choose.randrange(len(data)) :]
        path.write_bytes(data)
        for source in _read(path):
            assert source.name.startswith(str(path))
            assert isinstance(source.content, bytes) or source.content.reason


def test_nothing_is_decompressed_before_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "lazy.zip"
    path.write_bytes(_zip({"a.xml": b"<a/>", "b.xml": bytes(200 << 20)}))
    sources = documents([path])
    start = time.monotonic()
    assert next(sources).content == b"<a/>"
    assert time.monotonic() - start < 0.2
