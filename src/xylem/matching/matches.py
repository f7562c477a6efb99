"""The subscriptions that one document matched.

Thousands of matches are one array of numbers; the ids that the caller gave are looked up when they are first read.
Until then the answer holds the era of its numbers, so that none of them comes to mean another id.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, overload

from xylem.document.model import IntArray
from xylem.matching.identifiers import Era


class Matches(Sequence[Any]):
    """A sequence of subscription ids, sorted (ids that cannot be compared with each other by type, then as they are
    written). It equals any sequence of the same ids in the same order, and stays as it is when subscriptions change
    later."""

    __slots__ = ("_era", "_ids", "_names", "_numbers")

    def __init__(self, numbers: IntArray, names: Sequence[Hashable], era: Era | None = None) -> None:
        self._numbers = numbers
        self._names = names
        self._era = era
        self._ids: list[Any] | None = None

    def _resolved(self) -> list[Any]:
        era = self._era  # held to the end: another thread may be through first and let go of it
        if self._ids is None:
            names = self._names
            ids: list[Any] = [names[number] for number in self._numbers.tolist()]
            try:
                ids.sort()
            except TypeError:
                ids.sort(key=_written)
            self._ids = ids
            self._era = None
        del era
        return self._ids

    def __len__(self) -> int:
        return len(self._numbers)

    def __bool__(self) -> bool:
        return len(self._numbers) > 0

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._resolved()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._resolved())

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._resolved()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Matches):
            return self._resolved() == other._resolved()
        if isinstance(other, (list, tuple)):
            return self._resolved() == list(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._resolved()))

    def __repr__(self) -> str:
        return repr(self._resolved())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_of_ids, (self._resolved(),))


def _written(id: object) -> tuple[str, str]:
    """An order for ids that have none of their own."""
    return type(id).__name__, repr(id)


def _of_ids(ids: list[Any]) -> Matches:
    import numpy as np

    return Matches(np.arange(len(ids), dtype=np.int32), ids)
