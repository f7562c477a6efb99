"""The numbers that engines count with, for the ids that callers choose.

Numbers are used again, so that subscribers may come and go for years. One that was given back waits until nobody can
read it any more: whoever matches holds the *era* in which it began, and so does the answer until its ids are read. Each
removal ends an era; an era refers to the one after it, so that eras die in order, and a dead one frees its number.

Invariant: while an era lives, no number that was in use in it or since stands for another id.

This module knows nothing of engines. Changes need a lock around them; reading needs none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Any


class Era:
    """A time between two removals. It lives while it is the present, or somebody or an older era holds it."""

    __slots__ = ("_following", "_free", "_left")

    def __init__(self, free: deque[int]) -> None:
        self._free = free
        self._left = -1
        self._following: Era | None = None

    def end(self, left: int) -> Era:
        """The era that follows now that a number was given back."""
        self._left = left
        self._following = Era(self._free)
        return self._following

    def __del__(self) -> None:
        if self._left >= 0:
            self._free.append(self._left)


class Identifiers:
    """Ids and their numbers. All is O(1)."""

    def __init__(self) -> None:
        self.names: list[Any] = []  # by number; reading needs an era
        self.era = Era(deque())
        self._free = self.era._free
        self._numbers: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, id: Hashable) -> bool:
        return id in self._numbers

    def ids(self) -> list[Any]:
        """In the order in which they came."""
        return list(self._numbers)

    def number(self, id: Hashable) -> int:
        """Its number; raises KeyError."""
        return self._numbers[id]

    def reserve(self, id: Hashable) -> int:
        """A number that stands for the id from now on, but is not yet found under it."""
        if self._free:
            number = self._free.popleft()
            self.names[number] = id
            return number
        self.names.append(id)
        return len(self.names) - 1

    def enter(self, id: Hashable, number: int) -> None:
        """The id has a reserved number now."""
        self._numbers[id] = number

    def release(self, number: int) -> None:
        """Gives back a reserved number that nobody has seen."""
        self.names[number] = None
        self._free.append(number)

    def forget(self, id: Hashable) -> None:
        """Gives back the number of an id that nobody can meet from now on."""
        self.era = self.era.end(self._numbers.pop(id))

    def _check(self) -> None:
        """Raises AssertionError if the structure contradicts itself."""
        for id, number in self._numbers.items():
            assert self.names[number] == id
        free = list(self._free)
        assert len(set(free)) == len(free)
        assert not set(free) & set(self._numbers.values())
        assert len(free) + len(self._numbers) <= len(self.names)

    def __getstate__(self) -> tuple[list[Any], dict[Hashable, int]]:
        return self.names, self._numbers

    def __setstate__(self, state: tuple[list[Any], dict[Hashable, int]]) -> None:
        # Answers that are still to be read stay behind in the other process: what they hold is free here.
        Identifiers.__init__(self)
        self.names, self._numbers = state
        used = set(self._numbers.values())
        self._free.extend(number for number in range(len(self.names)) if number not in used)
