"""The source lines of a document's elements, found by parsing it once more: who explains a match wants them, and
nobody else should pay for them.

This module knows nothing of names.
"""

from __future__ import annotations

import numpy as np

from xylem.document.encodings import transcoded
from xylem.document.model import Document, IntArray
from xylem.document.plain import new_parser, run_parser


def line_numbers(document: Document | bytes) -> IntArray:
    """For each row the 1-based line on which its start tag begins; 1 for the document node. An element out of an
    entity has the line of the reference."""
    data = document.data if isinstance(document, Document) else document
    data = transcoded(data) or data
    parser = new_parser(data)
    lines = [1]

    def start(name: str, attributes: list[str]) -> None:
        lines.append(parser.CurrentLineNumber)

    parser.StartElementHandler = start
    run_parser(parser, data)
    return np.array(lines, np.int32)
