"""An object and its arrays as a file that is mapped into memory when it is loaded.

Arrays are not copied and not even read until somebody looks at them, and processes that load one file share its pages.
What a process changes later is its own: the pages are copied as they are written to, and the file stays as it is.

    8 bytes   what the file is, with the number of this layout
    8 bytes   length of the index
    index     msgpack: version of the package, total length, place and length of the pickle and of each array
    then      the pickle and the arrays, each at a multiple of 64 bytes

A file appears whole or not at all. What it holds is a pickle: loading one means trusting who wrote it.

This module knows nothing of what is stored.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from xylem.errors import UsageError

MAGIC = b"xylem\0\0\1"
_ALIGNED = 64  # bytes: a cache line, and more than any number in an array needs


class _Index(msgspec.Struct, array_like=True, frozen=True):
    version: str
    length: int
    places: list[tuple[int, int]]  # the pickle, then the arrays


def save(thing: object, path: str | os.PathLike[str]) -> None:
    """Writes an object to a file, in place of what was there."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(pickled), *(buffer.raw() for buffer in buffers)]
    target = Path(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            _write(file, parts)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _write(file: BinaryIO, parts: list[memoryview]) -> None:
    # The index tells places that depend on its own length; numbers of one size settle that.
    encode = msgspec.msgpack.encode
    largest = 1 << 62
    room = len(encode(_Index(_version(), largest, [(largest, largest)] * len(parts))))
    at = _aligned(len(MAGIC) + 8 + room)
    places = []
    for part in parts:
        places.append((at, part.nbytes))
        at = _aligned(at + part.nbytes)
    index = encode(_Index(_version(), at, places))
    file.write(MAGIC + len(index).to_bytes(8, "little") + index)
    for (start, _), part in zip(places, parts, strict=True):
        file.write(bytes(start - file.tell()))
        file.write(part)
    file.write(bytes(at - file.tell()))


def load(path: str | os.PathLike[str]) -> Any:
    """The object of a file, its arrays mapped; raises UsageError for a file that this version did not write."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(len(MAGIC) + 8)
        if size < len(MAGIC) + 8 or not head.startswith(MAGIC):
            raise UsageError(f"{os.fspath(path)} was not saved by this version of Xylem, or is damaged")
        index = _index(file.read(min(size, int.from_bytes(head[len(MAGIC) :], "little"))), path)
        if index.version != _version() or index.length != size:
            raise UsageError(f"{os.fspath(path)} was saved by version {index.version} of Xylem, or is cut short")
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    pickled, *arrays = (whole[start : start + length] for start, length in index.places)
    return pickle.loads(pickled, buffers=arrays)


def _index(data: bytes, path: str | os.PathLike[str]) -> _Index:
    try:
        return msgspec.msgpack.decode(data, type=_Index)
    except msgspec.DecodeError as error:
        raise UsageError(f"{os.fspath(path)} is damaged: {error}") from error


def _aligned(at: int) -> int:
    return -(-at // _ALIGNED) * _ALIGNED


def _version() -> str:
    """The package's version: engines lay out their arrays as they please, each version in its own way."""
    try:
        return metadata.version("xylem")
    except metadata.PackageNotFoundError:
        return "unknown"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
