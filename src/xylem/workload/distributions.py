"""Vocabularies that users give: plain lists of values, values with weights, or numbers in a range.

A distribution of numbers is a list of evenly spaced values with weights, like every other: what share of the values
satisfies a comparison can then be said exactly.

This module knows nothing of where the values stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import exp, isfinite

from xylem.errors import UsageError

# As many different numbers as a range is cut into; more would only cost memory, for the shape is there already.
_MOST_NUMBERS = 1_000


class Shape(Enum):
    """How numbers spread over a range: evenly; around its middle, which is three deviations from its ends; or
    falling from its beginning, to a hundredth in the end."""

    UNIFORM = "uniform"
    NORMAL = "normal"
    EXPONENTIAL = "exponential"


_WEIGHTS: dict[Shape, Callable[[float], float]] = {
    Shape.UNIFORM: lambda place: 1.0,
    Shape.NORMAL: lambda place: exp(-((6 * place - 3) ** 2) / 2),
    Shape.EXPONENTIAL: lambda place: float(100**-place),
}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers from `least` to `most`, with so many decimals."""

    least: float
    most: float
    decimals: int = 0
    shape: Shape = Shape.UNIFORM

    def __post_init__(self) -> None:
        if not (isfinite(self.least) and isfinite(self.most) and self.least <= self.most):
            raise UsageError(f"numbers reach from a least to a largest one, not from {self.least} to {self.most}")
        if not 0 <= self.decimals <= 15:
            raise UsageError(f"numbers have 0 to 15 decimals, not {self.decimals}")

    def weighted(self) -> dict[str, float]:
        """The values and their weights; those that are equal once they are rounded count together."""
        steps = min(_MOST_NUMBERS - 1, max(1, round((self.most - self.least) * 10**self.decimals)))
        weights: dict[str, float] = {}
        for step in range(steps + 1):
            value = f"{self.least + (self.most - self.least) * (step / steps):.{self.decimals}f}"
            weights[value] = weights.get(value, 0.0) + _WEIGHTS[self.shape](step / steps)
        return weights


Vocabulary = Sequence[str] | Mapping[str, float] | Numbers


def check_vocabulary(name: str, vocabulary: Vocabulary) -> None:
    """Raises UsageError for one that nothing can be drawn from."""
    if isinstance(vocabulary, Numbers):
        return
    if isinstance(vocabulary, str):
        raise UsageError(f"the vocabulary of '{name}' is a list of values, not the text '{vocabulary}'")
    if not vocabulary:
        raise UsageError(f"the vocabulary of '{name}' is empty")
    if isinstance(vocabulary, Mapping) and not all(isfinite(w) and w > 0 for w in vocabulary.values()):
        raise UsageError(f"the weights in the vocabulary of '{name}' are numbers above 0")
