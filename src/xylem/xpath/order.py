"""A total order of formulas that is the same in every process, and their size.

Keys are nested tuples. The first number of a key says what kind of formula it is of, and keys that agree in it
have the same shape, so that two keys can always be compared.
"""

from __future__ import annotations

from typing import Any

from xylem.xpath.aloft import Aloft
from xylem.xpath.limits import MAX_COPIED
from xylem.xpath.pattern import And, Count, Exists, First, Formula, Not, Or, PatternNode, Test

Key = tuple[Any, ...]


def key(formula: Formula) -> Key:
    """What a formula is sorted by. O(size)."""
    match formula:
        case Exists(node):
            return (1, *_node_key(node))
        case Test(view, op, value):
            return (0, int(view), int(op), value)
        case And(items):
            return (5, tuple([key(item) for item in items]))
        case Or(items):
            return (6, tuple([key(item) for item in items]))
        case Not(item):
            return (4, key(item))
        case Count(path, op, value):
            return (2, tuple([_node_key(node) for node in path]), int(op), value)
        case First(path, test):
            return (3, tuple([_node_key(node) for node in path]), key(test))
        case Aloft(root, item):
            return (7, root, key(item))


def _node_key(node: PatternNode) -> Key:
    test = node.test
    return (
        int(node.axis),
        int(test.kind),
        test.local or "",
        test.namespace is None,
        test.namespace or "",
        key(node.condition),
    )


def is_small(formula: Formula) -> bool:
    """Whether rewriting may repeat the formula."""
    return measure(formula, MAX_COPIED)[0] <= MAX_COPIED


def measure(formula: Formula, most: int) -> tuple[int, int]:
    """How many parts a formula has, and how many levels of them lie within each other; stops counting above `most`."""
    count, deepest = 0, 0
    waiting: list[tuple[Formula, int]] = [(formula, 0)]
    while waiting and count <= most:
        part, level = waiting.pop()
        count += 1
        deepest = max(deepest, level + 1)
        match part:
            case Exists(node):
                waiting.append((node.condition, level + 1))
            case And(items) | Or(items):
                waiting.extend((item, level + 1) for item in items)
            case Not(item):
                waiting.append((item, level + 1))
            case Count(path) | First(path):
                count += len(path)
                waiting.extend((node.condition, level + 1) for node in path)
            case Aloft(_, item):
                waiting.append((item, level + 1))
            case _:
                pass
    return count, deepest
