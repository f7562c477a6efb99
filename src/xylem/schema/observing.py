"""What documents show of their elements: children and their order, attributes, text, and how often each.

One pass over each document, after the reader has held it against the limits. What is kept does not grow with the
number of documents, only with that of different names and of different ways to be filled, and both are bounded.

Invariant: an `Observation` is about all documents that were watched whole; one that is refused leaves no trace.

This module knows nothing of schemas.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.document import Limits, Reader, Vocabulary
from xylem.document.encodings import transcoded
from xylem.document.plain import new_parser, run_parser
from xylem.errors import UsageError

# Real families have some thousand names; documents with more use names as data, and no schema tells anything of them.
MAX_NAMES = 50_000

# Ways to be filled that are told apart for one element, and for all together; beyond them only the names are kept.
MAX_FILLINGS = 1_000
MAX_VALUES = 20  # of one attribute
MAX_VALUE_LENGTH = 100

Filling = frozenset[tuple[str, bool]]  # the children's names, and whether there is more than one of it


@dataclass(slots=True)
class Observation:
    """What was seen of one element."""

    document: str
    line: int
    count: int = 0
    documents: int = 0
    with_text: int = 0
    with_blanks: bool = False  # white space, a comment or an instruction in some, which no EMPTY element has
    children: dict[str, int] = field(default_factory=dict)  # in how many of the elements
    fillings: dict[Filling, int] | None = field(default_factory=dict)  # None: too many to tell apart
    neighbours: set[tuple[str, str]] = field(default_factory=set)  # which child stood right before which
    attributes: dict[str, int] = field(default_factory=dict)
    values: dict[str, dict[str, None]] = field(default_factory=dict)

    def fill(self, counts: dict[str, int]) -> None:
        """Notes the children of one element."""
        for name in counts:
            self.children[name] = self.children.get(name, 0) + 1
        if self.fillings is None:
            return
        filling = frozenset((name, count > 1) for name, count in counts.items())
        self.fillings[filling] = self.fillings.get(filling, 0) + 1
        if len(self.fillings) > MAX_FILLINGS:
            self.fillings = None


@dataclass(slots=True)
class _Open:
    """An element whose end tag has not come yet."""

    seen: Observation
    counts: dict[str, int] = field(default_factory=dict)
    last: str | None = None
    text: bool = False
    blanks: bool = False


class Observer:
    """Watches documents. Names are as the parser reports them: a local part, or namespace, separator, local part."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._reader = Reader(Vocabulary(), limits or Limits())
        self.elements: dict[str, Observation] = {}
        self.roots: dict[str, int] = {}
        self.prefixes: dict[str, str] = {}  # by namespace, as the first document that has it writes it
        self.documents = 0

    def watch(self, data: bytes, document: str) -> None:
        """Takes in one document; raises DocumentError, and then knows nothing of it."""
        self._reader.read(data)
        data = transcoded(data) or data
        self.documents += 1
        _Watch(self, data, document).run()

    def observation(self, name: str, document: str, line: int) -> Observation:
        """What is known of an element, nothing at first."""
        found = self.elements.get(name)
        if found is None:
            if len(self.elements) >= MAX_NAMES:
                raise UsageError(
                    f"the documents have more than {MAX_NAMES:,} different elements, too many for a schema"
                )
            found = self.elements[name] = Observation(document, line)
        return found


class _Watch:
    """One pass over one document."""

    def __init__(self, observer: Observer, data: bytes, document: str) -> None:
        self._observer = observer
        self._data = data
        self._document = document
        self._open: list[_Open] = []
        self._met: set[str] = set()
        self._parser = parser = new_parser(data)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartCdataSectionHandler = self._section
        parser.CommentHandler = parser.ProcessingInstructionHandler = self._aside
        parser.StartNamespaceDeclHandler = self._declare

    def run(self) -> None:
        run_parser(self._parser, self._data)

    def _start(self, name: str, attributes: list[str]) -> None:
        seen = self._observer.observation(name, self._document, self._parser.CurrentLineNumber)
        seen.count += 1
        if name not in self._met:
            self._met.add(name)
            seen.documents += 1
        if self._open:
            parent = self._open[-1]
            parent.counts[name] = parent.counts.get(name, 0) + 1
            if parent.last is not None:
                parent.seen.neighbours.add((parent.last, name))
            parent.last = name
        else:
            self._observer.roots[name] = self._observer.roots.get(name, 0) + 1
        for attribute, value in zip(attributes[::2], attributes[1::2], strict=True):
            seen.attributes[attribute] = seen.attributes.get(attribute, 0) + 1
            values = seen.values.setdefault(attribute, {})
            if len(values) < MAX_VALUES and len(value) <= MAX_VALUE_LENGTH:
                values[value] = None
        self._open.append(_Open(seen))

    def _end(self, name: str) -> None:
        element = self._open.pop()
        seen = element.seen
        seen.with_text += element.text
        seen.with_blanks = seen.with_blanks or element.blanks
        seen.fill(element.counts)

    def _characters(self, characters: str) -> None:
        element = self._open[-1]
        if not element.text:
            # XML's white space, not Unicode's.
            element.text = bool(characters.strip(" \t\r\n"))
            element.blanks = True

    def _section(self) -> None:
        # Even one without characters is text: element content has room for no section.
        self._open[-1].text = True

    def _aside(self, *ignored: str) -> None:
        if self._open:
            self._open[-1].blanks = True

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        if uri:
            self._observer.prefixes.setdefault(uri, prefix or "")
