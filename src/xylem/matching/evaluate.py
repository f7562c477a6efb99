"""The exact answer for one pattern and one document, in time linear in both.

A program's nodes are taken one after the other, inner ones first. For each, the document's nodes that have its
name are asked its condition; those that pass mark who *has* such a node: their parent, or all their ancestors, in a
bitmap over the document's rows. What a condition asks of the nodes below is then one bit. Nothing is searched
twice, however the pattern nests and however often `//` stands in it; only a counted path walks the subtree of
each node that it is counted from.

This module knows nothing of how engines find the patterns that are worth asking.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xylem.frames import frame_at
from xylem.kernels import inlined
from xylem.matching.arrays import grown
from xylem.matching.program import (
    COUNT,
    END,
    EXISTS,
    FIRST,
    HEAD,
    JUMP_FALSE,
    JUMP_TRUE,
    NODE_SIZE,
    NOT,
    SELF,
    TEST,
    TRUE,
)
from xylem.matching.text import contains, equal, length_in_characters, normalize, starts_with, to_number
from xylem.xpath.pattern import Kind, Op, View

_ELEMENT, _ATTRIBUTE, _TEXT = (int(kind) for kind in Kind)
_EQ, _NE, _LT, _LE, _GT, _GE, _CONTAINS, _STARTS = (int(op) for op in Op)
_STRING, _NORMAL, _NUMBER, _LENGTH, _NORMAL_LENGTH = (int(view) for view in View)


class EvaluationArrays(NamedTuple):
    """What evaluating needs besides the document: an index by name of one document, and room to work.

    `stamp[0]` is the number of the document that is indexed; an index of another one is simply out of date."""

    stamp: npt.NDArray[np.int64]  # [the document indexed]
    tag_stamp: npt.NDArray[np.int64]  # per name: the document whose list begins at…
    tag_head: npt.NDArray[np.int32]  # … this row
    tag_next: npt.NDArray[np.int32]  # per row: the next row of the same name, ascending
    attr_stamp: npt.NDArray[np.int64]
    attr_head: npt.NDArray[np.int32]
    attr_next: npt.NDArray[np.int32]
    attr_owner: npt.NDArray[np.int32]  # per attribute: the row of its element
    bits: npt.NDArray[np.uint64]  # a bitmap for each node of the program
    reached: npt.NDArray[np.int64]  # per row, for counted paths: how far down the path it is
    above: npt.NDArray[np.int64]  # … and how far it or a node above it is
    buffer: npt.NDArray[np.uint8]  # a normalised string


evaluation_at = frame_at(EvaluationArrays)


def new_evaluation() -> EvaluationArrays:
    def rows() -> npt.NDArray[np.int32]:
        return np.zeros(64, np.int32)

    return EvaluationArrays(
        np.full(1, -1, np.int64), np.full(64, -1, np.int64), rows(), rows(),
        np.full(64, -1, np.int64), rows(), rows(), rows(),
        np.zeros(64, np.uint64), np.zeros(64, np.int64), np.zeros(64, np.int64), np.zeros(64, np.uint8),
    )  # fmt: skip


def fitted(
    e: EvaluationArrays, rows: int, attributes: int, texts: int, characters: int, names: int, nodes: int
) -> EvaluationArrays:
    """The arrays with room for a document of this size and programs of up to `nodes` nodes."""
    bits = nodes * words(rows, attributes, texts)
    if (
        len(e.tag_next) >= rows
        and len(e.attr_next) >= attributes
        and len(e.tag_head) >= names
        and len(e.buffer) >= characters
        and len(e.bits) >= bits
    ):
        return e
    return e._replace(
        tag_stamp=grown(e.tag_stamp, names, -1),
        tag_head=grown(e.tag_head, names),
        tag_next=grown(e.tag_next, rows),
        attr_stamp=grown(e.attr_stamp, names, -1),
        attr_head=grown(e.attr_head, names),
        attr_next=grown(e.attr_next, attributes),
        attr_owner=grown(e.attr_owner, attributes),
        bits=grown(e.bits, bits),
        reached=grown(e.reached, rows),
        above=grown(e.above, rows),
        buffer=grown(e.buffer, characters),
    )


def words(rows: int, attributes: int, texts: int) -> int:
    """64-bit words of one bitmap."""
    return (max(rows, attributes, texts) + 63) // 64 + 1


@inlined
def index_document(e, doc, number):  # type: ignore[no-untyped-def]
    """Lists the rows and attributes of each name, unless this document is the one indexed. O(n + m)."""
    if e.stamp[0] == number:
        return
    e.stamp[0] = number
    for row in range(len(doc.tag) - 1, 0, -1):
        _prepend(e.tag_stamp, e.tag_head, e.tag_next, number, doc.tag[row], row)
        for at in range(doc.attr_start[row + 1] - 1, doc.attr_start[row] - 1, -1):
            e.attr_owner[at] = row
            _prepend(e.attr_stamp, e.attr_head, e.attr_next, number, doc.attr_name[at], at)


@inlined
def _prepend(stamps, heads, following, number, name, item):  # type: ignore[no-untyped-def]
    following[item] = heads[name] if stamps[name] == number else -1
    stamps[name] = number
    heads[name] = item


@inlined
def _get(bits, base, item):  # type: ignore[no-untyped-def]
    return (bits[base + (item >> 6)] >> np.uint64(item & 63)) & np.uint64(1) != 0


@inlined
def _set(bits, base, item):  # type: ignore[no-untyped-def]
    bits[base + (item >> 6)] |= np.uint64(1) << np.uint64(item & 63)


@inlined
def compare(left, op, right):  # type: ignore[no-untyped-def]
    """A comparison of doubles; NaN differs from everything."""
    if op == _EQ:
        return left == right
    if op == _NE:
        return left != right
    if op == _LT:
        return left < right
    if op == _LE:
        return left <= right
    if op == _GT:
        return left > right
    return left >= right


@inlined
def compare_string(data, start, end, op, other, other_start, other_end):  # type: ignore[no-untyped-def]
    if op == _CONTAINS:
        return contains(data, start, end, other, other_start, other_end)
    if op == _STARTS:
        return starts_with(data, start, end, other, other_start, other_end)
    same = equal(data, start, end, other, other_start, other_end)
    return same == (op == _EQ)


@inlined
def _test(e, doc, constants, kind, item, view, op, constant):  # type: ignore[no-untyped-def]
    if kind == _ELEMENT:
        return test_value(
            e, constants, doc.text, np.int64(doc.text_start[item]), np.int64(doc.text_end[item]), view, op, constant
        )
    if kind == _ATTRIBUTE:
        start, end = np.int64(doc.attr_offset[item]), np.int64(doc.attr_offset[item + 1])
        return test_value(e, constants, doc.attr_text, start, end, view, op, constant)
    start, end = np.int64(doc.text_offset[item]), np.int64(doc.text_offset[item + 1])
    return test_value(e, constants, doc.text, start, end, view, op, constant)


@inlined
def test_value(e, constants, data, start, end, view, op, constant):  # type: ignore[no-untyped-def]
    """Whether a string-value passes a test; `constant` is a number of `Constants`."""
    if view == _STRING:
        first, last = constants.string_start[constant], constants.string_start[constant + 1]
        return compare_string(data, start, end, op, constants.data, first, last)
    if view == _NORMAL:
        length = normalize(data, start, end, e.buffer)
        first, last = constants.string_start[constant], constants.string_start[constant + 1]
        return compare_string(e.buffer, 0, length, op, constants.data, first, last)
    if view == _NUMBER:
        number = to_number(data, start, end)
    elif view == _LENGTH:
        number = np.float64(length_in_characters(data, start, end))
    else:
        length = normalize(data, start, end, e.buffer)
        number = np.float64(length_in_characters(e.buffer, 0, length))
    return compare(number, op, constants.number_value[constant])


@inlined
def _holds(e, doc, constants, code, base, at, size, kind, item):  # type: ignore[no-untyped-def]
    """Runs the condition at `at` for one node of the document."""
    strings, numbers = base + code[base + 2], base + code[base + 3]
    truth = True
    while True:
        op = code[at]
        if op == EXISTS:
            truth = kind == _ELEMENT and _get(e.bits, code[at + 1] * size, item)
            at += 2
        elif op == TEST:
            table = numbers if code[at + 1] >= _NUMBER else strings
            constant = code[table + code[at + 3]]
            truth = _test(e, doc, constants, kind, item, code[at + 1], code[at + 2], constant)
            at += 4
        elif op == JUMP_FALSE:
            at = at + 2 if truth else base + code[at + 1]
        elif op == JUMP_TRUE:
            at = base + code[at + 1] if truth else at + 2
        elif op == NOT:
            truth = not truth
            at += 1
        elif op == COUNT:
            steps = code[at + 3]
            count = 0
            if kind == _ELEMENT:
                count, _ = _walk(e, doc, code, base, at + 4, steps, size, item, False)
            truth = compare(np.float64(count), code[at + 1], constants.number_value[code[numbers + code[at + 2]]])
            at += 4 + steps
        elif op == FIRST:
            steps = code[at + 4]
            first = np.int64(-1)
            if kind == _ELEMENT:
                _, first = _walk(e, doc, code, base, at + 5, steps, size, item, True)
            truth = _test_first(e, doc, constants, code, base, at, first)
            at += 5 + steps
        elif op == END:
            return truth
        else:
            truth = op == TRUE
            at += 1


@inlined
def _test_first(e, doc, constants, code, base, at, first):  # type: ignore[no-untyped-def]
    """The test of a path's first node; of the empty string when there is none."""
    view, op = code[at + 1], code[at + 2]
    table = base + (code[base + 3] if view >= _NUMBER else code[base + 2])
    constant = code[table + code[at + 3]]
    if first < 0:
        return test_value(e, constants, doc.text, np.int64(0), np.int64(0), view, op, constant)
    last = base + HEAD + NODE_SIZE * code[at + 4 + code[at + 4]]
    return _test(e, doc, constants, code[last + 1], first, view, op, constant)


@inlined
def _walk(e, doc, code, base, path, steps, size, context, only_first):  # type: ignore[no-untyped-def]
    """How many nodes a path leads to from an element, and the first of them in document order (or -1).

    A row's `reached` has bit i when the first i steps can end there; `above` is that of the row and all
    rows between it and the context. O(size of the subtree)."""
    child_mask = np.int64(0)
    for step in range(steps):
        if code[base + HEAD + NODE_SIZE * code[path + step]] == 0:
            child_mask |= np.int64(1) << step
    last = code[path + steps - 1]
    kind = code[base + HEAD + NODE_SIZE * last + 1]
    inner = steps if kind == _ELEMENT else steps - 1  # steps to elements
    count = 0
    first = np.int64(-1)
    text_at = _first_text(doc, doc.text_start[context]) if kind == _TEXT else 0
    for row in range(context, doc.end[context]):
        if row == context:
            e.reached[row] = 1
            e.above[row] = 1
        else:
            parent = doc.parent[row]
            may = ((e.reached[parent] & child_mask) | (e.above[parent] & ~child_mask)) << 1
            reached = np.int64(0)
            for step in range(inner):
                if may >> (step + 1) & 1 and _get(e.bits, code[path + step] * size, row):
                    reached |= np.int64(1) << (step + 1)
            e.reached[row] = reached
            e.above[row] = e.above[parent] | reached
            if kind == _ELEMENT and reached >> steps & 1:
                count += 1
                if first < 0:
                    first = np.int64(row)
        if kind == _ATTRIBUTE:
            may = (e.reached[row] & child_mask) | (e.above[row] & ~child_mask)
            if may >> inner & 1:
                for at in range(doc.attr_start[row], doc.attr_start[row + 1]):
                    if _get(e.bits, last * size, at):
                        count += 1
                        if first < 0:
                            first = np.int64(at)
        if only_first and first >= 0:
            return count, first
    if kind == _TEXT:
        while text_at < len(doc.text_parent) and doc.text_offset[text_at] < doc.text_end[context]:
            row = doc.text_parent[text_at]
            may = (e.reached[row] & child_mask) | (e.above[row] & ~child_mask)
            if may >> inner & 1 and _get(e.bits, last * size, text_at):
                count += 1
                if first < 0:
                    first = np.int64(text_at)
            text_at += 1
    return count, first


@inlined
def _first_text(doc, offset):  # type: ignore[no-untyped-def]
    """The first text node from a place in the text on."""
    low, high = 0, len(doc.text_parent)
    while low < high:
        middle = (low + high) // 2
        if doc.text_offset[middle] < offset:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _take(e, doc, constants, code, base, node, size, kind, item, owner):  # type: ignore[no-untyped-def]
    """Marks who has this node, if it satisfies the pattern node's condition. `owner` is what it hangs below."""
    record = base + HEAD + NODE_SIZE * node
    at = base + code[record + 3]
    if code[at] != TRUE and not _holds(e, doc, constants, code, base, at, size, kind, item):
        return
    bitmap = np.int64(node) * size
    if code[record + 4] == SELF:
        _set(e.bits, bitmap, item)
    elif code[record] == 0:
        _set(e.bits, bitmap, owner)
    else:
        while owner >= 0 and not _get(e.bits, bitmap, owner):
            _set(e.bits, bitmap, owner)
            owner = doc.parent[owner]


@inlined
def _space(names, name):  # type: ignore[no-untyped-def]
    return names[name] if name < len(names) else 0


@inlined
def evaluate(e, doc, constants, spaces, code, base, number):  # type: ignore[no-untyped-def]
    """Whether the document, the `number`-th that these arrays have seen, satisfies the program at `base`.
    `spaces` gives the namespace number of each name."""
    index_document(e, doc, number)
    rows = len(doc.tag)
    size = np.int64((max(rows, len(doc.attr_name), len(doc.text_parent)) + 63) // 64 + 1)
    for node in range(code[base]):
        record = base + HEAD + NODE_SIZE * node
        kind, label = code[record + 1], code[record + 2]
        for word in range(node * size, (node + 1) * size):
            e.bits[word] = 0
        if kind == _ELEMENT:
            if label > 0:
                row = e.tag_head[label] if e.tag_stamp[label] == number else np.int32(-1)
                while row >= 0:
                    _take(e, doc, constants, code, base, node, size, kind, row, doc.parent[row])
                    row = e.tag_next[row]
            else:
                for row in range(1, rows):
                    if label == 0 or _space(spaces, doc.tag[row]) == -label:
                        _take(e, doc, constants, code, base, node, size, kind, row, doc.parent[row])
        elif kind == _ATTRIBUTE:
            if label > 0:
                at = e.attr_head[label] if e.attr_stamp[label] == number else np.int32(-1)
                while at >= 0:
                    _take(e, doc, constants, code, base, node, size, kind, at, e.attr_owner[at])
                    at = e.attr_next[at]
            else:
                for at in range(len(doc.attr_name)):
                    if label == 0 or _space(spaces, doc.attr_name[at]) == -label:
                        _take(e, doc, constants, code, base, node, size, kind, at, e.attr_owner[at])
        else:
            for at in range(len(doc.text_parent)):
                _take(e, doc, constants, code, base, node, size, kind, at, doc.text_parent[at])
    return _holds(e, doc, constants, code, base, base + code[base + 1], size, _ELEMENT, 0)
