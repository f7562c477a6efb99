"""A schema as an element graph: what may stand in what, how often, and with which attributes.

Tags are spelled as the schema spells them, prefix included (`mml:math`), because a DTD knows no
namespaces; `Schema.expanded` says which namespace a name is in when the schema fixes one. Where an XSD declares
several elements of one tag, each has a name of its own, and content models speak of names; elsewhere name and tag are
the same.

Invariant: a `Schema` is immutable, and its elements stand in the order of their declarations. A content
model may name elements that are not declared; `Schema.problems` lists them, and nothing valid contains one.

This module knows nothing of files or of the syntax of schemas, and nothing of how documents are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from xylem.errors import UsageError
from xylem.schema.content import Content, Others, occurrences

if TYPE_CHECKING:
    from xylem.document import Limits


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
    """`values` are those of an enumeration; `fixed` means that `default` is the only value allowed; `datatype` is what
    an XSD calls the values ("" in a DTD)."""

    name: str
    type: AttributeType
    values: tuple[str, ...] = ()
    default: str | None = None
    required: bool = False
    fixed: bool = False
    datatype: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is declared; line 0 when there is no one place."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Element:
    """`name` is unique in the schema, `tag` is what stands in documents. What is `local` stands only where a content
    model names it: it starts no document, and no ANY admits it. `datatype` is what an XSD calls the text."""

    name: str
    content: Content
    attributes: tuple[Attribute, ...] = ()
    place: Place = Place("")
    tag: str = ""
    datatype: str = ""
    local: bool = False

    def __post_init__(self) -> None:
        if not self.tag:
            object.__setattr__(self, "tag", self.name)

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


@dataclass(frozen=True, slots=True)
class Seen:
    """What documents showed of an element: how often it stood in how many documents, how many of those held text, how
    many held each child and each attribute, and the first values of each attribute."""

    count: int
    documents: int
    with_text: int
    children: Mapping[str, int]
    attributes: Mapping[str, int]
    values: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Schema:
    """The elements of a document type, their attributes and contents, and what was wrong with it.

    `entities` are unparsed entities, the only allowed values of attributes of the types ENTITY and ENTITIES. `seen` is
    there, by element, if the schema was inferred from documents.
    """

    name: str
    elements: Mapping[str, Element]
    problems: tuple[Problem, ...] = ()
    entities: tuple[str, ...] = ()
    root_names: tuple[str, ...] = ()
    seen: Mapping[str, Seen] = field(default_factory=dict, compare=False, repr=False)
    _children: dict[str, tuple[Child, ...]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "elements", MappingProxyType(dict(self.elements)))
        for root in self.root_names:
            if root not in self.elements:
                raise UsageError(f"the root '{root}' is not an element that {self.name} declares")

    @staticmethod
    def from_dtd(path: str | Path, *, roots: tuple[str, ...] = ()) -> Schema:
        """Reads a DTD and the local files it refers to; raises SchemaError."""
        from xylem.schema.dtd import read_dtd

        return read_dtd(Path(path), roots=roots)

    @staticmethod
    def from_xsd(path: str | Path, *, roots: tuple[str, ...] = ()) -> Schema:
        """Reads an XML Schema and the local files it refers to; raises SchemaError."""
        from xylem.schema.xsd import read_xsd

        return read_xsd(Path(path), roots=roots)

    @staticmethod
    def from_documents(
        documents: Iterable[str | Path | bytes], *, record: str | None = None, limits: Limits | None = None
    ) -> Schema:
        """The schema that documents show: bytes, or paths of files, directories and archives. Documents that cannot be
        read are listed as problems; raises SchemaError when none can."""
        from xylem.schema.inference import infer

        return infer(documents, record=record, limits=limits)

    def __reduce__(self) -> tuple[object, ...]:
        parts = (self.name, dict(self.elements), self.problems, self.entities, self.root_names, dict(self.seen))
        return (Schema, parts)

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
        return replace(self, root_names=roots, _children={})

    def children(self, name: str) -> tuple[Child, ...]:
        """What an element may contain, in the order of its content model; ANY means every declared element."""
        found = self._children.get(name)
        if found is None:
            found = self._children[name] = tuple(self._count_children(self[name]))
        return found

    def _count_children(self, element: Element) -> Iterator[Child]:
        counts = occurrences(element.content.model) if element.content.model is not None else {}
        counts = {name: count for name, count in counts.items() if count[1] != 0}
        if element.content.others is not Others.NONE:
            admitted = (other.name for other in self if not other.local)
            counts.update({name: (counts.get(name, (0, None))[0], None) for name in admitted})
        yield from (Child(name, *count) for name, count in counts.items())

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The elements that a document may start with as far as the schema tells: those named, or else those
        that are nobody's child; or else all (a DTD whose elements all contain each other names none)."""
        if self.root_names:
            return self.root_names
        inner = {child.name for name in self.elements for child in self.children(name) if child.name != name}
        outer = tuple(element.name for element in self if not element.local)
        return tuple(name for name in outer if name not in inner) or outer

    def expanded(self, name: str) -> tuple[str, str]:
        """Namespace and local part of an element's tag, as far as the schema fixes the namespace ("" if not)."""
        tag = self.elements[name].tag if name in self.elements else name
        prefix, colon, local = tag.rpartition(":")
        return self._namespaces.get((name, prefix), self._namespaces.get(("", prefix), "")), local if colon else tag

    def namespace(self, name: str) -> str | None:
        """The namespace of an element; None where its tag has a prefix, or may have a default namespace, that the
        schema binds to nothing in particular."""
        namespace, _ = self.expanded(name)
        prefix = self.elements[name].tag.rpartition(":")[0] if name in self.elements else ""
        declared = "xmlns" + (f":{prefix}" if prefix else "")
        free = bool(prefix) or any(element.attribute(declared) for element in self._declarers)
        return namespace if namespace or not free else None

    @cached_property
    def _declarers(self) -> tuple[Element, ...]:
        return tuple(e for e in self if any(a.name.partition(":")[0] == "xmlns" for a in e.attributes))

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
