"""Reading documents as experiments do: documents of a wanted size, read by a reader that knows every name of their
schema, as after many subscriptions.

This module knows nothing of what is measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.document import Reader, Vocabulary
from xylem.schema import Schema
from xylem.workload import DocumentParameters, SizeClass, documents


def sized_document(schema: Schema, size: int, seed: int) -> bytes:
    """A document of the size or a little more; large ones are like small ones, only repeat more."""
    near = SizeClass(size, int(size * 1.3))
    parameters = DocumentParameters(count=1, seed=seed, sizes=(near,), max_repeats=max(5, size // 1_000))
    return next(documents(schema, parameters))


def informed_reader(schema: Schema) -> Reader:
    vocabulary = Vocabulary()
    for element in schema:
        vocabulary.name("", element.name)
        for attribute in element.attributes:
            vocabulary.name("", attribute.name)
    return Reader(vocabulary)


def read_all(reader: Reader, documents: Sequence[bytes]) -> None:
    for document in documents:
        reader.read(document)
