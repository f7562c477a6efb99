"""Arrays that grow by a part of what they are, so that appending stays cheap."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

Array = TypeVar("Array", bound=np.ndarray[Any, Any])


_LARGE = 1 << 20  # bytes; from here on arrays grow by half, since what they have too much is felt


def grown(array: Array, size: int, fill: int = 0) -> Array:
    """The array itself when it holds `size` elements, else a good deal longer one that begins with it
    and goes on with `fill`. O(1) amortised."""
    if size <= len(array):
        return array
    more = len(array) if array.nbytes < _LARGE else len(array) // 2
    larger = np.full(max(size, len(array) + more), fill, array.dtype)
    larger[: len(array)] = array
    return larger  # type: ignore[return-value]


def bytes_of(arrays: Any) -> int:
    """The bytes of a named tuple of arrays, tuples within it included."""
    return sum(bytes_of(part) if isinstance(part, tuple) else part.nbytes for part in arrays)
