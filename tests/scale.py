"""How much work the tests do: `XYLEM_TEST_SCALE` (1 by default) multiplies the size of every sample."""

from __future__ import annotations

import os

SCALE = float(os.environ.get("XYLEM_TEST_SCALE", "1"))


def scaled(n: int) -> int:
    """The size of a sample that is `n` by default; never less than one."""
    return max(1, round(n * SCALE))
