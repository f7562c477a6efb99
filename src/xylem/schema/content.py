"""Content models: which elements may stand in an element, in which order, how often.

A model is a tree of names, sequences and choices, each with the number of times that it may stand in a row. A DTD knows
four such numbers (none, `?`, `*`, `+`), an XSD any; a DTD knows no sequence in any order, an XSD does.

Invariant: models are immutable values. The functions here walk them by recursion; who makes one bounds its depth.

This module knows nothing of elements beyond their names.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

NEVER = 1 << 30  # the height of what no finite document contains


@dataclass(frozen=True, slots=True)
class Occurs:
    """How often a particle may stand in a row: at least, and at most (None: no bound)."""

    least: int = 1
    most: int | None = 1

    ONCE: ClassVar[Occurs]
    OPTIONAL: ClassVar[Occurs]
    MANY: ClassVar[Occurs]
    SOME: ClassVar[Occurs]

    @property
    def may_be_absent(self) -> bool:
        return self.least == 0

    @property
    def may_repeat(self) -> bool:
        return self.most is None or self.most > 1

    @property
    def value(self) -> str:
        """As a DTD writes it, or `{2,5}` where no DTD could."""
        known = _SPELLED.get((self.least, self.most))
        return known if known is not None else f"{{{self.least},{'' if self.most is None else self.most}}}"


Occurs.ONCE = Occurs(1, 1)
Occurs.OPTIONAL = Occurs(0, 1)
Occurs.MANY = Occurs(0, None)
Occurs.SOME = Occurs(1, None)
_SPELLED: dict[tuple[int, int | None], str] = {(1, 1): "", (0, 1): "?", (0, None): "*", (1, None): "+"}


@dataclass(frozen=True, slots=True)
class Name:
    """A child element."""

    name: str
    occurs: Occurs = Occurs.ONCE

    def __str__(self) -> str:
        return f"{self.name}{self.occurs.value}"


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other, as they are listed or in any order."""

    items: tuple[Particle, ...]
    occurs: Occurs = Occurs.ONCE
    any_order: bool = False

    def __str__(self) -> str:
        return f"({(' & ' if self.any_order else ', ').join(map(str, self.items))}){self.occurs.value}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of them."""

    items: tuple[Particle, ...]
    occurs: Occurs = Occurs.ONCE

    def __str__(self) -> str:
        return f"({' | '.join(map(str, self.items))}){self.occurs.value}"


Particle = Name | Sequence | Choice


class ContentKind(Enum):
    EMPTY = "empty"
    TEXT = "text"  # character data alone
    MIXED = "mixed"  # character data between elements
    ELEMENTS = "elements"  # elements alone, as the model says
    ANY = "any"  # character data and, in any order, what `Others` admits


class Others(Enum):
    """Which elements may stand in an element although its model does not name them."""

    NONE = "none"
    DECLARED = "declared"  # those that the schema declares: ANY in a DTD, a strict wildcard in an XSD
    LAX = "lax"  # those as they are declared, and any that the schema does not know
    SKIPPED = "skipped"  # any at all, with any content


@dataclass(frozen=True, slots=True)
class Content:
    """What an element may contain. `model` is there for MIXED (in a DTD, a repeated choice) and ELEMENTS."""

    kind: ContentKind
    model: Particle | None = None
    others: Others = Others.NONE

    @property
    def has_text(self) -> bool:
        return self.kind in (ContentKind.TEXT, ContentKind.MIXED, ContentKind.ANY)

    def __str__(self) -> str:
        return str(self.model) if self.model is not None else self.kind.value


Count = tuple[int, int | None]


def occurrences(particle: Particle) -> dict[str, Count]:
    """How often each name may stand in one instance of the particle: at least, and at most (None: no bound)."""
    if isinstance(particle, Name):
        return {particle.name: _times((1, 1), particle.occurs)}
    collected: dict[str, list[Count]] = {}
    for item in particle.items:
        for name, count in occurrences(item).items():
            collected.setdefault(name, []).append(count)
    together = _added if isinstance(particle, Sequence) else _alternated
    return {n: _times(together(counts, len(particle.items)), particle.occurs) for n, counts in collected.items()}


def _added(counts: list[Count], parts: int) -> Count:
    """How often a name stands in a sequence, of which some parts hold it."""
    mosts = [most for _, most in counts if most is not None]
    return sum(least for least, _ in counts), sum(mosts) if len(mosts) == len(counts) else None


def _alternated(counts: list[Count], parts: int) -> Count:
    """How often a name stands in a choice; an alternative that does not hold it has it no times."""
    mosts = [most for _, most in counts if most is not None]
    least = min(least for least, _ in counts) if len(counts) == parts else 0
    return least, max(mosts) if len(mosts) == len(counts) else None


def _times(count: Count, occurs: Occurs) -> Count:
    least, most = count
    if most == 0 or occurs.most == 0:
        return 0, 0
    return least * occurs.least, None if most is None or occurs.most is None else most * occurs.most


def particle_height(particle: Particle, heights: Mapping[str, int]) -> int:
    """The least height that some instance of the particle needs; `NEVER` if none is possible."""
    if particle.occurs.may_be_absent:
        return 0
    if isinstance(particle, Name):
        return heights.get(particle.name, NEVER)
    items = [particle_height(item, heights) for item in particle.items]
    return max(items, default=0) if isinstance(particle, Sequence) else min(items, default=NEVER)


def pruned(particle: Particle, possible: Container[str]) -> Particle | None:
    """The particle without what needs an element that is not possible; None if no instance of it is left.

    An instance of the result is an instance of the particle, and the other way round where it is made of possible
    elements; a choice that could be met by an absent alternative stays dispensable."""
    if isinstance(particle, Name):
        return particle if particle.name in possible else None
    kept = [pruned(item, possible) for item in particle.items]
    items = tuple(item for item in kept if item is not None)
    lost = [item for item, left in zip(particle.items, kept, strict=True) if left is None]
    if isinstance(particle, Sequence):
        return replace(particle, items=items) if all(item.occurs.may_be_absent for item in lost) else None
    empty_by_loss = any(item.occurs.may_be_absent for item in lost)
    if not items:
        return Sequence((), particle.occurs) if empty_by_loss else None
    return replace(
        particle, items=items, occurs=replace(particle.occurs, least=0) if empty_by_loss else particle.occurs
    )
