"""How much of a set of linear subscriptions is covered by others in it, exactly: the plain measure.

A pattern covers another if it matches every document that the other matches. For linear paths it is enough to look at
documents that are one chain of elements: those that the covered path describes, with names that stand nowhere else for
`*` and for what `//` passes over. The chains are endless in number, but the covering path can only be in finitely many
sets of states on the way, so all of them are tried.

Invariant: the rate is the share of subscriptions that can be removed without changing what the set matches together;
of several that cover each other one stays.

This module knows nothing of branching patterns, and refuses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xylem.errors import UsageError
from xylem.xpath import parse
from xylem.xpath.pattern import TRUE, Axis, Exists, Formula, Kind

# A step: whether it may pass over elements, and its name (None: any).
LinearStep = tuple[bool, str | None]
Linear = tuple[LinearStep, ...]

_FRESH = "*"  # a name that no path asks for


def linear(xpath: str) -> Linear:
    """The steps of a linear path, none for `/*`, which every document matches; raises UsageError for any other
    expression. Prefixes are names of their own here."""
    pattern = parse(xpath, namespaces={prefix: f"urn:{prefix}" for prefix in _prefixes(xpath)})
    steps: list[LinearStep] = []
    formula: Formula = pattern.condition
    while isinstance(formula, Exists) and formula.node.test.kind is Kind.ELEMENT:
        test = formula.node.test
        name = test.local and (f"{test.namespace}:{test.local}" if test.namespace else test.local)
        steps.append((formula.node.axis is Axis.DESCENDANT, name))
        formula = formula.node.condition
    if formula != TRUE or not pattern.exact:
        raise UsageError(f"the plain measure of covering takes linear paths, not {xpath}")
    return tuple(steps)


def covers(general: Linear, special: Linear) -> bool:
    """Whether every document that `special` matches is matched by `general`."""
    done = 1 << len(general)
    staying = done | sum(1 << place for place, (descendant, _) in enumerate(general) if descendant)
    accepting = {
        letter: sum(1 << place for place, (_, name) in enumerate(general) if name in (None, letter))
        for letter in {_FRESH, *(name for _, name in special if name is not None)}
    }
    waiting = [(0, 1)]
    seen = set(waiting)
    while waiting:
        place, states = waiting.pop()
        if states & done:
            continue
        if place == len(special):
            return False
        descendant, name = special[place]
        letters = [(place + 1, name or _FRESH)] + ([(place, _FRESH)] if descendant else [])
        for after, letter in letters:
            following = (after, (states & accepting[letter]) << 1 | states & staying)
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return True


def covering_rate(xpaths: Sequence[str]) -> float:
    """The share of these subscriptions that others cover; 0 for none at all."""
    patterns = list(dict.fromkeys(map(linear, xpaths)))
    index = _Index(patterns)
    kept = sum(not _is_redundant(number, patterns, index) for number in range(len(patterns)))
    return 1 - kept / len(xpaths) if xpaths else 0.0


def _is_redundant(number: int, patterns: list[Linear], index: _Index) -> bool:
    special = patterns[number]
    for other in index.matching([name or _FRESH for _, name in special]):
        general = patterns[other]
        if other != number and covers(general, special) and (other < number or not covers(special, general)):
            return True
    return False


class _Index:
    """The patterns as one trie, to find those that match the shortest chain of another: only they can cover it."""

    def __init__(self, patterns: list[Linear]) -> None:
        self._children: list[dict[LinearStep, int]] = [{}]
        self._ends: dict[int, int] = {}
        for number, pattern in enumerate(patterns):
            node = 0
            for step in pattern:
                node = self._child(node, step)
            self._ends[node] = number

    def _child(self, node: int, step: LinearStep) -> int:
        child = self._children[node].get(step)
        if child is None:
            child = self._children[node][step] = len(self._children)
            self._children.append({})
        return child

    def matching(self, chain: list[str]) -> Iterator[int]:
        """The patterns that match a chain of elements, those that end early first, each once."""
        children, found = self._children, set[int]()
        here, passing = {0}, {0}
        if 0 in self._ends:
            yield self._ends[0]
        for letter in chain:
            steps = ((False, letter), (False, None))
            below = {children[node].get(step, 0) for node in here for step in steps}
            below |= {children[node].get((True, name), 0) for node in passing for name in (letter, None)}
            below.discard(0)
            for node in below:
                if node in self._ends and node not in found:
                    found.add(node)
                    yield self._ends[node]
            here, passing = below, passing | below


def _prefixes(xpath: str) -> set[str]:
    return {name.rpartition(":")[0] for name in xpath.replace("//", "/").split("/") if ":" in name}
