"""Makes the path automaton of a schema: the subset construction over its element graph.

A state is a set of declared elements. In a DTD every name has one declaration, so all sets have one member. In an
XSD the same tag may lead to several (types that `xsi:type` may choose among, a wildcard beside a named element), and
the set holds them all.

Invariant: the sets are those that some path reaches, numbered in the order of a breadth-first search, so equal
schemas have equal automata.

This module knows nothing of what the automaton is used for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from xylem.schema.content import Others
from xylem.schema.errors import SchemaError
from xylem.schema.graph import ElementGraph
from xylem.schema.model import Schema
from xylem.schema.paths import NOWHERE, PathAutomaton

# A DTD has a state for each element; the largest XSD families have some ten thousand declarations. Sets could be
# exponentially many in a schema made for it.
MAX_STATES = 100_000

_ANYTHING = ""  # a member that admits every path; no element is called that
_Set = tuple[str, ...]
_Label = tuple[str | None, str]


def path_automaton(schema: Schema, *, max_states: int = MAX_STATES) -> PathAutomaton:
    """See `PathAutomaton.of`."""
    return _Construction(schema, ElementGraph.of(schema), max_states).run()


@dataclass(slots=True)
class _Construction:
    schema: Schema
    graph: ElementGraph
    max_states: int
    labels: dict[_Label, int] = field(default_factory=dict)
    spelled: list[str] = field(default_factory=list)
    label_of: dict[str, int] = field(default_factory=dict)
    kin: dict[int, list[int]] = field(default_factory=dict)  # of a label in any namespace: those in a certain one
    numbers: dict[_Set, int] = field(default_factory=dict)
    waiting: list[_Set] = field(default_factory=list)

    def run(self) -> PathAutomaton:
        self._name_everything()
        roots = tuple(root for root in self.schema.roots if root in self.graph.heights)
        start, label, target, other, accepting = [0], list[int](), list[int](), [NOWHERE], [False]
        self.waiting.append(())  # the document node
        for state, members in enumerate(self.waiting):
            fallback = self._fallback(members)
            if state:
                other.append(fallback)
                accepting.append(self._may_be_leaf(members))
            for number, reached in sorted(self._moves(members, roots if state == 0 else None).items()):
                if (successor := self._number(reached)) != fallback:
                    label.append(number)
                    target.append(successor)
            start.append(len(label))
        return PathAutomaton(
            name=self.schema.name,
            labels=tuple(self.labels),
            spelled=tuple(self.spelled),
            states=tuple(tuple(name for name in members if name != _ANYTHING) for members in self.waiting),
            edge_start=np.array(start, np.int32),
            edge_label=np.array(label, np.int32),
            edge_target=np.array(target, np.int32),
            other=np.array(other, np.int32),
            accepting=np.array(accepting, np.bool_),
        )

    def _name_everything(self) -> None:
        for element in self.schema:
            if element.name in self.graph.heights:
                label = (self.schema.namespace(element.name), self.schema.expanded(element.name)[1])
                if label not in self.labels:
                    self.labels[label] = len(self.labels)
                    self.spelled.append(element.tag)
                self.label_of[element.name] = self.labels[label]
        for (namespace, local), number in self.labels.items():
            if namespace is not None and (None, local) in self.labels:
                self.kin.setdefault(self.labels[None, local], []).append(number)

    def _moves(self, members: _Set, roots: _Set | None) -> dict[int, set[str]]:
        """Where each label leads that leads somewhere of its own."""
        reached: dict[int, set[str]] = {}
        for name in members:
            for child in self._children(name):
                self._lead(reached, child)
        for child in roots or ():
            self._lead(reached, child)
        for name in members:
            if self._others(name) in (Others.LAX, Others.SKIPPED):
                strict = self._others(name) is Others.LAX
                known = {self.label_of[child] for child in self._children(name)} if strict else set()
                for label in reached:
                    if label not in known:
                        reached[label].add(_ANYTHING)
        return reached

    def _lead(self, reached: dict[int, set[str]], child: str) -> None:
        label = self.label_of[child]
        for number in (label, *self.kin.get(label, ())):
            reached.setdefault(number, set()).add(child)

    def _children(self, name: str) -> tuple[str, ...]:
        return self.graph.children[name] if name != _ANYTHING else ()

    def _others(self, name: str) -> Others:
        return self.schema[name].content.others if name != _ANYTHING else Others.SKIPPED

    def _fallback(self, members: _Set) -> int:
        """Where a name leads that no member has a child of."""
        opens = any(self._others(name) in (Others.LAX, Others.SKIPPED) for name in members)
        return self._number({_ANYTHING}) if opens else NOWHERE

    def _may_be_leaf(self, members: _Set) -> bool:
        return any(name == _ANYTHING or self.graph.heights[name] == 1 for name in members)

    def _number(self, reached: set[str]) -> int:
        members = (_ANYTHING,) if _ANYTHING in reached else tuple(sorted(reached))
        number = self.numbers.get(members)
        if number is None:
            number = self.numbers[members] = len(self.waiting)
            if number >= self.max_states:
                message = f"the paths of the schema need more than {self.max_states} states"
                raise SchemaError(message, file=self.schema.name)
            self.waiting.append(members)
        return number
