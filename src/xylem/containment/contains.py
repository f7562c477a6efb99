"""Does one query contain another: does every document that matches the other match this one too.

The cheapest way that decides is taken:

1. equal patterns, and what a mapping of steps shows (the language's own `implies`);
2. paths without branches and values, exactly and in one pass (`linear`);
3. everything else, by a search for a document in which the inner pattern holds and the outer one does not (`models`).
   No such document: yes. A document that was built and looked at: no. Neither within the budget: not known.

What only libxml2 decides is no formula, but lies between two: one that it implies and one that implies it. The inner
pattern is taken as the first, the outer one as the second, so that a yes is sure.

Invariant: yes and no are certain, for all documents; "not known" is the only way to fail.

This module knows nothing of sets of subscriptions.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from xylem.containment.linear import Linear
from xylem.containment.models import ExhaustedError, Search
from xylem.containment.relative import escape, names_are_fixed
from xylem.containment.terms import Terms
from xylem.containment.valid import least_document
from xylem.containment.witness import WitnessNode, build, chain, tells_apart, to_xml
from xylem.errors import XPathError
from xylem.schema import Schema
from xylem.xpath.implication import implies
from xylem.xpath.parser import Parser
from xylem.xpath.pattern import FALSE, TRUE, Formula, TreePattern
from xylem.xpath.translate import translate

DEFAULT_BUDGET = 100_000
"""Terms that a search may look at: a quarter of a second or so. A thousand decide most queries that people write."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether the outer pattern contains the inner one (None: not known), and a document that shows it does not: one
    that matches the inner pattern and not the outer one. A difference as large as the limits of documents has none."""

    contains: bool | None
    witness: bytes | None = None


YES, UNKNOWN = Comparison(True), Comparison(None)


def compare(
    outer: TreePattern, inner: TreePattern, *, schema: Schema | None = None, budget: int = DEFAULT_BUDGET
) -> Comparison:
    """Decides, with a witness where the answer is no. With a schema, only its valid documents count. Bounded by the
    budget."""
    if _same(outer, inner):
        return YES
    path, other = _path(outer), _path(inner)
    if path is None or other is None:
        return _general(outer, inner, schema, budget)
    word = path.escape(other)
    if word is None:
        return YES
    if schema is not None:
        return _relative(outer, inner, schema, budget)
    # The shortest word is not always one that tells the paths apart, but where it is, it tells most.
    shown = (_shown(build(chain(each), (outer, inner)), outer, inner) for each in (other.shortest(), word))
    return Comparison(False, next((witness for witness in shown if witness is not None), None))


def contains(
    outer: TreePattern, inner: TreePattern, *, schema: Schema | None = None, budget: int = DEFAULT_BUDGET
) -> bool | None:
    """Whether every document that matches the inner pattern matches the outer one; None: not known within the budget.
    With a schema, only its valid documents count. O(steps) for paths without a schema."""
    if _same(outer, inner):
        return True
    path, other = _path(outer), _path(inner)
    if path is None or other is None:
        return _general(outer, inner, schema, budget).contains
    if path.contains(other):
        return True
    return False if schema is None else _relative(outer, inner, schema, budget).contains


def unsatisfiable(pattern: TreePattern, budget: int = DEFAULT_BUDGET) -> bool:
    """Whether certainly no document matches. False: some do, or it is not known."""
    if pattern.condition == FALSE:
        return True
    if _path(pattern) is not None:
        return False

    def search() -> bool:
        terms = Terms()
        return Search(terms, budget).document(terms.of(pattern.condition)) is None

    try:
        return _on_ample_stack(search, False)
    except ExhaustedError:
        return False


def _same(outer: TreePattern, inner: TreePattern) -> bool:
    """What can be seen without looking at the parts of a formula."""
    if outer == inner or inner.condition == FALSE or (outer.exact and outer.condition == TRUE):
        return True
    return outer.verification is not None and outer.verification == inner.verification


def _path(pattern: TreePattern) -> Linear | None:
    return Linear.of(pattern.condition) if pattern.exact else None


def _general(outer: TreePattern, inner: TreePattern, schema: Schema | None, budget: int) -> Comparison:
    """What is contained in all documents is contained in valid ones; the converse does not hold."""
    found = _on_ample_stack(lambda: _searched(outer, inner, budget), UNKNOWN)
    return found if schema is None or found.contains else UNKNOWN


def _relative(outer: TreePattern, inner: TreePattern, schema: Schema, budget: int) -> Comparison:
    """The same of two paths for the valid documents of a schema."""
    path, other = _path(outer), _path(inner)
    if path is None or other is None or not names_are_fixed(schema):
        return UNKNOWN
    try:
        word = escape(path, other, schema, budget)
    except ExhaustedError:
        return UNKNOWN
    if word is None:
        return YES
    document = least_document(schema, word)
    if document is not None and tells_apart(document, outer, inner):
        return Comparison(False, document)
    return UNKNOWN


def _shown(document: WitnessNode | None, outer: TreePattern, inner: TreePattern) -> bytes | None:
    """A document as XML, if it tells the patterns apart."""
    data = None if document is None else to_xml(document)
    return data if data is not None and tells_apart(data, outer, inner) else None


def _searched(outer: TreePattern, inner: TreePattern, budget: int) -> Comparison:
    sufficient = _sufficient(outer)
    if implies(inner.condition, sufficient):
        return YES
    # A document that fails the necessary part of the outer pattern is the likeliest to be a witness.
    for goal in dict.fromkeys((sufficient, outer.condition)):
        for far in (False, True):
            terms = Terms()
            both = terms.all((terms.of(inner.condition), terms.opposite(terms.of(goal))))
            try:
                root = Search(terms, budget, far).document(both)
            except ExhaustedError:
                break
            if root is None:
                if goal is sufficient:
                    return YES
                break
            document = _shown(build(root, (outer, inner)), outer, inner)
            if document is not None:
                return Comparison(False, document)
    return UNKNOWN


def _sufficient(pattern: TreePattern) -> Formula:
    """A formula that implies the pattern."""
    verified = pattern.verification
    if verified is None:
        return pattern.condition
    try:
        text = verified.expression
        return translate(Parser(text, dict(verified.namespaces)).parse(), text).lower
    except XPathError:
        return FALSE


def _on_ample_stack(work: Callable[[], T], otherwise: T) -> T:
    """The result of work that goes deep. How much of the stack is left is the caller's affair, and decides nothing."""
    try:
        return work()
    except RecursionError:
        with ThreadPoolExecutor(1) as empty_stack:
            return empty_stack.submit(_or_else, work, otherwise).result()


def _or_else(work: Callable[[], T], otherwise: T) -> T:
    try:
        return work()
    except RecursionError:
        return otherwise
