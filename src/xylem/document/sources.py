"""The documents that a list of paths stands for, one at a time, whatever is wrong with any of them.

A path is a file, a directory, or an archive. A directory is walked in sorted order, and every file in it counts
whose name does not start with a dot: what is no XML becomes a reject that the user can see. Links are followed,
but no directory is read twice. Archives are known by their endings: `.zip`, `.tar`, `.tar.gz` and `.tgz` hold
members, sorted and named `archive.zip!member.xml`; any other `.gz` is one document under its own name. With a
record name, every document is split, and record 12 of `file.xml` is `file.xml#12`.

Invariant: at most one document is in memory, and no source that fails stops those after it. Nothing is ever
written under a member's name. This module knows nothing of XML.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from xylem.document.archives import Member, bounded, gzip_stream, is_archive, is_gzip, tar_members, zip_members
from xylem.document.limits import DEFAULT_LIMITS, Limits
from xylem.document.records import split
from xylem.errors import DocumentError

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A document's name, and its bytes or why there are none."""

    name: str
    content: bytes | DocumentError


def documents(
    paths: Iterable[str | Path], *, record: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Source]:
    """The documents behind the paths, in the order given."""
    for path in paths:
        yield from _at(os.fspath(path), record, limits)


def stream_documents(
    name: str, stream: BinaryIO, *, record: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Iterator[Source]:
    """The document, or its records, that a stream holds."""
    try:
        if record is None:
            yield Source(name, bounded(stream, limits))
        else:
            for number, content in enumerate(split(stream, record, limits), 1):
                yield Source(f"{name}#{number}", _named(content, f"{name}#{number}"))
    except DocumentError as error:
        yield _reject(name, error)
    except OSError as error:
        yield _reject(name, _broken(error))


def _at(path: str, record: str | None, limits: Limits) -> Iterator[Source]:
    seen: set[tuple[int, int]] = set()
    waiting = [path]  # the next one last
    while waiting:
        path = waiting.pop()
        try:
            inside = _directory(path, seen)
        except DocumentError as error:
            yield _reject(path, error)
            continue
        if inside is None:
            yield from _file(path, record, limits)
        else:
            waiting += reversed(inside)


def _directory(path: str, seen: set[tuple[int, int]]) -> list[str] | None:
    """What a directory that was not seen yet holds, sorted; None for what is no directory."""
    try:
        found = os.stat(path)
        if not stat.S_ISDIR(found.st_mode):
            return None
        here = (found.st_dev, found.st_ino)
        if here in seen:
            raise DocumentError("a link to a directory that is read already")
        seen.add(here)
        names = sorted(name for name in os.listdir(path) if not name.startswith("."))
    except (OSError, ValueError) as error:
        raise _broken(error) from None
    return [os.path.join(path, name) for name in names]


def _file(path: str, record: str | None, limits: Limits) -> Iterator[Source]:
    try:
        stream = _opened(path)
    except DocumentError as error:
        yield _reject(path, error)
        return
    with stream:
        if is_archive(path):
            yield from _members(path, stream, record, limits)
        elif is_gzip(path):
            yield from stream_documents(path, gzip_stream(stream, limits), record=record, limits=limits)
        else:
            yield from stream_documents(path, stream, record=record, limits=limits)


def _opened(path: str) -> BinaryIO:
    """The file, if it is one: opening must not wait for whoever may write into a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise _not_regular(path) or _broken(error) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_regular(path) or DocumentError("not a regular file")
    return os.fdopen(descriptor, "rb")


def _not_regular(path: str) -> DocumentError | None:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None
    kind = next((kind for is_kind, kind in _KINDS if is_kind(mode)), None)
    return DocumentError(f"not a regular file but {kind}") if kind else None


def _members(path: str, stream: BinaryIO, record: str | None, limits: Limits) -> Iterator[Source]:
    members = zip_members if path.lower().endswith(".zip") else tar_members
    try:
        for member in members(path, stream, limits):
            yield from _member(f"{path}!{member.name}", member, record, limits)
    except DocumentError as error:
        yield _reject(path, error)
    except OSError as error:
        yield _reject(path, _broken(error))


def _member(name: str, member: Member, record: str | None, limits: Limits) -> Iterator[Source]:
    try:
        stream = member.open()
    except DocumentError as error:
        yield _reject(name, error)
        return
    with stream:
        yield from stream_documents(name, stream, record=record, limits=limits)


def _reject(name: str, error: DocumentError) -> Source:
    return Source(name, _named(error, name))


def _named(content: bytes | DocumentError, name: str) -> bytes | DocumentError:
    if isinstance(content, DocumentError):
        return DocumentError(content.reason, line=content.line, column=content.column, document=name)
    return content


def _broken(error: OSError | ValueError) -> DocumentError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return DocumentError(f"cannot be read: {reason[:1].lower()}{reason[1:]}")
