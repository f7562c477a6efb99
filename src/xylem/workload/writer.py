"""Writes one document at a time.

Each element spends its own bytes, then hands the rest to its children by random shares; what a child leaves
goes to those after it. References are written last, when all ids of the document are known.

This module knows nothing of files and of collections.
"""

from __future__ import annotations

from bisect import bisect
from xml.sax.saxutils import escape, quoteattr

from xylem.workload.content import ContentDraw
from xylem.workload.parameters import DocumentParameters
from xylem.workload.plans import AttributePlan, ElementPlan, Plans, Role
from xylem.workload.values import Draw, ValueKind, Values

_WORD_BYTES = 6.0  # of an average word and the space after it
_SMALL_SHARE = 0.2  # an element that holds text alone takes less than one that holds elements


class Writer:
    """Writes documents from one source of chance."""

    def __init__(self, plans: Plans, parameters: DocumentParameters, random: Draw) -> None:
        self._plans = plans.elements
        self._words = plans.words
        self._random = random
        self._max_levels = parameters.max_levels
        self._text_words = parameters.text_words
        self._doctype = parameters.doctype
        self._max_recursion = parameters.max_recursion
        self._open: dict[int, int] = {}  # how often each recursive element stands on the path, by its bit
        self._draw = ContentDraw(random, parameters.max_repeats, parameters.optional)
        self._parts: list[str] = []
        self._bytes = 0
        self._ids = 0
        self._every_id = False
        self._references: list[int] = []

    def write(self, root: str, budget: float, every_id: bool = False) -> bytes | None:
        """A document of about that many bytes; None if it must refer to an element and none has an ID. With `every_id`,
        each element that may have an ID has one."""
        self._every_id = every_id
        self._parts, self._bytes, self._ids, self._references = [], 0, 0, []
        self._put('<?xml version="1.0" encoding="UTF-8"?>\n')
        if self._doctype is not None:
            self._put(f"<!DOCTYPE {root} SYSTEM {quoteattr(self._doctype)}>\n")
        self._element(self._plans[root], self._max_levels, budget - self._bytes - 1, frozenset())
        self._put("\n")
        if self._references and not self._ids:
            return None
        for place in self._references:
            self._parts[place] = f"i{1 + int(self._random() * self._ids)}"
        return "".join(self._parts).encode()

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._bytes += len(text)

    def _element(self, plan: ElementPlan, levels: int, budget: float, scope: frozenset[str]) -> None:
        """Writes an element and what is below it; `levels` counts the element itself."""
        before = self._bytes
        if plan.bit and self._max_recursion is not None:
            self._enter(plan.bit, self._max_recursion)
        self._put(f"<{plan.name}")
        if plan.attributes:
            scope = self._attributes(plan.attributes, budget > plan.least_bytes, scope)
        spare = budget - (self._bytes - before) - len(plan.name) - 4
        names: list[str] = []
        if plan.model is not None:
            names = self._draw.draw(plan.model, levels - 1, spare - (plan.least_bytes - plan.own_bytes))
            spare = self._draw.spare
        if not names and plan.text is None:
            self._put("/>")
        else:
            self._put(">")
            if plan.text is not None:
                spare -= self._text(plan.text, spare, bool(names))
            self._children(plan, names, levels - 1, spare, scope)
            self._put(f"</{plan.name}>")
        if plan.bit and self._max_recursion is not None:
            self._open[plan.bit] -= 1
            self._draw.closed &= ~plan.bit

    def _enter(self, bit: int, most: int) -> None:
        """One more of a recursive element stands on the path; when that is enough, it is closed."""
        self._open[bit] = self._open.get(bit, 0) + 1
        if self._open[bit] >= most:
            self._draw.closed |= bit

    def _children(self, plan: ElementPlan, names: list[str], levels: int, spare: float, scope: frozenset[str]) -> None:
        plans, random, prose = self._plans, self._random, plan.text is not None
        children = [plans[name] for name in names]
        shares = [random() * _weight(child) for child in children]
        total = sum(shares)
        for child, share in zip(children, shares, strict=True):
            if plan.line_breaks:
                self._put("\n")
            extra = max(0.0, spare * share / total) if total > 0 and share else 0.0
            total -= share
            before = self._bytes
            self._element(child, levels, child.least_bytes + extra, scope)
            spare -= self._bytes - before - child.least_bytes
            if prose and spare > 0 and random() < 0.5:
                spare -= self._prose(min(spare, 40.0))
        if plan.line_breaks and names:
            self._put("\n")

    def _text(self, values: Values, spare: float, mixed: bool) -> int:
        """Writes an element's text; returns its bytes. Without room there is none, unless it is a value."""
        if values.kind is ValueKind.PROSE:
            return self._prose(spare)
        if mixed and self._random() < 0.5:
            return 0
        text = escape(values.draw(self._random()))
        self._put(text)
        return len(text)

    def _prose(self, spare: float) -> int:
        words, random = self._words, self._random
        count = min(1 + int(random() * self._text_words), int(spare / _WORD_BYTES))
        if count <= 0:
            return 0
        values, cumulative = words.values, words.cumulative
        top, last = cumulative[-1], len(values) - 1
        text = " ".join([values[bisect(cumulative, random() * top, 0, last)] for _ in range(count)])
        self._put(f" {text} " if random() < 0.1 else text)
        return len(text)

    def _attributes(self, attributes: tuple[AttributePlan, ...], room: bool, scope: frozenset[str]) -> frozenset[str]:
        random = self._random
        for attribute in attributes:
            values = attribute.values
            role = attribute.role
            wanted = attribute.required or (room and random() < values.probability)
            if not wanted and not (self._every_id and role is Role.ID):
                continue
            if role is Role.VALUE:
                self._put(f" {attribute.name}={quoteattr(values.draw(random()))}")
            elif role is Role.ID:
                self._ids += 1
                self._put(f' {attribute.name}="i{self._ids}"')
            elif role is Role.NAMESPACE:
                binding = f" {attribute.name}={quoteattr(values.draw(0.0))}"
                if binding not in scope:
                    self._put(binding)
                    scope = frozenset(b for b in scope if not b.startswith(f" {attribute.name}=")) | {binding}
            elif attribute.required or self._ids:
                self._put(f' {attribute.name}="')
                self._references.append(len(self._parts))
                self._put("i1")
                self._put('"')
        return scope


def _weight(plan: ElementPlan) -> float:
    """How much of its parent's budget an element may take, compared with its siblings."""
    if plan.model is not None:
        return 1.0
    return 0.0 if plan.text is None else _SMALL_SHARE
