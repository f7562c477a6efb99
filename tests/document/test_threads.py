"""Many threads reading at once, while the vocabulary grows, give what one thread gives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from tests.document.readers import KINDS, Reject, outcome
from tests.document.views import same_arrays
from tests.document.writing import DocumentWriter
from tests.scale import scaled
from xylem.document import Document, Limits, Reader, Vocabulary

_THREADS = 8


def _large(seed: int) -> bytes:
    inner = "".join(
        f"<n{number % 97} a{number % 13}='{seed}'>text {number}</n{number % 97}>" for number in range(2_000)
    )
    return f"<root>{inner}</root>".encode()


def _bad(seed: int) -> bytes:
    return [b"<a><b>" * (seed + 1), b"<a" + b" x=''" * 2, b"<" + b"n" * 70_000 + b"/>", b"<a>&#0;</a>"][seed % 4]


@pytest.mark.parametrize("kind", KINDS)
def test_eight_threads(kind: str) -> None:
    vocabulary = Vocabulary()
    for number in range(0, 97, 2):
        vocabulary.name("", f"n{number}")
    documents = [DocumentWriter(seed).data() for seed in range(200)] + [_large(seed) for seed in range(8)]
    documents += [_bad(seed) for seed in range(20)]
    expected = [outcome(data, kind, vocabulary) for data in documents]  # type: ignore[arg-type]

    def read(seed: int) -> None:
        # Readers of different limits share the pool of scratches.
        reader = Reader(vocabulary, Limits(depth=1_000 + seed % 2), kind)  # type: ignore[arg-type]
        order = list(range(len(documents)))
        Random(seed).shuffle(order)
        for index in order:
            found, wanted = _outcome(reader, documents[index]), expected[index]
            if isinstance(wanted, Document):
                assert isinstance(found, Document)
                assert same_arrays(found.arrays, wanted.arrays)
            else:
                assert isinstance(found, Reject)
                assert (found.line, found.column) == (wanted.line, wanted.column)

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(read, range(scaled(_THREADS * (3 if kind == "kernel" else 1)))))


def _outcome(reader: Reader, data: bytes) -> Document | Reject:
    from xylem.errors import DocumentError

    try:
        return reader.read(data)
    except DocumentError as error:
        return Reject(error.reason, error.line, error.column)


def test_reading_while_the_vocabulary_grows() -> None:
    """A document never shows a wrong name, and shows every name that its version knows."""
    vocabulary = Vocabulary()
    data = _large(0)
    stop = False

    def grow() -> None:
        for number in range(scaled(20_000)):
            vocabulary.name("", f"n{number}")
        nonlocal stop
        stop = True

    def read() -> None:
        reader = Reader(vocabulary)
        while True:
            last = stop
            known = len(vocabulary)
            document = reader.read(data)
            for row, tag in enumerate(document.arrays.tag.tolist()[2:]):
                if tag:
                    assert vocabulary.spell(tag) == ("", f"n{row % 97}")
                else:
                    found = vocabulary.find("", f"n{row % 97}")
                    assert not 0 < found < known
            if last:
                break

    with ThreadPoolExecutor(3) as pool:
        for future in [pool.submit(grow), pool.submit(read), pool.submit(read)]:
            future.result()


def test_documents_outlive_their_reader() -> None:
    """The arrays are a document's own: nothing that is read later changes them."""
    vocabulary = Vocabulary()
    kept = [(seed, Reader(vocabulary).read(_large(seed))) for seed in range(20)]
    for seed, document in kept:
        assert document.attribute_value(7) == str(seed)
        assert same_arrays(document.arrays, Reader(vocabulary).read(_large(seed)).arrays)
