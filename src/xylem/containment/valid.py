"""The least valid document of a schema that has a given chain of elements, if it can be made simply.

Beside the chain there is only what the schema requires, in the least form. Attributes that must refer to other
elements are not made up: then there is no answer.

This module knows nothing of queries, and nothing of chance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from xylem.containment.relative import Word
from xylem.schema import Attribute, AttributeType, Choice, ContentKind, ElementGraph, Name, Particle, Schema
from xylem.schema.content import particle_height

MOST_BYTES = 100_000
"""Of a document that shall show one difference."""

_REFERRING = (
    AttributeType.IDREF, AttributeType.IDREFS, AttributeType.ENTITY, AttributeType.ENTITIES, AttributeType.NOTATION,
)  # fmt: skip


class NotSimpleError(Exception):
    """The schema asks for more than this module makes."""


def least_document(schema: Schema, word: Word) -> bytes | None:
    """A valid document with the chain in it; None if it would be large, or needs references."""
    writer = _Writer(schema, ElementGraph.of(schema))
    try:
        writer.element(word.elements[0], word.elements[1:], word.leaf)
    except NotSimpleError:
        return None
    return "".join(writer.parts).encode()


@dataclass(slots=True)
class _Writer:
    schema: Schema
    graph: ElementGraph
    parts: list[str] = field(default_factory=list)
    bytes: int = 0
    ids: int = 0

    def put(self, text: str) -> None:
        self.parts.append(text)
        self.bytes += len(text)
        if self.bytes > MOST_BYTES:
            raise NotSimpleError

    def element(self, name: str, below: tuple[str, ...], leaf: str | None) -> None:
        """An element with the rest of the chain below it."""
        element = self.schema[name]
        wanted = None if below else leaf
        self.put(f"<{name}")
        for attribute in element.attributes:
            declares = attribute.name.partition(":")[0] == "xmlns"
            if attribute.required or attribute.name == wanted or declares:
                self.put(f" {attribute.name}={quoteattr(self.value(attribute))}")
        self.put(">")
        if wanted == "":
            self.put("x" if element.content.has_text else "\n")
        names, place = self.children(name, below[0] if below else None)
        for at, child in enumerate(names):
            chained = at == place
            self.element(child, below[1:] if chained else (), leaf if chained else None)
        self.put(f"</{name}>")

    def value(self, attribute: Attribute) -> str:
        if attribute.type in _REFERRING:
            raise NotSimpleError
        if attribute.type is AttributeType.ID:
            self.ids += 1
            return f"i{self.ids}"
        return attribute.default if attribute.default is not None else (*attribute.values, "x")[0]

    def children(self, name: str, wanted: str | None) -> tuple[list[str], int]:
        """The least content of an element, with a wanted child in it, and where that is (-1: none is wanted)."""
        content = self.schema[name].content
        if content.kind is ContentKind.ANY or content.model is None:
            return ([wanted], 0) if wanted is not None else ([], -1)
        if wanted is None:
            return self.least(content.model), -1
        found = self.holding(content.model, wanted)
        assert found is not None, "the element graph has no other edges than the content models have"
        return found

    def least(self, particle: Particle) -> list[str]:
        """The least instance of a particle."""
        if particle.occurs.may_be_absent:
            return []
        if isinstance(particle, Name):
            return [particle.name]
        if isinstance(particle, Choice):
            return self.least(min(particle.items, key=lambda item: particle_height(item, self.graph.heights)))
        return [name for item in particle.items for name in self.least(item)]

    def holding(self, particle: Particle, wanted: str) -> tuple[list[str], int] | None:
        """The least instance with a wanted name, and its place."""
        if isinstance(particle, Name):
            return ([wanted], 0) if particle.name == wanted else None
        for at, item in enumerate(particle.items):
            found = self.holding(item, wanted)
            if found is None or isinstance(particle, Choice):
                if found is not None:
                    return found
                continue
            before = [name for other in particle.items[:at] for name in self.least(other)]
            after = [name for other in particle.items[at + 1 :] for name in self.least(other)]
            return before + found[0] + after, len(before) + found[1]
        return None
