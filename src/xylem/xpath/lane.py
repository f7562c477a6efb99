"""The short way for plain linear paths: `/a/b//c`, `//a/@id`, `a//*`.

Only ASCII names without prefix; everything else takes the long way. What it makes equals what the long
way makes.
"""

from __future__ import annotations

import re

from xylem.xpath import normal
from xylem.xpath.limits import MAX_LEVELS
from xylem.xpath.parser import name_test
from xylem.xpath.pattern import TRUE, Axis, Exists, Formula, Kind, PatternNode, TreePattern

_NAME = r"(?:[A-Za-z_][A-Za-z0-9_.\-]*|\*)"
_LINEAR = re.compile(rf"(?:{_NAME}|//?{_NAME})(?://?{_NAME})*(?://?@{_NAME})?\Z")
_STEP = re.compile(rf"(/?/?)(@?)({_NAME})")


def linear(text: str) -> TreePattern | None:
    """The pattern of a plain linear path, or None for all other texts. O(length)."""
    if _LINEAR.match(text) is None:
        return None
    steps = _STEP.findall(text)
    if len(steps) > MAX_LEVELS:
        return None
    found: Formula = TRUE
    for slashes, at, name in reversed(steps):
        axis = Axis.CHILD if slashes == "/" else Axis.DESCENDANT
        kind = Kind.ATTRIBUTE if at else Kind.ELEMENT
        if name == "*":
            found = normal.exists(axis, name_test(kind, None, None), found)
        else:
            found = Exists(PatternNode(axis, name_test(kind, "", name), found))
    return TreePattern(normal.at_document(found))
