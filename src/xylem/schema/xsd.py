"""Reads an XML Schema, with the local files that it refers to, into a `Schema`.

The library xmlschema parses and links; it is imported with the first XSD only. It is told to open nothing but local
files, and where they are is asked of `LocalFiles`, as for a DTD. Every error that it finds becomes a problem with a
place; what could be linked is used.

Invariant: nothing is fetched. Only a file that is no XML Schema, or that declares no element, is refused.

This module knows nothing of types and content models.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from xylem.document import line_numbers
from xylem.errors import DocumentError
from xylem.schema.checks import with_checks
from xylem.schema.errors import SchemaError
from xylem.schema.files import LocalFiles, read_bytes
from xylem.schema.model import Element, Place, Problem, Schema

_XSD = "http://www.w3.org/2001/XMLSchema"
_REFERENCES = frozenset(f"{{{_XSD}}}{name}" for name in ("include", "import", "redefine", "override"))


def read_xsd(path: Path, *, roots: tuple[str, ...] = ()) -> Schema:
    """Reads an XML Schema; raises SchemaError with file and line."""
    lines = _Lines(path)
    lines.of(path)
    library = _library(path)
    linked, said = _link(library, path)
    if linked.root.tag != f"{{{_XSD}}}schema":
        raise SchemaError(f"this is no XML Schema: its root is '{linked.root.tag}'", file=str(path), line=1)

    from xylem.schema.xsd_types import translated

    elements = translated(linked, lines.place)
    missing = _missing(linked, lines)
    problems = list(missing.values())
    problems += [Problem(Place(str(path)), text) for text in said if not any(location in text for location in missing)]
    problems += [_problem(error, lines) for error in linked.maps.all_errors]
    if not any(not element.local for element in elements):
        first = "".join(f"; {problem}" for problem in problems[:1])
        raise SchemaError(f"the schema declares no element that a document can start with{first}", file=str(path))
    top = tuple(element.name for element in elements if not element.local)
    names = {element.name: element for element in elements}
    chosen = tuple(dict.fromkeys(_named(root, elements) for root in roots)) or top
    return with_checks(Schema(path.name, names, tuple(dict.fromkeys(problems)), (), chosen))


def _named(root: str, elements: list[Element]) -> str:
    """A root may be asked for without its prefix."""
    return next((e.name for e in elements if not e.local and root in (e.name, e.name.rpartition(":")[2])), root)


def _library(path: Path) -> Any:
    try:
        import xmlschema
    except ImportError:
        message = "an XML Schema is read with the package xmlschema, which is not installed: pip install xmlschema"
        raise SchemaError(message, file=str(path)) from None
    return xmlschema


def _link(library: Any, path: Path) -> tuple[Any, list[str]]:
    """The schema as the library links it, as XSD 1.0 or, if that finds fewer errors, as 1.1; and its warnings."""
    readings = []
    for version in (library.XMLSchema10, library.XMLSchema11):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                linked = version(
                    path.absolute().as_uri(),
                    validation="lax",
                    allow="local",
                    defuse="remote",
                    uri_mapper=_Mapper(path),
                    use_cache=False,
                )
            except (library.XMLSchemaException, OSError, SyntaxError, RecursionError) as error:
                line = _line_said(error)
                raise SchemaError(
                    f"the schema cannot be used: {_one_line(error)}", file=str(path), line=line
                ) from error
        readings.append((linked, list(dict.fromkeys(_one_line(warning.message) for warning in caught))))
        if not linked.maps.all_errors:
            return readings[-1]
    return min(readings, key=lambda reading: len(reading[0].maps.all_errors))


class _Mapper:
    """Where a schema location is on this machine; what is nowhere stays as it is, and is then not opened."""

    def __init__(self, path: Path) -> None:
        self._files = LocalFiles(path.absolute().parent)

    def __call__(self, location: str) -> str:
        found = self._files.find(location, None, self._files.folder)
        return found.absolute().as_uri() if found is not None else location


@dataclass(slots=True)
class _Lines:
    """The lines of the elements of schema files: the library's trees have none, so each file is parsed once more."""

    path: Path
    known: dict[str, dict[int, int]] = field(default_factory=dict)  # by file, by identity of the tree's element

    def of(self, path: Path) -> list[int]:
        """The lines of a file's elements in document order; raises SchemaError."""
        try:
            return [int(line) for line in line_numbers(read_bytes(path))[1:]]
        except DocumentError as error:
            raise SchemaError(f"the schema is {error.reason}", file=str(path), line=error.line) from error

    def place(self, component: Any) -> Place:
        """Where a component of a linked schema is declared."""
        schema = getattr(component, "schema", None)
        return self.at(schema if schema is not None else component, getattr(component, "elem", None))

    def at(self, schema: Any, element: Any) -> Place:
        parts = urlsplit(getattr(schema, "url", None) or "")
        if parts.scheme != "file":
            return Place(str(self.path))
        file = unquote(parts.path)
        if file not in self.known:
            # The trees have comments where the parser kept them; those have no tag of their own.
            elements = (node for node in schema.root.iter() if isinstance(node.tag, str))
            try:
                self.known[file] = {id(node): line for node, line in zip(elements, self.of(Path(file)), strict=False)}
            except SchemaError:
                self.known[file] = {}
        return Place(self._shown(file), self.known[file].get(id(element), 0))

    def _shown(self, file: str) -> str:
        """A file as it is from where the schema was asked for."""
        if file == str(self.path.absolute()):
            return str(self.path)
        return os.path.normpath(self.path.parent / os.path.relpath(file, self.path.absolute().parent))


def _missing(linked: Any, lines: _Lines) -> dict[str, Problem]:
    """The schema documents that are referred to and not among the local files, by their locations. The library brings
    copies of a few that everybody refers to."""
    found: dict[str, Problem] = {}
    for schema in linked.maps.schemas:
        for node in schema.root:
            location = node.get("schemaLocation") if node.tag in _REFERENCES else None
            if location is None or node.get("namespace", schema) in linked.maps.namespaces:
                continue
            beside = Path(unquote(urlsplit(schema.url or "").path) or lines.path).parent
            if LocalFiles(lines.path.absolute().parent).find(location, None, beside) is None:
                message = f"the schema document '{location}' is not among the local files; it is passed over"
                found.setdefault(location, Problem(lines.at(schema, node), message))
    return found


def _problem(error: Any, lines: _Lines) -> Problem:
    validator = getattr(error, "validator", None)
    schema = getattr(validator, "schema", None)
    element = getattr(error, "elem", None)
    place = lines.at(schema if schema is not None else validator, element)
    if not place.line and validator is not None:
        place = lines.place(validator)
    message, around = _one_line(error.message), _element_around(validator)
    if around is not None and around not in message:
        message += f" (in the element '{around}')"
    return Problem(place, message, around)


def _element_around(component: Any) -> str | None:
    while component is not None:
        if type(component).__name__.endswith("Element") and getattr(component, "local_name", None):
            return str(component.local_name)
        component = getattr(component, "parent", None)
    return None


def _line_said(error: BaseException | None) -> int:
    """The line that a parser's error carries, whatever it was wrapped in."""
    while error is not None:
        if isinstance(error, SyntaxError) and hasattr(error, "position"):
            return int(error.position[0])
        error = error.__cause__ or error.__context__
    return 0


def _one_line(message: object) -> str:
    text = " ".join(str(getattr(message, "message", message)).split())
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
