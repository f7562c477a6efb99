"""Patterns as a few dozen bytes: equal patterns give equal bytes, and the bytes give the pattern back.

A set of subscriptions keeps these instead of patterns: they are the key under which equal queries find each
other, they cost a tenth of the objects' memory, and from them an engine can be built anew. The bytes are
the same in every process.

A pattern is written in preorder, each record a code followed by what the code asks for; reading it from the
end, every record finds its parts finished on a stack. Neither direction recurses, so depth costs nothing.

This module knows nothing of what patterns mean.
"""

from __future__ import annotations

from typing import Any

import msgspec

from xylem.xpath.pattern import (
    FALSE,
    TRUE,
    And,
    Axis,
    Count,
    Exists,
    First,
    Formula,
    Kind,
    NodeTest,
    Not,
    Op,
    Or,
    PatternNode,
    Test,
    TreePattern,
    Verification,
    View,
)

_AND, _OR, _NOT, _COUNT, _FIRST, _TEST, _EXISTS, _NODE = 0, 1, 2, 3, 4, 5, 8, 16
# Exists and a bare node carry axis and kind in their code: _EXISTS + axis + 2 * kind.

_FIELDS = {_AND: 1, _OR: 1, _NOT: 0, _COUNT: 3, _FIRST: 1, _TEST: 3}  # values after the code; two for a node

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


def pack(pattern: TreePattern) -> bytes:
    """The bytes that stand for a pattern. O(size)."""
    tokens: list[Any] = []
    todo: list[Formula | PatternNode] = [pattern.condition]
    while todo:
        part = todo.pop()
        kind = type(part)
        if kind is Exists:
            node = part.node  # type: ignore[union-attr]
            test = node.test
            tokens += (_EXISTS + node.axis + 2 * test.kind, test.local, test.namespace)
            todo.append(node.condition)
        elif kind is And:
            tokens += (_AND, len(part.items))  # type: ignore[union-attr]
            todo += part.items[::-1]  # type: ignore[union-attr]
        elif kind is Test:
            tokens += (_TEST, int(part.view), int(part.op), _constant(part.value))  # type: ignore[union-attr]
        elif kind is PatternNode:
            test = part.test  # type: ignore[union-attr]
            tokens += (_NODE + part.axis + 2 * test.kind, test.local, test.namespace)  # type: ignore[union-attr]
            todo.append(part.condition)  # type: ignore[union-attr]
        else:
            _pack_rare(part, tokens, todo)
    verification = pattern.verification
    if verification is None:
        return _encode(tokens)
    return _encode((tokens, verification.expression, verification.namespaces))


def _pack_rare(part: Formula | PatternNode, tokens: list[Any], todo: list[Formula | PatternNode]) -> None:
    match part:
        case Or(items):
            tokens += (_OR, len(items))
            todo += items[::-1]
        case Not(item):
            tokens.append(_NOT)
            todo.append(item)
        case Count(path, op, value):
            tokens += (_COUNT, len(path), int(op), float(value))
            todo += path[::-1]
        case First(path, test):
            tokens += (_FIRST, len(path))
            todo.append(test)
            todo += path[::-1]
        case _:
            raise TypeError(f"no formula: {part!r}")


def unpack(data: bytes) -> TreePattern:
    """The pattern that `pack` was given. O(size)."""
    tokens = _decode(data)
    verification = None
    if tokens and isinstance(tokens[0], list):
        tokens, expression, namespaces = tokens
        verification = Verification(expression, tuple((prefix, uri) for prefix, uri in namespaces))
    done: list[Any] = []
    for start in reversed(_record_starts(tokens)):
        _build(tokens, start, done)
    return TreePattern(done.pop(), verification)


def _record_starts(tokens: list[Any]) -> list[int]:
    starts = []
    at = 0
    while at < len(tokens):
        starts.append(at)
        at += 1 + _FIELDS.get(tokens[at], 2)
    return starts


def _build(tokens: list[Any], at: int, done: list[Any]) -> None:
    """Makes the part that stands at `at` out of the finished parts that follow it, first one on top."""
    code = tokens[at]
    if code >= _EXISTS:
        base = _NODE if code >= _NODE else _EXISTS
        test = NodeTest(Kind((code - base) // 2), tokens[at + 1], tokens[at + 2])
        node = PatternNode(Axis((code - base) % 2), test, done.pop())
        done.append(Exists(node) if base == _EXISTS else node)
    elif code == _TEST:
        done.append(Test(View(tokens[at + 1]), Op(tokens[at + 2]), tokens[at + 3]))
    elif code == _AND:
        items = _pop(done, tokens[at + 1])
        done.append(And(items) if items else TRUE)
    elif code == _OR:
        items = _pop(done, tokens[at + 1])
        done.append(Or(items) if items else FALSE)
    elif code == _NOT:
        done.append(Not(done.pop()))
    elif code == _COUNT:
        done.append(Count(_pop(done, tokens[at + 1]), Op(tokens[at + 2]), tokens[at + 3]))
    elif code == _FIRST:
        path = _pop(done, tokens[at + 1])
        done.append(First(path, done.pop()))
    else:
        raise ValueError(f"no packed pattern: code {code}")


def _pop(done: list[Any], count: int) -> tuple[Any, ...]:
    if not count:
        return ()
    items = tuple(done[: -count - 1 : -1])
    del done[-count:]
    return items


def _constant(value: str | float) -> str | float:
    return value if isinstance(value, str) else float(value)
