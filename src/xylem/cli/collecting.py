"""Where generated things go: files, a folder, an archive or Parquet, as the ending of the name says.

Whatever it is appears under its name only when it is whole, so an interrupted run leaves nothing that looks complete
and is not; in a folder that holds for each file. Archives and Parquet are the same bytes each time.

This module knows nothing of what it is handed.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xylem.cli.process import OutputFailed
from xylem.errors import UsageError

_ROWS = 1_000  # of a group in a Parquet file: few enough for memory, enough to compress well
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # that a zip archive can say; what was generated has no time of its own

Member = tuple[str, bytes]


def write_whole(path: Path, chunks: Iterable[bytes]) -> None:
    """Writes a file that appears under its name when it is complete."""
    with whole_file(path) as partial, partial.open("wb") as file:
        for chunk in chunks:
            file.write(chunk)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` in the end, or nothing at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        try:
            yield partial
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise OutputFailed(f"{path}: {error.strerror or error}") from error


def write_documents(out: Path, members: Iterable[Member]) -> None:
    """Writes documents with their names into a folder, or into an archive or a Parquet file by the ending of `out`."""
    name = out.name.lower()
    if name.endswith(".zip"):
        _zip(out, members)
    elif name.endswith((".tar.gz", ".tgz", ".tar")):
        _tar(out, members, packed=not name.endswith(".tar"))
    elif name.endswith(".parquet"):
        write_parquet(out, {"document": "string", "xml": "binary"}, members)
    else:
        make_folder(out)
        for member, data in members:
            write_whole(out / member, (data,))


def make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputFailed(f"{path}: {error.strerror}") from error


def write_parquet(out: Path, columns: dict[str, str], rows: Iterable[Sequence[Any]]) -> None:
    """Writes rows with these columns, given by Arrow's names of their types."""
    pyarrow, parquet = _parquet()
    types = {"map": pyarrow.map_(pyarrow.string(), pyarrow.string())}
    schema = pyarrow.schema([(name, types.get(kind, kind)) for name, kind in columns.items()])
    with whole_file(out) as partial, parquet.ParquetWriter(partial, schema) as writer:
        for group in _groups(rows):
            arrays = [list(column) for column in zip(*group, strict=True)]
            writer.write_table(pyarrow.Table.from_pydict(dict(zip(columns, arrays, strict=True)), schema))


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError("Parquet needs pyarrow, which is not installed: pip install 'xylem[spark]'") from None
    return pyarrow, parquet


def _groups(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    held: list[Sequence[Any]] = []
    for row in rows:
        held.append(row)
        if len(held) == _ROWS:
            yield held
            held = []
    if held:
        yield held


def _zip(out: Path, members: Iterable[Member]) -> None:
    with whole_file(out) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name, _EARLIEST), data, zipfile.ZIP_DEFLATED)


def _tar(out: Path, members: Iterable[Member], packed: bool) -> None:
    with whole_file(out) as partial, partial.open("wb") as file:
        # The header of gzip says a name and a time unless it is told none.
        stream = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else file
        with tarfile.open(fileobj=stream, mode="w") as archive:
            for name, data in members:
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        if stream is not file:
            stream.close()
