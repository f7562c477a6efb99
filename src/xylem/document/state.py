"""What one parse writes into: a record of 64-bit words and the blocks of memory that it points to.

The record is the `userData` of expat's parser. Three tables of 32-bit columns grow by doubling: rows (one for
the document node and each element), attributes, and text nodes; column `j` of a table starts at its
address + 4 · j · capacity. Two byte buffers hold text and attribute values. Blocks come from the C
heap, because callbacks must grow them.

Invariant: a table's capacity is never below its count, so that `reserve_…` before a write suffices.
This module knows nothing of expat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from xylem.document.limits import PARSING_LIMITS
from xylem.document.memory import free, malloc, memcpy, realloc, store_int, store_word
from xylem.document.model import FRAME_INTEGERS
from xylem.kernels import inlined, kernel, quick_kernel

ROW_COLUMNS = 7
TAG, PARENT, DEPTH, END, TEXT_START, TEXT_END, ATTR_START = range(ROW_COLUMNS)
ATTR_COLUMNS = 2
ATTR_NAME, ATTR_OFFSET = range(ATTR_COLUMNS)
NODE_COLUMNS = 2
NODE_PARENT, NODE_OFFSET = range(NODE_COLUMNS)

# What a parse ends with; Python reads these words in one go.
RESULTS = (
    "failure",
    "error",
    "line",
    "column",
    "unknown_encoding",
    "scratch_bytes",
    "skipped",
    "rows",
    "attributes",
    "nodes",
    "text",
    "attribute_text",
)

_TABLES = ("row_table", "attribute_table", "node_table", "text_block", "attribute_text_block")
_CAPACITIES = tuple(f"{name}_capacity" for name in _TABLES)
_WORK = (
    "current",
    "in_text",
    "declarations",
    "declared",
    "names_size",
    "in_attlist",
    "in_entity",
    "markup",
    "defaults",
    "events",
    "budget",
    "names",
    "parser",
)

# What a parse is given once and for all: addresses of tables of functions, handlers and C strings, two functions
# that handlers call, and the seed of expat's hash tables.
_GIVEN = ("functions", "handlers", "strings", "get_line", "get_column", "salt")

STATE_DTYPE = np.dtype(
    [
        (name, np.int64)
        for name in (*RESULTS, *_TABLES, *_CAPACITIES, *_WORK, *_GIVEN, *(f"max_{name}" for name in PARSING_LIMITS))
    ]
)
STATE_WORDS = len(STATE_DTYPE.names or ())
RESULT_WORDS = len(RESULTS)

_RECORD = numba.from_dtype(STATE_DTYPE)
STATE_POINTER = types.CPointer(_RECORD)  # type: ignore[no-untyped-call]

# Beyond the eight limits (1 + index), a parse can fail for want of memory.
OUT_OF_MEMORY = 100


def word_of(name: str) -> int:
    """The index of a field in the record."""
    names = STATE_DTYPE.names or ()
    return names.index(name)


@intrinsic
def _state_at(typing_context: Any, address: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(_RECORD))

    return _RECORD(types.int64), build


# The record at an address.
state_at: Callable[[int], Any] = cast(Any, _state_at)


@inlined
def _grown_table(table: int, columns: int, used: int, capacity: int) -> int:
    """A table of twice the capacity with the same content, or 0 when there is no memory for it."""
    larger = malloc(8 * columns * capacity)
    if larger != 0:
        for column in range(columns):
            memcpy(larger + 8 * column * capacity, table + 4 * column * capacity, 4 * used)
        free(table)
    return larger


@inlined
def reserve_row(state: Any) -> bool:
    """Room for one more row, if memory allows."""
    if state.rows < state.row_table_capacity:
        return True
    larger = _grown_table(state.row_table, ROW_COLUMNS, state.rows, state.row_table_capacity)
    if larger == 0:
        return False
    state.row_table = larger
    state.row_table_capacity *= 2
    return True


@inlined
def reserve_attribute(state: Any) -> bool:
    """Room for one more attribute, if memory allows."""
    if state.attributes < state.attribute_table_capacity:
        return True
    larger = _grown_table(state.attribute_table, ATTR_COLUMNS, state.attributes, state.attribute_table_capacity)
    if larger == 0:
        return False
    state.attribute_table = larger
    state.attribute_table_capacity *= 2
    return True


@inlined
def reserve_node(state: Any) -> bool:
    """Room for one more text node, if memory allows."""
    if state.nodes < state.node_table_capacity:
        return True
    larger = _grown_table(state.node_table, NODE_COLUMNS, state.nodes, state.node_table_capacity)
    if larger == 0:
        return False
    state.node_table = larger
    state.node_table_capacity *= 2
    return True


@inlined
def reserve_text(state: Any, size: int) -> bool:
    """Room for this many more bytes of character data, if memory allows."""
    needed = state.text + size
    if needed <= state.text_block_capacity:
        return True
    larger = realloc(state.text_block, 2 * needed)
    if larger == 0:
        return False
    state.text_block = larger
    state.text_block_capacity = 2 * needed
    return True


@inlined
def reserve_attribute_text(state: Any, size: int) -> bool:
    """Room for this many more bytes of attribute values, if memory allows."""
    needed = state.attribute_text + size
    if needed <= state.attribute_text_block_capacity:
        return True
    larger = realloc(state.attribute_text_block, 2 * needed)
    if larger == 0:
        return False
    state.attribute_text_block = larger
    state.attribute_text_block_capacity = 2 * needed
    return True


@kernel
def allocate_blocks(address: int, rows: int, size: int) -> bool:
    """First blocks for a record that has none."""
    state = state_at(address)
    state.row_table_capacity = state.attribute_table_capacity = state.node_table_capacity = rows
    state.text_block_capacity = state.attribute_text_block_capacity = size
    state.row_table = malloc(4 * ROW_COLUMNS * rows)
    state.attribute_table = malloc(4 * ATTR_COLUMNS * rows)
    state.node_table = malloc(4 * NODE_COLUMNS * rows)
    state.text_block = malloc(size)
    state.attribute_text_block = malloc(size)
    tables = state.row_table != 0 and state.attribute_table != 0 and state.node_table != 0
    return bool(tables and state.text_block != 0 and state.attribute_text_block != 0)


@kernel
def release_blocks(address: int) -> None:
    """Gives the blocks of a record back."""
    state = state_at(address)
    free(state.row_table)
    free(state.attribute_table)
    free(state.node_table)
    free(state.text_block)
    free(state.attribute_text_block)
    state.row_table = state.attribute_table = state.node_table = 0
    state.text_block = state.attribute_text_block = 0


@inlined
def size_bytes(state: Any) -> int:
    """The bytes of all blocks of a record."""
    columns = ROW_COLUMNS * state.row_table_capacity + ATTR_COLUMNS * state.attribute_table_capacity
    columns += NODE_COLUMNS * state.node_table_capacity
    return int(4 * columns + state.text_block_capacity + state.attribute_text_block_capacity)


@inlined
def _end_column(place: int, last: int) -> int:
    """Closes a column of offsets with the end of its last slice."""
    store_int(place, last)
    return place + 4


@inlined
def _describe(words: int, place: int, size: int) -> int:
    """Writes where a column begins and how many elements it has, as `xylem.frames` wants it."""
    store_word(words, place)
    store_word(words + 8, size)
    return words + 16


@quick_kernel
def pack(address: int, block: npt.NDArray[np.int32]) -> int:
    """Copies everything into one block: the words of the frame of `DocumentArrays`, its columns of integers in their
    order, then both texts. Returns where the block begins."""
    state = state_at(address)
    words = block.ctypes.data
    base = words
    place = words + 4 * FRAME_INTEGERS
    rows, attributes, nodes = state.rows, state.attributes, state.nodes
    for column in range(ROW_COLUMNS):
        memcpy(place, state.row_table + 4 * column * state.row_table_capacity, 4 * rows)
        words = _describe(words, place, rows + (column == ATTR_START))
        place += 4 * rows
    place = _end_column(place, attributes)
    memcpy(place, state.attribute_table, 4 * attributes)
    words = _describe(words, place, attributes)
    place += 4 * attributes
    memcpy(place, state.attribute_table + 4 * state.attribute_table_capacity, 4 * attributes)
    words = _describe(words, place, attributes + 1)
    place = _end_column(place + 4 * attributes, state.attribute_text)
    octets = place + 4 * (2 * nodes + 1)
    memcpy(octets, state.attribute_text_block, state.attribute_text)
    words = _describe(words, octets, state.attribute_text)
    memcpy(place, state.node_table, 4 * nodes)
    words = _describe(words, place, nodes)
    place += 4 * nodes
    memcpy(place, state.node_table + 4 * state.node_table_capacity, 4 * nodes)
    words = _describe(words, place, nodes + 1)
    _end_column(place + 4 * nodes, state.text)
    memcpy(octets + state.attribute_text, state.text_block, state.text)
    _describe(words, octets + state.attribute_text, state.text)
    return int(base)
