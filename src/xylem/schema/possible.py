"""Whether the paths of a document are possible under a schema, and where the first impossible one is.

The document is parsed once more with no more than a stack of states, so the answer does not depend on which names a
vocabulary knows, and comes with the line. The order of children, attributes and text are not looked at: only paths.

Invariant: a document that is valid is possible. This module knows nothing of schemas, only of their paths.
"""

from __future__ import annotations

import pyexpat
from dataclasses import dataclass

from xylem.document import Document
from xylem.document.encodings import transcoded
from xylem.document.plain import new_parser, run_parser
from xylem.document.vocabulary import SEPARATOR
from xylem.schema.paths import NOWHERE, START, PathAutomaton


@dataclass(frozen=True, slots=True)
class Impossible:
    """The first path, in document order, that no valid document has: its elements from the root down, a name in a
    namespace as `{namespace}local`; the line and column of its last one's start tag, and what is wrong with that.

    `unfinished` tells a leaf that needs a child element from an element that may not stand where it does."""

    path: tuple[str, ...]
    line: int
    column: int
    unfinished: bool

    @property
    def element(self) -> str:
        return self.path[-1]

    @property
    def reason(self) -> str:
        if self.unfinished:
            return f"the element '{self.element}' is empty, and needs an element inside"
        where = f"in '{self.path[-2]}'" if len(self.path) > 1 else "as the root"
        return f"the element '{self.element}' may not stand {where}"

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason} (/{'/'.join(self.path)})"


def first_impossible(paths: PathAutomaton, document: Document | bytes) -> Impossible | None:
    """The first impossible path of a document, or None; raises DocumentError if it is not well-formed up to there."""
    data = document.data if isinstance(document, Document) else document
    data = transcoded(data) or data
    check = _Check(paths, data)
    try:
        run_parser(check.parser, data)
    except _Found as found:
        return found.impossible
    return None


class _Found(Exception):
    """Ends the parse."""

    def __init__(self, impossible: Impossible) -> None:
        super().__init__(str(impossible))
        self.impossible = impossible


class _Check:
    def __init__(self, paths: PathAutomaton, data: bytes) -> None:
        self._paths = paths
        self._labels: dict[str, int] = {}
        self._open: list[tuple[str, int, int]] = []  # names, lines and columns
        self._states = [START]
        self._is_leaf = False
        self.parser: pyexpat.XMLParserType = new_parser(data)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _start(self, name: str, attributes: list[str]) -> None:
        self._open.append((name, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1))
        state = self._paths.target(self._states[-1], self._label(name))
        if state == NOWHERE:
            raise _Found(self._impossible(unfinished=False))
        self._states.append(state)
        self._is_leaf = True

    def _end(self, name: str) -> None:
        if self._is_leaf and not self._paths.accepting[self._states[-1]]:
            raise _Found(self._impossible(unfinished=True))
        self._is_leaf = False
        self._states.pop()
        self._open.pop()

    def _label(self, name: str) -> int:
        label = self._labels.get(name)
        if label is None:
            namespace, _, local = name.rpartition(SEPARATOR)
            label = self._labels[name] = self._paths.label(namespace, local)
        return label

    def _impossible(self, unfinished: bool) -> Impossible:
        names = [name.rpartition(SEPARATOR) for name, _, _ in self._open]
        path = tuple(f"{{{namespace}}}{local}" if namespace else local for namespace, _, local in names)
        _, line, column = self._open[-1]
        return Impossible(path, line, column, unfinished)
