"""The front door of the library: subscriptions in, documents in, matches out.

A document goes bytes → `Reader` → `Document` → engine → `Matches`; a subscription goes text → `parse` →
`TreePattern` → engine. This module gives the ids that callers choose to the numbers that engines count with.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from xylem.document.limits import DEFAULT_LIMITS, Limits
from xylem.document.model import Document
from xylem.document.reader import Reader
from xylem.document.vocabulary import Vocabulary
from xylem.errors import DocumentError, StaleDocumentError, UsageError
from xylem.matching import storage
from xylem.matching.identifiers import Identifiers
from xylem.matching.matches import Matches
from xylem.matching.registry import AUTO, create
from xylem.xpath import parse
from xylem.xpath.pattern import TreePattern

Source = bytes | bytearray | memoryview | str | os.PathLike[str]
IN_FLIGHT = 4  # documents a worker that `match_many` reads ahead: enough to keep all of them busy

__all__ = ["Matcher"]


class Matcher:
    """Standing XPath queries and the documents that they match; safe to use from many threads.

    >>> m = Matcher()
    >>> m.add("alice", "/news//title[contains(., 'rail')]")
    >>> m.match(b"<news><title>New rail line</title></news>")
    ['alice']
    """

    def __init__(
        self,
        engine: str = AUTO,
        namespaces: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        strict: bool = False,
    ) -> None:
        self.vocabulary = Vocabulary()
        self.namespaces = dict(namespaces or {})
        self.strict = strict
        self._engine = create(engine, self.vocabulary)
        self._reader = Reader(self.vocabulary, limits or DEFAULT_LIMITS)
        self._lock = threading.Lock()
        self._ids = Identifiers()
        self._local = threading.local()

    @property
    def engine_name(self) -> str:
        """The engine that is in use: what `auto` chose."""
        return self._engine.name

    @property
    def limits(self) -> Limits:
        return self._reader.limits

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, id: Hashable) -> bool:
        return id in self._ids

    def __iter__(self) -> Iterator[Any]:
        """The ids, in the order in which they were added."""
        with self._lock:
            return iter(self._ids.ids())

    @property
    def distinct(self) -> int:
        """How many different queries the subscriptions are."""
        return self._engine.distinct

    def add(self, id: Hashable, xpath: str, *, namespaces: Mapping[str, str] | None = None) -> None:
        """Registers a standing query under an id. Raises XPathError if the expression is refused, UsageError if the id
        is there already."""
        bound = self.namespaces if not namespaces else {**self.namespaces, **namespaces}
        pattern = parse(xpath, bound, strict=self.strict)
        with self._lock:
            if id in self._ids:
                raise UsageError(f"there is a subscription {id!r} already")
            # A thread that matches may find the number as soon as the engine has it, so it stands for the id before.
            number = self._ids.reserve(id)
            try:
                self._engine.add(number, pattern)
            except BaseException:
                self._ids.release(number)
                raise
            self._ids.enter(id, number)

    def remove(self, id: Hashable) -> None:
        """Forgets a subscription; raises UsageError if there is none of that id."""
        with self._lock:
            self._engine.remove(self._number(id))
            self._ids.forget(id)

    def pattern(self, id: Hashable) -> TreePattern:
        """What a subscription asks, in canonical form; raises UsageError if there is none of that id."""
        with self._lock:
            return self._engine.pattern(self._number(id))

    def _number(self, id: Hashable) -> int:
        if id not in self._ids:
            raise UsageError(f"there is no subscription {id!r}")
        return self._ids.number(id)

    def match(self, document: Source) -> Matches:
        """The ids of the subscriptions that a document matches. Takes bytes, text (it begins with `<`) or a path.
        Raises DocumentError if the document is refused."""
        return self._match(_content(document))

    def match_document(self, document: Document) -> Matches:
        """The same for a document that `read` gave. One that was read before a subscription came, or by another
        matcher, is read again."""
        try:
            return self._found(document)
        except StaleDocumentError:
            return self._match(document.data)

    def read(self, document: Source) -> Document:
        """The document as flat arrays, its names those of this matcher's vocabulary."""
        return self._reader.read(_content(document))

    def _match(self, data: bytes | bytearray | memoryview | str) -> Matches:
        while True:
            try:
                return self._found(self._reader.read(data))
            except StaleDocumentError:  # a subscription came in between with a name that was not read
                continue

    def _found(self, document: Document) -> Matches:
        era = self._ids.era  # from before the match, so that what it finds means what it meant then
        return Matches(self._engine.match(document, self._scratch()), self._ids.names, era)

    def _scratch(self) -> Any:
        try:
            return self._local.scratch
        except AttributeError:
            self._local.scratch = self._engine.scratch()
            return self._local.scratch

    def match_many(self, documents: Iterable[Source], workers: int = 1) -> Iterator[Matches | DocumentError]:
        """The matches of each document in order; in place of one that is refused, its DocumentError. With several
        workers, documents are matched in that many threads, a few ahead of what was asked for."""
        if workers < 1:
            raise UsageError(f"workers must be 1 at least, not {workers}")
        if workers == 1:
            return map(self._result, documents)
        return self._match_in_threads(documents, workers)

    def _match_in_threads(self, documents: Iterable[Source], workers: int) -> Iterator[Matches | DocumentError]:
        waiting: deque[Future[Matches | DocumentError]] = deque()
        with ThreadPoolExecutor(workers, thread_name_prefix="xylem-match") as pool:
            try:
                for document in documents:
                    waiting.append(pool.submit(self._result, document))
                    if len(waiting) >= IN_FLIGHT * workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def _result(self, document: Source) -> Matches | DocumentError:
        try:
            return self.match(document)
        except DocumentError as error:
            return error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the matcher, with all that was built, to a file for `load`. Changes wait meanwhile, matches do not."""
        with self._lock:
            self._engine.prepare()
            storage.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Matcher:
        """The matcher that `save` wrote, its arrays mapped from the file. Raises UsageError if the file is none, or of
        another version. The file is a pickle: load only what you trust."""
        found = storage.load(path)
        if not isinstance(found, cls):
            raise UsageError(f"{os.fspath(path)} holds no matcher")
        return found

    def _check(self) -> None:
        """Raises AssertionError if the structure contradicts itself."""
        self._ids._check()
        assert len(self._ids) == len(self._engine)
        self._engine._check()

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_lock"], state["_local"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._local = threading.local()


def _content(document: Source) -> bytes | bytearray | memoryview | str:
    """What a document's argument stands for: itself, or the content of the file that it names."""
    if isinstance(document, (bytes, bytearray, memoryview)):
        return document
    if isinstance(document, str) and document.lstrip("\ufeff \t\r\n").startswith("<"):
        return document
    if not isinstance(document, (str, os.PathLike)):
        raise UsageError(f"a document is bytes, text or a path, not {type(document).__name__}")
    try:
        with open(document, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        name = os.fspath(document)
        shown = name if len(name) <= 80 else name[:77] + "…"
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise DocumentError(f"cannot be read as a file: {reason}", document=shown) from error
