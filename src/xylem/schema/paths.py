"""The paths from the root of a document that a schema makes possible, as a deterministic automaton over names.

State 0 stands for the document node; a path is read from the root element down. A state is reached by exactly the
paths that some document below it completes, so every state is alive, and `accepting` says that an element in it may be
a leaf (it needs no child element). All of it is flat arrays: the edges of state `s` are the rows `edge_start[s] …
edge_start[s + 1] - 1` of `edge_label` and `edge_target`, sorted by label; `other[s]` is where every name leads that has
no edge there, known to the schema or not (-1: nowhere). So what admits anything costs one number a state.

A label is a name as documents have it: namespace and local part. The namespace is None where a DTD leaves it open which
one a prefix stands for; such a label means the local part in every namespace that no other label has it in.

Invariant: a document that is valid has all its paths in the automaton. For a DTD the converse holds path by path: each
path stands in some valid document. An XSD's wildcards admit a little more here than there: which namespaces they
leave out is not kept.

This module knows nothing of documents, nor of how the automaton comes about.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from xylem.schema.model import Schema

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

START = 0
NOWHERE = -1
UNKNOWN = -1  # the label of a name that the schema does not have


@dataclass(frozen=True, slots=True, eq=False)
class PathAutomaton:
    """`labels` are the names by id, `spelled` the same as the schema writes them; `states` the elements (by their names
    in the schema) that each state stands for, none for the document node and for "anything"."""

    name: str
    labels: tuple[tuple[str | None, str], ...]
    spelled: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    edge_start: IntArray
    edge_label: IntArray
    edge_target: IntArray
    other: IntArray
    accepting: BoolArray
    _ids: dict[tuple[str | None, str], int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ids", {label: number for number, label in enumerate(self.labels)})

    @staticmethod
    def of(schema: Schema) -> PathAutomaton:
        """The automaton of a schema, from its roots; raises SchemaError if it would pass the limit of states."""
        from xylem.schema.subsets import path_automaton

        return path_automaton(schema)

    def __len__(self) -> int:
        """The number of states."""
        return len(self.states)

    @property
    def nbytes(self) -> int:
        """What the arrays take."""
        arrays = (self.edge_start, self.edge_label, self.edge_target, self.other, self.accepting)
        return sum(array.nbytes for array in arrays)

    def label(self, namespace: str, local: str) -> int:
        """The id of a name, `UNKNOWN` if the schema does not have it."""
        found = self._ids.get((namespace, local))
        return found if found is not None else self._ids.get((None, local), UNKNOWN)

    def target(self, state: int, label: int) -> int:
        """Where a label leads, or `NOWHERE`; O(log edges of the state)."""
        first, last = int(self.edge_start[state]), int(self.edge_start[state + 1])
        row = bisect_left(self.edge_label, label, first, last)
        if label != UNKNOWN and row < last and self.edge_label[row] == label:
            return int(self.edge_target[row])
        return int(self.other[state])

    def edges(self, state: int) -> Iterator[tuple[int, int]]:
        """The labels that have an edge of their own, and where they lead."""
        rows = slice(int(self.edge_start[state]), int(self.edge_start[state + 1]))
        return zip(self.edge_label[rows].tolist(), self.edge_target[rows].tolist(), strict=True)

    def follow(self, names: Iterable[tuple[str, str]]) -> int:
        """The state that a path of names (namespace, local part) leads to, or `NOWHERE`."""
        state = START
        for namespace, local in names:
            state = self.target(state, self.label(namespace, local))
            if state == NOWHERE:
                break
        return state
