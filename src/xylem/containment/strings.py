"""Is there a string that passes these tests and fails those: found, or proven impossible, or not known.

The implication of values rests on it: a test follows from others if no string passes them and fails it. What is
proven is proven by a contradiction between few kinds of facts: a known value, a prefix, parts that must be contained,
an interval of numbers, an interval of lengths. What is found was tried.

This module knows nothing of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from itertools import pairwise, product
from math import inf, nextafter

from xylem.xpath.evaluate import normalize_space, passes
from xylem.xpath.pattern import Op, Test, View

Literal = tuple[Test, bool]
"""A test, and whether it is to be passed or failed."""

NOT_EMPTY: Literal = (Test(View.STRING, Op.NE, ""), True)
LONGEST = 10_000
"""Characters of a string that is made up: a test for a length of millions is left as not known."""
MOST_TRIED = 400
"""Strings tried for one set of tests; the likely ones come first."""

_OPPOSITE = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.LT: Op.GE, Op.GE: Op.LT, Op.LE: Op.GT, Op.GT: Op.LE}
_ORDERED = (Op.LT, Op.LE, Op.GT, Op.GE)
_NUMERIC = frozenset("0123456789.-+eE \t\r\n")
_BLANKS = frozenset(" \t\r\n")


class Verdict(Enum):
    IMPOSSIBLE = 0
    UNKNOWN = 1


def holds(literal: Literal, text: str) -> bool:
    test, wanted = literal
    return passes(test, text) is wanted


def solve(literals: Iterable[Literal]) -> str | Verdict:
    """A string that the literals are true of. O(literals²) at most, and bounded tries."""
    wanted = list(dict.fromkeys(_plain(literal) for literal in literals))
    facts = _Facts.of(wanted)
    if facts.value is not None:
        return facts.value if all(holds(literal, facts.value) for literal in wanted) else Verdict.IMPOSSIBLE
    if facts.contradict():
        return Verdict.IMPOSSIBLE
    for tried, candidate in enumerate(facts.candidates()):
        if all(holds(literal, candidate) for literal in wanted):
            return candidate
        if tried == MOST_TRIED:
            break
    return Verdict.UNKNOWN


def lifted(literal: Literal) -> Iterator[Literal]:
    """What a literal of a text or an element says of the string-value of every element above it."""
    test, wanted = _plain(literal)
    if not holds((test, wanted), ""):
        yield NOT_EMPTY
    if not wanted or test.op not in (Op.EQ, Op.CONTAINS, Op.STARTS_WITH, Op.GE):
        return
    if isinstance(test.value, str):
        parts = [test.value] if test.view is View.STRING else _words(test.value)
        for part in parts:
            if part:
                yield Test(View.STRING, Op.CONTAINS, part), True
    elif test.view in (View.LENGTH, View.NORMAL_LENGTH) and test.value > 0:
        yield Test(View.LENGTH, Op.GE, test.value), True


def _plain(literal: Literal) -> Literal:
    """The same as a test to be passed, where there is one."""
    test, wanted = literal
    opposite = test.op in (Op.EQ, Op.NE) or (test.op in _OPPOSITE and test.view is not View.NUMBER)
    if wanted or not opposite:
        return literal
    return Test(test.view, _OPPOSITE[test.op], test.value), True


def _words(text: str) -> list[str]:
    return normalize_space(text).split(" ")


@dataclass(slots=True)
class _Facts:
    """What the literals say, sorted by kind. `parts`: what must be in the string; `absent`: what must not."""

    value: str | None = None
    normal: str | None = None
    prefixes: list[str] = field(default_factory=list)
    normal_prefixes: list[str] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)
    normal_parts: set[str] = field(default_factory=set)
    rest: list[Literal] = field(default_factory=list)
    wanted: list[Literal] = field(default_factory=list)

    @staticmethod
    def of(wanted: list[Literal]) -> _Facts:
        facts = _Facts(wanted=wanted)
        for literal in wanted:
            facts._take(literal)
        # A part's normal form is in the string's, a beginning's at its beginning.
        facts.normal_prefixes += [normalize_space(prefix) for prefix in facts.prefixes]
        facts.normal_parts |= {normalize_space(part) for part in facts.parts}
        # A part without blanks is in the string if and only if it is in its normal form.
        words = {word for part in facts.parts | facts.normal_parts for word in _words(part) if word}
        facts.parts |= words
        facts.normal_parts |= words
        return facts

    def _take(self, literal: Literal) -> None:
        test, wanted = literal
        value, normal = test.value, test.view is View.NORMAL
        if not wanted or not isinstance(value, str) or test.op is Op.NE:
            self.rest.append(literal)
        elif test.op is Op.EQ and not normal:
            self.value = value
        elif test.op is Op.EQ:
            self.normal = value
            self.normal_parts.add(value)
        else:
            (self.normal_parts if normal else self.parts).add(value)
            if test.op is Op.STARTS_WITH:
                (self.normal_prefixes if normal else self.prefixes).append(value)

    # Contradictions ---------------------------------------------------------------------------------------------

    def contradict(self) -> bool:
        """Whether the facts exclude each other: sound, and not complete."""
        return (
            _branching(self.prefixes)
            or _branching(self.normal_prefixes)
            or any(_unspaced(part) for part in self.normal_parts)
            or any(prefix.startswith(" ") for prefix in self.normal_prefixes)
            or any(self._denied(literal) for literal in self.rest)
            or self._wrong_number()
            or self._wrong_length(View.LENGTH)
            or self._wrong_length(View.NORMAL_LENGTH)
            or (self.normal is not None and self._wrong_normal(self.normal))
        )

    def _denied(self, literal: Literal) -> bool:
        """A prefix, a part or emptiness that is both excluded and sure."""
        test, wanted = literal
        if not isinstance(test.value, str) or test.view not in (View.STRING, View.NORMAL):
            return False
        normal = test.view is View.NORMAL
        if not wanted and test.value == "":
            return True
        if not wanted and test.op is Op.CONTAINS:
            return any(test.value in part for part in (self.normal_parts if normal else self.parts))
        if not wanted and test.op is Op.STARTS_WITH:
            return any(p.startswith(test.value) for p in (self.normal_prefixes if normal else self.prefixes))
        return False

    @property
    def numeric(self) -> bool:
        """Whether the string is sure to be a number."""
        return any(
            wanted and test.view is View.NUMBER and (test.op is Op.EQ or test.op in _ORDERED)
            for test, wanted in self.wanted
        )

    def _wrong_number(self) -> bool:
        if not self.numeric:
            return False
        if any(not _NUMERIC.issuperset(part) for part in self.parts | self.normal_parts):
            return True
        return _Interval.of(self._bounds(View.NUMBER, flip=True)).empty

    def _wrong_length(self, view: View) -> bool:
        interval = _Interval.of(self._bounds(view))
        parts = self.normal_parts
        if view is View.LENGTH:
            # Normalising never makes a string longer.
            parts = parts | self.parts
            interval.raise_to(_Interval.of(self._bounds(View.NORMAL_LENGTH)).low)
            interval.raise_to(0.0 if all(holds(literal, "") for literal in self.wanted) else 1.0)
        interval.raise_to(float(max(map(len, parts), default=0)))
        interval.raise_to(1.0 if self.numeric else 0.0)
        return interval.empty or interval.no_whole_number

    def _wrong_normal(self, normal: str) -> bool:
        """The normal form is known: what looks at nothing else is decided."""
        if normalize_space(normal) != normal:
            return True
        for literal in self.wanted:
            test, wanted = literal
            if test.view not in (View.STRING, View.LENGTH):
                if not holds(literal, normal):
                    return True
            elif isinstance(test.value, str) and test.op is Op.CONTAINS and _BLANKS.isdisjoint(test.value):
                wrong = (test.value in normal) is not wanted
                if wrong:
                    return True
        return any(word not in normal for word in self.normal_parts)

    def _bounds(self, view: View, flip: bool = False) -> Iterator[tuple[Op, float]]:
        for test, wanted in self.wanted:
            if test.view is view and isinstance(test.value, float) and (wanted or flip):
                yield (test.op if wanted else _OPPOSITE[test.op]), test.value

    # Strings to try ---------------------------------------------------------------------------------------------

    def candidates(self) -> Iterator[str]:
        """Strings that have a chance, the plain ones first."""
        lengths = sorted({int(n) for n in self._lengths() if 0 <= n <= LONGEST})
        if self.numeric:
            yield from self._spelled_numbers(lengths)
        yield ""
        heads = self._heads()
        for head, filler in product(heads, ("", "x", "y", "q z", "0", " ", "x ")):
            yield head + filler
            yield filler + head
            yield filler + head + filler
        for head, length, filler in product(heads, lengths, ("x", " ", "y", "0")):
            yield head.ljust(length, filler)
            yield (head + "x").ljust(length, filler)
        yield from self._numbers()

    def _spelled_numbers(self, lengths: list[int]) -> Iterator[str]:
        """Numbers, then the same ones in other spellings."""
        numbers = list(dict.fromkeys(self._numbers()))
        yield from numbers
        for number in numbers:
            yield f" {number} "
            for length in (*lengths, len(number) + 1):
                yield number.zfill(length)
                yield number.ljust(length)

    def _heads(self) -> list[str]:
        """Beginnings that contain every part."""
        parts = [part for part in self.parts if not any(part != other and part in other for other in self.parts)]
        begin = max([*self.prefixes, *self.normal_prefixes, self.normal or ""], key=len)
        rest = sorted(part for part in [*parts, *self.normal_parts] if part not in begin)
        rest = [part for part in rest if not any(part != other and part in other for other in rest)]
        heads = [begin + "".join(dict.fromkeys(rest)), begin + " ".join(["", *dict.fromkeys(rest)])]
        heads.append(" " + begin + "".join(dict.fromkeys(rest)))
        if self.normal is not None:
            heads += [self.normal, f" {self.normal}", f"{self.normal} "]
        return list(dict.fromkeys([*heads, *(head.replace(" ", "  ") for head in heads)]))

    def _lengths(self) -> Iterator[float]:
        for test, _ in self.wanted:
            if test.view in (View.LENGTH, View.NORMAL_LENGTH) and isinstance(test.value, float):
                yield from (test.value, test.value - 1, test.value + 1)

    def _numbers(self) -> Iterator[str]:
        """Numbers at the bounds, beside them and between them."""
        bounds = sorted({value for _, value in self._bounds(View.NUMBER, flip=True)})
        finite = [value for value in bounds if abs(value) != inf]
        near = [value + step for value in finite for step in (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5)]
        between = [(low + high) / 2 for low, high in pairwise(finite)]
        beside = [nextafter(value, way) for value in finite for way in (inf, -inf)]
        for value in (*near, *between, 0.0, *beside):
            if abs(value) != inf:
                yield f"{Decimal(value):f}"
        yield from ("1e999", "-1e999")


def _branching(prefixes: list[str]) -> bool:
    """Whether no string has all these beginnings."""
    longest = max(prefixes, key=len, default="")
    return not all(longest.startswith(prefix) for prefix in prefixes)


def _unspaced(part: str) -> bool:
    """Whether no normal form contains it: a tab, a line break or two blanks in a row."""
    return any(blank in part for blank in ("\t", "\r", "\n", "  "))


@dataclass(slots=True)
class _Interval:
    """Numbers between two bounds, without some."""

    low: float = -inf
    high: float = inf
    open_low: bool = False
    open_high: bool = False
    without: set[float] = field(default_factory=set)

    @staticmethod
    def of(bounds: Iterable[tuple[Op, float]]) -> _Interval:
        interval = _Interval()
        for op, value in bounds:
            if op is Op.NE:
                interval.without.add(value)
            if op in (Op.EQ, Op.GT, Op.GE):
                interval.raise_to(value, op is Op.GT)
            if op in (Op.EQ, Op.LT, Op.LE):
                interval._lower_to(value, op is Op.LT)
        return interval

    def raise_to(self, value: float, strict: bool = False) -> None:
        if (value, strict) > (self.low, self.open_low):
            self.low, self.open_low = value, strict

    def _lower_to(self, value: float, strict: bool) -> None:
        if (-value, strict) > (-self.high, self.open_high):
            self.high, self.open_high = value, strict

    @property
    def empty(self) -> bool:
        if self.low == self.high:
            return self.open_low or self.open_high or self.low in self.without
        return self.low > self.high

    @property
    def no_whole_number(self) -> bool:
        """Of small intervals: whether every whole number is excluded."""
        if not self.high - self.low <= len(self.without) + 2:
            return False
        return all(
            (n == self.high and self.open_high) or (n == self.low and self.open_low) or n in self.without
            for n in range(int(self.low), int(self.high) + 1)
        )
