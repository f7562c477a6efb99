"""Where a path leads: bounds for "the path reaches a node that …".

A path is followed step by step from a node that is known in part (`Here`). What is still to come is a function
of the node reached, so predicates, further steps and a final test all are conditions of the step before them.
Downward axes become steps of a pattern; upward axes become facts about nodes further up; of the
others only what must hold is said.

This module knows nothing of expressions but node-sets; predicates are their owner's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from xylem.xpath import normal
from xylem.xpath.bounds import (
    ALWAYS,
    NEVER,
    UNKNOWN,
    Bounds,
    at_most,
    both,
    either,
    exactly,
    further_up,
)
from xylem.xpath.here import WHERE, Here, Where, document
from xylem.xpath.hoist import facts
from xylem.xpath.hoist import step as built
from xylem.xpath.implication import implies
from xylem.xpath.limits import MAX_WORK
from xylem.xpath.pattern import FALSE, TRUE, Axis, Kind, NodeTest, Op, PatternNode
from xylem.xpath.positions import is_first, keeps_one, place
from xylem.xpath.syntax import (
    EVERY_NODE_BELOW,
    Expression,
    Filter,
    Instruction,
    NodeType,
    Path,
    Start,
    Step,
    StepAxis,
    Union,
)

Final = Callable[[Here], Bounds]

MAX_NAMES = 4
"""How many names a step `*` is told apart by; each is a copy of the step."""

MAX_RAISED = 3
"""How many nodes above one another are made known because somebody asked: each asks again, and doubles the formula."""

ANY_TEXT = NodeTest(Kind.TEXT, None, None)
ANY_ATTRIBUTE = NodeTest(Kind.ATTRIBUTE, None, None)
_DOWNWARD = {
    StepAxis.CHILD: Axis.CHILD,
    StepAxis.ATTRIBUTE: Axis.CHILD,
    StepAxis.DESCENDANT: Axis.DESCENDANT,
    StepAxis.DESCENDANT_OR_SELF: Axis.DESCENDANT,
}
_SIBLINGS = (StepAxis.FOLLOWING_SIBLING, StepAxis.PRECEDING_SIBLING)


class TooLargeError(Exception):
    """A translation took more than `MAX_WORK` steps. It never leaves this room."""


class Predicates(Protocol):
    """Decides what a predicate says of a node."""

    def predicates(self, predicates: tuple[Expression, ...], here: Here, alone: bool) -> Bounds:
        """Whether all predicates hold; `alone`: the node is the only one on its axis."""


def always(here: Here) -> Bounds:
    return ALWAYS


class Walker:
    """Follows paths; counts its steps, because rewriting may follow one more than once."""

    def __init__(self, owner: Predicates) -> None:
        self.owner = owner
        self.work = 0

    def reaches(self, nodes: Expression, here: Here, final: Final = always) -> Bounds:
        """Whether a node-set has a node for which `final` holds."""
        match nodes:
            case Path(Start.RELATIVE, steps):
                return self.steps(steps, here, final)
            case Path(Start.ABSOLUTE, steps):
                return self.from_document(steps, here, final)
            case Path(start, steps):
                assert not isinstance(start, Start)
                return self.reaches(start, here, lambda found: self.steps(steps, found, final))
            case Filter(primary, predicates):
                return self.filtered(primary, predicates, here, final)
            case Union(items):
                return either([self.reaches(item, here, final) for item in items])
            case _:
                # The function id(): some elements of the document.
                some = (EVERY_NODE_BELOW, Step(StepAxis.CHILD, normal.ANY_ELEMENT, ()))
                return at_most(self.from_document(some, here, final).upper)

    def from_document(self, steps: tuple[Step, ...], here: Here, final: Final) -> Bounds:
        if here.where is Where.DOCUMENT:
            return self.steps(steps, here, final)
        return further_up(True, self.steps(steps, document(), final))

    def filtered(self, primary: Expression, predicates: tuple[Expression, ...], here: Here, final: Final) -> Bounds:
        if final is always and keeps_one(predicates[-1]):
            rest = predicates[:-1]
            return self.filtered(primary, rest, here, final) if rest else self.reaches(primary, here)
        if final is always and len(predicates) == 1 and (number := place(predicates[0])) is not None:
            path = self.chain(primary, here)
            if path:
                return exactly(normal.count(path, Op.GE, number))
        return self.reaches(
            primary, here, lambda found: both([self.owner.predicates(predicates, found, False), final(found)])
        )

    # Steps --------------------------------------------------------------------------------------------------

    def steps(self, steps: tuple[Step, ...], here: Here, final: Final) -> Bounds:
        """Whether steps from here reach a node for which `final` holds."""
        if not steps:
            return final(here)
        steps = _any_one_will_do(steps) if final is always else steps
        self.work += 1
        if self.work > MAX_WORK:
            raise TooLargeError
        step, rest = steps[0], steps[1:]
        axis = step.axis
        if axis is StepAxis.SELF:
            return self.at(step, rest, here, final, True)
        if step == EVERY_NODE_BELOW and rest:
            merged = _merged(rest[0])
            if merged is not None:
                return self.below(merged, Axis.DESCENDANT, rest[1:], here, final, rest[0].axis)
        if axis is StepAxis.DESCENDANT_OR_SELF:
            return either([
                self.at(step, rest, here, final, False),
                self.below(step, Axis.DESCENDANT, rest, here, final, axis),
            ])  # fmt: skip
        down = _DOWNWARD.get(axis)
        if down is not None:
            return self.below(step, down, rest, here, final, axis)
        return self.elsewhere(step, rest, here, final)

    def at(self, step: Step, rest: tuple[Step, ...], here: Here, final: Final, alone: bool) -> Bounds:
        """The node itself is the one that the step reaches."""
        found = here.is_a(step.test)
        if found is NEVER:
            return NEVER
        conditions = [found]
        if step.predicates:
            conditions.append(self.owner.predicates(step.predicates, here, alone))
        conditions.append(self.steps(rest, here, final))
        return both(conditions)

    def below(
        self, step: Step, axis: Axis, rest: tuple[Step, ...], here: Here, final: Final, spelled: StepAxis
    ) -> Bounds:
        """A step down. `spelled` is how the axis is written, which decides what positions count."""
        if here.where is not Where.ELEMENT and here.where is not Where.DOCUMENT:
            return NEVER
        predicates = step.predicates
        if predicates and not rest and final is always:
            written = spelled is not StepAxis.DESCENDANT_OR_SELF and axis is _DOWNWARD[spelled]
            counted = self.counted(step, axis, here) if written else None
            if counted is not None:
                return counted

        def condition(found: Here) -> Bounds:
            if not predicates:
                return self.steps(rest, found, final)
            said = self.owner.predicates(predicates, found, False)
            return both([said, self.steps(rest, found, final)])

        return self.hung_all(axis, step, condition, here)

    def counted(self, step: Step, axis: Axis, here: Here) -> Bounds | None:
        """`a[3]` at the end of a path: there are three of them. None where that is not what it says."""
        number = place(step.predicates[-1])
        if number is None:
            return None
        path = self.chain_step(step._replace(predicates=step.predicates[:-1]), axis, here)
        return None if path is None else exactly(normal.count((path,), Op.GE, number))

    def hung_all(self, axis: Axis, step: Step, condition: Final, here: Here) -> Bounds:
        """A step down to nodes of every kind that its test accepts."""
        test = step.test
        attribute = step.axis is StepAxis.ATTRIBUTE
        if isinstance(test, NodeTest):
            if attribute != (test.kind is Kind.ATTRIBUTE):
                return NEVER
            return self.hung(axis, test, condition, here)
        if attribute:
            return self.hung(axis, ANY_ATTRIBUTE, condition, here) if test is NodeType.NODE else NEVER
        unseen = at_most(TRUE if condition(Here(Where.OTHER)).upper != FALSE else FALSE)
        if test is not NodeType.NODE:
            return unseen
        return either([
            self.hung(axis, normal.ANY_ELEMENT, condition, here),
            self.hung(axis, ANY_TEXT, condition, here),
            unseen,
        ])  # fmt: skip

    def hung(self, axis: Axis, test: NodeTest, condition: Final, here: Here) -> Bounds:
        """There is a node of one kind below this one for which the condition holds."""
        if axis is Axis.CHILD and here.where is Where.DOCUMENT and test.kind is not Kind.ELEMENT:
            return NEVER
        found = Here(WHERE[test.kind], test, here if axis is Axis.CHILD else None)
        said = condition(found)
        if found.lost and here.known_above() < MAX_RAISED:
            # The parent matters: it is this node or one below it.
            return either([
                self.hung(Axis.CHILD, test, condition, here),
                self.hung(axis, normal.ANY_ELEMENT, lambda above: self.hung(Axis.CHILD, test, condition, above), here),
            ])  # fmt: skip
        if found.asked and len(found.asked) <= MAX_NAMES:
            return self.told_apart(axis, found, condition, here)
        return self.bounded(axis, test, said)

    def bounded(self, axis: Axis, test: NodeTest, said: Bounds) -> Bounds:
        upper = built(axis, test, said.upper, True)
        if said.exact and not facts(said.upper, root=False):
            return exactly(upper)
        # Facts that are too many are taken as unknown, which even exact bounds do not survive.
        lower = built(axis, test, said.lower, False)
        return exactly(upper) if lower == upper else Bounds(lower, upper)

    def told_apart(self, axis: Axis, unnamed: Here, condition: Final, here: Here) -> Bounds:
        """The names of some nodes decide: each gets a step of its own, and there is one for all others.

        That last step cannot exclude the names, so it says too much unless its condition implies theirs.
        """
        names = sorted(unnamed.asked, key=lambda name: (name.namespace or "", name.local or ""))
        test = unnamed.test
        assert test is not None
        parent = unnamed.parent
        named = [condition(Here(unnamed.where, name, parent)) for name in names]
        others = condition(Here(unnamed.where, test, parent, frozenset(names)))
        parts = [self.bounded(axis, name, said) for name, said in zip(names, named, strict=True)]
        if not all(implies(others.lower, said.lower) for said in named):
            lower = normal.conjunction([others.lower, *(said.lower for said in named)])
            others = Bounds(lower, others.upper)
        return either([*parts, self.bounded(axis, test, others)])

    # Other axes ---------------------------------------------------------------------------------------------

    def elsewhere(self, step: Step, rest: tuple[Step, ...], here: Here, final: Final) -> Bounds:
        """A step on an axis that does not lead down."""
        if step.axis is StepAxis.PARENT:
            parent = here.has_parent()
            if parent is None:
                return NEVER if here.where is Where.DOCUMENT else UNKNOWN
            return further_up(False, self.at(step, rest, parent, final, True))
        if step.axis is StepAxis.ANCESTOR:
            return self.ancestors(step, rest, here, final)
        if step.axis is StepAxis.ANCESTOR_OR_SELF:
            return either([self.at(step, rest, here, final, False), self.ancestors(step, rest, here, final)])
        if here.where is Where.DOCUMENT:
            return NEVER
        if step.axis is StepAxis.NAMESPACE:
            found = here.where is Where.ELEMENT and self.steps(rest, Here(Where.OTHER), final).upper != FALSE
            return UNKNOWN if found else NEVER
        if step.axis in _SIBLINGS:
            return self.siblings(step, rest, here, final)
        return self.anywhere(step, rest, final)

    def ancestors(self, step: Step, rest: tuple[Step, ...], here: Here, final: Final) -> Bounds:
        found = []
        above = here
        height = 0
        while above.parent is not None:
            above = above.parent
            height += 1
            said = self.at(step, rest, above, final, False)
            for _ in range(height):
                said = further_up(False, said)
            found.append(said)
        if above.where is not Where.DOCUMENT:
            found.append(self.anywhere(step, rest, final))
            root = self.at(step, rest, document(), final, False)
            found.append(at_most(further_up(True, root).upper))
        return either(found) if found else NEVER

    def siblings(self, step: Step, rest: tuple[Step, ...], here: Here, final: Final) -> Bounds:
        """A sibling is a child of the parent."""
        if here.where is Where.ATTRIBUTE:
            return NEVER
        parent = here.has_parent()
        if parent is None:
            return UNKNOWN
        child = step._replace(axis=StepAxis.CHILD)
        return at_most(further_up(False, self.steps((child, *rest), parent, final)).upper)

    def anywhere(self, step: Step, rest: tuple[Step, ...], final: Final) -> Bounds:
        """The document has such a node; where, nobody says."""
        below = step._replace(axis=StepAxis.DESCENDANT)
        return at_most(further_up(True, self.steps((below, *rest), document(), final)).upper)

    # Chains -------------------------------------------------------------------------------------------------

    def chain(self, nodes: Expression, here: Here, in_order: bool = False) -> tuple[PatternNode, ...] | None:
        """The steps of a path that a pattern can say exactly as a node-set, or None. `in_order`: only the first
        node in document order matters. The empty path is the node itself."""
        match nodes:
            case Filter(primary, (predicate,)) if in_order and is_first(predicate):
                return self.chain(primary, here, True)
            case Path(Start.RELATIVE, steps):
                return self.chain_steps(steps, here, in_order)
            case Path(Start.ABSOLUTE, steps) if here.where is Where.DOCUMENT:
                return self.chain_steps(steps, here, in_order)
            case _:
                return None

    def chain_steps(self, steps: tuple[Step, ...], here: Here, in_order: bool) -> tuple[PatternNode, ...] | None:
        found: list[PatternNode] = []
        far = False
        for index, step in enumerate(steps):
            if step.axis is StepAxis.SELF and step.test is NodeType.NODE and not step.predicates:
                continue
            if step == EVERY_NODE_BELOW:
                far = True
                continue
            last = index == len(steps) - 1
            if in_order and last and step.predicates and is_first(step.predicates[-1]):
                step = step._replace(predicates=step.predicates[:-1])
            if step.axis not in _DOWNWARD or step.axis is StepAxis.DESCENDANT_OR_SELF:
                return None
            node = self.chain_step(step, Axis.DESCENDANT if far else _DOWNWARD[step.axis], here)
            if node is None:
                return None
            found.append(node)
            here = Here(WHERE[node.test.kind], node.test)
            far = False
        return None if far else tuple(found)

    def chain_step(self, step: Step, axis: Axis, here: Here) -> PatternNode | None:
        """One step as a node of a pattern, if a pattern can say it exactly."""
        test = step.test
        if isinstance(test, NodeType | Instruction):
            return None
        dead = (
            (step.axis is StepAxis.ATTRIBUTE) != (test.kind is Kind.ATTRIBUTE)
            or here.where not in (Where.DOCUMENT, Where.ELEMENT)
            or (here.where is Where.DOCUMENT and axis is Axis.CHILD and test.kind is not Kind.ELEMENT)
        )
        if dead:
            return PatternNode(axis, test, FALSE)
        found = Here(WHERE[test.kind], test)
        said = self.owner.predicates(step.predicates, found, False)
        if not said.exact or found.lost or found.asked or facts(said.upper, root=True):
            return None
        return PatternNode(axis, test, said.upper)


def _any_one_will_do(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps to the same nodes or to some of them, to one at least if there is one: without a `[1]` at the end."""
    last = steps[-1]
    if not last.predicates or not keeps_one(last.predicates[-1]):
        return steps
    return _any_one_will_do((*steps[:-1], last._replace(predicates=last.predicates[:-1])))


def _merged(step: Step) -> Step | None:
    """A step that may follow `//` as one step to any depth, or None."""
    if step.axis in (StepAxis.CHILD, StepAxis.ATTRIBUTE, StepAxis.DESCENDANT):
        return step
    return None
