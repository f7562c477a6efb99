"""Paths: files, directories, links and what is neither; one that fails never stops those after it."""

from __future__ import annotations

import io
import os
import socket
from pathlib import Path

import pytest

from xylem.document import Limits, Source, documents, stream_documents
from xylem.errors import DocumentError


def _reasons(sources: list[Source]) -> dict[str, str]:
    return {
        os.path.basename(source.name): source.content.reason
        for source in sources
        if isinstance(source.content, DocumentError)
    }


def test_a_directory_is_walked_in_order(tmp_path: Path) -> None:
    for name in ("b.xml", "a/2.xml", "a/1.xml", "c/d/e.xml", ".hidden.xml", ".git/f.xml", "no-ending"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<{path.stem.strip('.0123456789') or 'n'}/>")
    names = [os.path.relpath(source.name, tmp_path) for source in documents([tmp_path])]
    assert names == ["a/1.xml", "a/2.xml", "b.xml", "c/d/e.xml", "no-ending"]


def test_the_order_given_is_kept_and_repeats_count(tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text("<a/>")
    paths = [tmp_path / "b.xml", tmp_path / "missing.xml", tmp_path / "a.xml", tmp_path / "b.xml", tmp_path, tmp_path]
    names = [os.path.basename(source.name) for source in documents(paths)]
    assert names == ["b.xml", "missing.xml", "a.xml", "b.xml", "a.xml", "b.xml", "a.xml", "b.xml"]


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a/>")
    os.mkfifo(tmp_path / "pipe.xml")
    (tmp_path / "dangling.xml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "itself.xml").symlink_to(tmp_path / "itself.xml")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "null.xml").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket.xml"))
        sources = list(documents([tmp_path]))
    assert [source.content for source in sources if isinstance(source.content, bytes)] == [b"<a/>"]
    assert _reasons(sources) == {
        "again": "a link to a directory that is read already",
        "dangling.xml": "cannot be read: no such file or directory",
        "itself.xml": "cannot be read: too many levels of symbolic links",
        "null.xml": "not a regular file but a character device",
        "pipe.xml": "not a regular file but a named pipe",
        "socket.xml": "not a regular file but a socket",
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a/>")
    (tmp_path / "a.xml").chmod(0)
    (tmp_path / "d").mkdir(mode=0)
    assert _reasons(list(documents([tmp_path]))) == {
        "a.xml": "cannot be read: permission denied",
        "d": "cannot be read: permission denied",
    }


def test_a_path_that_can_be_none() -> None:
    (source,) = documents(["a\0b"])
    assert isinstance(source.content, DocumentError)
    assert source.content.reason == "cannot be read: embedded null byte"


def test_directories_deeper_than_python_recurses(tmp_path: Path) -> None:
    depth = 1_100
    path = tmp_path
    for _ in range(depth):
        path /= "d"
        path.mkdir()
    (path / "a.xml").write_text("<a/>")
    (source,) = documents([tmp_path])
    assert source.content == b"<a/>"
    while path != tmp_path:
        for inner in path.iterdir():
            inner.unlink()
        path.rmdir()
        path = path.parent


def test_one_document_over_the_limit_of_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a/>")
    (tmp_path / "b.xml").write_text("<b>1</b>")
    first, second = documents([tmp_path], limits=Limits(bytes=4))
    assert first.content == b"<a/>"
    assert isinstance(second.content, DocumentError)
    assert second.content.reason.startswith("limit `bytes` exceeded: more than 4 bytes")
    assert second.content.document == second.name


class _Failing(io.RawIOBase):
    def read(self, size: int = -1, /) -> bytes:
        raise OSError(5, "Input/output error")


@pytest.mark.parametrize("record", [None, "a"])
def test_a_stream_that_fails(record: str | None) -> None:
    (source,) = stream_documents("-", _Failing(), record=record)  # type: ignore[arg-type]
    assert isinstance(source.content, DocumentError)
    assert source.content.reason == "cannot be read: input/output error"


def test_files_are_closed(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{number}.xml").write_text("<a/>")
    before = len(os.listdir("/proc/self/fd"))
    sources = documents([tmp_path])
    for _ in range(3):
        next(sources)
    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert len(list(sources)) == 47
    assert len(os.listdir("/proc/self/fd")) == before
