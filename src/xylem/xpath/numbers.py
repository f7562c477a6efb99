"""XPath's conversions between text and numbers, bit for bit as libxml2 does them.

libxml2 reads digits into a double one by one (`value * 10 + digit`), so long numerals come out a few units in the
last place beside the nearest double, and comparisons at such values show it. Twenty digits of a fraction
count after its leading zeros, and an exponent is read although XPath 1.0 has none. Both functions here are
plain loops over characters so that a compiled twin can be read beside them.

This module knows nothing of expressions: the grammar of literals is the tokens' business.
"""

from __future__ import annotations

import math

BLANKS = " \t\r\n"
MAX_FRACTION_DIGITS = 20
MAX_EXPONENT = 1_000_000
"""The exponent stops growing here; any such power of ten is infinite or zero."""


def string_to_number(text: str) -> float:
    """What `number()` gives for a string. O(length)."""
    text = text.strip(BLANKS)
    negative = text.startswith("-")
    at = 1 if negative else 0
    end = len(text)
    value = 0.0
    start = at
    while at < end and "0" <= text[at] <= "9":
        value = value * 10.0 + (ord(text[at]) - 48)
        at += 1
    digits = at > start
    if at < end and text[at] == ".":
        fraction, after = _fraction(text, at + 1)
        digits = digits or after > at + 1
        value += fraction
        at = after
    if not digits:
        return math.nan
    if at < end and text[at] in "eE":
        scale, at = _power(text, at + 1)
        value *= scale
    if at != end:
        return math.nan
    return -value if negative else value


def _fraction(text: str, at: int) -> tuple[float, int]:
    """The value of the digits after a decimal point, and where they end."""
    start, end = at, len(text)
    while at < end and text[at] == "0":
        at += 1
    last = at + MAX_FRACTION_DIGITS
    fraction = 0.0
    while at < end and at < last and "0" <= text[at] <= "9":
        fraction = fraction * 10.0 + (ord(text[at]) - 48)
        at += 1
    fraction /= ten_to(at - start)
    while at < end and "0" <= text[at] <= "9":
        at += 1
    return fraction, at


def _power(text: str, at: int) -> tuple[float, int]:
    """The power of ten that the exponent at `at` means, and where it ends."""
    end = len(text)
    negative = at < end and text[at] == "-"
    if at < end and text[at] in "+-":
        at += 1
    exponent = 0
    while at < end and "0" <= text[at] <= "9":
        if exponent < MAX_EXPONENT:
            exponent = exponent * 10 + (ord(text[at]) - 48)
        at += 1
    return ten_to(-exponent if negative else exponent), at


def ten_to(exponent: int) -> float:
    """10 to a power as C's `pow` gives it: infinite or zero instead of an error."""
    try:
        return math.pow(10.0, exponent)
    except OverflowError:
        return math.inf


def number_to_string(value: float) -> str | None:
    """What `string()` gives for a number, where every implementation agrees; None elsewhere."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == int(value) and abs(value) < 1e9:
        return str(int(value))
    return None
