"""Where the elements of a schema stand in a drawing: columns by distance from the root, a tidy tree across them.

Each element hangs below the first parent from which a breadth-first search meets it, so it stands one column to the
right of a nearest parent. Leaves take the rows one after the other, an inner element the middle of its own; so the
lines of the tree never cross. All other edges are drawn behind it.

Invariant: no two elements share a row of a column. This module knows nothing of SVG.
"""

from __future__ import annotations

from dataclasses import dataclass

from xylem.schema.graph import ElementGraph


@dataclass(frozen=True, slots=True)
class Layout:
    """By element: its column, its row (in halves and quarters), and its parent in the tree ("" for a root)."""

    column: dict[str, int]
    row: dict[str, float]
    parent: dict[str, str]
    rows: int


def laid_out(graph: ElementGraph, roots: tuple[str, ...]) -> Layout:
    """The layout of what can be reached from the roots; O(elements + edges)."""
    column: dict[str, int] = {root: 0 for root in roots if root in graph.heights}
    parent = dict.fromkeys(column, "")
    below: dict[str, list[str]] = {}
    waiting = list(column)
    for name in waiting:
        below[name] = [child for child in graph.children[name] if child not in column]
        for child in below[name]:
            column[child] = column[name] + 1
            parent[child] = name
        waiting.extend(below[name])
    row: dict[str, float] = {}
    rows = 0
    for name in _leaves_first(waiting, below, parent):
        if below[name]:
            row[name] = (row[below[name][0]] + row[below[name][-1]]) / 2
        else:
            row[name] = rows
            rows += 1
    return Layout(column, row, parent, rows)


def _leaves_first(names: list[str], below: dict[str, list[str]], parent: dict[str, str]) -> list[str]:
    """Each element after those that hang below it, in the order of their declarations in content models."""
    ordered: list[str] = []
    open_ = [name for name in reversed(names) if not parent[name]]
    while open_:
        name = open_.pop()
        ordered.append(name)
        open_.extend(below[name])
    return list(reversed(ordered))
