"""A document as flat arrays in document order.

Row 0 is the document node; rows 1… are the elements in document order, so the subtree of row `i`
is the rows `i … end[i] - 1`, and a parent always comes before its children. Attributes are rows
of their own, in the order of their elements: those of element `i` are `attr_start[i] …
attr_start[i + 1] - 1`. All character data of the document stands once, in document order, as
UTF-8 in `text`: the string-value of row `i` is the slice `text_start[i] : text_end[i]`, and text
node `k` is the slice `text_offset[k] : text_offset[k + 1]`. A text node is maximal: it ends at a tag,
a comment or a processing instruction, not at a CDATA or entity border.

This module knows nothing of subscriptions; of names it knows the ids that the vocabulary gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.document.vocabulary import Vocabulary

IntArray = npt.NDArray[np.int32]
ByteArray = npt.NDArray[np.uint8]


class DocumentArrays(NamedTuple):
    """What kernels see of a document. n: elements; m: attributes; k: text nodes."""

    tag: IntArray  # n + 1: name id; 0 for OTHER and for the document node
    parent: IntArray  # n + 1: row; -1 for the document node
    depth: IntArray  # n + 1: 0 for the document node, 1 for the root element
    end: IntArray  # n + 1: one past the last row of the subtree
    text_start: IntArray  # n + 1
    text_end: IntArray  # n + 1
    attr_start: IntArray  # n + 2
    attr_name: IntArray  # m: name id
    attr_offset: IntArray  # m + 1: value of attribute j is attr_text[attr_offset[j] : attr_offset[j + 1]]
    attr_text: ByteArray
    text_parent: IntArray  # k: row of the element that the text node is a child of
    text_offset: IntArray  # k + 1
    text: ByteArray


@dataclass(slots=True)
class Document:
    """One parsed document. `version` is the vocabulary's at the time of reading; `skipped_entities` counts
    references to entities that only an unread external DTD could declare."""

    data: bytes
    arrays: DocumentArrays
    vocabulary: Vocabulary
    version: int
    skipped_entities: int = 0

    def __len__(self) -> int:
        """The number of elements."""
        return len(self.arrays.tag) - 1

    def string_value(self, row: int) -> str:
        """XPath's string-value of an element or of the document node (row 0)."""
        a = self.arrays
        return a.text[a.text_start[row] : a.text_end[row]].tobytes().decode()

    def attribute_value(self, index: int) -> str:
        a = self.arrays
        return a.attr_text[a.attr_offset[index] : a.attr_offset[index + 1]].tobytes().decode()

    def text_value(self, index: int) -> str:
        a = self.arrays
        return a.text[a.text_offset[index] : a.text_offset[index + 1]].tobytes().decode()

    def name(self, row: int) -> tuple[str, str | None]:
        """Namespace and local part of an element; ("", None) or (namespace, None) if nobody mentioned it."""
        return self.vocabulary.spell(int(self.arrays.tag[row]))
