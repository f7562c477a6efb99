"""Reads a DTD, its external parameter entities included, into a `Schema`.

expat parses: it reports names with their prefixes and the line of every declaration, and it fetches
nothing by itself; what an external entity stands for is looked up by `LocalFiles`. A part that
is missing is passed over and listed as a problem, as a part that contradicts another is; only a DTD that is not
well-formed, or that declares no element, is refused.

Invariant: of several declarations of one attribute the first holds, as XML says; of several declarations of one
element (an error, but a common one) the first holds too.

This module knows nothing of what a schema is used for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from xylem.schema.checks import with_checks
from xylem.schema.content import Choice, Content, ContentKind, Name, Occurs, Others, Particle, Sequence
from xylem.schema.errors import SchemaError
from xylem.schema.files import LocalFiles, read_bytes
from xylem.schema.model import Attribute, AttributeType, Element, Place, Problem, Schema

MAX_FILES = 1_000  # DocBook, the largest family in wide use, has about 50
MAX_FILE_NESTING = 50
MAX_MODEL_NESTING = 200  # expat's models are nested tuples, walked by recursion; hand-written ones stay below 10

# Standalone, or else expat stops listening at the first parameter entity that nothing declares.
_DRIVER = b'<?xml version="1.0" standalone="yes"?><!DOCTYPE any SYSTEM "dtd"><any/>'
_OCCURS = (Occurs.ONCE, Occurs.OPTIONAL, Occurs.MANY, Occurs.SOME)
_Model = tuple[int, int, str | None, tuple[Any, ...]]


def read_dtd(path: Path, *, roots: tuple[str, ...] = ()) -> Schema:
    """Reads a DTD; raises SchemaError with file, line and, where there is one, element."""
    return _Reader(path).read(roots)


@dataclass(slots=True)
class _Reader:
    path: Path
    files: LocalFiles = field(init=False)
    contents: dict[str, Content] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    attributes: dict[str, dict[str, Attribute]] = field(default_factory=dict)
    attribute_places: dict[str, Place] = field(default_factory=dict)
    entities: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    open: list[tuple[Any, Path]] = field(default_factory=list)  # parsers and their files, innermost last
    opened: int = 0

    def __post_init__(self) -> None:
        self.files = LocalFiles(self.path.parent)

    def read(self, roots: tuple[str, ...]) -> Schema:
        read_bytes(self.path)
        parser = expat.ParserCreate()
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.ElementDeclHandler = self._element
        parser.AttlistDeclHandler = self._attribute
        parser.UnparsedEntityDeclHandler = self._unparsed
        parser.ExternalEntityRefHandler = self._external
        self.open.append((parser, self.path))
        parser.Parse(_DRIVER, True)
        if not self.contents:
            missing = "".join(f"; {problem.message}" for problem in self.problems[:1])
            raise SchemaError(f"the DTD declares no element{missing}", file=str(self.path))
        return self._schema(roots)

    def _schema(self, roots: tuple[str, ...]) -> Schema:
        elements = {
            name: Element(name, content, tuple(self.attributes.get(name, {}).values()), self.places[name])
            for name, content in self.contents.items()
        }
        for name in self.attributes:
            if name not in elements:
                self._problem(
                    f"attributes are declared for the element '{name}', which is not", name, self.attribute_places[name]
                )
        return with_checks(Schema(self.path.name, elements, tuple(self.problems), tuple(self.entities), roots))

    # What expat calls.

    def _external(self, context: str | None, base: str | None, system: str | None, public: str | None) -> int:
        outer, outer_path = self.open[-1]
        if self.opened == 0:
            path: Path | None = self.path
        else:
            path = self.files.find(system or "", public, outer_path.parent)
        if path is None:
            self._problem(f"the external entity '{system}' is not among the local files; it is passed over")
        if self.opened >= MAX_FILES or len(self.open) > MAX_FILE_NESTING:
            raise self._error(f"more than {MAX_FILES} external entities, or {MAX_FILE_NESTING} inside each other")
        self.opened += 1
        inner = outer.ExternalEntityParserCreate(context)
        self.open.append((inner, path or outer_path))
        try:
            inner.Parse(read_bytes(path) if path is not None else b"", True)
        except expat.ExpatError as error:
            message = f"the DTD is not well-formed: {expat.ErrorString(error.code)} (column {error.offset + 1})"
            raise SchemaError(message, file=str(path or outer_path), line=error.lineno) from error
        except (ValueError, LookupError) as error:  # an encoding that expat refuses, or that nobody knows
            raise self._error(f"the DTD cannot be read: {error}") from error
        self.open.pop()
        return 1

    def _element(self, name: str, model: _Model) -> None:
        if name in self.contents:
            self._problem(f"the element '{name}' is declared twice; the first declaration holds", name)
            return
        self.contents[name] = self._content(name, model)
        self.places[name] = self._place()

    def _attribute(self, element: str, name: str, kind: str, default: str | None, required: int) -> None:
        of_element = self.attributes.setdefault(element, {})
        self.attribute_places.setdefault(element, self._place())
        if name not in of_element:
            # expat says "required" of #FIXED attributes too; those have a default.
            fixed = bool(required) and default is not None
            of_element[name] = Attribute(name, *_attribute_type(kind), default, bool(required) and not fixed, fixed)

    def _unparsed(self, name: str, base: str | None, system: str, public: str | None, notation: str) -> None:
        self.entities.append(name)

    def _content(self, name: str, model: _Model) -> Content:
        kind, _, _, children = model
        if kind == expat.model.XML_CTYPE_EMPTY:
            return Content(ContentKind.EMPTY)
        if kind == expat.model.XML_CTYPE_ANY:
            return Content(ContentKind.ANY, others=Others.DECLARED)
        if kind == expat.model.XML_CTYPE_MIXED:
            names = tuple(Name(str(child[2])) for child in children)
            return Content(ContentKind.MIXED, Choice(names, Occurs.MANY)) if names else Content(ContentKind.TEXT)
        return Content(ContentKind.ELEMENTS, self._particle(name, model, 0))

    def _particle(self, element: str, model: _Model, nesting: int) -> Particle:
        if nesting > MAX_MODEL_NESTING:
            raise self._error(f"the content model of '{element}' is nested deeper than {MAX_MODEL_NESTING}", element)
        kind, quantifier, name, children = model
        occurs = _OCCURS[quantifier]
        if kind == expat.model.XML_CTYPE_NAME:
            return Name(str(name), occurs)
        items = tuple(self._particle(element, child, nesting + 1) for child in children)
        return Choice(items, occurs) if kind == expat.model.XML_CTYPE_CHOICE else Sequence(items, occurs)

    def _place(self) -> Place:
        parser, path = self.open[-1]
        return Place(str(path), parser.CurrentLineNumber)

    def _problem(self, message: str, element: str | None = None, place: Place | None = None) -> None:
        self.problems.append(Problem(place or self._place(), message, element))

    def _error(self, message: str, element: str | None = None) -> SchemaError:
        place = self._place()
        return SchemaError(message, file=place.file, line=place.line, element=element)


def _attribute_type(kind: str) -> tuple[AttributeType, tuple[str, ...]]:
    """expat spells an enumeration `(a|b)` and a notation `NOTATION(a|b)`."""
    head, bracket, rest = kind.partition("(")
    if not bracket:
        return AttributeType(kind), ()
    values = tuple(dict.fromkeys(rest.rstrip(")").split("|")))
    return AttributeType.NOTATION if head else AttributeType.ENUMERATION, values
