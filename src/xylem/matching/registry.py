"""Which engines there are, by name, and which one `auto` takes.

Engines do not know each other; this is the one place that knows them all. Each is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable

from xylem.document.vocabulary import Vocabulary
from xylem.errors import UsageError
from xylem.matching.engine import Core
from xylem.matching.subscriptions import SubscriptionSet

AUTO = "auto"


def _reference(vocabulary: Vocabulary) -> Core:
    from xylem.matching.reference import ReferenceEngine

    return ReferenceEngine(vocabulary)


def _tree(vocabulary: Vocabulary) -> Core:
    from xylem.matching.tree import TreeEngine

    return TreeEngine(vocabulary)


_CORES: dict[str, Callable[[Vocabulary], Core]] = {"reference": _reference, "tree": _tree}

ENGINES = tuple(_CORES)


def choose(name: str = AUTO) -> str:
    """The engine that a name means. `auto` is `tree`."""
    if name == AUTO:
        return "tree"
    if name not in _CORES:
        raise UsageError(f"there is no engine {name!r}; engines are {', '.join((AUTO, *ENGINES))}")
    return name


def create(name: str, vocabulary: Vocabulary) -> SubscriptionSet:
    """A new engine without subscriptions, ready to be shared by threads."""
    return SubscriptionSet(_CORES[choose(name)](vocabulary), vocabulary)
