"""Subscriptions that a schema makes possible: seeded random walks down its element graph.

A walk starts at a root (or, for a relative path, anywhere) and chooses a child at each step; the names on the way
become a path in which some names are `*` and some slashes `//`. Branches and value predicates then hang at steps of
the path, drawn from the same graph and from the values that documents take. The manner is that of YFilter's
PathGenerator (Diao et al., TODS 2003), with its three rules of cleaning up: every `//*` becomes `/*//`; of
consecutive `/*//` the first stays; a trailing `/*//` loses its `//`.

Invariant: equal parameters and schema give equal subscriptions, on every machine.

This module knows nothing of how subscriptions are parsed or matched.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from random import Random

from xylem.errors import UsageError
from xylem.schema import Element, ElementGraph, Schema
from xylem.workload.names import Names
from xylem.workload.parameters import SubscriptionParameters
from xylem.workload.predicates import Predicates
from xylem.workload.values import Draw, ValueModel, zipf

# A draw gives up on finding something new after so many misses in a row, and as many again for each subscription
# found: the share of new ones falls slowly, and a schema has either plenty left by then or next to nothing.
_PATIENCE = 10_000
_PATIENCE_EACH = 1


@dataclass(slots=True)
class Step:
    """One step of a path: the element that the walk met there, and how the path writes it."""

    element: str
    name: str
    descendant: bool
    predicates: str = ""


def subscriptions(schema: Schema, parameters: SubscriptionParameters) -> list[tuple[str, str]]:
    """As many subscriptions as asked for, as pairs of id and XPath; raises UsageError when the schema does not
    have so many distinct ones."""
    generator = _Generator(schema, parameters)
    if not parameters.distinct:
        return [(f"s{number + 1}", generator.draw()) for number in range(parameters.count)]
    found: dict[str, None] = {}
    misses = 0
    while len(found) < parameters.count:
        before = len(found)
        found[generator.draw()] = None
        misses = misses + 1 if len(found) == before else 0
        if misses > _PATIENCE + _PATIENCE_EACH * len(found):
            raise UsageError(
                f"{schema.name} gives {len(found)} distinct subscriptions with these parameters, "
                f"not {parameters.count}: the last {misses} draws brought none that was new"
            )
    return [(f"s{number + 1}", text) for number, text in enumerate(found)]


class _Generator:
    """Draws one subscription after the other."""

    def __init__(self, schema: Schema, parameters: SubscriptionParameters) -> None:
        self._graph = ElementGraph.of(schema)
        roots = tuple(root for root in schema.roots if root in self._graph.heights)
        if not roots:
            raise UsageError(f"no root of {schema.name} can start a finite document")
        names = Names.of(schema, self._graph, roots, parameters.values.namespaces)
        self._roots = names.roots
        self._names = names.elements
        self._anywhere = self._graph.reachable(self._roots)
        self._parameters = parameters
        self._random: Draw = Random(f"subscriptions/{parameters.seed}").random
        self._lengths = self._graph.longest_paths()
        self._known_choices: dict[tuple[str, int], tuple[tuple[str, ...], tuple[float, ...]]] = {}
        self._starts = self._long_enough(self._roots)
        self._relative_starts = self._long_enough(self._anywhere)
        values = ValueModel(parameters.values)
        elements: dict[str, Element] = {name: schema[name] for name in self._anywhere}
        self._predicates = Predicates(elements, names, values, self._random)

    def draw(self) -> str:
        p, random = self._parameters, self._random
        relative = random() < p.relative
        starts = self._relative_starts if relative else self._starts
        start = starts[int(random() * len(starts))]
        depth = p.max_depth if p.full_depth else p.min_depth + int(random() * (p.max_depth - p.min_depth + 1))
        steps = self._path(self._walk(start, depth, p.min_depth))
        if random() < p.branch:
            self._add_branches(steps)
        if random() < p.predicate:
            self._add_predicates(steps)
        return render(steps, relative)

    def _long_enough(self, starts: tuple[str, ...]) -> tuple[str, ...]:
        """The starts of paths of the least depth asked for; raises UsageError with the greatest one possible."""
        least = self._parameters.min_depth
        found = tuple(name for name in starts if self._lengths[name] >= least)
        if not found:
            greatest = max(self._lengths[name] for name in starts)
            raise UsageError(f"the longest path of the schema has {int(greatest)} steps, fewer than min_depth, {least}")
        return found

    def _walk(self, start: str, depth: int, least: int = 1) -> list[str]:
        """Names from `start` down, `depth` of them unless an element without children comes before; where paths
        of `least` names exist, only children that lead on to one are chosen."""
        random = self._random
        walk = [start]
        while len(walk) < depth:
            below, weights = self._choices(walk[-1], least - len(walk))
            if not below:
                break
            walk.append(below[bisect(weights, random() * weights[-1], 0, len(below) - 1)])
        return walk

    def _choices(self, element: str, least: int) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """The children that paths of `least` more names lead through, and their cumulative weights."""
        key = (element, max(least, 1))
        found = self._known_choices.get(key)
        if found is None:
            below = tuple(name for name in self._graph.children[element] if self._lengths[name] >= key[1])
            found = self._known_choices[key] = (below, zipf(len(below), self._parameters.skew))
        return found

    def _path(self, walk: list[str]) -> list[Step]:
        random, p, names = self._random, self._parameters, self._names
        steps = []
        for element in walk:
            name = "*" if random() < p.wildcard else names[element]
            steps.append(Step(element, name, random() < p.descendant))
        return cleaned_up(steps)

    def _add_branches(self, steps: list[Step]) -> None:
        """Hangs nested paths at steps that have other children than the path goes on to."""
        random, children = self._random, self._graph.children
        places = [i for i, step in enumerate(steps) if children[step.element]]
        for _ in range(self._parameters.branches if places else 0):
            i = places[int(random() * len(places))]
            on_path = steps[i + 1].element if i + 1 < len(steps) else None
            below = [name for name in children[steps[i].element] if name != on_path] or children[steps[i].element]
            depth = 1 + int(random() * self._parameters.branch_depth)
            branch = self._path(self._walk(below[int(random() * len(below))], depth))
            steps[i].predicates += f"[{render(branch, relative=True, inside=True)}]"

    def _add_predicates(self, steps: list[Step]) -> None:
        places = [step for step in steps if self._predicates.possible(step.element)]
        for _ in range(self._parameters.predicates if places else 0):
            step = places[int(self._random() * len(places))]
            step.predicates += f"[{self._predicates.draw(step.element)}]"


def cleaned_up(steps: list[Step]) -> list[Step]:
    """The same steps after the three rules; linear time."""
    kept: list[Step] = []
    moved = False  # a `//` that stood before a `*` now stands after it
    for step in steps:
        step.descendant = step.descendant or moved
        if moved and step.name == "*":
            continue
        moved = step.descendant and step.name == "*"
        if moved:
            step.descendant = False
        kept.append(step)
    return kept


def render(steps: list[Step], relative: bool, inside: bool = False) -> str:
    """The text of a path; a relative one starts with a name, and inside a predicate `.//` starts a descendant."""
    parts = []
    for position, step in enumerate(steps):
        slashes = "//" if step.descendant else "/"
        if position == 0 and relative:
            slashes = ".//" if inside and step.descendant else ""
        parts.append(f"{slashes}{step.name}{step.predicates}")
    return "".join(parts)
