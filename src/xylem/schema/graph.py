"""What the element graph of a schema tells: recursion, reachability, the least document below an element.

Invariant: an element is *possible* when some finite valid subtree starts with it. All answers are about possible
elements; the heights count the element itself, so a leaf has height 1.

This module knows nothing of how schemas are read, and nothing of documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from xylem.schema.content import Others, occurrences, particle_height, pruned
from xylem.schema.model import Element, Schema


@dataclass(frozen=True, slots=True)
class ElementGraph:
    """`heights` are the least heights of valid subtrees; `children` the possible children of possible elements."""

    heights: dict[str, int]
    children: dict[str, tuple[str, ...]]

    @staticmethod
    def of(schema: Schema) -> ElementGraph:
        heights = least_heights(schema)
        anywhere = tuple(element.name for element in schema if not element.local and element.name in heights)
        return ElementGraph(heights, {name: _possible_children(schema[name], heights, anywhere) for name in heights})

    def reachable(self, start: tuple[str, ...]) -> tuple[str, ...]:
        """The possible elements at or below these, in the order in which a search meets them."""
        seen = dict.fromkeys(name for name in start if name in self.heights)
        waiting = list(seen)
        for name in waiting:
            for child in self.children[name]:
                if child not in seen:
                    seen[child] = None
                    waiting.append(child)
        return tuple(seen)

    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The sets of elements that contain each other, each in a cycle through all (strongly connected components)."""
        return tuple(
            component
            for component in components(self.children)
            if len(component) > 1 or component[0] in self.children[component[0]]
        )

    def loop(self, cycle: tuple[str, ...]) -> tuple[str, ...]:
        """A shortest way from an element of `cycles()` back to itself, as an example for people: the least of all
        lengths, the first in the order of the component; O(elements × edges) of the component."""
        inside = set(cycle)
        return min((self._way_back(name, inside) for name in cycle), key=len)

    def _way_back(self, start: str, inside: set[str]) -> tuple[str, ...]:
        """Breadth first, so the first way that comes back is a shortest one."""
        before: dict[str, str] = {}
        waiting = [start]
        for name in waiting:
            for child in self.children[name]:
                if child == start:
                    way = [name]
                    while way[-1] != start:
                        way.append(before[way[-1]])
                    return tuple(reversed(way))
                if child in inside and child not in before:
                    before[child] = name
                    waiting.append(child)
        raise AssertionError("elements of a cycle reach themselves")

    def recursive(self) -> frozenset[str]:
        """The elements that may stand below themselves."""
        return frozenset(name for cycle in self.cycles() for name in cycle)

    def longest_paths(self) -> dict[str, float]:
        """The number of elements on the longest path down from each element; infinite where recursion is on it."""
        lengths: dict[str, float] = {}
        for component in components(self.children):  # children come before their parents
            below = {child for name in component for child in self.children[name]}
            looping = not below.isdisjoint(component)
            longest = inf if looping else 1 + max((lengths[child] for child in below), default=0)
            lengths.update(dict.fromkeys(component, longest))
        return lengths

    def height(self, start: tuple[str, ...]) -> int | None:
        """The height of the highest document below these elements; None when recursion makes it unbounded."""
        lengths = self.longest_paths()
        highest = max((lengths[name] for name in start if name in lengths), default=0)
        return None if highest == inf else int(highest)


def _possible_children(element: Element, heights: dict[str, int], anywhere: tuple[str, ...]) -> tuple[str, ...]:
    """The children that some finite valid element has: one may be possible by itself, and yet stand only beside
    another that is not."""
    content = element.content
    model = pruned(content.model, heights) if content.model is not None else None
    counts = occurrences(model) if model is not None else {}
    named = tuple(name for name, (_, most) in counts.items() if most != 0)
    return named if content.others is Others.NONE else tuple(dict.fromkeys((*named, *anywhere)))


def least_heights(schema: Schema) -> dict[str, int]:
    """The least height of a valid subtree below each possible element."""
    parents: dict[str, list[Element]] = {}
    for element in schema:
        for name in occurrences(element.content.model) if element.content.model is not None else ():
            parents.setdefault(name, []).append(element)
    heights: dict[str, int] = {}
    waiting = list(schema)
    level = 1
    # The elements of least height n are those whose content needs only elements of least height below n, one of n - 1
    # among them.
    while waiting:
        found = {}
        for element in waiting:
            model = element.content.model
            if model is None or particle_height(model, heights) < level:
                found[element.name] = level
        if not found:
            break
        heights.update(found)
        above = {parent.name: parent for name in found for parent in parents.get(name, ())}
        waiting = [parent for name, parent in above.items() if name not in heights]
        level += 1
    return heights


def components(children: Mapping[str, tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Tarjan's strongly connected components without recursion, children before parents; linear time."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[tuple[str, ...]] = []
    for start in children:
        if start in index:
            continue
        path = [(start, iter(children[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while path:
            name, rest = path[-1]
            child = next(rest, None)
            if child is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == index[name]:
                    component: list[str] = []
                    while not component or component[-1] != name:
                        component.append(stack.pop())
                    found.append(tuple(reversed(component)))
                    on_stack.difference_update(component)
            elif child not in index:
                index[child] = low[child] = len(index)
                stack.append(child)
                on_stack.add(child)
                path.append((child, iter(children[child])))
            elif child in on_stack:
                low[name] = min(low[name], index[child])
    return found
