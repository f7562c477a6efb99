"""Archives as streams of members, none of which can grow without bound.

Whatever is decompressed is counted: a member may have `Limits.archive_ratio` times its compressed size beyond the
first eight megabytes, a whole archive as many times its own size beyond 64 (members may share their bytes), and no
document may pass `Limits.bytes`. Members come sorted by the parts of their names; links, devices, sparse and
encrypted members, zip members that are neither stored nor deflated (Python's library decompresses those without a
bound), and archives in archives are rejects. A compressed tar is decompressed once into an anonymous
temporary file, because its members stand in any order.

This module knows nothing of paths but their endings, and writes no file that has a name.
"""

from __future__ import annotations

import gzip
import io
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from xylem.document.limits import AMPLIFICATION_FREE_BYTES, Limits
from xylem.errors import DocumentError

_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")
_BLOCK_BYTES = 256 * 1024

# What a whole archive may hold whatever its size: some small bombs in it must not cost the members after them.
_ARCHIVE_FREE_BYTES = 8 * AMPLIFICATION_FREE_BYTES

# The bit in a zip member's flags.
_ENCRYPTED = 1

# A small decompressed tar stays in memory; a larger one goes to disk.
_SPOOLED_BYTES = 16 * 1024 * 1024

# A tar's header asks for as many bytes as it likes for a long name; no name is that long.
_TAR_READ_BYTES = 1024 * 1024

# What the three libraries raise for what is not an archive, or not a whole one.
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    gzip.BadGzipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    IndexError,
    struct.error,
)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive; `open` raises DocumentError when it is not one that can be read."""

    name: str
    open: Callable[[], BinaryIO]


def is_archive(path: str) -> bool:
    """Whether a file of this name holds members."""
    return path.lower().endswith(_ARCHIVES)


def is_gzip(path: str) -> bool:
    """Whether a file of this name is one compressed document."""
    return path.lower().endswith(".gz") and not is_archive(path)


def bounded(stream: BinaryIO, limits: Limits) -> bytes:
    """All of a stream; raises DocumentError when that is more than a document may be."""
    data = stream.read(limits.bytes + 1)
    if len(data) > limits.bytes:
        raise limits.exceeded("bytes")
    return data


class _Counted(io.RawIOBase):
    """What comes out of a decompressor, held against what went in; broken input becomes DocumentError."""

    def __init__(self, source: BinaryIO, *budgets: _Budget) -> None:
        self._source = source
        self._budgets = budgets

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        blocks = []
        while size != 0:
            try:
                block = self._source.read(_BLOCK_BYTES if size < 0 else min(size, _BLOCK_BYTES))
            except _BROKEN as error:
                raise _damaged(error) from None
            if not block:
                break
            for budget in self._budgets:
                budget.spend(len(block))
            blocks.append(block)
            size -= len(block) if size > 0 else 0
        return b"".join(blocks)

    def close(self) -> None:
        self._source.close()
        super().close()


class _Budget:
    """How much may still come out of some compressed bytes."""

    def __init__(self, size: int, limits: Limits, free: int = AMPLIFICATION_FREE_BYTES) -> None:
        self._left = free + limits.archive_ratio * size
        self._limits = limits

    def spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise self._limits.exceeded("archive_ratio")


def gzip_stream(stream: BinaryIO, limits: Limits) -> BinaryIO:
    """The one document in a gzip file."""
    source = cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    return cast(BinaryIO, _Counted(source, _Budget(_size(stream), limits)))


def zip_members(path: str, stream: BinaryIO, limits: Limits) -> Iterator[Member]:
    """The files in a zip archive."""
    try:
        archive = zipfile.ZipFile(stream)
    except _BROKEN as error:
        raise _damaged(error) from None
    members = [info for info in archive.infolist() if not info.filename.endswith("/")]
    if len(members) > limits.archive_members:
        raise limits.exceeded("archive_members")
    whole = _Budget(_size(stream), limits, _ARCHIVE_FREE_BYTES)

    def opener(info: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
        def open_member() -> BinaryIO:
            _check_kind(info.filename, stat.S_ISLNK(info.external_attr >> 16))
            if info.flag_bits & _ENCRYPTED:
                raise DocumentError("an encrypted member, which is not opened")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DocumentError("a member that is neither stored nor deflated, which is not opened")
            try:
                source = cast(BinaryIO, archive.open(info))
            except _BROKEN as error:
                raise _damaged(error) from None
            return cast(BinaryIO, _Counted(source, _Budget(info.compress_size, limits), whole))

        return open_member

    for info in sorted(members, key=lambda info: info.filename.split("/")):
        if not _hidden(info.filename):
            yield Member(info.filename, opener(info))


def tar_members(path: str, stream: BinaryIO, limits: Limits) -> Iterator[Member]:
    """The files in a tar archive, compressed or not."""
    try:
        plain = stream if path.lower().endswith(".tar") else _unpacked(gzip_stream(stream, limits))
        archive = tarfile.open(fileobj=cast(BinaryIO, _Sparing(plain)), mode="r:")  # noqa: SIM115 (members read it)
        members = []
        for info in archive:
            members.append(info)
            if info.size < 0:
                raise tarfile.ReadError("a member of negative size")
            if len(members) > limits.archive_members:
                raise limits.exceeded("archive_members")
    except _BROKEN as error:
        raise _damaged(error) from None

    def opener(info: tarfile.TarInfo) -> Callable[[], BinaryIO]:
        def open_member() -> BinaryIO:
            _check_kind(info.name, not info.isreg() or info.issparse())
            found = archive.extractfile(info)
            assert found is not None
            return cast(BinaryIO, _Counted(cast(BinaryIO, found)))

        return open_member

    for info in sorted(members, key=lambda info: info.name.split("/")):
        if not info.isdir() and not _hidden(info.name):
            yield Member(info.name, opener(info))


class _Sparing:
    """A tar file from which nobody reads much at once."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, size: int = -1, /) -> bytes:
        if not 0 <= size <= _TAR_READ_BYTES:
            raise tarfile.ReadError("a header that is too long")
        return self._stream.read(size)


def _unpacked(stream: BinaryIO) -> BinaryIO:
    # The archive reads the spool for as long as it lives, so there is no block to open it in.
    spool = tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES)  # noqa: SIM115
    while block := stream.read(_BLOCK_BYTES):
        spool.write(block)
    spool.seek(0)
    return cast(BinaryIO, spool)


def _size(stream: BinaryIO) -> int:
    position = stream.tell()
    size = stream.seek(0, io.SEEK_END)
    stream.seek(position)
    return size


def _hidden(name: str) -> bool:
    return name.rsplit("/", 1)[-1].startswith(".")


def _check_kind(name: str, odd: bool) -> None:
    if odd:
        raise DocumentError("not a regular file but a link, a device or a sparse file in an archive")
    if is_archive(name) or name.lower().endswith(".gz"):
        raise DocumentError("an archive inside an archive, which is not opened")


def _damaged(error: Exception) -> DocumentError:
    reason = str(error).strip().rstrip(".") or "it ends too early"
    return DocumentError(f"a broken archive: {reason[:1].lower()}{reason[1:]}")
