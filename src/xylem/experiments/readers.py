"""Reading documents as experiments do: every name of the schema is known, as after many subscriptions.

This module knows nothing of what is measured.
"""

from __future__ import annotations

from collections.abc import Sequence

from xylem.document import Reader, Vocabulary
from xylem.schema import Schema


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
