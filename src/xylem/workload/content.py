"""Draws the children of an element from its content model, within bounds of depth and size.

What a model demands is always drawn; what it leaves open is drawn by chance as long as there are bytes to spend. Only
elements whose least height fits into the levels left are chosen, so recursion always ends. Elements that stand on the
path as often as they may are closed; what is chosen has a least instance without them, so a bound always holds.

Invariant: every list of names that is drawn is a valid content of the element.

This module knows nothing of attributes, of text, or of how elements are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from xylem.schema import Name, Particle, Schema, Sequence
from xylem.workload.values import Draw

# What one more repetition should leave for its own content, in bytes: without it, a large budget would be spent on
# the first repeatable particle, and documents would be flat.
_ROOM = 120.0


@dataclass(frozen=True, slots=True)
class Model:
    """A content model with what the draw needs at each part: the least height, the bytes of the least instance,
    and which recursive elements it holds."""

    name: str  # of an element; "" for a group
    sequence: bool
    items: tuple[Model, ...]
    optional: bool
    repeats: bool
    height: int
    cost: int
    uses: int  # the recursive elements in the least instance, a bit each


def compiled(particle: Particle, heights: dict[str, int], costs: dict[str, int], uses: dict[str, int]) -> Model | None:
    """The model of a particle; None if nothing finite is an instance of it."""
    optional, repeats = particle.occurs.may_be_absent, particle.occurs.may_repeat
    if isinstance(particle, Name):
        if particle.name not in heights:
            return None
        name = particle.name
        return Model(name, False, (), optional, repeats, heights[name], costs[name], uses[name])
    parts = [compiled(item, heights, costs, uses) for item in particle.items]
    if isinstance(particle, Sequence):
        if any(
            part is None and not item.occurs.may_be_absent for part, item in zip(parts, particle.items, strict=True)
        ):
            return None
        items = tuple(part for part in parts if part is not None)
        needed = [part for part in items if not part.optional]
        height = max((part.height for part in needed), default=0)
        used = reduce(or_, (part.uses for part in needed), 0)
        return Model("", True, items, optional, repeats, height, sum(part.cost for part in needed), used)
    items = tuple(part for part in parts if part is not None)
    if not items:
        return None
    if any(part is None and item.occurs.may_be_absent for part, item in zip(parts, particle.items, strict=True)):
        optional = True  # an alternative that can only be absent makes the whole choice dispensable
    least = min((0, 0, 0) if part.optional else (part.height, part.cost, part.uses) for part in items)
    return Model("", False, items, optional, repeats, *least)


def least_subtrees(
    schema: Schema, heights: dict[str, int], own: dict[str, int], bits: dict[str, int]
) -> tuple[dict[str, int], dict[str, int]]:
    """The bytes of a least subtree below each possible element, given the bytes of each element by itself, and
    the recursive elements in it. No element stands below itself there, for heights fall on the way down."""
    costs: dict[str, int] = {}
    uses: dict[str, int] = {}
    for name in sorted(heights, key=lambda name: heights[name]):
        lower = {n: h for n, h in heights.items() if n in costs}
        particle = schema[name].content.model
        model = compiled(particle, lower, costs, uses) if particle is not None else None
        needed = model is not None and not model.optional
        costs[name] = own[name] + (model.cost if model is not None and needed else 0)
        uses[name] = bits.get(name, 0) | (model.uses if model is not None and needed else 0)
    return costs, uses


class ContentDraw:
    """Draws contents; `spare` is what is left to spend on what a model leaves open, `closed` the recursive elements
    that may not stand here, a bit each."""

    __slots__ = ("_max_repeats", "_optional", "_random", "closed", "spare")

    def __init__(self, random: Draw, max_repeats: int, optional: float) -> None:
        self._random = random
        self._max_repeats = max_repeats
        self._optional = optional
        self.spare = 0.0
        self.closed = 0

    def draw(self, model: Model, levels: int, spare: float) -> list[str]:
        """The names of an element's children; `spare` then holds what their least subtrees leave."""
        self.spare = spare
        names: list[str] = []
        self._add(model, levels, names)
        return names

    def _add(self, model: Model, levels: int, names: list[str]) -> None:
        for turn in range(self._times(model, levels)):
            if turn or model.optional:
                self.spare -= model.cost
            if model.name:
                names.append(model.name)
            elif model.sequence:
                for item in model.items:
                    self._add(item, levels, names)
            else:
                self._choose(model, levels, names)

    def _choose(self, model: Model, levels: int, names: list[str]) -> None:
        items = model.items
        item = items[int(self._random() * len(items))]
        fits = item.optional or self._fits(item, levels)
        if not fits or (item.cost > model.cost and item.cost > self.spare):
            fitting = [item for item in items if item.optional or self._fits(item, levels)]
            if self.spare <= 0:
                cheapest = min(0 if item.optional else item.cost for item in fitting)
                fitting = [item for item in fitting if item.optional or item.cost <= cheapest]
            item = fitting[int(self._random() * len(fitting))]
        if not item.optional:
            self.spare -= item.cost - model.cost
        self._add(item, levels, names)

    def _fits(self, model: Model, levels: int) -> bool:
        """Whether an instance is certain to exist within the levels and without closed elements."""
        if model.height > levels:
            return False
        if not model.uses & self.closed:
            return True
        if model.name:
            return False
        fitting = (item.optional or self._fits(item, levels) for item in model.items)
        return all(fitting) if model.sequence else any(fitting)

    def _times(self, model: Model, levels: int) -> int:
        """How often to repeat a part: once at least unless it is optional, more often if there is room."""
        if not model.optional and not model.repeats:
            return 1
        least = 0 if model.optional else 1
        if self.spare <= 0 or not self._fits(model, levels):
            return least
        if not model.repeats:
            return 1 if self._random() < self._optional else 0
        room = 1 + int(self.spare / (_ROOM + model.cost))
        most = min(self._max_repeats, room)
        if least and most <= 1:
            return 1
        return least + int(self._random() * (most + 1 - least))
