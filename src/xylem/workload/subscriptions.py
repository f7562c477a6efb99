"""Subscriptions that a schema makes possible: seeded random walks down its element graph, written as paths.

A walk starts at a root (or, for a relative path, anywhere) and chooses a child at each step; the names on the way
become a path in which some names are `*` and some slashes `//`. Branches and value predicates then hang at steps of
the path, drawn from the same graph and from the values that documents take. The manner is that of YFilter's
PathGenerator (Diao et al., TODS 2003), with its three rules of cleaning up: every `//*` becomes `/*//`; of
consecutive `/*//` the first stays; a trailing `/*//` loses its `//`.

Draw n depends on the seed and on n alone, so that any part of a workload can be drawn anywhere. Distinct subscriptions
are the first distinct ones among twice as many draws as are wanted. A schema that has not shown enough by then runs
short of what its walks easily find: the rest comes from draws that never repeat themselves, one after the other.

Invariant: equal parameters and schema give equal subscriptions, on every machine and in parts of any size.

This module knows nothing of how subscriptions are parsed or matched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xylem.errors import UsageError
from xylem.schema import ElementGraph, Schema
from xylem.workload.chance import Chance, Exhausted, Free, Unrepeated
from xylem.workload.names import Names
from xylem.workload.parameters import SubscriptionParameters
from xylem.workload.paths import STAR, Paths, Spot, stops
from xylem.workload.predicates import Predicates
from xylem.workload.values import ValueModel

# How many draws each distinct subscription may take before draws stop repeating themselves.
DRAWS_EACH = 2

# Different choices may still end in equal texts. So many in a row that did would mean next to nothing is left.
_PATIENCE = 100_000


@dataclass(slots=True)
class Step:
    """One step of a path: the element that the walk met there, and how the path writes it."""

    element: str
    name: str
    descendant: bool
    predicates: str = ""


def subscriptions(schema: Schema, parameters: SubscriptionParameters) -> list[tuple[str, str]]:
    """As many subscriptions as asked for, as pairs of id and XPath; raises UsageError, with the largest possible
    number, when the schema does not have so many distinct ones."""
    return list(stream_subscriptions(schema, parameters))


def stream_subscriptions(schema: Schema, parameters: SubscriptionParameters) -> Iterator[tuple[str, str]]:
    """The same one after the other, as they are found."""
    source = SubscriptionSource(schema, parameters)
    texts = source.distinct() if parameters.distinct else map(source.draw, range(parameters.count))
    return ((f"s{number}", text) for number, text in enumerate(texts, start=1))


class SubscriptionSource:
    """Makes any draw of a workload by its number."""

    def __init__(self, schema: Schema, parameters: SubscriptionParameters) -> None:
        self._schema = schema
        self._parameters = p = parameters
        self._graph = ElementGraph.of(schema)
        roots = tuple(root for root in schema.roots if root in self._graph.heights)
        if not roots:
            raise UsageError(f"no root of {schema.name} can start a finite document")
        names = Names.of(schema, self._graph, roots, p.values.namespaces)
        anywhere = self._graph.reachable(names.roots)
        self._paths = Paths(self._graph, names.elements, p.skew)
        self._start = self._paths.start(self._long_enough(names.roots), p.min_depth)
        self._relative_start = self._paths.start(self._long_enough(anywhere), p.min_depth)
        self._branch_starts: dict[tuple[str, str | None], Spot] = {}
        self._stops = stops(p.min_depth, p.max_depth, p.full_depth)
        self._branch_stops = stops(1, p.branch_depth)
        elements = {name: schema[name] for name in anywhere}
        self._predicates = Predicates(elements, names, ValueModel(p.values), p.predicate_on, p.selectivity)
        self._free = Free()

    def draw(self, number: int) -> str:
        """The draw of this number; equal ones may come under different numbers."""
        self._free.sow(f"subscriptions/{self._parameters.seed}/{number}")
        return self._draw(self._free)

    def distinct(self) -> Iterator[str]:
        """The distinct subscriptions asked for; raises UsageError when they run out."""
        count = self._parameters.count
        found: set[str] = set()
        for number in range(DRAWS_EACH * count):
            if len(found) == count:
                return
            text = self.draw(number)
            if text not in found:
                found.add(text)
                yield text
        yield from self.rest(found)

    def rest(self, found: set[str]) -> Iterator[str]:
        """What the schema has beyond those found in the draws by number, up to the count asked for; adds to `found`."""
        chance = Unrepeated(f"subscriptions/{self._parameters.seed}/rest")
        misses = 0
        while len(found) < self._parameters.count:
            if misses > _PATIENCE + len(found):
                raise self._too_few(len(found), f"the last {misses} draws, all different, brought none that was new")
            try:
                chance.begin()
            except Exhausted:
                raise self._too_few(len(found), "there are no others") from None
            text = self._draw(chance)
            chance.end()
            misses += 1
            if text not in found:
                misses = 0
                found.add(text)
                yield text

    def _too_few(self, found: int, why: str) -> UsageError:
        return UsageError(
            f"{self._schema.name} gives {found} distinct subscriptions with these parameters, "
            f"not {self._parameters.count}: {why}"
        )

    def _draw(self, chance: Chance) -> str:
        p = self._parameters
        relative = chance.coin(p.relative)
        branched, compared = chance.coin(p.branch), chance.coin(p.predicate)
        path = self._paths.draw(chance, self._relative_start if relative else self._start, self._stops, p.wildcard)
        if not (branched or compared or p.nested):
            return render(self._steps(chance, path.names, path.names), relative)
        walk = path.elements(chance)
        steps = self._steps(chance, path.names, walk)
        if branched or p.nested:
            self._add_branches(chance, steps, p.branches if branched else 0)
        if compared:
            self._add_predicates(chance, steps)
        return render(steps, relative)

    def _long_enough(self, starts: tuple[str, ...]) -> tuple[str, ...]:
        """The starts of paths of the least depth asked for; raises UsageError with the greatest one possible."""
        least = self._parameters.min_depth
        found = self._paths.long_enough(starts, least)
        if not found:
            greatest = int(self._paths.longest(starts))
            raise UsageError(f"the longest path of the schema has {greatest} steps, fewer than min_depth, {least}")
        return found

    def _steps(self, chance: Chance, names: list[str], elements: list[str]) -> list[Step]:
        descendant = self._parameters.descendant
        return cleaned_up(
            [Step(element, name, chance.coin(descendant)) for element, name in zip(elements, names, strict=True)]
        )

    def _add_branches(self, chance: Chance, steps: list[Step], count: int) -> None:
        """Hangs nested paths at steps that have other children than the path goes on to."""
        children = self._graph.children
        places = [place for place, step in enumerate(steps) if children[step.element]]
        for place in places:
            if chance.coin(self._parameters.nested):
                self._add_branch(chance, steps, place)
        for _ in range(count if places else 0):
            self._add_branch(chance, steps, places[chance.below(len(places))])

    def _add_branch(self, chance: Chance, steps: list[Step], place: int) -> None:
        element = steps[place].element
        key = (element, steps[place + 1].element if place + 1 < len(steps) else None)
        start = self._branch_starts.get(key)
        if start is None:
            children = self._graph.children[element]
            others = tuple(name for name in children if name != key[1])
            start = self._branch_starts[key] = self._paths.start(others or children, 1)
        names = self._paths.draw(chance, start, self._branch_stops, self._parameters.wildcard).names
        steps[place].predicates += f"[{render(self._steps(chance, names, names), relative=True, inside=True)}]"

    def _add_predicates(self, chance: Chance, steps: list[Step]) -> None:
        places = [step for step in steps if self._predicates.possible(step.element)]
        for _ in range(self._parameters.predicates if places else 0):
            step = places[chance.below(len(places))]
            step.predicates += f"[{self._predicates.draw(chance, step.element)}]"


def cleaned_up(steps: list[Step]) -> list[Step]:
    """The same steps after the three rules; linear time."""
    kept: list[Step] = []
    moved = False  # a `//` that stood before a `*` now stands after it
    for step in steps:
        step.descendant = step.descendant or moved
        if moved and step.name == STAR:
            continue
        moved = step.descendant and step.name == STAR
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
