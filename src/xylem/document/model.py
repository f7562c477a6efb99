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

from typing import Any, NamedTuple

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


FRAME_INTEGERS = 4 * len(DocumentArrays._fields)  # 32-bit integers that the words of its frame take


class Packed(NamedTuple):
    """Where a reader put the columns of a document: in one block, and how many there are of everything."""

    block: IntArray
    address: int
    rows: int
    attributes: int
    texts: int
    text_bytes: int
    attribute_bytes: int

    def columns(self) -> DocumentArrays:
        """The columns as slices of the block."""
        place = FRAME_INTEGERS

        def column(count: int) -> IntArray:
            nonlocal place
            place += count
            return self.block[place - count : place]

        rows = [column(self.rows) for _ in range(6)]
        starts, names, offsets = column(self.rows + 1), column(self.attributes), column(self.attributes + 1)
        parents, text_offsets = column(self.texts), column(self.texts + 1)
        octets = self.block[place:].view(np.uint8)
        values, text = octets[: self.attribute_bytes], octets[self.attribute_bytes :][: self.text_bytes]
        tag, parent, depth, end, text_start, text_end = rows
        return DocumentArrays(
            tag, parent, depth, end, text_start, text_end, starts, names, offsets, values, parents, text_offsets, text
        )


class Document:
    """One parsed document. `version` is the vocabulary's at the time of reading; `skipped_entities` counts
    references to entities that only an unread external DTD could declare. Its arrays are made when they are asked for:
    kernels only want to know where the columns are."""

    __slots__ = ("_arrays", "_frame", "_packed", "data", "skipped_entities", "version", "vocabulary")

    def __init__(
        self,
        data: bytes,
        arrays: DocumentArrays | Packed,
        vocabulary: Vocabulary,
        version: int,
        skipped_entities: int = 0,
    ) -> None:
        self.data = data
        self.vocabulary = vocabulary
        self.version = version
        self.skipped_entities = skipped_entities
        self._frame: Any = None
        self._packed = arrays if type(arrays) is Packed else None
        self._arrays = None if type(arrays) is Packed else arrays

    @property
    def arrays(self) -> DocumentArrays:
        if self._arrays is None:
            assert self._packed is not None
            self._arrays = self._packed.columns()
        return self._arrays  # type: ignore[return-value]

    @property
    def address(self) -> int:
        """Where the frame of the arrays is (see `xylem.frames`)."""
        if self._packed is not None:
            return self._packed.address
        if self._frame is None:
            from xylem.frames import Frame  # which the plain reader can do without

            self._frame = Frame(self.arrays)
        return int(self._frame.address)

    @property
    def rows(self) -> int:
        """Elements, and the document node."""
        return self._packed.rows if self._packed is not None else len(self.arrays.tag)

    @property
    def attributes(self) -> int:
        return self._packed.attributes if self._packed is not None else len(self.arrays.attr_name)

    @property
    def characters(self) -> int:
        """Bytes of text and attribute values."""
        if self._packed is not None:
            return self._packed.text_bytes + self._packed.attribute_bytes
        return len(self.arrays.text) + len(self.arrays.attr_text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Document, (self.data, self.arrays, self.vocabulary, self.version, self.skipped_entities))

    def __len__(self) -> int:
        """The number of elements."""
        return self.rows - 1

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
