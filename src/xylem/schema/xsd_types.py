"""What the types of a linked XML Schema say, as elements and content models.

An element of the result is one tag with one type: where an XSD gives a tag several types, each pair has a name of its
own (`title`, `title~2`). What a document may choose is a choice here too: the members of a substitution group, and the
types that `xsi:type` may name in place of the declared one. An element that may be nil may be empty.

Invariant: what a valid document contains, the models allow. They allow more where an XSD says more than they can: what
a wildcard requires, the namespaces that it leaves out, assertions, values of attributes. Namespaces are said as in a
DTD: by `xmlns` attributes with fixed values, on the elements that documents start with.

This module knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from xylem.schema.content import Choice, Content, ContentKind, Name, Occurs, Others, Particle, Sequence
from xylem.schema.errors import SchemaError
from xylem.schema.model import Attribute, AttributeType, Element, Place

_XSD = "http://www.w3.org/2001/XMLSchema"
_ANY_TYPE = f"{{{_XSD}}}anyType"
_XML = "http://www.w3.org/XML/1998/namespace"
_OTHERS = {"strict": Others.DECLARED, "lax": Others.LAX, "skip": Others.SKIPPED}
_WIDTH = list(Others)  # from the narrowest to the widest
_TOKENS = {kind.value: kind for kind in AttributeType if kind not in (AttributeType.CDATA, AttributeType.ENUMERATION)}

# Families of schemas have some thousand elements and ten thousand particles; groups that hold groups twice, level by
# level, could make any number.
MAX_PARTICLES = 500_000


def translated(linked: Any, place: Callable[[Any], Place]) -> list[Element]:
    """The elements that a linked schema declares, those that a document can start with first."""
    return _Translation(linked, place).run()


@dataclass(slots=True)
class _Translation:
    linked: Any
    place: Callable[[Any], Place]
    prefixes: dict[str, str] = field(default_factory=dict)  # by namespace
    derived: dict[int, list[Any]] = field(default_factory=dict)  # the types derived in one step, by identity of a type
    names: dict[tuple[str, int], str] = field(default_factory=dict)  # by tag and identity of the type
    taken: dict[str, int] = field(default_factory=dict)
    waiting: list[tuple[str, Any, bool]] = field(default_factory=list)  # name, declaration, whether it is local
    particles: int = 0
    others: Others = Others.NONE  # the widest wildcard of the content that is being translated

    def run(self) -> list[Element]:
        self._bind()
        for kind in self.linked.maps.types.values():
            if getattr(kind, "base_type", None) is not None and kind.is_complex():
                self.derived.setdefault(id(kind.base_type), []).append(kind)
        for declaration in self.linked.maps.elements.values():
            if _namespace(declaration.name) != _XSD and not declaration.abstract:
                self._name(declaration, local=False)
        elements = [self._element(*item) for item in self.waiting]  # which grows meanwhile
        return self._with_namespaces(elements)

    # Names.

    def _bind(self) -> None:
        bound: dict[str, str] = {}
        for prefix, namespace in self.linked.namespaces.items():
            if prefix and namespace and namespace not in (_XSD, _XML):
                bound.setdefault(namespace, prefix)
        self.prefixes.update(bound)
        self.prefixes[_XML] = "xml"

    def _tag(self, name: str) -> str:
        namespace, local = _namespace(name), name.rpartition("}")[2]
        if namespace and namespace not in self.prefixes:
            number = 1
            while f"n{number}" in self.prefixes.values():
                number += 1
            self.prefixes[namespace] = f"n{number}"
        return f"{self.prefixes[namespace]}:{local}" if namespace else local

    def _name(self, declaration: Any, local: bool) -> str:
        """The name of a declaration in the schema, given it now if it has none."""
        tag = self._tag(declaration.name)
        key = (tag, id(declaration.type) if local else -1)
        if key not in self.names:
            self.taken[tag] = number = self.taken.get(tag, 0) + 1
            self.names[key] = tag if number == 1 else f"{tag}~{number}"
            self.waiting.append((self.names[key], declaration, local))
        return self.names[key]

    # Elements.

    def _element(self, name: str, declaration: Any, local: bool) -> Element:
        types = list(self._types(declaration))
        self.others = Others.NONE
        contents = [self._content(kind) for kind in types]
        return Element(
            name,
            _united(contents, declaration.nillable),
            _shared([self._attributes(kind) for kind in types]),
            self.place(declaration),
            self._tag(declaration.name),
            _datatype(declaration.type),
            local,
        )

    def _types(self, declaration: Any) -> Iterator[Any]:
        """The types that an element may have: the declared one, or one derived from it that is not blocked."""
        alternatives = [a.type for a in getattr(declaration, "alternatives", ()) if a.type is not None]
        for declared in dict.fromkeys([declaration.type, *alternatives]):
            blocked = f"{getattr(declaration, 'block', '')} {getattr(declared, 'block', '')}".split()
            waiting, seen = [declared], {id(declared)}
            for kind in waiting:
                if not getattr(kind, "abstract", False):
                    yield kind
                for further in self.derived.get(id(kind), ()) if kind.name != _ANY_TYPE else ():
                    if id(further) not in seen and further.derivation not in blocked:
                        seen.add(id(further))
                        waiting.append(further)

    def _content(self, kind: Any) -> Content:
        if kind.is_simple() or kind.has_simple_content():
            return Content(ContentKind.TEXT)
        if kind.name == _ANY_TYPE:
            return Content(ContentKind.ANY, others=Others.LAX)
        self.others = Others.NONE
        model = self._particle(kind.content)
        opened = getattr(kind, "open_content", None)
        if opened is not None and opened.mode != "none" and opened.any_element is not None:
            self._wildcard(opened.any_element)
        if model is None and self.others is Others.NONE:
            return Content(ContentKind.TEXT if kind.mixed else ContentKind.EMPTY)
        return Content(ContentKind.MIXED if kind.mixed else ContentKind.ELEMENTS, model or Sequence(()), self.others)

    def _particle(self, component: Any) -> Particle | None:
        """The particle of a part of a model; None for what holds no element."""
        self.particles += 1
        if self.particles > MAX_PARTICLES:
            place = self.place(component)
            message = f"the content models have more than {MAX_PARTICLES:,} parts, groups written out"
            raise SchemaError(message, file=place.file, line=place.line)
        occurs = Occurs(component.min_occurs, component.max_occurs)
        if occurs.most == 0:
            return None
        if hasattr(component, "process_contents"):
            self._wildcard(component)
            return Sequence((), occurs)
        if not hasattr(component, "model"):
            return self._names(component, occurs)
        items = [self._particle(part) for part in component]
        if component.model == "choice":
            # An alternative without elements makes the whole dispensable.
            kept = tuple(item if item is not None else Sequence(()) for item in items)
            return Choice(kept, occurs) if any(item is not None for item in items) or not items else None
        kept = tuple(item for item in items if item is not None)
        return Sequence(kept, occurs, any_order=component.model == "all") if kept else None

    def _names(self, declaration: Any, occurs: Occurs) -> Particle:
        """An element, or one of those that may be substituted for it."""
        head = declaration.ref if declaration.ref is not None else declaration
        local = declaration.ref is None and declaration.parent is not None
        names = [] if head.abstract else [self._name(head, local)]
        if not local and "substitution" not in str(getattr(head, "block", "")) and "#all" not in str(head.block):
            names += [self._name(other, local=False) for other in head.iter_substitutes() if not other.abstract]
        names = list(dict.fromkeys(names))
        return Name(names[0], occurs) if len(names) == 1 else Choice(tuple(map(Name, names)), occurs)

    def _wildcard(self, wildcard: Any) -> None:
        self.others = max(self.others, _OTHERS[wildcard.process_contents], key=_WIDTH.index)

    # Attributes.

    def _attributes(self, kind: Any) -> list[Attribute]:
        attributes = getattr(kind, "attributes", None) or {}
        return [
            self._attribute(name, attribute)
            for name, attribute in attributes.items()
            if name is not None and getattr(attribute, "use", None) != "prohibited"
        ]

    def _attribute(self, name: str, attribute: Any) -> Attribute:
        values = tuple(str(value) for value in attribute.type.enumeration or () if value is not None)
        datatype = _datatype(attribute.type)
        kind = _TOKENS.get(datatype, AttributeType.ENUMERATION if values else AttributeType.CDATA)
        fixed = attribute.fixed is not None
        default = attribute.fixed if fixed else attribute.default
        return Attribute(self._tag(name), kind, values, default, attribute.use == "required", fixed, datatype)

    def _with_namespaces(self, elements: list[Element]) -> list[Element]:
        used = {name.partition(":")[0] for element in elements for name in _tags(element) if ":" in name} - {"xml"}
        bindings = tuple(
            Attribute(f"xmlns:{prefix}", AttributeType.CDATA, default=namespace, fixed=True)
            for namespace, prefix in self.prefixes.items()
            if prefix in used
        )
        return [e if e.local else replace(e, attributes=(*bindings, *e.attributes)) for e in elements]


def _united(contents: list[Content], nillable: bool) -> Content:
    """Any one of the contents; an element of which no type can be used has a content that nothing meets."""
    contents = list(dict.fromkeys(contents))
    if len(contents) == 1 and not (nillable and contents[0].model):
        return contents[0]
    if any(content.kind is ContentKind.ANY for content in contents):
        return Content(ContentKind.ANY, others=max((c.others for c in contents), key=_WIDTH.index))
    models = tuple(dict.fromkeys(content.model or Sequence(()) for content in contents))
    model: Particle = models[0] if len(models) == 1 else Choice(models)
    if nillable:
        model = replace(model, occurs=replace(model.occurs, least=0))
    others = max((content.others for content in contents), key=_WIDTH.index, default=Others.NONE)
    text = any(content.has_text for content in contents)
    return Content(ContentKind.MIXED if text else ContentKind.ELEMENTS, model, others)


def _shared(lists: list[list[Attribute]]) -> tuple[Attribute, ...]:
    """The attributes of all types; one that is not required by all of them is not required."""
    first: dict[str, Attribute] = {}
    for attribute in (attribute for attributes in lists for attribute in attributes):
        first.setdefault(attribute.name, attribute)
    required = [{attribute.name for attribute in attributes if attribute.required} for attributes in lists]
    return tuple(replace(a, required=all(name in names for names in required)) for name, a in first.items())


def _datatype(kind: Any) -> str:
    """The nearest built-in type that a simple type, or the text of a complex one, comes from; "" if there is none."""
    if kind is not None and not kind.is_simple():
        kind = kind.content if kind.has_simple_content() else None
    while kind is not None:
        if kind.name is not None and _namespace(kind.name) == _XSD:
            return str(kind.local_name)
        kind = kind.base_type
    return ""


def _namespace(name: str) -> str:
    return name[1:].partition("}")[0] if name.startswith("{") else ""


def _tags(element: Element) -> Iterable[str]:
    yield element.tag
    yield from (attribute.name for attribute in element.attributes)
