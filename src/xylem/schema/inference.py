"""The schema that documents show, for those who have none.

Every document it was made from is valid under it, and so are documents that fill the same chains of children in other
ways. What was never seen is not allowed, so it grows tighter than a schema that somebody wrote: `Schema.seen` says how
much each of its statements rests on.

Invariant: the same documents in the same order give the same schema. Names are as `Schema` wants them: a namespace has
one prefix, bound by fixed `xmlns` attributes on the elements that documents started with.

This module knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from xylem.document import Limits, Source
from xylem.document import documents as found_documents
from xylem.document.vocabulary import SEPARATOR
from xylem.errors import DocumentError
from xylem.schema.chains import chain
from xylem.schema.content import Choice, Content, ContentKind, Name, Occurs
from xylem.schema.errors import SchemaError
from xylem.schema.model import Attribute, AttributeType, Element, Place, Problem, Schema, Seen
from xylem.schema.observing import Observation, Observer

_XML = "http://www.w3.org/XML/1998/namespace"

# Documents that cannot be read are named one by one up to this number, and then only counted.
MAX_NAMED_REJECTS = 100


def infer(
    documents: Iterable[str | Path | bytes], *, record: str | None = None, limits: Limits | None = None
) -> Schema:
    """See `Schema.from_documents`."""
    if isinstance(documents, str | Path | bytes):
        documents = (documents,)
    return infer_from(_sources(documents, record, limits or Limits()), limits)


def infer_from(sources: Iterable[Source], limits: Limits | None = None) -> Schema:
    """The schema of documents that are read already, or cannot be read."""
    observer = Observer(limits)
    problems: list[Problem] = []
    rejects, name = 0, ""
    for source in sources:
        name = name or source.name
        try:
            if isinstance(source.content, DocumentError):
                raise source.content
            observer.watch(source.content, source.name)
        except DocumentError as error:
            rejects += 1
            if rejects <= MAX_NAMED_REJECTS:
                problems.append(Problem(Place(source.name, error.line), error.reason))
    if not observer.documents:
        first = f": {problems[0]}" if problems else ""
        raise SchemaError(f"no document can be read, so there is nothing to infer from{first}", file=name or "-")
    if rejects > MAX_NAMED_REJECTS:
        problems.append(Problem(Place(name), f"{rejects - MAX_NAMED_REJECTS} further documents cannot be read"))
    several = observer.documents + rejects > 1
    return _Inference(observer).schema(f"{observer.documents} documents" if several else name, tuple(problems))


def _sources(documents: Iterable[str | Path | bytes], record: str | None, limits: Limits) -> Iterator[Source]:
    for number, document in enumerate(documents, 1):
        if isinstance(document, bytes):
            yield Source(f"document {number}", document)
        else:
            yield from found_documents([document], record=record, limits=limits)


@dataclass(slots=True)
class _Inference:
    observer: Observer
    prefixes: dict[str, str] = field(init=False)  # of elements, by namespace; "" for the default namespace
    others: dict[str, str] = field(init=False)  # of attributes, which need a prefix

    def __post_init__(self) -> None:
        elements = {_split(name)[0]: None for name in self.observer.elements}
        names = (name for seen in self.observer.elements.values() for name in seen.attributes)
        attributes = {_split(name)[0]: None for name in names}
        taken = {""} if "" in elements else set()
        self.prefixes = {"": ""}
        self.others = {"": "", _XML: "xml"}
        for namespace in (*elements, *attributes):
            if namespace not in self.prefixes and namespace not in self.others:
                wanted = self.observer.prefixes.get(namespace, "")
                prefix = _unused(wanted, taken, empty=namespace in elements)
                taken.add(prefix)
                self.prefixes[namespace] = prefix
        for namespace in attributes:
            if namespace not in self.others:
                self.others[namespace] = self.prefixes[namespace] or _unused("", taken, empty=False)
                taken.add(self.others[namespace])

    def schema(self, name: str, problems: tuple[Problem, ...]) -> Schema:
        known = self.observer.elements
        tags = {name: self._tag(name) for name in known}
        roots = tuple(tags[root] for root in self.observer.roots)
        elements = {tags[name]: self._element(name, seen, roots) for name, seen in known.items()}
        seen = {tags[name]: self._seen(seen) for name, seen in known.items()}
        return Schema(name, elements, problems, (), roots, seen)

    def _element(self, name: str, seen: Observation, roots: tuple[str, ...]) -> Element:
        tag = self._tag(name)
        attributes = tuple(
            Attribute(self._attribute(attribute), AttributeType.CDATA, required=count == seen.count)
            for attribute, count in seen.attributes.items()
        )
        if tag in roots:
            attributes = (*self._bindings(), *attributes)
        return Element(tag, self._content(seen), attributes, Place(seen.document, seen.line))

    def _content(self, seen: Observation) -> Content:
        names = tuple(self._tag(name) for name in seen.children)
        if not names:
            return Content(ContentKind.TEXT if seen.with_text or seen.with_blanks else ContentKind.EMPTY)
        if seen.with_text:
            return Content(ContentKind.MIXED, Choice(tuple(map(Name, names)), Occurs.MANY))
        neighbours = {(self._tag(first), self._tag(second)) for first, second in seen.neighbours}
        fillings = None
        if seen.fillings is not None:
            fillings = {
                frozenset((self._tag(name), several) for name, several in filling): count
                for filling, count in seen.fillings.items()
            }
        return Content(ContentKind.ELEMENTS, chain(names, neighbours, fillings))

    def _seen(self, seen: Observation) -> Seen:
        return Seen(
            seen.count,
            seen.documents,
            seen.with_text,
            {self._tag(name): count for name, count in seen.children.items()},
            {self._attribute(name): count for name, count in seen.attributes.items()},
            {self._attribute(name): tuple(values) for name, values in seen.values.items()},
        )

    def _bindings(self) -> tuple[Attribute, ...]:
        bound = {prefix: namespace for namespace, prefix in (*self.prefixes.items(), *self.others.items()) if namespace}
        return tuple(
            Attribute(f"xmlns:{prefix}" if prefix else "xmlns", AttributeType.CDATA, default=namespace, fixed=True)
            for prefix, namespace in bound.items()
            if prefix != "xml"
        )

    def _tag(self, name: str) -> str:
        namespace, local = _split(name)
        prefix = self.prefixes[namespace]
        return f"{prefix}:{local}" if prefix else local

    def _attribute(self, name: str) -> str:
        namespace, local = _split(name)
        prefix = self.others[namespace]
        return f"{prefix}:{local}" if prefix else local


def _split(name: str) -> tuple[str, str]:
    namespace, _, local = name.rpartition(SEPARATOR)
    return namespace, local


def _unused(wanted: str, taken: set[str], *, empty: bool) -> str:
    """A prefix that stands for nothing yet: the wanted one if it may be."""
    if wanted not in taken and (wanted or empty):
        return wanted
    number = 1
    while f"n{number}" in taken:
        number += 1
    return f"n{number}"
