"""Why a document matches a formula, or how far it gets.

Where a step holds, its first witness in document order is shown and its condition is explained there. Where it
does not, the candidate that gets furthest is shown instead, and the explanation goes down to the part that no node
satisfies. What lies below that was never asked.

Invariant: the mark of the whole agrees with the reference evaluator. Unlike it, this module remembers what it
found for each node, so that explaining stays possible on large documents.

It knows nothing of engines, of XPath's syntax, or of how an explanation is shown.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from xylem.document import Document, Limits, Reader, Vocabulary, line_numbers
from xylem.matching.verified import Verifier
from xylem.xpath import indexed_share
from xylem.xpath.evaluate import accepts, passes
from xylem.xpath.pattern import (
    And,
    Axis,
    Count,
    Exists,
    First,
    Formula,
    Kind,
    NodeTest,
    Not,
    Op,
    Or,
    PatternNode,
    Test,
    TreePattern,
)

# Where no candidate will do, this many are compared to find the one that gets furthest: enough to tell why, and
# bounded on documents with millions of nodes.
_COMPARED = 1_000

_COMPARE: dict[Op, Callable[[float, float], bool]] = {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
}

# Patterns nest up to a named limit of the language, and each level costs a few frames.
_FRAMES = 20_000


class Mark(Enum):
    HOLDS = "holds"
    FAILS = "fails"
    UNREACHED = "unreached"


@dataclass(frozen=True, slots=True)
class Place:
    """A node of the document: an element's row (0 is the document node), or the index of an attribute or text node."""

    kind: Kind
    index: int


@dataclass(frozen=True, slots=True)
class Step:
    """One part of a formula and what became of it.

    For a step to other nodes, `candidates` counts those that its axis and its name accept, `witnesses` those of them
    that satisfy its condition; both are None where a part asks about the node above itself. `place` is the first
    witness, else the candidate that got furthest. `met` is the value or the number that a comparison found."""

    part: Formula | PatternNode
    mark: Mark
    candidates: int | None = None
    witnesses: int | None = None
    place: Place | None = None
    met: str | float | None = None
    parts: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of a pattern on a document. `verified` is what libxml2 said about the whole expression; None where it
    was not asked, since the pattern is exact or its necessary part fails already."""

    pattern: TreePattern
    root: Step
    verified: bool | None
    document: Document
    lines: npt.NDArray[np.int32]

    @property
    def match(self) -> bool:
        return self.root.mark is Mark.HOLDS and self.verified is not False

    @property
    def indexed(self) -> str:
        """Which part of the pattern an index decides: "full", "part" or "none"."""
        return indexed_share(self.pattern)

    def line(self, place: Place) -> int:
        """The source line of a node, or of the element that an attribute or a text node belongs to."""
        return int(self.lines[self._row(place)])

    def _row(self, place: Place) -> int:
        arrays = self.document.arrays
        if place.kind is Kind.ATTRIBUTE:
            return int(np.searchsorted(arrays.attr_start, place.index, side="right")) - 1
        if place.kind is Kind.TEXT:
            return int(arrays.text_parent[place.index])
        return place.index


def explain_document(data: bytes, pattern: TreePattern, limits: Limits) -> Explanation:
    """Reads a document and explains a pattern on it; raises DocumentError where it cannot be read."""
    document = Reader(Learning(), limits, kind="plain").read(data)
    root = explain(document, pattern.condition)
    verified = None
    if pattern.verification is not None and root.mark is Mark.HOLDS:
        verifier = Verifier()
        verified = verifier.holds(pattern.verification, verifier.tree(document))
    return Explanation(pattern, root, verified, document, line_numbers(document))


def explain(document: Document, formula: Formula) -> Step:
    """Explains a formula that is asked of the document node. The document must have been read when its vocabulary
    held every name of the formula. O(nodes × size of the formula) where steps do not nest deeply."""
    with _deep_recursion():
        return _Explainer(document).step(formula, Place(Kind.ELEMENT, 0))


def ask(document: Document, formula: Formula, most: int) -> bool | None:
    """Whether a formula holds at the document node, of a document read as for `explain`; None when that would take more
    than so many answers at single nodes."""
    with _deep_recursion():
        try:
            return _Explainer(document, most).holds(formula, Place(Kind.ELEMENT, 0))
        except _TooManyAnswers:
            return None


def stops(step: Step) -> tuple[Step, ...]:
    """The chain of failing parts from the top down to the deepest that was reached; empty where all holds."""
    chain: list[Step] = []
    current: Step | None = step if step.mark is Mark.FAILS else None
    while current is not None:
        chain.append(current)
        if isinstance(current.part, Not | Count | First):
            break  # what hangs below these may fail without being to blame
        failing = [part for part in current.parts if part.mark is Mark.FAILS]
        # Beside each other, the branch that goes furthest says most.
        current = max(failing, key=_height, default=None)
    return tuple(chain)


def _height(step: Step) -> int:
    return 1 + max((_height(part) for part in step.parts if part.mark is not Mark.UNREACHED), default=0)


class _TooManyAnswers(Exception):
    """A question takes more work than whoever asks wants to pay."""


class _Explainer:
    """Answers questions about one document, each once."""

    def __init__(self, document: Document, most: int = sys.maxsize) -> None:
        self._document = document
        self._most = most
        self._answers: dict[tuple[int, Place], bool] = {}
        self._scores: dict[tuple[int, Place], int] = {}
        self._accepted: dict[NodeTest, npt.NDArray[np.bool_]] = {}

    # What holds.

    def holds(self, formula: Formula, at: Place) -> bool:
        key = (id(formula), at)
        answer = self._answers.get(key)
        if answer is None:
            if len(self._answers) >= self._most:
                raise _TooManyAnswers
            answer = self._answers[key] = self._decide(formula, at)
        return answer

    def _decide(self, formula: Formula, at: Place) -> bool:
        match formula:
            case Test():
                return passes(formula, self.value(at))
            case Exists(node):
                return any(self.holds(node.condition, place) for place in self.candidates(node, (at,)))
            case And(items):
                return all(self.holds(item, at) for item in items)
            case Or(items):
                return any(self.holds(item, at) for item in items)
            case Not(item):
                return not self.holds(item, at)
            case Count(path, op, value):
                return _COMPARE[op](len(self.follow(path, at)), value)
            case First(path, test):
                return passes(test, self.first_value(path, at))

    def follow(self, path: tuple[PatternNode, ...], at: Place) -> list[Place]:
        """The distinct nodes at the end of a path, in document order."""
        places: list[Place] = [at]
        for node in path:
            places = [place for place in self.candidates(node, places) if self.holds(node.condition, place)]
        return places

    def first_value(self, path: tuple[PatternNode, ...], at: Place) -> str:
        places = self.follow(path, at)
        return self.value(places[0]) if places else ""

    def value(self, at: Place) -> str:
        """XPath's string-value of a node."""
        if at.kind is Kind.ATTRIBUTE:
            return self._document.attribute_value(at.index)
        if at.kind is Kind.TEXT:
            return self._document.text_value(at.index)
        return self._document.string_value(at.index)

    # Where a step leads.

    def candidates(self, node: PatternNode, above: tuple[Place, ...] | list[Place]) -> list[Place]:
        """The distinct nodes that a step's axis and name accept below any of some nodes, in document order."""
        rows = [place.index for place in above if place.kind is Kind.ELEMENT]
        found = [self._below(node, row) for row in rows]
        if not found:
            return []
        together = found[0] if len(found) == 1 else np.unique(np.concatenate(found))
        return [Place(node.test.kind, index) for index in together.tolist()]

    def _below(self, node: PatternNode, row: int) -> npt.NDArray[np.intp]:
        a = self._document.arrays
        end = int(a.end[row])
        child = node.axis is Axis.CHILD
        if node.test.kind is Kind.TEXT:
            inside = a.text_parent == row if child else (a.text_parent >= row) & (a.text_parent < end)
            return np.flatnonzero(inside)
        if node.test.kind is Kind.ATTRIBUTE:
            first, last = int(a.attr_start[row]), int(a.attr_start[row + 1 if child else end])
            return np.flatnonzero(self._accepts(node.test)[a.attr_name[first:last]]) + first
        inside = self._accepts(node.test)[a.tag[row + 1 : end]]
        if child:
            inside &= a.parent[row + 1 : end] == row
        return np.flatnonzero(inside) + row + 1

    def _accepts(self, test: NodeTest) -> npt.NDArray[np.bool_]:
        """Which name ids a name test accepts."""
        found = self._accepted.get(test)
        if found is None:
            vocabulary = self._document.vocabulary
            names = (vocabulary.spell(identifier) for identifier in range(len(vocabulary)))
            found = np.array([accepts(test, (namespace, local or "")) for namespace, local in names])
            self._accepted[test] = found
        return found

    # How it is explained.

    def step(self, part: Formula, at: Place) -> Step:
        mark = Mark.HOLDS if self.holds(part, at) else Mark.FAILS
        match part:
            case Exists(node):
                return self._exists(node, at)
            case Test():
                return Step(part, mark, met=self.value(at))
            case And(items) | Or(items):
                return Step(part, mark, parts=tuple(self.step(item, at) for item in items))
            case Not(item):
                return Step(part, mark, parts=(self.step(item, at),))
            case Count(path):
                return Step(part, mark, met=float(len(self.follow(path, at))), parts=self._path(path, at))
            case First(path):
                return Step(part, mark, met=self.first_value(path, at), parts=self._path(path, at))

    def _exists(self, node: PatternNode, at: Place) -> Step:
        candidates = self.candidates(node, (at,))
        if not candidates:
            return Step(node, Mark.FAILS, 0, 0, parts=(unreached(node.condition),))
        witnesses = [place for place in candidates if self.holds(node.condition, place)]
        if witnesses:
            place, mark = witnesses[0], Mark.HOLDS
        else:
            place = max(candidates[:_COMPARED], key=lambda candidate: self._score(node.condition, candidate))
            mark = Mark.FAILS
        parts = (self.step(node.condition, place),)
        return Step(node, mark, len(candidates), len(witnesses), place, parts=parts)

    def _path(self, path: tuple[PatternNode, ...], at: Place) -> tuple[Step, ...]:
        """The steps of a counted path, each with the nodes that are left after it."""
        steps = []
        places: list[Place] = [at]
        for node in path:
            candidates = self.candidates(node, places)
            places = [place for place in candidates if self.holds(node.condition, place)]
            mark = Mark.HOLDS if places else Mark.FAILS
            shown = places[0] if places else candidates[0] if candidates else None
            parts = (self.step(node.condition, shown) if shown else unreached(node.condition),)
            steps.append(Step(node, mark, len(candidates), len(places), shown, parts=parts))
        return tuple(steps)

    def _score(self, formula: Formula, at: Place) -> int:
        """How far a node gets: the number of parts that hold on the way."""
        key = (id(formula), at)
        score = self._scores.get(key)
        if score is None:
            score = self._scores[key] = self._measure(formula, at)
        return score

    def _measure(self, formula: Formula, at: Place) -> int:
        match formula:
            case And(items):
                return sum(self._score(item, at) for item in items)
            case Or(items):
                return max((self._score(item, at) for item in items), default=0)
            case Exists(node):
                candidates = self.candidates(node, (at,))[:_COMPARED]
                return max((1 + self._score(node.condition, place) for place in candidates), default=0)
            case _:
                return int(self.holds(formula, at))


def unreached(part: Formula | PatternNode) -> Step:
    """A part that was never asked, with all that is in it."""
    match part:
        case PatternNode(condition=condition):
            return Step(part, Mark.UNREACHED, parts=(unreached(condition),))
        case Exists(node):
            return unreached(node)
        case And(items) | Or(items):
            return Step(part, Mark.UNREACHED, parts=tuple(unreached(item) for item in items))
        case Not(item):
            return Step(part, Mark.UNREACHED, parts=(unreached(item),))
        case Count(path) | First(path):
            return Step(part, Mark.UNREACHED, parts=tuple(unreached(node) for node in path))
        case _:
            return Step(part, Mark.UNREACHED)


class Learning(Vocabulary):
    """A vocabulary that learns every name it is asked for, so that an explanation can tell all names apart."""

    def find(self, namespace: str, local: str) -> int:
        return self.name(namespace, local)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
