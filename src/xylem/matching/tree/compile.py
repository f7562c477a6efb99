"""A subscription's condition as what is shared with others: chains, facts or, where these do not decide, a program.

Every condition is one of these:

    linear    one chain: reaching its end is the match
    union     chains any of which is the match
    twig      facts that are made of facts: a script that makes them (see `twigs`)
    complex   what counts nodes, asks for a first one or looks for a very long string: chains that must all be
              reached before the program is worth running; a few of them are watched, and at least one of the
              watched is reached by every document that matches
    open      the same where nothing is necessary (`count(//a) < 3`): the program runs on every document
    always, never

Chains are necessary, never more: what is under `not` contributes none, what is under `or` contributes
watches only. Among several covers the one that is likely to be reached least is watched.

This module knows nothing of how chains are stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from xylem.document.vocabulary import Vocabulary
from xylem.matching.program import (
    END,
    EXISTS,
    FALSE,
    JUMP_FALSE,
    JUMP_TRUE,
    NOT,
    Constants,
    assemble,
    chained,
    label,
)
from xylem.matching.program import TRUE as YES
from xylem.matching.tree.constants import LONGEST_NEEDLE
from xylem.matching.tree.twigs import DOWN, MATCH, PASSES, PRESENT, TWIG, UP
from xylem.xpath.evaluate import passes
from xylem.xpath.pattern import (
    TRUE,
    And,
    Count,
    Exists,
    First,
    Formula,
    Not,
    Op,
    Or,
    PatternNode,
    Test,
    TreePattern,
    View,
)

MOST_REQUIRED = 12  # chains checked before a program runs; more cost memory and seldom dismiss more

Step = tuple[int, int, int]  # axis, kind, label


class Shape(IntEnum):
    LINEAR = 0
    UNION = 1
    COMPLEX = 2
    OPEN = 3
    ALWAYS = 4
    NEVER = 5
    TWIG = 6


@dataclass(frozen=True, slots=True)
class Chain:
    steps: tuple[Step, ...]
    test: Test | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """What an engine keeps of a subscription: enough to enter it into any trie. Bytes and tuples, because there are
    hundreds of thousands of them."""

    shape: Shape
    chains: bytes  # int32; a twig's script
    program: bytes  # int32
    strings: tuple[bytes, ...]
    numbers: tuple[float, ...]
    needles: tuple[int, ...]  # which strings chains look for inside values


def compile_pattern(pattern: TreePattern, vocabulary: Vocabulary) -> Compiled:
    """Chains and program of a pattern's condition. O(size), but for covers of nested `or`, O(size × depth)."""
    compiler = _Compiler(vocabulary)
    condition = pattern.condition
    if condition == TRUE:
        return _bare(Shape.ALWAYS)
    alternatives = condition.items if isinstance(condition, Or) else (condition,)
    linear = [compiler.linear(item) for item in alternatives]
    if all(chain is not None for chain in linear):
        chains = [chain for chain in linear if chain is not None]
        shape = (Shape.NEVER, Shape.LINEAR)[len(chains)] if len(chains) < 2 else Shape.UNION
        return compiler.written(shape, chains, [], None)
    if not _needs_program(condition):
        return compiler.twig(condition)
    cover = compiler.cover(condition, ())
    if cover == []:
        return _bare(Shape.NEVER)
    required: list[Chain] = []
    compiler.require(condition, (), required)
    required = sorted(set(required), key=_likelihood)[:MOST_REQUIRED]
    shape = Shape.OPEN if cover is None else Shape.COMPLEX
    return compiler.written(shape, list(dict.fromkeys(cover or ())), required, condition)


def _bare(shape: Shape) -> Compiled:
    return Compiled(shape, b"", b"", (), (), ())


def _likelihood(chain: Chain) -> float:
    """A guess of how often a chain is reached; only its order matters."""
    guess = 1.0
    for axis, _, name in chain.steps:
        guess *= (0.6 if name > 0 else 0.95) * (1.15 if axis else 1.0)
    if chain.test is not None:
        guess *= 0.1 if chain.test.op == Op.EQ else 0.5
    return guess


class _Compiler:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.constants = Constants()

    def step(self, node: PatternNode) -> Step:
        return int(node.axis), int(node.test.kind), label(node.test, self.vocabulary)

    def linear(self, formula: Formula) -> Chain | None:
        """The chain that a formula is, if it is one."""
        steps: list[Step] = []
        while isinstance(formula, Exists):
            steps.append(self.step(formula.node))
            formula = formula.node.condition
        if formula == TRUE and steps:
            return Chain(tuple(steps), None)
        return Chain(tuple(steps), formula) if isinstance(formula, Test) and not _unindexed(formula) else None

    def require(self, formula: Formula, prefix: tuple[Step, ...], found: list[Chain]) -> None:
        """Appends chains that a document must reach if the formula holds at a node that `prefix` leads to."""
        match formula:
            case Test():
                if not _unindexed(formula):
                    found.append(Chain(prefix, formula))
            case Exists(node):
                self._require_path((node,), None, prefix, found)
            case And(items):
                for item in items:
                    self.require(item, prefix, found)
            case Count(path, op, value) if not _allows_none(op, value):
                self._require_path(path, None, prefix, found)
            case First(path, test) if not _holds_of_nothing(test):
                self._require_path(path, test, prefix, found)
            case _:
                pass

    def _require_path(
        self, path: tuple[PatternNode, ...], test: Test | None, prefix: tuple[Step, ...], found: list[Chain]
    ) -> None:
        before = len(found)
        for node in path:
            prefix = (*prefix, self.step(node))
            self.require(node.condition, prefix, found)
        if test is not None and not _unindexed(test):
            found.append(Chain(prefix, test))
        elif path[-1].condition == TRUE or len(found) == before:
            found.append(Chain(prefix, None))

    def cover(self, formula: Formula, prefix: tuple[Step, ...]) -> list[Chain] | None:
        """Chains one of which a document reaches at least, if the formula holds at a node that `prefix` leads
        to; None if there are none, the empty list if it never holds."""
        match formula:
            case Test() if not _unindexed(formula):
                return [Chain(prefix, formula)]
            case Exists(node):
                return self._cover_path((node,), None, prefix)
            case And(items) if items:
                return _best([self.cover(item, prefix) for item in items])
            case Or(items):
                chains: list[Chain] = []
                for item in items:
                    more = self.cover(item, prefix)
                    if more is None:
                        return None
                    chains += more
                return chains
            case Count(path, op, value) if not _allows_none(op, value):
                return self._cover_path(path, None, prefix)
            case First(path, test) if not _holds_of_nothing(test):
                return self._cover_path(path, test, prefix)
        return None

    def _cover_path(
        self, path: tuple[PatternNode, ...], test: Test | None, prefix: tuple[Step, ...]
    ) -> list[Chain] | None:
        covers: list[list[Chain] | None] = []
        for node in path:
            prefix = (*prefix, self.step(node))
            covers.append(self.cover(node.condition, prefix))
        covers.append([Chain(prefix, None if test is None or _unindexed(test) else test)])
        return _best(covers)

    def twig(self, condition: Formula) -> Compiled:
        scripter = _Scripter(self)
        script = np.array(scripter.whole(condition), np.int32).tobytes()
        strings, numbers = tuple(self.constants.strings), tuple(self.constants.numbers)
        return Compiled(Shape.TWIG, script, b"", strings, numbers, tuple(scripter.needles))

    def written(self, shape: Shape, watched: list[Chain], required: list[Chain], condition: Formula | None) -> Compiled:
        code: list[int] = []
        needles: set[int] = set()
        are_watched, are_required = set(watched), set(required)
        for chain in dict.fromkeys([*watched, *required]):
            test = (-1, 0, 0)
            if chain.test is not None:
                test = (int(chain.test.view), int(chain.test.op), self.constants.index(chain.test))
                if chain.test.op in (Op.CONTAINS, Op.STARTS_WITH):
                    needles.add(test[2])
            code += (len(chain.steps), chain in are_watched, chain in are_required, *test)
            for step in chain.steps:
                code += step
        program = [] if condition is None else assemble(condition, self.vocabulary, self.constants)
        return Compiled(
            shape,
            np.array(code, np.int32).tobytes(),
            np.array(program, np.int32).tobytes(),
            tuple(self.constants.strings),
            tuple(self.constants.numbers),
            tuple(needles),
        )


@dataclass(slots=True)
class _Facts:
    """The facts that a twig is made of, each once, and a guess of how likely each is."""

    numbers: dict[Formula, int] = field(default_factory=dict)
    guesses: list[float] = field(default_factory=list)


class _Scripter:
    """Writes the script that makes a twig's facts."""

    def __init__(self, compiler: _Compiler) -> None:
        self.compiler = compiler
        self.script: list[int] = []
        self.needles: set[int] = set()

    def whole(self, condition: Formula) -> list[int]:
        prefix: tuple[Step, ...] = ()
        while isinstance(condition, Exists):  # down to the first branching: being there proves what is above
            step = self.compiler.step(condition.node)
            prefix = (*prefix, step)
            self.script += (DOWN, *step)
            condition = condition.node.condition
        self.twig(condition, prefix)
        self.script.append(MATCH)
        return self.script

    def twig(self, condition: Formula, prefix: tuple[Step, ...]) -> float:
        """The fact of a formula at the node that `prefix` leads to; returns how likely it is to be asked."""
        facts = _Facts()
        code, cover = self._code(condition, prefix, facts)
        also = _needed(condition, facts)
        watches: list[int] = []
        for fact in cover or ():
            watches += (fact, next((other for other in also if other != fact), -1))
        count = -1 if cover is None else len(cover)
        self.script += (TWIG, len(facts.guesses), count, len(code) + 1, *watches, *code, END)
        return _likelihood(Chain(prefix, None)) if cover is None else sum(facts.guesses[fact] for fact in cover)

    def _code(self, formula: Formula, prefix: tuple[Step, ...], facts: _Facts) -> tuple[list[int], list[int] | None]:
        """A formula's code, and facts one of which holds whenever it does; None if there are none."""
        match formula:
            case Test() if _is_trivial(formula):
                return [YES], None
            case Test() | Exists():
                fact = self._fact(formula, prefix, facts)
                return [EXISTS, fact], [fact]
            case Not(item):
                return [*self._code(item, prefix, facts)[0], NOT], None
            case And(items):
                parts = [self._code(item, prefix, facts) for item in items]
                covers = [cover for _, cover in parts if cover is not None]
                best = min(covers, key=lambda cover: sum(facts.guesses[fact] for fact in cover), default=None)
                return chained([code for code, _ in parts], YES, JUMP_FALSE), best
            case Or(items):
                parts = [self._code(item, prefix, facts) for item in items]
                alternatives: list[int] | None = []
                for _, cover in parts:
                    alternatives = None if cover is None or alternatives is None else [*alternatives, *cover]
                unique = None if alternatives is None else list(dict.fromkeys(alternatives))
                return chained([code for code, _ in parts], FALSE, JUMP_TRUE), unique
        raise TypeError(f"no twig: {formula!r}")

    def _fact(self, formula: Test | Exists, prefix: tuple[Step, ...], facts: _Facts) -> int:
        """The number of a fact among those of its twig; written where it is new."""
        if formula not in facts.numbers:
            guess = self._test(formula, prefix) if isinstance(formula, Test) else self._below(formula.node, prefix)
            facts.numbers[formula] = len(facts.guesses)
            facts.guesses.append(guess)
        return facts.numbers[formula]

    def _test(self, test: Test, prefix: tuple[Step, ...]) -> float:
        constant = self.compiler.constants.index(test)
        if test.op in (Op.CONTAINS, Op.STARTS_WITH):
            self.needles.add(constant)
        self.script += (PASSES, int(test.view), int(test.op), constant)
        return _likelihood(Chain(prefix, test))

    def _below(self, node: PatternNode, prefix: tuple[Step, ...]) -> float:
        step = self.compiler.step(node)
        prefix = (*prefix, step)
        guess = _likelihood(Chain(prefix, None))
        self.script += (DOWN, *step)
        if node.condition == TRUE:
            self.script.append(PRESENT)
        else:
            guess = min(guess, self.twig(node.condition, prefix))
        self.script.append(UP)
        return guess


def _needed(condition: Formula, facts: _Facts) -> list[int]:
    """The facts without which a twig does not hold, the least likely first."""
    items = condition.items if isinstance(condition, And) else (condition,)
    found = {facts.numbers[item] for item in items if item in facts.numbers}
    return sorted(found, key=lambda fact: facts.guesses[fact])


def _needs_program(formula: Formula) -> bool:
    """Whether a formula counts nodes, asks for a first one, or looks for a very long string somewhere."""
    todo = [formula]
    while todo:
        match todo.pop():
            case Count() | First():
                return True
            case Test() as test if _is_long(test):
                return True
            case Exists(node):
                todo.append(node.condition)
            case And(items) | Or(items):
                todo += items
            case Not(item):
                todo.append(item)
    return False


def _best(covers: list[list[Chain] | None]) -> list[Chain] | None:
    known = [cover for cover in covers if cover is not None]
    return min(known, key=lambda cover: sum(map(_likelihood, cover)), default=None)


def _unindexed(test: Test) -> bool:
    """Whether a test is no reason to look at values: it holds of every string, or its string is too long, and programs
    look for it in linear time."""
    return _is_trivial(test) or _is_long(test)


def _is_trivial(test: Test) -> bool:
    return test.op in (Op.CONTAINS, Op.STARTS_WITH) and test.value == ""


def _is_long(test: Test) -> bool:
    return test.op in (Op.CONTAINS, Op.STARTS_WITH) and len(str(test.value).encode()) > LONGEST_NEEDLE


def _holds_of_nothing(test: Test) -> bool:
    """Whether a test holds of the empty string, which stands for a node that is not there."""
    return passes(test, "")


def _allows_none(op: Op, value: float) -> bool:
    """Whether a count of zero compares so."""
    return passes(Test(View.LENGTH, op, value), "")
