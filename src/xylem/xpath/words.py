"""Names, strings and numbers as XPath writes them.

This module knows nothing of expressions or patterns: it spells what both are made of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

from xylem.xpath.numbers import string_to_number
from xylem.xpath.parser import XML_NAMESPACE
from xylem.xpath.pattern import Kind, NodeTest


class Prefixes:
    """Gives every namespace a prefix: the one it is bound to, or `ns1`, `ns2`, … as they come."""

    def __init__(self, bound: Mapping[str, str]) -> None:
        self._prefixes = {uri: prefix for prefix, uri in sorted(bound.items(), reverse=True) if prefix and uri}
        self._taken = set(bound)
        self._prefixes[XML_NAMESPACE] = "xml"
        self.used: dict[str, str] = {}

    def prefix(self, namespace: str) -> str:
        found = self._prefixes.get(namespace)
        if found is None:
            number = len(self._prefixes)
            while f"ns{number}" in self._taken:
                number += 1
            found = f"ns{number}"
            self._taken.add(found)
            self._prefixes[namespace] = found
        if found != "xml":
            self.used[found] = namespace
        return found

    def test(self, test: NodeTest) -> str:
        """A node test, without its axis."""
        if test.kind is Kind.TEXT:
            return "text()"
        local = test.local or "*"
        return f"{self.prefix(test.namespace)}:{local}" if test.namespace else local


def literal(text: str) -> str:
    """A string; one that holds both quotes becomes a call of `concat`."""
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    pieces = []
    for index, piece in enumerate(text.split('"')):
        pieces += ["'\"'"] if index else []
        pieces += [f'"{piece}"'] if piece else []
    return f"concat({', '.join(pieces)})"


def numeral(value: float) -> str:
    """A number that is not NaN, such that libxml2 reads exactly it."""
    if value < 0:
        return f"-{numeral(-value)}"
    if math.isinf(value):
        return "(1 div 0)"
    text = format(Decimal(repr(value)), "f").removesuffix(".0")
    return text if string_to_number(text) == value else _product(value)


def _product(value: float) -> str:
    """A number as a whole number of at most 53 bits times or divided by powers of two, which is exact."""
    fraction, exponent = math.frexp(value)
    mantissa, exponent = int(fraction * 2.0**53), exponent - 53
    while mantissa % 2 == 0:
        mantissa //= 2
        exponent += 1
    operator = "*" if exponent > 0 else "div"
    sizes = [52] * (abs(exponent) // 52) + [abs(exponent) % 52]
    return f"({mantissa} {' '.join(f'{operator} {2**size}' for size in sizes)})"
