"""Parameters that give subscriptions with a wanted covering rate, found by trying.

The more a path leaves open, the more it covers, and the shorter it is, too. So the probability of `*` and `//` is
halved in on between none and a half, first for paths of the greatest depth alone, then with ever shorter
ones among them.

Invariant: the rate that is reported was measured on the very subscriptions that the parameters give.

This module knows nothing of how covering is decided: whoever calls brings the measure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xylem.errors import UsageError
from xylem.schema import Schema
from xylem.workload.parameters import SubscriptionParameters, check_probability
from xylem.workload.subscriptions import subscriptions

_MOST_OPEN = 0.5  # beyond, paths are mostly stars
_HALVINGS = 6  # after these, the rate mostly jumps: one very general path more covers everything


@dataclass(frozen=True, slots=True)
class Covered:
    """Parameters, what they give, and the covering rate measured on it."""

    parameters: SubscriptionParameters
    subscriptions: list[tuple[str, str]]
    rate: float


def with_covering_rate(
    schema: Schema,
    parameters: SubscriptionParameters,
    wanted: float,
    covering_rate: Callable[[Sequence[str]], float],
    tolerance: float = 0.02,
    tried: Callable[[], None] = lambda: None,
) -> Covered:
    """Subscriptions like those asked for, but for `min_depth`, `wildcard` and `descendant`, with about the wanted rate.
    Raises UsageError, with the nearest rate that was met, when none comes within the tolerance. Calls `tried` after
    each attempt."""
    check_probability("the covering rate", wanted)
    search = _Search(schema, parameters, wanted, covering_rate, tried)
    for depth in range(parameters.max_depth, 0, -1):
        low, high = 0.0, _MOST_OPEN
        for openness in (high, low):
            search.measure(depth, openness)
        if search.rate(depth, high) < wanted - tolerance:
            continue
        for _ in range(_HALVINGS):
            if search.best is not None and abs(search.best.rate - wanted) <= tolerance:
                return search.best
            middle = (low + high) / 2
            search.measure(depth, middle)
            low, high = (middle, high) if search.rate(depth, middle) < wanted else (low, middle)
    if search.best is not None and abs(search.best.rate - wanted) <= tolerance:
        return search.best
    nearest = f"the nearest is {search.best.rate:.3f}" if search.best else "there are not even enough subscriptions"
    raise UsageError(f"{schema.name} gives no covering rate of {wanted} with these parameters: {nearest}")


class _Search:
    def __init__(
        self,
        schema: Schema,
        parameters: SubscriptionParameters,
        wanted: float,
        covering_rate: Callable[[Sequence[str]], float],
        tried: Callable[[], None],
    ) -> None:
        self._schema = schema
        self._parameters = parameters
        self._wanted = wanted
        self._covering_rate = covering_rate
        self._tried = tried
        self._rates: dict[tuple[int, float], float] = {}
        self.best: Covered | None = None

    def rate(self, depth: int, openness: float) -> float:
        """What was measured; less than any rate where the schema has too few subscriptions, since opening them up
        helps against both."""
        return self._rates[depth, openness]

    def measure(self, depth: int, openness: float) -> None:
        parameters = replace(self._parameters, min_depth=depth, wildcard=openness, descendant=openness)
        try:
            drawn = subscriptions(self._schema, parameters)
        except UsageError:
            self._rates[depth, openness] = -1.0
            return
        finally:
            self._tried()
        rate = self._rates[depth, openness] = self._covering_rate([xpath for _, xpath in drawn])
        if self.best is None or abs(rate - self._wanted) < abs(self.best.rate - self._wanted):
            self.best = Covered(parameters, drawn, rate)
