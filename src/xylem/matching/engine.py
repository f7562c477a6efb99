"""What every matching engine promises.

An `Engine` is shared by all threads; what one match needs is a `Scratch`, one per thread. Adds, removes
and matches may be mixed at any time. All engines give exactly the same answer.

An engine is made of a `Core`, the structure that is the engine's own, and a `SubscriptionSet`, which is the same
for all: it keeps equal queries once, keeps changes and matches apart, and has libxml2 decide what a pattern's
`verification` asks. A core therefore reads only the `condition` of a pattern, never sees two equal patterns at
once, and needs no lock.
"""

from __future__ import annotations

from typing import Any, Protocol

from xylem.document.model import Document, IntArray
from xylem.xpath.pattern import TreePattern


class Scratch(Protocol):
    """What one match needs: one per thread, bounded in bytes."""

    def size_bytes(self) -> int: ...


class Engine(Protocol):
    """Finds, for a document, the subscriptions whose patterns it matches."""

    def add(self, subscription: int, pattern: TreePattern) -> None:
        """Takes a subscription; raises XPathError if it cannot, naming the construct, and UsageError if
        the id is taken."""

    def remove(self, subscription: int) -> None:
        """Forgets a subscription; raises UsageError if it is not there."""

    def scratch(self) -> Scratch: ...

    def match(self, document: Document, scratch: Any) -> IntArray:
        """The ids of the matching subscriptions, ascending; raises StaleDocumentError when the document was
        read with another vocabulary, or before this one held every name that a subscription mentions."""


class Core(Engine, Protocol):
    """The structure behind an engine. Many threads may be in `match` at once, but nothing changes meanwhile."""

    @property
    def name(self) -> str: ...

    @property
    def prepared(self) -> bool:
        """Whether `match` may be called now."""

    def prepare(self) -> None:
        """Does what changes have left to be done before the next match."""

    def size_bytes(self) -> int: ...

    def _check(self) -> None:
        """Raises AssertionError if the structure contradicts itself."""
