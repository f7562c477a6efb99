"""Search for a document in which a formula holds, or the proof that there is none.

One pattern contains another if "the other holds and this one does not" holds of no document. The search follows that
formula down an imaginary document: at each node it decides what has no structure (and, or, values), and for each node
that must exist below it asks for one that also obeys what must hold of every node there. The documents it tries are the
canonical models of the pattern that is to be contained, made one step at a time: names that the pattern leaves open are
names that nobody mentions, gaps are as short as they can be, and a branch is given up at the first contradiction.

- A node is asked for by the set of terms that must hold there; equal sets have equal answers, which are kept. A set
  that is met again below itself need not be tried there: the document would do without what lies between.
- Nodes that must exist are independent of each other, since siblings may repeat. Two are not: attributes
  of one name, and the root, of which there is one.

Invariant: "none" is a proof. A place that is found is a proposal: values of elements, which depend on what is below,
and counts are only partly followed, so whoever wants a document builds it and looks.

This module knows nothing of XML, and nothing of verifications.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xylem.containment.linear import never
from xylem.containment.strings import NOT_EMPTY, Literal, Verdict, holds, lifted, solve
from xylem.containment.terms import All, Any, Every, Leading, Number, Some, Term, Terms, Value, least, most
from xylem.xpath.implication import implies, narrower
from xylem.xpath.normal import ANY_ELEMENT
from xylem.xpath.pattern import Axis, Count, Kind, NodeTest, PatternNode

DEEPEST = 180
"""Nodes within each other: each takes four frames of Python's thousand. The longest pattern has 128 levels."""

_COPYING = 16  # numbers are copied in the time in which one term is looked at
_SOLVING = 20  # what a test of a value costs, in terms: many strings are tried

_ANY_TEXT = NodeTest(Kind.TEXT, None, None)


class ExhaustedError(Exception):
    """The budget is spent, or the document would be too deep: nothing is known."""


@dataclass(frozen=True, slots=True)
class Child:
    """A node below a place; `symbol` names it as a node test does, and `times` is how often it stands there."""

    symbol: NodeTest
    place: Place
    times: int = 1


@dataclass(frozen=True, slots=True)
class Place:
    """A node without its name: the values it must have, one such value, and what is below."""

    literals: tuple[Literal, ...] = ()
    value: str | None = None
    children: tuple[Child, ...] = ()


@dataclass(slots=True)
class Search:
    """One search. `left` counts terms looked at; `far`: distant nodes are put below others before they are put near."""

    terms: Terms
    left: int
    far: bool = False
    _known: dict[tuple[Kind, frozenset[int]], Place | None] = field(default_factory=dict)
    _open: dict[tuple[Kind, frozenset[int]], int] = field(default_factory=dict)
    _cut: int = DEEPEST
    _times: dict[int, int] = field(default_factory=dict)
    _lifts: dict[int, tuple[Literal, ...]] = field(default_factory=dict)

    def document(self, wanted: int) -> Child | None:
        """The root of a document in which a term holds; None if there is no such document."""
        for facts in self._branches((wanted,), None):
            if self._conflict(facts, Kind.ELEMENT):
                continue
            for symbol in self._names(facts):
                terms = self._at_root(facts, symbol)
                place = None if terms is None or never(symbol) else self._node(Kind.ELEMENT, frozenset(terms))
                if place is not None:
                    return Child(symbol, place)
        return None

    # The root -------------------------------------------------------------------------------------------------------

    def _names(self, facts: list[Term]) -> list[NodeTest]:
        """What the root may be called: a child of the document node may say it, and what is looked for at any depth
        may be the root."""
        somes = [term for term in facts if isinstance(term, Some) and term.test.kind is Kind.ELEMENT]
        near = [some.test for some in somes if some.axis is Axis.CHILD]
        near.sort(key=lambda test: (test.local is None, test.namespace is None))
        if near and near[0].local is not None:
            return near[:1]
        sought = [some.test for some in somes]
        return list(dict.fromkeys([*near, ANY_ELEMENT, *sought] if self.far else [*near, *sought, ANY_ELEMENT]))

    def _at_root(self, facts: list[Term], symbol: NodeTest) -> list[int] | None:
        """What must hold at a root of that name for the facts to hold at the document node."""
        terms = self.terms
        found: list[int] = []
        for term in facts:
            if isinstance(term, Value):
                found.append(terms.number(term))
            elif isinstance(term, Some):
                number = self._some_at_root(term, symbol)
                if number == terms.false:
                    return None
                found.append(number)
        return found + self._below([term for term in facts if isinstance(term, Every)], symbol)

    def _some_at_root(self, some: Some, symbol: NodeTest) -> int:
        terms = self.terms
        accepted = narrower(symbol, some.test)
        if some.axis is Axis.CHILD:
            return some.inner if accepted else terms.false
        number = terms.number(some)
        return terms.any((number, some.inner)) if accepted else number

    # A node -----------------------------------------------------------------------------------------------------

    def _node(self, kind: Kind, wanted: frozenset[int]) -> Place | None:
        """A node of a kind where all terms hold."""
        key = (kind, wanted)
        if key in self._known:
            return self._known[key]
        depth = len(self._open)
        if key in self._open:
            self._cut = min(self._cut, self._open[key])
            return None
        if depth == DEEPEST:
            raise ExhaustedError
        self._open[key] = depth
        outer, self._cut = self._cut, DEEPEST
        found: Place | None = None
        for facts in self._branches(sorted(wanted), kind):
            found = self._place(kind, facts)
            if found is not None:
                break
        del self._open[key]
        # A "none" that rests on a set still open above is none only there.
        if found is not None or self._cut >= depth:
            self._known[key] = found
        self._cut = outer if found is not None or self._cut >= depth else min(outer, self._cut)
        return found

    def _place(self, kind: Kind, facts: list[Term]) -> Place | None:
        """A node where facts that cannot be taken apart hold together."""
        somes = [term for term in facts if isinstance(term, Some)]
        if somes and kind is not Kind.ELEMENT:
            return None
        literals = [(term.test, term.wanted) for term in facts if isinstance(term, Value)]
        if kind is Kind.TEXT:
            literals.append(NOT_EMPTY)
        for some in somes:
            literals += self._lifted(some)
        self._spend(_SOLVING * len(literals))
        value = solve(literals) if literals else ""
        if value is Verdict.IMPOSSIBLE or self._conflict(facts, Kind.ATTRIBUTE):
            return None
        everies = [term for term in facts if isinstance(term, Every)]
        children = []
        joined = self._joined(somes)
        for some in joined:
            child = self._child(some, everies, self._missing(some, joined))
            if child is None:
                return None
            children.append(child)
        return Place(tuple(literals), value if isinstance(value, str) else None, tuple(children))

    def _joined(self, somes: list[Some]) -> list[Some]:
        """An element has one attribute of a name, and it satisfies all that is asked of it."""
        found: list[Some] = []
        named: dict[NodeTest, list[int]] = {}
        for some in somes:
            if some.test.kind is Kind.ATTRIBUTE and some.test.local is not None and some.axis is Axis.CHILD:
                named.setdefault(some.test, []).append(some.inner)
            else:
                found.append(some)
        return [Some(Axis.CHILD, test, self.terms.all(inner)) for test, inner in named.items()] + found

    def _missing(self, some: Some, others: list[Some]) -> int:
        """How often a node must stand there beside the others, which may be such nodes, too."""
        times = self._times.get(self.terms.number(some), 1)
        if some.inner != self.terms.true or some.axis is not Axis.CHILD:
            return times
        such = sum(o is not some and o.axis is Axis.CHILD and narrower(o.test, some.test) for o in others)
        return max(0, times - such)

    def _child(self, some: Some, everies: list[Every], times: int) -> Child | None:
        """A node that is asked for, as a child or deeper."""
        ways = (True,) if some.axis is Axis.CHILD else (False, True) if self.far else (True, False)
        number = self.terms.number(some)
        for near in ways:
            symbol, own = (some.test, some.inner) if near else (ANY_ELEMENT, number)
            if never(symbol):
                continue
            place = self._node(symbol.kind, frozenset((own, *self._below(everies, symbol))))
            if place is not None:
                return Child(symbol, place, times if near else 1)
        return None

    def _below(self, everies: Iterable[Every], symbol: NodeTest) -> list[int]:
        """What must hold at a child because it must hold at every node."""
        found: list[int] = []
        for every in everies:
            if narrower(symbol, every.test):
                found.append(every.inner)
            if every.axis is Axis.DESCENDANT and symbol.kind is Kind.ELEMENT:
                found.append(self.terms.number(every))
        return found

    def _lifted(self, some: Some) -> tuple[Literal, ...]:
        """What the string-value of an element owes to a node below it."""
        if some.test.kind is Kind.ATTRIBUTE:
            return ()
        found = self._lifts.get(some.inner)
        if found is None:
            parts = self.terms.table[some.inner]
            items = parts.items if isinstance(parts, All) else (some.inner,)
            said: list[Literal] = []
            for term in (self.terms.table[item] for item in items):
                if isinstance(term, Value):
                    said += lifted((term.test, term.wanted))
                elif isinstance(term, Some):
                    said += self._lifted(term)
            found = self._lifts[some.inner] = tuple(dict.fromkeys(said))
        return (NOT_EMPTY, *found) if some.test.kind is Kind.TEXT else found

    # Facts ------------------------------------------------------------------------------------------------------

    def _branches(self, wanted: Iterable[int], kind: Kind | None) -> Iterator[list[Term]]:
        """The ways in which terms may hold: each as terms that are neither all nor any of others. `kind` None: the
        document node."""
        waiting: list[tuple[list[int], set[int]]] = [(list(wanted), set())]
        while waiting:
            todo, facts = waiting.pop()
            self._spend(1 + len(facts) // _COPYING)
            while todo and self._take(todo, facts, kind):
                pass
            if todo:
                continue
            ways = self._ways(facts)
            if ways is None:
                found = map(self.terms.table.__getitem__, sorted(facts))
                whole: list[Term] = [term for term in found if not isinstance(term, All | Any)]
                yield whole if kind is not Kind.ELEMENT else [term for term in whole if not _settled_nearer(term)]
            else:
                waiting += [([way], set(facts)) for way in reversed(ways)]

    def _take(self, todo: list[int], facts: set[int], kind: Kind | None) -> bool:
        """Makes the next term a fact; False, with the term left there, if it contradicts the facts."""
        number = todo[-1]
        if number == self.terms.false or self.terms.opposite(number) in facts:
            return False
        todo.pop()
        if number in facts:
            return True
        self._spend(1)
        facts.add(number)
        term = self.terms.table[number]
        match term:
            case All(items):
                todo.extend(items)
            case Some() if kind is Kind.ELEMENT and _settled_nearer(term):
                todo.append(self.terms.nearer(number, term))
            case Value(test, passed) if kind is Kind.ELEMENT and not holds((test, passed), ""):
                todo.append(self.terms.some(Axis.DESCENDANT, _ANY_TEXT, self.terms.true))
            case Some(Axis.CHILD, test) if kind is None and test.kind is not Kind.ELEMENT:
                todo.append(self.terms.false)
            case Number() | Leading():
                self._note(term)
                todo.append(self.terms.consequence(term))
                if kind is None and isinstance(term, Number):
                    todo.append(self._below_root(term.count))
            case _:
                pass
        return True

    def _note(self, term: Number | Leading) -> None:
        """How often the last node of a counted path must stand there, or what bears it if that can bear one only."""
        if not isinstance(term, Number) or least(term.count) < 2:
            return
        steps, terms = term.count.path, self.terms
        last = terms.path(steps[-1:], terms.true)
        repeated = [last]
        if _single(steps[-1]):
            repeated = [terms.path(steps[-2:], terms.true)]
        elif steps[-1].test.kind is Kind.ATTRIBUTE and steps[-1].test.local is not None:
            repeated = [terms.some(Axis.CHILD, ANY_ELEMENT, last)]
        for number in repeated:
            self._times[number] = max(self._times.get(number, 1), least(term.count))

    def _below_root(self, count: Count) -> int:
        """Of two elements, one at least is not the root, and of two attributes of a name, one is not the root's."""
        step, terms = count.path[0], self.terms
        if least(count) < 2 or len(count.path) > 1 or step.axis is Axis.CHILD:
            return terms.true
        found = terms.some(Axis.CHILD, ANY_ELEMENT, terms.path(count.path, terms.true))
        named = step.test.kind is Kind.ATTRIBUTE and step.test.local is not None
        return terms.some(Axis.CHILD, ANY_ELEMENT, found) if named else found

    def _ways(self, facts: set[int]) -> list[int] | None:
        """The alternatives that are left of the narrowest choice not yet made; None when all are made."""
        narrowest: list[int] | None = None
        for number in sorted(facts):
            term = self.terms.table[number]
            if isinstance(term, Any) and facts.isdisjoint(term.items):
                # Inner terms have smaller numbers than what holds them, so the near alternative comes first.
                items = reversed(term.items) if self.far else term.items
                left = [item for item in items if self.terms.opposite(item) not in facts]
                if narrowest is None or len(left) < len(narrowest):
                    narrowest = left
                if len(left) <= 1:
                    break
        return narrowest

    def _spend(self, terms: int) -> None:
        self.left -= terms
        if self.left < 0:
            raise ExhaustedError

    def _conflict(self, facts: list[Term], single: Kind) -> bool:
        """Whether counts, or the values of first nodes, exclude each other. `single`: of which kind a node here has
        at most one child of a name: the document node of elements, an element of attributes."""
        counts = [term.count for term in facts if isinstance(term, Number)]
        if any(len(c.path) == 1 and least(c) > 1 and _single(c.path[0], single) for c in counts):
            return True
        if any(_exceeds(one, other) for one in counts for other in counts):
            return True
        self._spend(len(counts) ** 2)
        firsts: dict[tuple[PatternNode, ...], list[Literal]] = {}
        for term in facts:
            if isinstance(term, Leading):
                firsts.setdefault(term.first.path, []).append((term.first.test, term.wanted))
        self._spend(_SOLVING * sum(map(len, firsts.values())))
        return any(solve(literals) is Verdict.IMPOSSIBLE for literals in firsts.values())


def _settled_nearer(term: Term) -> bool:
    """Whether a term is put as a choice between near and far, because what is near is not independent of the rest."""
    if not isinstance(term, Some) or term.axis is Axis.CHILD:
        return False
    return term.test.kind is Kind.ATTRIBUTE and term.test.local is not None


def _single(step: PatternNode, kind: Kind = Kind.ATTRIBUTE) -> bool:
    """Whether a step finds at most one node, where a node has one child of that kind and name."""
    named = step.test.local is not None or kind is Kind.ELEMENT
    return step.axis is Axis.CHILD and step.test.kind is kind and named


def _exceeds(one: Count, other: Count) -> bool:
    """Whether at least so many nodes of one path are more than there may be of another."""
    bound = most(other)
    if bound is None:
        return one.path == other.path and least(one) == most(one) == other.value
    if least(one) <= bound or len(one.path) != len(other.path):
        return False
    return all(
        (first.axis is second.axis or second.axis is Axis.DESCENDANT)
        and narrower(first.test, second.test)
        and implies(first.condition, second.condition)
        for first, second in zip(one.path, other.path, strict=True)
    )
