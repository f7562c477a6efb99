"""Where the parts of a schema are found: in local files, never on the network.

A system identifier is looked for beside the file that refers to it; then in the `catalog.xml` of the
schema's folder or of the folder above (OASIS entries `system`, `public`, `uri`, `rewriteSystem` and `rewriteURI`);
then by the last part of its name in the schema's folder, since a copy of a published schema mostly stands there as
one flat folder. What is found nowhere is missing, and the caller says so.

This module knows nothing of what the files say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

from xylem.schema.errors import SchemaError

MAX_FILE_BYTES = 64 << 20  # a hundred times the largest published DTD
_CATALOG = "catalog.xml"
_EXACT = {"system": "systemId", "public": "publicId", "uri": "name"}
_PREFIX = {"rewriteSystem": "systemIdStartString", "rewriteURI": "uriStartString"}


@dataclass(slots=True)
class Catalog:
    """Names of published schemas, and the local files that stand for them."""

    exact: dict[str, Path] = field(default_factory=dict)
    prefixes: list[tuple[str, Path]] = field(default_factory=list)

    def read(self, path: Path) -> None:
        """Adds the entries of a catalog file; one that is not well-formed says nothing."""
        folder = path.parent

        def entry(name: str, attributes: dict[str, str]) -> None:
            if name in _EXACT and "uri" in attributes:
                self.exact.setdefault(attributes.get(_EXACT[name], ""), folder / attributes["uri"])
            elif name in _PREFIX and "rewritePrefix" in attributes:
                self.prefixes.append((attributes.get(_PREFIX[name], ""), folder / attributes["rewritePrefix"]))

        parser = expat.ParserCreate()
        parser.StartElementHandler = entry
        try:
            parser.Parse(read_bytes(path), True)
        except expat.ExpatError:
            return

    def candidates(self, system: str, public: str | None) -> list[Path]:
        """What the catalog says about a name; of prefixes, the longest first."""
        found = [self.exact[name] for name in (system, public) if name in self.exact]
        matching = sorted((p for p in self.prefixes if p[0] and system.startswith(p[0])), key=lambda p: -len(p[0]))
        return found + [target / system[len(prefix) :] for prefix, target in matching]


@dataclass(slots=True)
class LocalFiles:
    """Finds the files that a schema in `folder` refers to."""

    folder: Path
    catalog: Catalog = field(default_factory=Catalog)

    def __post_init__(self) -> None:
        for folder in (self.folder, self.folder.parent):
            if (folder / _CATALOG).is_file():
                self.catalog.read(folder / _CATALOG)

    def find(self, system: str, public: str | None, beside: Path) -> Path | None:
        """The file that a system identifier stands for in a file in the folder `beside`, or None."""
        candidates = [*self._as_path(system, beside), *self.catalog.candidates(system, public)]
        last = unquote(system.replace("\\", "/").rstrip("/").rpartition("/")[2])
        if last:
            candidates.append(self.folder / last)
        for candidate in candidates:
            try:
                if candidate.is_file():
                    return candidate
            except (OSError, ValueError):  # a name that no file can have: too long, or with a NUL in it
                continue
        return None

    @staticmethod
    def _as_path(system: str, beside: Path) -> list[Path]:
        try:
            parts = urlsplit(system)
        except ValueError:
            return []
        if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
            return []
        return [beside / unquote(parts.path)] if parts.path else []


def read_bytes(path: Path) -> bytes:
    """The content of a regular file of a reasonable size; raises SchemaError."""
    try:
        if not path.is_file():
            raise SchemaError(
                "there is no such file" if not path.exists() else "this is no regular file", file=str(path)
            )
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise SchemaError(f"the file has {size} bytes, more than the limit of {MAX_FILE_BYTES}", file=str(path))
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise SchemaError(f"the file cannot be read: {error}", file=str(path)) from error
