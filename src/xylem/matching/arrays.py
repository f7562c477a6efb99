"""Arrays that grow: doubling, so that appending stays cheap."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

Array = TypeVar("Array", bound=np.ndarray[Any, Any])


def grown(array: Array, size: int, fill: int = 0) -> Array:
    """The array itself when it holds `size` elements, else one at least twice as long that begins with it
    and goes on with `fill`. O(1) amortised."""
    if size <= len(array):
        return array
    larger = np.full(max(size, 2 * len(array)), fill, array.dtype)
    larger[: len(array)] = array
    return larger  # type: ignore[return-value]


def bytes_of(arrays: Any) -> int:
    """The bytes of a named tuple of arrays, tuples within it included."""
    return sum(bytes_of(part) if isinstance(part, tuple) else part.nbytes for part in arrays)
