"""How much of a subscription an index can say."""

from __future__ import annotations

from typing import Literal

from xylem.xpath.pattern import TRUE, TreePattern

Share = Literal["full", "part", "none"]


def indexed_share(pattern: TreePattern) -> Share:
    """`full`: the formula decides; `part`: it rules documents out, and the rest is verified; `none`: every
    document is verified."""
    if pattern.exact:
        return "full"
    return "none" if pattern.condition == TRUE else "part"
