"""Both readers, and what each of them makes of some bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from tests.document.views import same_arrays
from xylem.document import Document, Limits, Reader, Vocabulary
from xylem.errors import DocumentError

KINDS: tuple[Literal["kernel", "plain"], ...] = ("kernel", "plain")

both_readers = pytest.mark.parametrize("kind", KINDS)

DEFAULT = Limits()


@dataclass(frozen=True)
class Reject:
    reason: str
    line: int
    column: int


def outcome(
    data: bytes | str, kind: Literal["kernel", "plain"], vocabulary: Vocabulary | None = None, limits: Limits = DEFAULT
) -> Document | Reject:
    """The document or the reject; anything else that is raised is an error of the reader."""
    try:
        return Reader(vocabulary or Vocabulary(), limits, kind).read(data)
    except DocumentError as error:
        return Reject(error.reason, error.line, error.column)


def agreed(data: bytes | str, vocabulary: Vocabulary | None = None, limits: Limits = DEFAULT) -> Document | Reject:
    """What both readers make of some bytes, which must be the same to the last number."""
    vocabulary = vocabulary or Vocabulary()
    kernel, plain = (outcome(data, kind, vocabulary, limits) for kind in KINDS)
    if isinstance(kernel, Reject) or isinstance(plain, Reject):
        assert kernel == plain, data[:2_000]
    else:
        assert same_arrays(kernel.arrays, plain.arrays), data[:2_000]
        assert kernel.data == plain.data
        assert (kernel.version, kernel.skipped_entities) == (plain.version, plain.skipped_entities)
        check(kernel)
    return kernel


def check(document: Document) -> None:
    """The invariants of the arrays."""
    a, rows = document.arrays, len(document) + 1
    assert (a.parent[0], a.depth[0], a.end[0], a.text_start[0], a.text_end[0]) == (-1, 0, rows, 0, len(a.text))
    assert (a.parent[1:] < range(1, rows)).all()
    assert (a.depth[1:] == a.depth[a.parent[1:]] + 1).all()
    assert (a.end > range(rows)).all()
    assert (a.end[1:] <= a.end[a.parent[1:]]).all()
    assert (a.text_start[:-1] <= a.text_start[1:]).all()
    assert (a.text_start <= a.text_end).all()
    for offsets, last in ((a.attr_start, len(a.attr_name)), (a.attr_offset, len(a.attr_text))):
        assert offsets[0] == 0
        assert offsets[-1] == last
        assert (offsets[:-1] <= offsets[1:]).all()
    assert a.text_offset[-1] == len(a.text)
    assert (a.text_offset[:-1] < a.text_offset[1:]).all()
    assert (a.text_parent < rows).all()
    a.text.tobytes().decode()
    a.attr_text.tobytes().decode()


def rejected(data: bytes | str, limits: Limits = DEFAULT) -> Reject:
    """The reject that both readers give."""
    found = agreed(data, limits=limits)
    assert isinstance(found, Reject), data[:2_000]
    return found


def accepted(data: bytes | str, limits: Limits = DEFAULT, vocabulary: Vocabulary | None = None) -> Document:
    """The document that both readers read."""
    found = agreed(data, vocabulary, limits)
    assert isinstance(found, Document), found
    return found
