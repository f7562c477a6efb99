"""What every matching engine promises.

An engine is shared by all threads; what one match needs is a `Scratch`, one per thread. Adds, removes
and matches may be mixed at any time. All engines give exactly the same answer.

An engine reads only the `condition` of a pattern. What a pattern's `verification` asks is decided in one
place for all engines (`matching/verified.py`), which hands them the necessary condition alone.
"""

from __future__ import annotations

from typing import Protocol

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

    def match(self, document: Document, scratch: Scratch) -> IntArray:
        """The ids of the matching subscriptions, ascending; raises StaleDocumentError when the document was
        read before the vocabulary held every name that a subscription mentions."""
