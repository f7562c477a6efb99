"""The C callbacks that expat calls while it parses, and the kernel that drives it.

The handlers write a document's arrays as the parse goes along. A parser cannot be stopped through the
capsule, so a document is fed in pieces (`pieces.py` says how large): once a handler has noted a failure, the handlers
do nothing and no further piece is fed. A piece in which nothing at all was reported lies inside one huge token.

Invariant: between two callbacks the tables describe the document up to there, and `current` is the row of the
innermost open element. Handlers know nothing of Python objects and never raise.
"""

from __future__ import annotations

from typing import Any

from numba import carray, types  # type: ignore[attr-defined]

from xylem.document.limits import AMPLIFICATION_FREE_BYTES, PARSING_LIMITS
from xylem.document.memory import (
    call_1,
    call_2,
    call_3,
    call_4,
    copy_bytes,
    load_byte,
    load_int,
    load_word,
    store_int,
    strlen,
)
from xylem.document.names import find_name
from xylem.document.pieces import piece_size
from xylem.document.state import (
    ATTR_START,
    DEPTH,
    END,
    OUT_OF_MEMORY,
    PARENT,
    STATE_POINTER,
    TAG,
    TEXT_END,
    TEXT_START,
    reserve_attribute,
    reserve_attribute_text,
    reserve_node,
    reserve_row,
    reserve_text,
    size_bytes,
    state_at,
)
from xylem.kernels import callback, inlined, kernel

_DEPTH, _ELEMENTS, _ATTRIBUTES, _NAME, _VALUE, _TEXT, _ATTRIBUTE_TEXT, _AMPLIFICATION = range(
    1, len(PARSING_LIMITS) + 1
)

_WORD = types.int64
_QUOTE, _AMPERSAND, _APOSTROPHE, _LESS, _GREATER, _EXCLAMATION, _HASH, _A, _E, _N = b"\"&'<>!#AEN"

# The order of the addresses in the table of functions.
DRIVER_FUNCTIONS = (
    "create",
    "set_user_data",
    "set_hash_salt",
    "set_element",
    "set_character_data",
    "set_comment",
    "set_processing_instruction",
    "set_namespace_declaration",
    "set_default_expand",
    "set_unknown_encoding",
    "parse",
    "get_error_code",
    "free",
)
(
    _F_CREATE,
    _F_USER_DATA,
    _F_SALT,
    _F_ELEMENT,
    _F_CHARACTERS,
    _F_COMMENT,
    _F_INSTRUCTION,
    _F_NAMESPACE,
    _F_DEFAULT,
    _F_UNKNOWN_ENCODING,
    _F_PARSE,
    _F_ERROR,
    _F_FREE,
) = range(0, 8 * len(DRIVER_FUNCTIONS), 8)


@inlined
def _fail(state: Any, failure: int) -> None:
    """Notes the first failure and its place."""
    state.failure = failure
    state.line = call_1(state.get_line, state.parser)
    state.column = call_1(state.get_column, state.parser) + 1


@inlined
def _put(state: Any, row: int, column: int, value: int) -> None:
    store_int(state.row_table + 4 * (column * state.row_table_capacity + row), value)


@inlined
def _get(state: Any, row: int, column: int) -> int:
    return load_int(state.row_table + 4 * (column * state.row_table_capacity + row))


@inlined
def _attribute(state: Any, name: int, value: int) -> int:
    """Appends one attribute; 0, or the failure."""
    name_length, size = strlen(name), strlen(value)
    if name_length > state.max_name:
        return _NAME
    if size > state.max_attribute_value:
        return _VALUE
    if state.attribute_text + size + 8 * state.attributes > state.max_attribute_text:
        return _ATTRIBUTE_TEXT
    if not reserve_attribute(state) or not reserve_attribute_text(state, size):
        return OUT_OF_MEMORY
    entry = state.attribute_table + 4 * state.attributes
    store_int(entry, find_name(state.names, name, name_length))
    store_int(entry + 4 * state.attribute_table_capacity, state.attribute_text)
    copy_bytes(state.attribute_text_block + state.attribute_text, value, size)
    state.attributes += 1
    state.attribute_text += size
    state.names_size += name_length
    return 0


@inlined
def _attributes(state: Any, pairs: int) -> int:
    """Appends the attributes of an element from C's array of names and values; 0, or the failure."""
    count = state.declarations
    state.declared += count
    state.declarations = 0
    while True:
        name = load_word(pairs)
        if name == 0:
            return _ATTRIBUTES if count > state.max_attributes else 0
        count += 1
        if count > state.max_attributes:
            return _ATTRIBUTES
        failure = _attribute(state, name, load_word(pairs + 8))
        if failure != 0:
            return failure
        pairs += 16


@inlined
def _element(state: Any, name: int) -> int:
    """Appends the row of an element and makes it the current one; 0, or the failure."""
    row, parent, length = state.rows, state.current, strlen(name)
    depth = _get(state, parent, DEPTH) + 1
    if depth > state.max_depth:
        return _DEPTH
    if row > state.max_elements:
        return _ELEMENTS
    if length > state.max_name:
        return _NAME
    if not reserve_row(state):
        return OUT_OF_MEMORY
    _put(state, row, TAG, find_name(state.names, name, length))
    _put(state, row, PARENT, parent)
    _put(state, row, DEPTH, depth)
    _put(state, row, TEXT_START, state.text)
    _put(state, row, ATTR_START, state.attributes)
    state.rows = row + 1
    state.current = row
    state.names_size += length
    return 0


@inlined
def _over_budget(state: Any) -> bool:
    """Whether the document has grown too far beyond its size in bytes."""
    pieces = state.attributes + state.rows + state.declared
    return bool(state.text + state.attribute_text + state.names_size + 8 * pieces > state.budget)


@callback(types.void(STATE_POINTER, _WORD, _WORD))
def start_element(pointer: Any, name: int, attributes: int) -> None:
    state = carray(pointer, 1)[0]
    state.events += 1
    if state.failure != 0:
        return
    state.in_text = 0
    failure = _element(state, name)
    if failure == 0:
        failure = _attributes(state, attributes)
    if failure == 0 and _over_budget(state):
        failure = _AMPLIFICATION
    if failure != 0:
        _fail(state, failure)


@callback(types.void(STATE_POINTER, _WORD))
def end_element(pointer: Any, name: int) -> None:
    state = carray(pointer, 1)[0]
    state.events += 1
    if state.failure != 0:
        return
    state.in_text = 0
    row = state.current
    _put(state, row, END, state.rows)
    _put(state, row, TEXT_END, state.text)
    state.current = _get(state, row, PARENT)


@callback(types.void(STATE_POINTER, _WORD, types.int32))
def character_data(pointer: Any, characters: int, length: int) -> None:
    state = carray(pointer, 1)[0]
    state.events += 1
    if state.failure != 0:
        return
    failure = 0
    size = int(length)
    if state.text + size > state.max_text:
        failure = _TEXT
    elif not reserve_text(state, size) or not reserve_node(state):
        failure = OUT_OF_MEMORY
    if failure == 0:
        if state.in_text == 0:
            state.in_text = 1
            entry = state.node_table + 4 * state.nodes
            store_int(entry, state.current)
            store_int(entry + 4 * state.node_table_capacity, state.text)
            state.nodes += 1
        copy_bytes(state.text_block + state.text, characters, size)
        state.text += size
        if _over_budget(state):
            failure = _AMPLIFICATION
    if failure != 0:
        _fail(state, failure)


@callback(types.void(STATE_POINTER, _WORD))
def comment(pointer: Any, text: int) -> None:
    state = carray(pointer, 1)[0]
    state.events += 1
    state.in_text = 0


@callback(types.void(STATE_POINTER, _WORD, _WORD))
def processing_instruction(pointer: Any, target: int, text: int) -> None:
    state = carray(pointer, 1)[0]
    state.events += 1
    state.in_text = 0


@callback(types.void(STATE_POINTER, _WORD, _WORD))
def namespace_declaration(pointer: Any, prefix: int, uri: int) -> None:
    state = carray(pointer, 1)[0]
    state.declarations += 1


@inlined
def _holds_markup(characters: int, length: int) -> bool:
    """Whether part of an entity's value has a tag in it, or a character reference, which may stand for one."""
    for place in range(characters, characters + length):
        if load_byte(place) == _LESS:
            return True
        if load_byte(place) == _AMPERSAND and place + 1 < characters + length and load_byte(place + 1) == _HASH:
            return True
    return False


@inlined
def _declaration(state: Any, characters: int, length: int) -> None:
    """Takes note of a token of the internal subset: `in_attlist` and `in_entity` say in which declaration it stands."""
    first = load_byte(characters)
    if length == 1 and first == _GREATER:
        state.in_attlist = state.in_entity = 0
    elif state.in_attlist != 0:
        if first in (_QUOTE, _APOSTROPHE):
            state.defaults += 1
    elif state.in_entity != 0:
        if state.markup == 0 and _holds_markup(characters, length):
            state.markup = 1
    elif length > 3 and first == _LESS and load_byte(characters + 1) == _EXCLAMATION:
        state.in_attlist = 1 if load_byte(characters + 2) == _A else 0
        state.in_entity = 1 if load_byte(characters + 2) == _E and load_byte(characters + 3) == _N else 0


@callback(types.void(STATE_POINTER, _WORD, types.int32))
def anything_else(pointer: Any, characters: int, length: int) -> None:
    """Inside an element, what has no handler and starts with an ampersand is a reference that expat skipped. Before
    the root element it is a token of the internal subset."""
    state = carray(pointer, 1)[0]
    state.events += 1
    if state.failure != 0 or length <= 0:
        return
    if state.current != 0:
        if load_byte(characters) == _AMPERSAND:
            state.skipped += 1
    elif state.rows == 1:
        _declaration(state, characters, length)
        if state.defaults > state.max_attributes:
            _fail(state, _ATTRIBUTES)
        elif state.markup != 0 and state.defaults > state.max_amplification:
            _fail(state, _AMPLIFICATION)


@callback(types.int32(STATE_POINTER, _WORD, _WORD))
def unknown_encoding(pointer: Any, name: int, information: int) -> int:
    state = carray(pointer, 1)[0]
    state.unknown_encoding = 1
    return 0


HANDLERS = (
    start_element,
    end_element,
    character_data,
    comment,
    processing_instruction,
    namespace_declaration,
    anything_else,
    unknown_encoding,
)


@inlined
def _reset(state: Any, length: int) -> None:
    state.failure = state.line = state.column = state.error = state.skipped = 0
    state.attributes = state.nodes = state.text = state.attribute_text = 0
    state.current = state.in_text = state.declarations = state.events = state.unknown_encoding = 0
    state.declared = state.names_size = state.defaults = 0
    state.in_attlist = state.in_entity = state.markup = 0
    state.budget = max(AMPLIFICATION_FREE_BYTES, state.max_amplification * length)
    state.rows = 1
    _put(state, 0, TAG, 0)
    _put(state, 0, PARENT, -1)
    _put(state, 0, DEPTH, 0)
    _put(state, 0, TEXT_START, 0)
    _put(state, 0, ATTR_START, 0)


@inlined
def _register(state: Any, address: int, parser: int) -> None:
    functions, handlers = state.functions, state.handlers
    call_2(load_word(functions + _F_USER_DATA), parser, address)
    call_3(load_word(functions + _F_ELEMENT), parser, load_word(handlers), load_word(handlers + 8))
    call_2(load_word(functions + _F_CHARACTERS), parser, load_word(handlers + 16))
    call_2(load_word(functions + _F_COMMENT), parser, load_word(handlers + 24))
    call_2(load_word(functions + _F_INSTRUCTION), parser, load_word(handlers + 32))
    call_3(load_word(functions + _F_NAMESPACE), parser, load_word(handlers + 40), 0)
    call_2(load_word(functions + _F_DEFAULT), parser, load_word(handlers + 48))
    call_3(load_word(functions + _F_UNKNOWN_ENCODING), parser, load_word(handlers + 56), address)


@inlined
def _marked_encoding(strings: int, data: int, length: int) -> int:
    """The encoding's name if there is a byte order mark, which says more than the declaration does; else 0."""
    if length < 3:
        return 0
    first, second, third = load_byte(data), load_byte(data + 1), load_byte(data + 2)
    if first == 0xEF and second == 0xBB and third == 0xBF:
        return load_word(strings + 8)
    if (first == 0xFE and second == 0xFF) or (first == 0xFF and second == 0xFE):
        return load_word(strings + 16)
    return 0


_piece_size = inlined(piece_size)


@inlined
def _feed(state: Any, parser: int, parse: int, data: int, length: int) -> bool:
    """Feeds a document piece by piece; whether the parser took all of it."""
    position = unfinished = 0
    while True:
        size = min(_piece_size(state.defaults, state.rows == 1, unfinished), length - position)
        last = position + size == length
        events = state.events
        if call_4(parse, parser, data + position, size, 1 if last else 0) & 0xFFFFFFFF != 1:
            return False
        if last or state.failure != 0:
            return True
        position += size
        unfinished = unfinished + size if state.events == events else 0


@kernel
def parse(address: int, data: int, length: int) -> None:
    """Parses a whole document into the record at an address."""
    state = state_at(address)
    _reset(state, length)
    functions, strings = state.functions, state.strings
    encoding = _marked_encoding(strings, data, length)
    parser = call_3(load_word(functions + _F_CREATE), encoding, 0, load_word(strings))
    if parser == 0:
        state.failure = OUT_OF_MEMORY
        return
    state.parser = parser
    call_2(load_word(functions + _F_SALT), parser, state.salt)
    _register(state, address, parser)
    if not _feed(state, parser, load_word(functions + _F_PARSE), data, length) and state.failure == 0:
        state.error = call_1(load_word(functions + _F_ERROR), parser) & 0xFFFFFFFF
        state.line = call_1(state.get_line, parser)
        state.column = call_1(state.get_column, parser) + 1
    _put(state, 0, END, state.rows)
    _put(state, 0, TEXT_END, state.text)
    state.scratch_bytes = size_bytes(state)
    call_1(load_word(functions + _F_FREE), parser)
