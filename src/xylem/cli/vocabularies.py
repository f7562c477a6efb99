"""Files that say which values generated documents hold.

    {"priority": ["low", "high"],                          the text of an element: these, equally often
     "story@desk": {"weights": {"sport": 3, "local": 1}},  an attribute of an element: sport three times as often
     "@price": {"numbers": {"least": 1, "most": 99, "decimals": 2, "shape": "normal"}}}

This module knows nothing of how values are drawn.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from xylem.errors import UsageError
from xylem.workload import Numbers, ValueParameters
from xylem.workload.distributions import Vocabulary


class _Described(msgspec.Struct, forbid_unknown_fields=True):
    weights: dict[str, float] | None = None
    numbers: Numbers | None = None


def read_values(path: Path | None) -> ValueParameters:
    """The values that a file asks for; without a file, those of the value model."""
    if path is None:
        return ValueParameters()
    try:
        described = msgspec.json.decode(path.read_bytes(), type=dict[str, list[str] | _Described])
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}: {error}") from None
    return ValueParameters(vocabularies={name: _vocabulary(path, name, item) for name, item in described.items()})


def _vocabulary(path: Path, name: str, item: list[str] | _Described) -> Vocabulary:
    if isinstance(item, list):
        return item
    if (item.weights is None) is (item.numbers is None):
        raise UsageError(f"{path}: '{name}' takes a list of values, or one of `weights` and `numbers`")
    return item.weights if item.weights is not None else item.numbers or Numbers(0, 0)
