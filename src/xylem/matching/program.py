"""A formula as a flat program that the evaluator's kernel runs.

The nodes of the pattern stand in post-order, so that what a node asks of the nodes below it is known before
it is asked. Each node's condition is a little code for a machine with one truth value and jumps that only go
forward. A program is one run of 32-bit integers:

    [0] number of nodes      [1] where the formula at the document node starts
    [2] where the strings' numbers start      [3] where the numbers' numbers start
    [4…] five per node: axis, kind, label, where its condition starts, role

Constants are local indices into two small tables at the end, which hold what `Constants` calls them. Offsets count
from the program's start.

This module knows nothing of documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xylem.document.vocabulary import Vocabulary
from xylem.xpath.limits import MAX_COUNTED
from xylem.xpath.pattern import And, Count, Exists, First, Formula, NodeTest, Not, Or, PatternNode, Test

TRUE, FALSE, EXISTS, TEST, COUNT, FIRST, NOT, JUMP_FALSE, JUMP_TRUE, END = range(10)
HEAD, NODE_SIZE = 4, 5
EXISTENCE, SELF = 0, 1  # roles: mark who has such a node; mark the nodes themselves (for a path)


def label(test: NodeTest, vocabulary: Vocabulary) -> int:
    """A node test as a number: a name id, 0 for any name, minus the number of a namespace for any of its names."""
    if test.local is not None:
        return vocabulary.name(test.namespace or "", test.local)
    return 0 if test.namespace is None else -vocabulary.namespace(test.namespace)


@dataclass(slots=True)
class Constants:
    """The constants of one subscription, each once."""

    strings: dict[bytes, int] = field(default_factory=dict)
    numbers: dict[float, int] = field(default_factory=dict)

    def index(self, test: Test) -> int:
        if isinstance(test.value, str):
            return self.strings.setdefault(test.value.encode(), len(self.strings))
        return self.number(test.value)

    def number(self, value: float) -> int:
        return self.numbers.setdefault(value + 0.0, len(self.numbers))


def assemble(condition: Formula, vocabulary: Vocabulary, constants: Constants) -> list[int]:
    """The program of a formula, with the tables of constants still empty (-1): `Constants` fills them in order."""
    assembler = _Assembler(vocabulary, constants)
    root = assembler.formula(condition)
    nodes, codes = assembler.nodes, [*assembler.codes, [*root, END]]
    start = HEAD + NODE_SIZE * len(nodes)
    places = []
    for code in codes:
        places.append(start)
        start += len(code)
    program = [len(nodes), places[-1], start, start + len(constants.strings)]
    for (axis, kind, name, role), place in zip(nodes, places, strict=False):
        program += (axis, kind, name, place, role)
    for code, place in zip(codes, places, strict=True):
        program += _relocated(code, place)
    return program + [-1] * (len(constants.strings) + len(constants.numbers))


def chained(parts: list[list[int]], empty: int, jump: int) -> list[int]:
    """Codes one after the other, left by `jump` as soon as the truth is known; `empty` when there is none."""
    if not parts:
        return [empty]
    end = sum(len(part) for part in parts) + 2 * (len(parts) - 1)
    code: list[int] = []
    for number, part in enumerate(parts):
        code += _relocated(part, len(code))
        if number < len(parts) - 1:
            code += (jump, end)
    return code


def _relocated(code: list[int], place: int) -> list[int]:
    """The code with its jumps counted from the program's start."""
    code = list(code)
    at = 0
    while at < len(code):
        op = code[at]
        if op in (JUMP_FALSE, JUMP_TRUE):
            code[at + 1] += place
        at += _size(code, at)
    return code


def _size(code: list[int], at: int) -> int:
    match code[at]:
        case 2 | 7 | 8:  # EXISTS, JUMP_FALSE, JUMP_TRUE
            return 2
        case 3:  # TEST view op constant
            return 4
        case 4:  # COUNT op number steps nodes…
            return 4 + code[at + 3]
        case 5:  # FIRST view op constant steps nodes…
            return 5 + code[at + 4]
    return 1


class _Assembler:
    def __init__(self, vocabulary: Vocabulary, constants: Constants) -> None:
        self.vocabulary = vocabulary
        self.constants = constants
        self.nodes: list[tuple[int, int, int, int]] = []
        self.codes: list[list[int]] = []

    def node(self, node: PatternNode, role: int) -> int:
        code = self.formula(node.condition)
        self.nodes.append((int(node.axis), int(node.test.kind), label(node.test, self.vocabulary), role))
        self.codes.append([*code, END])
        return len(self.nodes) - 1

    def formula(self, formula: Formula) -> list[int]:
        """Code that leaves the truth of the formula behind; whoever needs no more adds END."""
        match formula:
            case Exists(node):
                return [EXISTS, self.node(node, EXISTENCE)]
            case Test():
                return [TEST, int(formula.view), int(formula.op), self.constants.index(formula)]
            case And(items):
                return chained([self.formula(item) for item in items], TRUE, JUMP_FALSE)
            case Or(items):
                return chained([self.formula(item) for item in items], FALSE, JUMP_TRUE)
            case Not(item):
                return [*self.formula(item), NOT]
            case Count(path, op, value):
                return [COUNT, int(op), self.constants.number(value), len(path), *self._path(path)]
            case First(path, test):
                constant = self.constants.index(test)
                return [FIRST, int(test.view), int(test.op), constant, len(path), *self._path(path)]

    def _path(self, path: tuple[PatternNode, ...]) -> list[int]:
        assert len(path) <= MAX_COUNTED, "the evaluator has a bit for each step"
        return [self.node(node, SELF) for node in path]
