"""Containment of paths for the valid documents of a schema alone.

`/a//b` and `/a/b` differ, but not where the schema allows b only under a. The words from the root down that a schema
allows are walked together with both paths, each as the set of its steps reached so far; a word that the inner path
accepts and no beginning of which the outer one does is what tells them apart. No such word: contained.

Invariant: a yes holds for every document that is valid and whose root is one of the schema's. The converse is
not so: whatever the schema requires beside the word may match the outer path too, which is for the caller to see.

This module knows nothing of branches and values; it trusts a schema's namespaces only where they are fixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xylem.containment.linear import Linear
from xylem.containment.models import ExhaustedError
from xylem.schema import ContentKind, Element, ElementGraph, Schema
from xylem.xpath.evaluate import accepts
from xylem.xpath.pattern import Kind

_XML = "http://www.w3.org/XML/1998/namespace"


@dataclass(frozen=True, slots=True)
class Word:
    """The elements from the root down, spelled as the schema spells them, and what the last of them must have:
    an attribute, or a text (""), or nothing of that kind (None)."""

    elements: tuple[str, ...]
    leaf: str | None = None


def names_are_fixed(schema: Schema) -> bool:
    """Whether the schema leaves no namespace to its documents."""
    return all(
        attribute.fixed
        for element in schema
        for attribute in element.attributes
        if attribute.name.partition(":")[0] == "xmlns"
    )


def escape(outer: Linear, inner: Linear, schema: Schema, budget: int) -> Word | None:
    """A word of the schema that the inner path accepts and the outer one does not; None if there is none.
    Raises ExhaustedError when more states than the budget would be visited."""
    graph = ElementGraph.of(schema)
    waiting: list[tuple[tuple[str, ...], int, int]] = [((r,), 1, 1) for r in schema.roots if r in graph.heights]
    seen: set[tuple[str, int, int]] = set()
    for above, reached, avoided in waiting:
        name = above[-1]
        full = schema.expanded(name)
        ours, theirs = _moved(inner, reached, Kind.ELEMENT, full), _moved(outer, avoided, Kind.ELEMENT, full)
        if not ours or _whole(outer, theirs) or (name, ours, theirs) in seen:
            continue
        if len(seen) == budget:
            raise ExhaustedError
        seen.add((name, ours, theirs))
        if _whole(inner, ours):
            return Word(above)
        for kind, leaf, leaf_name in _leaves(schema, schema[name]):
            if _whole(inner, _moved(inner, ours, kind, leaf_name)) and not _whole(
                outer, _moved(outer, theirs, kind, leaf_name)
            ):
                return Word(above, leaf)
        waiting += [((*above, child), ours, theirs) for child in graph.children[name]]
    return None


def _moved(path: Linear, reached: int, kind: Kind, name: tuple[str, str]) -> int:
    """The steps reached after one more node; bit i: the first i steps are."""
    found = 0
    for at, step in enumerate(path.steps):
        if reached >> at & 1:
            if step.far:
                found |= 1 << at
            if step.test.kind is kind and accepts(step.test, name):
                found |= 1 << (at + 1)
    return found


def _whole(path: Linear, reached: int) -> bool:
    return bool(reached >> len(path.steps))


def _leaves(schema: Schema, element: Element) -> Iterator[tuple[Kind, str, tuple[str, str]]]:
    """The attributes and the text that an element may have. Between elements, white space is text."""
    for attribute in element.attributes:
        prefix, colon, local = attribute.name.partition(":")
        if prefix == "xmlns":
            continue
        namespace = "" if not colon else _XML if prefix == "xml" else schema.expanded(attribute.name)[0]
        yield Kind.ATTRIBUTE, attribute.name, (namespace, local if colon else attribute.name)
    if element.content.kind is not ContentKind.EMPTY:
        yield Kind.TEXT, "", ("", "")
