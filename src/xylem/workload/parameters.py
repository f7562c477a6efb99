"""What a workload is asked to be like.

Invariant: parameters that contradict themselves cannot be made; what only a schema can refuse, the generators
refuse.

This module knows nothing of schemas.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from xylem.errors import UsageError
from xylem.workload.values import ValueParameters

MAX_LEVELS = 250  # what XML tools read by default: libxml2 stops at 256


def check_probability(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise UsageError(f"{name} is a probability between 0 and 1, not {value}")


def check_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise UsageError(f"{name} is at least {least}, not {value}")


class PredicateOn(Enum):
    """What value predicates compare."""

    ATTRIBUTES = "attributes"
    TEXT = "text"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class SubscriptionParameters:
    """Named after the parameters of YFilter's PathGenerator (Diao et al., TODS 2003).

    `wildcard`, `descendant` and `nested` (a nested path) are probabilities at each step, `branch`, `predicate` and
    `relative` at each subscription, which then has so many `branches` (nested paths at steps chosen by chance) or
    `predicates`. Value predicates compare attributes or texts as `predicate_on` says. With `selectivity`, each holds
    for about this share of the values that are there to be compared, as far as their distribution allows.
    Depths are drawn evenly between `min_depth` and `max_depth`; a path that comes to an element without children ends
    there, but not before `min_depth`. With `full_depth`, depths are as large as they can be.
    `skew` is Zipf's θ for the choice among children; 0 is even.
    """

    count: int = 1_000
    seed: int = 1
    distinct: bool = True
    min_depth: int = 1
    max_depth: int = 6
    full_depth: bool = False
    wildcard: float = 0.1
    descendant: float = 0.1
    nested: float = 0.0
    branch: float = 0.0
    branches: int = 1
    branch_depth: int = 2
    predicate: float = 0.0
    predicates: int = 1
    predicate_on: PredicateOn = PredicateOn.BOTH
    selectivity: float | None = None
    skew: float = 0.0
    relative: float = 0.0
    values: ValueParameters = field(default_factory=ValueParameters)

    def __post_init__(self) -> None:
        for name in ("wildcard", "descendant", "nested", "branch", "predicate", "relative"):
            check_probability(name, getattr(self, name))
        if self.selectivity is not None:
            check_probability("selectivity", self.selectivity)
        check_least("count", self.count, 0)
        check_least("skew", self.skew, 0)
        for name in ("min_depth", "branches", "branch_depth", "predicates"):
            check_least(name, getattr(self, name), 1)
        check_least("max_depth", self.max_depth, self.min_depth)


@dataclass(frozen=True, slots=True)
class SizeClass:
    """Documents of `least` to `most` bytes; `weight` is how often, compared with the other classes."""

    least: int
    most: int
    weight: float = 1.0

    def __post_init__(self) -> None:
        check_least("the least size", self.least, 0)
        check_least("the largest size", self.most, max(1, self.least))
        if self.weight <= 0:
            raise UsageError(f"the weight of a size class is above 0, not {self.weight}")


# The papers' sizes. Large documents need many repeats: a schema's levels alone hold too little.
SMALL = SizeClass(2_000, 8_000)
LARGE = SizeClass(10_000_000, 11_000_000)


@dataclass(frozen=True, slots=True)
class DocumentParameters:
    """`max_levels` and `max_repeats` are those of IBM's XML Generator: how deep elements may stand, and how often
    a repeatable part of a content model may stand in a row. `max_recursion` is how often one element may stand on one
    path, 1 being no recursion; None leaves that to the levels. `optional` is the probability of an optional part.
    Without `sizes`, documents are as large as chance makes them, up to about 20 KB.
    `doctype` is a system identifier to be declared.
    """

    count: int = 100
    seed: int = 1
    max_levels: int = 10
    max_repeats: int = 5
    max_recursion: int | None = None
    optional: float = 0.5
    text_words: int = 12
    sizes: tuple[SizeClass, ...] = (SMALL,)
    doctype: str | None = None
    root: str | None = None
    values: ValueParameters = field(default_factory=ValueParameters)

    def __post_init__(self) -> None:
        check_probability("optional", self.optional)
        check_least("count", self.count, 0)
        check_least("max_levels", self.max_levels, 1)
        check_least("max_repeats", self.max_repeats, 1)
        if self.max_recursion is not None:
            check_least("max_recursion", self.max_recursion, 1)
        check_least("text_words", self.text_words, 1)
        if self.max_levels > MAX_LEVELS:
            raise UsageError(
                f"max_levels is at most {MAX_LEVELS}, the depth that XML tools read, not {self.max_levels}"
            )
