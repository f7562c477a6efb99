"""The normal form: formulas that ask the same question, in the ways that are cheap to see, become one object.

Every function here takes parts in normal form and gives a whole in normal form, so a translator that
builds with them needs no second pass, and `canonical` is nothing but building anew. What they see to:

- `and` and `or` are flat, sorted, without repetitions, and without items that a sibling makes redundant;
- negation stands only before what cannot say its opposite itself;
- in a run of steps `*` with `//` among them, the one `//` comes last (`//*/a` is `/*//a`);
- a test of a length or a count uses =, !=, <, >= and a whole number, or becomes a plain test;
- the document node has one element child, no attributes and no text.

Nothing is distributed that could multiply. Equal questions may still differ; equal forms never differ in meaning.
This module knows nothing of XPath's syntax.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from xylem.xpath.aloft import Aloft, aloft
from xylem.xpath.evaluate import normalize_space, passes
from xylem.xpath.implication import implies
from xylem.xpath.order import key
from xylem.xpath.pattern import (
    FALSE,
    TRUE,
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
    View,
)

MAX_COMPARED = 12
"""Siblings are compared in pairs up to this number of them; beyond, only repetitions are dropped."""

ANY_ELEMENT = NodeTest(Kind.ELEMENT, None, None)

_OPPOSITE = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.LT: Op.GE, Op.GE: Op.LT, Op.LE: Op.GT, Op.GT: Op.LE}
_LENGTHS = (View.LENGTH, View.NORMAL_LENGTH)


def canonical(formula: Formula) -> Formula:
    """The normal form of a formula that is asked of the document node."""
    return at_document(_rebuilt(formula))


def _rebuilt(formula: Formula) -> Formula:
    match formula:
        case Exists(node):
            return exists(node.axis, node.test, _rebuilt(node.condition))
        case Test(view, op, value):
            return test(view, op, value)
        case And(items):
            return conjunction([_rebuilt(item) for item in items])
        case Or(items):
            return disjunction([_rebuilt(item) for item in items])
        case Not(item):
            return negation(_rebuilt(item))
        case Count(path, op, value):
            return count(tuple(_rebuilt_node(node) for node in path), op, value)
        case First(path, inner):
            return first(tuple(_rebuilt_node(node) for node in path), inner)


def _rebuilt_node(node: PatternNode) -> PatternNode:
    return PatternNode(node.axis, node.test, _rebuilt(node.condition))


# And, or, not ---------------------------------------------------------------------------------------------------


def conjunction(items: Iterable[Formula]) -> Formula:
    """All hold. O(n log n) for n items, and O(n²) comparisons up to `MAX_COMPARED`."""
    flat: list[Formula] = []
    for item in items:
        if type(item) is And:
            flat.extend(item.items)
        else:
            flat.append(item)
    if FALSE in flat:
        return FALSE
    if len(flat) <= 1:
        return flat[0] if flat else TRUE
    flat = _sorted(flat)
    if 1 < len(flat) <= MAX_COMPARED:
        if any(type(item) is Not and _any_implies(flat, item.item) for item in flat):
            return FALSE
        if any(type(item) is Test and _any_implies(flat, negation(item)) for item in flat):
            return FALSE
        flat = _strongest(flat)
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def disjunction(items: Iterable[Formula]) -> Formula:
    """One holds. Costs as `conjunction` does."""
    flat: list[Formula] = []
    for item in items:
        if type(item) is Or:
            flat.extend(item.items)
        else:
            flat.append(item)
    if TRUE in flat:
        return TRUE
    if len(flat) <= 1:
        return flat[0] if flat else FALSE
    flat = _sorted(flat)
    if 1 < len(flat) <= MAX_COMPARED:
        if any(type(item) is Not and _implies_any(item.item, flat) for item in flat):
            return TRUE
        if any(type(item) is Test and _implies_any(negation(item), flat) for item in flat):
            return TRUE
        flat = _weakest(flat)
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def _sorted(items: list[Formula]) -> list[Formula]:
    """In order, each once."""
    keyed = {key(item): item for item in items}
    return [keyed[k] for k in sorted(keyed)]


def _any_implies(items: list[Formula], goal: Formula) -> bool:
    return any(implies(item, goal) for item in items)


def _implies_any(formula: Formula, items: list[Formula]) -> bool:
    return any(implies(formula, item) for item in items)


def _strongest(items: list[Formula]) -> list[Formula]:
    """Without the items that another one implies; of two that imply each other, the earlier stays."""
    kept = list(items)
    for item in reversed(items):
        others = [other for other in kept if other is not item]
        if any(implies(other, item) for other in others):
            kept = others
    return kept


def _weakest(items: list[Formula]) -> list[Formula]:
    """Without the items that imply another one; of two that imply each other, the earlier stays."""
    kept = list(items)
    for item in reversed(items):
        others = [other for other in kept if other is not item]
        if any(implies(item, other) for other in others):
            kept = others
    return kept


def negation(item: Formula) -> Formula:
    """It does not hold. O(size): negation moves inwards as far as nodes."""
    match item:
        case And(items):
            return disjunction([negation(part) for part in items])
        case Or(items):
            return conjunction([negation(part) for part in items])
        case Not(inner):
            return inner
        case Test():
            return _opposite(item) or Not(item)
        case Count(path, op, value):
            return Count(path, _OPPOSITE[op], value)
        case First(path, inner_test):
            opposite = _opposite(inner_test)
            return Not(item) if opposite is None else First(path, opposite)
        case Aloft(root, fact):
            return aloft(root, negation(fact))
        case _:
            return Not(item)


def _opposite(item: Test) -> Test | None:
    """The test that passes exactly where this one fails. An order of numbers has none, because of NaN."""
    if item.op in (Op.EQ, Op.NE) or (item.view in _LENGTHS and item.op in _OPPOSITE):
        return Test(item.view, _OPPOSITE[item.op], item.value)
    return None


# Nodes ----------------------------------------------------------------------------------------------------------


def exists(axis: Axis, accepted: NodeTest, condition: Formula) -> Formula:
    """There is such a node. O(length of the run of `*` steps that starts here)."""
    if condition == FALSE:
        return FALSE
    if accepted.local is None and accepted == ANY_ELEMENT:
        if condition == TRUE:
            return Exists(PatternNode(Axis.CHILD, accepted, TRUE))
        if type(condition) is Exists:
            return _wildcards(axis, condition.node)
    return Exists(PatternNode(axis, accepted, condition))


def _wildcards(axis: Axis, node: PatternNode) -> Formula:
    """A step `*` above a node: of the `//` in a run of such steps, the last place takes the only one."""
    steps = 1
    far = axis is Axis.DESCENDANT
    while node.test == ANY_ELEMENT and type(node.condition) is Exists:
        steps += 1
        far = far or node.axis is Axis.DESCENDANT
        node = node.condition.node
    if far and not (node.test == ANY_ELEMENT and node.condition == TRUE):
        node = PatternNode(Axis.DESCENDANT, node.test, node.condition)
    found: Formula = Exists(node)
    for _ in range(steps):
        found = Exists(PatternNode(Axis.CHILD, ANY_ELEMENT, found))
    return found


def at_document(formula: Formula) -> Formula:
    """The normal form of a formula at the document node: what every document has goes without saying."""
    match formula:
        case Exists(PatternNode(axis, accepted, condition)):
            if accepted.kind is not Kind.ELEMENT:
                return formula if axis is Axis.DESCENDANT else FALSE
            if accepted != ANY_ELEMENT:
                return formula
            if condition == TRUE:
                return TRUE
            below = condition.node if type(condition) is Exists and axis is Axis.CHILD else None
            if below is not None and below.axis is Axis.DESCENDANT and below.test.kind is not Kind.ELEMENT:
                return condition
            return formula
        case And(items):
            return conjunction([at_document(item) for item in items])
        case Or(items):
            return disjunction([at_document(item) for item in items])
        case Not(item):
            return negation(at_document(item))
        case _:
            return formula


# Values ---------------------------------------------------------------------------------------------------------


def test(view: View, op: Op, value: str | float) -> Formula:
    """The node's own value compares so with a constant that is not NaN."""
    if isinstance(value, str):
        return _string_test(view, op, value)
    if view in _LENGTHS:
        return _length_test(view, op, value)
    value += 0.0  # makes the negative zero positive
    if (op is Op.GT and value == math.inf) or (op is Op.LT and value == -math.inf):
        return FALSE
    return Test(view, op, value)


def _string_test(view: View, op: Op, value: str) -> Formula:
    if value == "" and op in (Op.CONTAINS, Op.STARTS_WITH):
        return TRUE
    if view is View.NORMAL and op in (Op.EQ, Op.NE) and normalize_space(value) != value:
        return FALSE if op is Op.EQ else TRUE
    return Test(view, op, value)


def _length_test(view: View, op: Op, value: float) -> Formula:
    found = _whole(op, value)
    if not isinstance(found, tuple):
        return found
    op, value = found
    if value == 0 or (value == 1 and op in (Op.LT, Op.GE)):
        empty = op in (Op.EQ, Op.LT)
        return Test(View.STRING if view is View.LENGTH else View.NORMAL, Op.EQ if empty else Op.NE, "")
    return Test(view, op, value)


def _whole(op: Op, value: float) -> tuple[Op, float] | Formula:
    """A comparison of a count with a number, as one of = != < >= with a whole number, or the constant it is."""
    if op is Op.LE or op is Op.GT:
        if math.isinf(value):
            return TRUE if (value > 0) == (op is Op.LE) else FALSE
        op, value = (Op.LT, math.floor(value) + 1.0) if op is Op.LE else (Op.GE, math.floor(value) + 1.0)
    elif op is Op.LT or op is Op.GE:
        if math.isinf(value):
            return TRUE if (value > 0) == (op is Op.LT) else FALSE
        value = float(math.ceil(value))
    elif value < 0 or math.isinf(value) or value != math.floor(value):
        return FALSE if op is Op.EQ else TRUE
    if value <= 0 and op in (Op.LT, Op.GE):
        return TRUE if op is Op.GE else FALSE
    return op, value + 0.0


def count(path: tuple[PatternNode, ...], op: Op, value: float) -> Formula:
    """The number of nodes at the end of a path compares so with a number that is not NaN."""
    found = _whole(op, value)
    if not isinstance(found, tuple):
        return found
    op, value = found
    if any(node.condition == FALSE for node in path):
        zero = {Op.EQ: value == 0, Op.NE: value != 0, Op.LT: True, Op.GE: False}[op]
        return TRUE if zero else FALSE
    if value == 0 or (value == 1 and op in (Op.LT, Op.GE)):
        some = chain(path, TRUE)
        return negation(some) if op in (Op.EQ, Op.LT) else some
    return Count(path, op, value)


def first(path: tuple[PatternNode, ...], inner: Test) -> Formula:
    """The string-value of a path's first node, or "", passes a test."""
    if any(node.condition == FALSE for node in path):
        return TRUE if passes(inner, "") else FALSE
    node = path[-1]
    single = len(path) == 1 and node.axis is Axis.CHILD and node.test.kind is Kind.ATTRIBUTE and node.test.local
    if not single:
        return First(path, inner)
    # An element has at most one attribute of a name: the first is any.
    passed = exists(node.axis, node.test, conjunction((node.condition, inner)))
    if not passes(inner, ""):
        return passed
    opposite = _opposite(inner) or Not(inner)
    return negation(exists(node.axis, node.test, conjunction((node.condition, opposite))))


def chain(path: Iterable[PatternNode], condition: Formula) -> Formula:
    """There is a node at the end of a path for which the condition holds."""
    found = condition
    for node in reversed(tuple(path)):
        found = exists(node.axis, node.test, conjunction((node.condition, found)))
    return found
