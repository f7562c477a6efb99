"""Xylem: each XML document to everyone who asked for it.

from xylem import Matcher

The names below are the library. They are loaded when they are first used, so that what needs no kernels starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xylem.containment.contains import Comparison, compare, contains
    from xylem.document.limits import Limits
    from xylem.document.model import Document
    from xylem.errors import (
        DocumentError,
        SubscriptionFileError,
        UsageError,
        XPathError,
        XylemError,
    )
    from xylem.matching.matcher import Matcher
    from xylem.matching.matches import Matches
    from xylem.xpath import parse, to_xpath
    from xylem.xpath.pattern import TreePattern

_HOMES = {
    "Comparison": "xylem.containment.contains",
    "Document": "xylem.document.model",
    "DocumentError": "xylem.errors",
    "Limits": "xylem.document.limits",
    "Matcher": "xylem.matching.matcher",
    "Matches": "xylem.matching.matches",
    "SubscriptionFileError": "xylem.errors",
    "TreePattern": "xylem.xpath.pattern",
    "UsageError": "xylem.errors",
    "XPathError": "xylem.errors",
    "XylemError": "xylem.errors",
    "compare": "xylem.containment.contains",
    "contains": "xylem.containment.contains",
    "parse": "xylem.xpath",
    "to_xpath": "xylem.xpath",
}

__version__ = "0.1.0"
__all__ = [
    "Comparison",
    "Document",
    "DocumentError",
    "Limits",
    "Matcher",
    "Matches",
    "SubscriptionFileError",
    "TreePattern",
    "UsageError",
    "XPathError",
    "XylemError",
    "__version__",
    "compare",
    "contains",
    "parse",
    "to_xpath",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'xylem' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
