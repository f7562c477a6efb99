"""A schema as an element graph: what may stand in what, how often, and with which attributes.

Names are spelled as the schema spells them, prefix included (`mml:math`), because a DTD knows no
namespaces; `Schema.expanded` says which namespace a name is in when the schema fixes one.

Invariant: a `Schema` is immutable, and its elements stand in the order of their declarations. A content
model may name elements that are not declared; `Schema.problems` lists them, and nothing valid contains one.

This module knows nothing of files or of DTD syntax, and nothing of how documents are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from xylem.errors import UsageError


class Occurs(Enum):
    """How often a particle may stand in a row."""

    ONCE = ""
    OPTIONAL = "?"
    MANY = "*"
    SOME = "+"

    @property
    def may_be_absent(self) -> bool:
        return self in (Occurs.OPTIONAL, Occurs.MANY)

    @property
    def may_repeat(self) -> bool:
        return self in (Occurs.MANY, Occurs.SOME)


@dataclass(frozen=True, slots=True)
class Name:
    """A child element."""

    name: str
    occurs: Occurs = Occurs.ONCE

    def __str__(self) -> str:
        return f"{self.name}{self.occurs.value}"


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    items: tuple[Particle, ...]
    occurs: Occurs = Occurs.ONCE

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))}){self.occurs.value}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of them."""

    items: tuple[Particle, ...]
    occurs: Occurs = Occurs.ONCE

    def __str__(self) -> str:
        return f"({' | '.join(map(str, self.items))}){self.occurs.value}"


Particle = Name | Sequence | Choice


class ContentKind(Enum):
    EMPTY = "empty"
    TEXT = "text"  # character data alone
    MIXED = "mixed"  # character data between elements, in any order
    ELEMENTS = "elements"  # elements alone, as the model says
    ANY = "any"  # character data and every declared element


@dataclass(frozen=True, slots=True)
class Content:
    """What an element may contain. `model` is there for MIXED (a repeated choice) and ELEMENTS."""

    kind: ContentKind
    model: Particle | None = None

    @property
    def has_text(self) -> bool:
        return self.kind in (ContentKind.TEXT, ContentKind.MIXED, ContentKind.ANY)

    def __str__(self) -> str:
        return str(self.model) if self.model is not None else self.kind.value


class AttributeType(Enum):
    CDATA = "CDATA"
    ID = "ID"
    IDREF = "IDREF"
    IDREFS = "IDREFS"
    ENTITY = "ENTITY"
    ENTITIES = "ENTITIES"
    NMTOKEN = "NMTOKEN"
    NMTOKENS = "NMTOKENS"
    ENUMERATION = "enumeration"
    NOTATION = "NOTATION"


@dataclass(frozen=True, slots=True)
class Attribute:
    """`values` are those of an enumeration; `fixed` means that `default` is the only value allowed."""

    name: str
    type: AttributeType
    values: tuple[str, ...] = ()
    default: str | None = None
    required: bool = False
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is declared; line 0 when there is no one place."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Element:
    name: str
    content: Content
    attributes: tuple[Attribute, ...] = ()
    place: Place = Place("")

    def attribute(self, name: str) -> Attribute | None:
        return next((a for a in self.attributes if a.name == name), None)


@dataclass(frozen=True, slots=True)
class Child:
    """An edge of the element graph: at least `least` times under one parent, at most `most` (None: no bound)."""

    name: str
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be used, while the rest can."""

    place: Place
    message: str
    element: str | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True)
class Schema:
    """The elements of a document type, their attributes and contents, and what was wrong with it.

    `entities` are unparsed entities, the only allowed values of attributes of the types ENTITY and ENTITIES.
    """

    name: str
    elements: Mapping[str, Element]
    problems: tuple[Problem, ...] = ()
    entities: tuple[str, ...] = ()
    root_names: tuple[str, ...] = ()
    _children: dict[str, tuple[Child, ...]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "elements", MappingProxyType(dict(self.elements)))
        for root in self.root_names:
            if root not in self.elements:
                raise UsageError(f"the root '{root}' is not an element that {self.name} declares")

    def __reduce__(self) -> tuple[object, ...]:  # a read-only view of a dictionary does not pickle
        return (Schema, (self.name, dict(self.elements), self.problems, self.entities, self.root_names))

    @staticmethod
    def from_dtd(path: str | Path, *, roots: tuple[str, ...] = ()) -> Schema:
        """Reads a DTD and the local files it refers to; raises SchemaError."""
        from xylem.schema.dtd import read_dtd

        return read_dtd(Path(path), roots=roots)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.elements.values())

    def __len__(self) -> int:
        return len(self.elements)

    def __getitem__(self, name: str) -> Element:
        try:
            return self.elements[name]
        except KeyError:
            raise UsageError(f"{self.name} declares no element '{name}'") from None

    def with_roots(self, *roots: str) -> Schema:
        """The same schema with its roots named."""
        return Schema(self.name, self.elements, self.problems, self.entities, roots)

    def children(self, name: str) -> tuple[Child, ...]:
        """What an element may contain, in the order of its content model; ANY means every declared element."""
        found = self._children.get(name)
        if found is None:
            found = self._children[name] = tuple(self._count_children(self[name]))
        return found

    def _count_children(self, element: Element) -> Iterator[Child]:
        if element.content.kind is ContentKind.ANY:
            yield from (Child(name, 0, None) for name in self.elements)
        elif element.content.model is not None:
            for name, (least, most) in occurrences(element.content.model).items():
                yield Child(name, least, most)

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The elements that a document may start with as far as the schema tells: those named, or else those
        that are nobody's child; or else all (a DTD whose elements all contain each other names none)."""
        if self.root_names:
            return self.root_names
        inner = {child.name for name in self.elements for child in self.children(name) if child.name != name}
        return tuple(name for name in self.elements if name not in inner) or tuple(self.elements)

    def expanded(self, name: str) -> tuple[str, str]:
        """Namespace and local part of an element's name, as far as the schema fixes the namespace ("" if not)."""
        prefix, colon, local = name.rpartition(":")
        return self._namespaces.get((name, prefix), self._namespaces.get(("", prefix), "")), local if colon else name

    @cached_property
    def _namespaces(self) -> dict[tuple[str, str], str]:
        """What each element's declared `xmlns` attributes bind; under "" what the roots and, for prefixes, any
        element binds (such bindings reach down to the elements below)."""
        bound: dict[tuple[str, str], str] = {}
        for element in self:
            for attribute in element.attributes:
                head, _, prefix = attribute.name.partition(":")
                if head != "xmlns" or not attribute.default:
                    continue
                bound[element.name, prefix] = attribute.default
                if prefix or element.name in self.roots:
                    bound.setdefault(("", prefix), attribute.default)
        return bound


def occurrences(particle: Particle) -> dict[str, tuple[int, int | None]]:
    """How often each name may stand in one instance of the particle: at least, and at most (None: no bound)."""
    if isinstance(particle, Name):
        return {particle.name: _times((1, 1), particle.occurs)}
    collected: dict[str, list[tuple[int, int | None]]] = {}
    for item in particle.items:
        for name, count in occurrences(item).items():
            collected.setdefault(name, []).append(count)
    together = _added if isinstance(particle, Sequence) else _alternated
    return {n: _times(together(counts, len(particle.items)), particle.occurs) for n, counts in collected.items()}


def _added(counts: list[tuple[int, int | None]], parts: int) -> tuple[int, int | None]:
    """How often a name stands in a sequence, of which some parts hold it."""
    mosts = [most for _, most in counts if most is not None]
    return sum(least for least, _ in counts), sum(mosts) if len(mosts) == len(counts) else None


def _alternated(counts: list[tuple[int, int | None]], parts: int) -> tuple[int, int | None]:
    """How often a name stands in a choice; an alternative that does not hold it has it no times."""
    mosts = [most for _, most in counts if most is not None]
    least = min(least for least, _ in counts) if len(counts) == parts else 0
    return least, max(mosts) if len(mosts) == len(counts) else None


def _times(count: tuple[int, int | None], occurs: Occurs) -> tuple[int, int | None]:
    least, most = count
    return 0 if occurs.may_be_absent else least, None if occurs.may_repeat and most != 0 else most
