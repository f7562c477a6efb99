"""The names that subscriptions mention, as small integers shared by readers and engines.

A name is a pair of namespace and local part ("" is no namespace). Ids start at 1, are never
reused, and mean the same for elements and attributes. Names that nobody mentioned share
`OTHER`; where a whole namespace was mentioned (`p:*`), its further names share an id of their own,
so that a document can be matched without knowing any more names than the subscriptions do.

A vocabulary only grows. `version` rises with each growth: a document read under an earlier
version may hold `OTHER` where there is an id by now, and must be read again before it is matched
(`Document.version` says under which version it was read).
"""

from __future__ import annotations

import threading

import numpy as np

OTHER = 0

# A form feed can stand in no XML document, so in what parsers report it separates namespace and local part without
# doubt.
SEPARATOR = "\x0c"


class Vocabulary:
    """Interned names; safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids: dict[tuple[str, str], int] = {}
        self._namespaces: dict[str, int] = {}
        self._others: dict[int, int] = {}  # namespace number -> id of its unmentioned names
        self._names: list[tuple[str, str | None]] = [("", None)]
        self.version = 0
        self.spaces = np.zeros(64, np.int32)
        """Per id, the number of the mentioned namespace that the name is in, or 0; ids past the end have none."""

    def __len__(self) -> int:
        """One more than the largest id."""
        return len(self._names)

    def name(self, namespace: str, local: str) -> int:
        """The id of a name, given one now if it has none."""
        found = self._ids.get((namespace, local))
        if found is not None:
            return found
        with self._lock:
            key = (namespace, local)
            if key not in self._ids:
                self._names.append((namespace, local))
                if self._namespaces:
                    self._note_space(len(self._names) - 1, self._namespaces.get(namespace, 0))
                self._ids[key] = len(self._names) - 1
                self.version += 1
            return self._ids[key]

    def namespace(self, namespace: str) -> int:
        """The number (from 1) of a namespace that is mentioned as a whole, given one now if it has none."""
        with self._lock:
            if namespace not in self._namespaces:
                number = len(self._namespaces) + 1
                self._namespaces[namespace] = number
                self._names.append((namespace, None))
                self._others[number] = len(self._names) - 1
                for identifier, (space, _) in enumerate(self._names):
                    if identifier and space == namespace:
                        self._note_space(identifier, number)
                self.version += 1
            return self._namespaces[namespace]

    def _note_space(self, identifier: int, number: int) -> None:
        if identifier >= len(self.spaces):
            longer = np.zeros(max(identifier + 1, 2 * len(self.spaces)), np.int32)
            longer[: len(self.spaces)] = self.spaces
            self.spaces = longer
        self.spaces[identifier] = number

    def find(self, namespace: str, local: str) -> int:
        """The id under which a document shows this name: `OTHER` when nobody mentioned it."""
        found = self._ids.get((namespace, local))
        if found is not None:
            return found
        return self._others.get(self._namespaces.get(namespace, 0), OTHER)

    def spell(self, identifier: int) -> tuple[str, str | None]:
        """Namespace and local part of an id; the local part is None for unmentioned names."""
        return self._names[identifier]

    def namespace_of(self, identifier: int) -> int:
        """The number of the mentioned namespace that a name is in, or 0."""
        return self._namespaces.get(self._names[identifier][0], 0) if identifier else 0

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
