"""Takes facts about nodes further up out of a formula (see `aloft`)."""

from __future__ import annotations

from collections.abc import Callable

from xylem.xpath.aloft import Aloft
from xylem.xpath.normal import conjunction, disjunction, exists, negation
from xylem.xpath.order import Key, is_small, key
from xylem.xpath.pattern import FALSE, TRUE, And, Axis, Exists, Formula, NodeTest, Not, Or, Test

MAX_FACTS = 2
"""Of one formula: each may triple it. Beyond, and in a formula that is not small, facts are taken as unknown."""

_LEAVES = (Exists, Test)  # where no fact about the parent is looked for: nearly every step's condition


def step(axis: Axis, test: NodeTest, condition: Formula, upper: bool) -> Formula:
    """There is such a node, where the condition may hold facts about its parent; a bound above or below."""
    found = facts(condition, root=False)
    if not found:
        return exists(axis, test, condition)
    return _expanded(condition, found, upper, False, lambda rest: exists(axis, test, rest))


def settle(formula: Formula, upper: bool) -> Formula:
    """The formula, asked of the document node, without facts about the document node; a bound above or below."""
    while found := facts(formula, root=True):
        formula = _expanded(formula, found, upper, True, lambda rest: rest)
    return formula


def _expanded(
    formula: Formula, found: list[Aloft], upper: bool, root: bool, build: Callable[[Formula], Formula]
) -> Formula:
    kept = MAX_FACTS if is_small(formula) else 0
    if found[kept:]:
        formula = _replaced(formula, frozenset(found[kept:]), upper, not upper, root)
    return _split(formula, found[:kept], root, build)


def _split(formula: Formula, found: list[Aloft], root: bool, build: Callable[[Formula], Formula]) -> Formula:
    if not found:
        return build(formula)
    fact, rest = found[0], found[1:]
    it = frozenset((fact,))
    on = _split(_replaced(formula, it, True, True, root), rest, root, build)
    off = _split(_replaced(formula, it, False, False, root), rest, root, build)
    # Where the fact stands below no `not`, `neither` is `off`, and makes the term before it redundant.
    neither = _split(_replaced(formula, it, False, True, root), rest, root, build)
    return disjunction([conjunction([fact.item, on]), conjunction([negation(fact.item), off]), neither])


def _replaced(formula: Formula, taken: frozenset[Aloft], positive: bool, negative: bool, root: bool) -> Formula:
    """The formula with some facts taken for `positive`, or for `negative` where they stand below a `not`."""
    match formula:
        case Aloft(_, item):
            if formula in taken:
                return TRUE if positive else FALSE
            return formula
        case And(items):
            return conjunction([_replaced(item, taken, positive, negative, root) for item in items])
        case Or(items):
            return disjunction([_replaced(item, taken, positive, negative, root) for item in items])
        case Not(item):
            return negation(_replaced(item, taken, negative, positive, root))
        case Exists(node) if root:
            return exists(node.axis, node.test, _replaced(node.condition, taken, positive, negative, root))
        case _:
            return formula


def facts(formula: Formula, root: bool) -> list[Aloft]:
    """The facts of one kind in a formula, each once, in order."""
    if formula is TRUE or (not root and type(formula) in _LEAVES):
        return []
    found: dict[Key, Aloft] = {}
    waiting = [formula]
    while waiting:
        part = waiting.pop()
        # PERF: asked of every step; comparing types is twice as fast as matching on them.
        kind = type(part)
        if kind is Exists:
            if root:
                waiting.append(part.node.condition)  # type: ignore[union-attr]
        elif kind is And or kind is Or:
            waiting.extend(part.items)  # type: ignore[union-attr]
        elif kind is Not:
            waiting.append(part.item)  # type: ignore[union-attr]
        elif isinstance(part, Aloft) and part.root is root:
            found[key(part)] = part
    return [found[k] for k in sorted(found)]
