"""Paths without branches: a shape in which one path's containment of another is decided exactly, in one pass.

A document matches a path if the names from its root down to some node are a word that the path accepts, and of a
document that matches `inner` only that one chain is sure to be there. So `outer` contains `inner` if every word of
`inner` begins with a word of `outer`. Three facts make one walk over `inner` enough.

- A `*` or a gap of `inner` is best filled with a name that no query mentions: what accepts that accepts every name.
- As a word goes by, `outer` is either tied to the root, or counting the elements that must lie before its next run of
  tied steps, or looking for that run. Finding a run as early as possible is never worse.
- Hence each gap (`//`) of `inner` has one length that is hardest for `outer`: none while it counts, and while it is
  tied or looks, longer than the run, so that nothing begun before the gap can end behind it.

Invariant: a run ends with a step that is not `*`, and starts with one too unless it is tied to the root: all `*`
around a `//` are counted instead. A run is looked for with shift-and words, for `*` inside it makes
matching not transitive, which tables of failures take for granted.

This module knows nothing of branches and of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xylem.xpath.implication import narrower
from xylem.xpath.normal import ANY_ELEMENT
from xylem.xpath.pattern import TRUE, Axis, Exists, Formula, Kind, NodeTest, PatternNode

_DECLARATIONS = "http://www.w3.org/2000/xmlns/"


def never(test: NodeTest) -> bool:
    """Whether no document has such a node: declarations of namespaces are no attributes."""
    return test.namespace == _DECLARATIONS or (test.local == "xmlns" and test.kind is Kind.ATTRIBUTE)


@dataclass(frozen=True, slots=True)
class Step:
    """`far`: any number of elements may lie before it."""

    far: bool
    test: NodeTest


@dataclass(frozen=True, slots=True)
class Run:
    """At least `before` elements, then anything, then steps tied to each other; bit i of a mask is for step i."""

    before: int
    length: int
    masks: dict[NodeTest, int]

    @staticmethod
    def of(before: int, tests: list[NodeTest]) -> Run:
        masks = {test: sum(narrower(test, each) << at for at, each in enumerate(tests)) for test in tests}
        return Run(before, len(tests), masks)

    def mask(self, symbol: NodeTest) -> int:
        """Which steps accept whatever the symbol stands for. O(1)."""
        found = self.masks.get(symbol)
        if found is None and symbol.local is not None:
            found = self.masks.get(NodeTest(symbol.kind, None, symbol.namespace))
        if found is None:
            found = self.masks.get(NodeTest(symbol.kind, None, None))
        return found or 0


@dataclass(frozen=True, slots=True)
class Linear:
    """A path, as the one that is walked (`steps`) and as the one that is looked for (`tied`, `runs`, `after`)."""

    steps: tuple[Step, ...]
    tied: tuple[NodeTest, ...]
    runs: tuple[Run, ...]
    after: int

    @staticmethod
    def of(formula: Formula) -> Linear | None:
        """The path that a formula at the document node is, if it is one without values. O(length)."""
        nodes: list[PatternNode] = []
        while isinstance(formula, Exists):
            nodes.append(formula.node)
            formula = formula.node.condition
        leaves = any(node.test.kind is not Kind.ELEMENT for node in nodes[:-1])
        if formula != TRUE or leaves or not nodes or any(never(node.test) for node in nodes):
            return None
        first = nodes[0]
        if first.test.kind is not Kind.ELEMENT and first.axis is Axis.CHILD:
            return None
        steps = _settled(nodes)
        return Linear(tuple(steps), *_sought(steps))

    def contains(self, inner: Linear) -> bool:
        """Whether every document that matches `inner` matches this path. O(steps of both)."""
        return self._accepts(inner, [])

    def escape(self, inner: Linear) -> list[NodeTest] | None:
        """A word of `inner` that this path does not accept, if there is one; ANY_ELEMENT stands for a name that
        nobody mentions."""
        gaps: list[int] = []
        return None if self._accepts(inner, gaps) else _word(inner.steps, gaps)

    def shortest(self) -> list[NodeTest]:
        """The shortest word of the path."""
        return _word(self.steps, [])

    def _accepts(self, inner: Linear, gaps: list[int]) -> bool:
        """Notes how long the first gaps of `inner` are made; the others may have any length."""
        steps = iter(inner.steps)
        for wanted in self.tied:
            step = next(steps, None)
            if step is None:
                return False
            if step.far:
                gaps.append(len(self.tied))
                return False
            if not narrower(step.test, wanted):
                return False
        for run in self.runs:
            if not (_passed(run.before, steps, gaps) and _found(run, steps, gaps)):
                return False
        return _passed(self.after, steps, gaps)


def _passed(elements: int, steps: Iterator[Step], gaps: list[int]) -> bool:
    """Whether so many elements go by at least."""
    while elements:
        step = next(steps, None)
        if step is None or step.test.kind is not Kind.ELEMENT:
            return False
        if step.far:
            gaps.append(0)
        elements -= 1
    return True


def _found(run: Run, steps: Iterator[Step], gaps: list[int]) -> bool:
    """Whether the run goes by."""
    reached, whole = 0, 1 << (run.length - 1)
    for step in steps:
        if step.far:
            gaps.append(run.length)
            reached = 0
        reached = (reached << 1 | 1) & run.mask(step.test)
        if reached & whole:
            return True
    return False


def _word(steps: tuple[Step, ...], gaps: list[int]) -> list[NodeTest]:
    word: list[NodeTest] = []
    lengths = iter(gaps)
    for step in steps:
        if step.far:
            word += [ANY_ELEMENT] * next(lengths, 0)
        word.append(step.test)
    return word


def _settled(nodes: list[PatternNode]) -> list[Step]:
    """The steps, with the gap of a run of `*` behind it, and without one where the run ends the path."""
    steps: list[Step] = []
    far = nodes[0].test.kind is not Kind.ELEMENT  # the document node has no attributes and no text: an element has
    if far:
        steps.append(Step(False, ANY_ELEMENT))
    for node in nodes:
        far = far or node.axis is Axis.DESCENDANT
        if node.test == ANY_ELEMENT:
            steps.append(Step(False, ANY_ELEMENT))
        else:
            steps.append(Step(far, node.test))
            far = False
    return steps


def _sought(steps: list[Step]) -> tuple[tuple[NodeTest, ...], tuple[Run, ...], int]:
    """What is tied to the root, the runs, and how many elements must follow them."""
    pieces: list[tuple[int, list[NodeTest]]] = [(0, [])]
    waiting = 0  # steps `*` since the last one that is none
    for step in steps:
        if step.test == ANY_ELEMENT:
            waiting += 1
            continue
        if step.far:
            pieces.append((waiting, []))
        else:
            pieces[-1][1].extend([ANY_ELEMENT] * waiting)
        pieces[-1][1].append(step.test)
        waiting = 0
    tied, *runs = pieces
    return tuple(tied[1]), tuple(Run.of(before, tests) for before, tests in runs), waiting
