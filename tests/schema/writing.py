"""Writes DTDs for tests."""

from __future__ import annotations

from pathlib import Path

from xylem.schema import Schema


def schema_of(folder: Path, text: str | bytes, **others: str) -> Schema:
    """The schema that a DTD says; `others` are files beside it, by name with `_` for the dot."""
    for name, content in others.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    path = folder / "test.dtd"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Schema.from_dtd(path)
