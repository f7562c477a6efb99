"""What comparisons ask of a string-value, as kernels over UTF-8 bytes.

The bytes `data[start:end]` are one string-value; nothing is copied but what `normalize` writes. Numbers are
read as libxml2 reads them, digit by digit into a double, because it is the judge of what equals what
(`xylem.xpath.string_to_number` is the same algorithm in plain Python).

This module knows nothing of documents and patterns.
"""

from __future__ import annotations

import numpy as np

from xylem.kernels import inlined

_FRACTION_DIGITS = 20  # libxml2 reads no more digits after the leading zeros of a fraction
_PLAIN_SEARCH = 32  # bytes; a longer string is searched for in linear time, however it repeats itself


@inlined
def is_blank(byte):  # type: ignore[no-untyped-def]
    return byte == 32 or byte == 9 or byte == 10 or byte == 13


@inlined
def to_number(data, start, end):  # type: ignore[no-untyped-def]
    """number() of a string: NaN when it is none."""
    while start < end and is_blank(data[start]):
        start += 1
    while end > start and is_blank(data[end - 1]):
        end -= 1
    negative = start < end and data[start] == 45
    if negative:
        start += 1
    value = 0.0
    digits = 0
    while start < end and 48 <= data[start] <= 57:
        value = value * 10.0 + float(data[start] - 48)
        start += 1
        digits += 1
    if start < end and data[start] == 46:
        start += 1
        if digits == 0 and not (start < end and 48 <= data[start] <= 57):
            return np.nan
        places = 0
        while start < end and data[start] == 48:
            places += 1
            start += 1
            digits += 1
        last = places + _FRACTION_DIGITS
        fraction = 0.0
        while start < end and 48 <= data[start] <= 57:
            if places < last:
                fraction = fraction * 10.0 + float(data[start] - 48)
                places += 1
            start += 1
            digits += 1
        value += fraction / 10.0 ** float(places)
    elif digits == 0:
        return np.nan
    if negative:
        value = -value
    if start < end and (data[start] == 101 or data[start] == 69):
        return _scaled(value, data, start + 1, end)
    return value if start == end else np.nan


@inlined
def _scaled(value, data, start, end):  # type: ignore[no-untyped-def]
    """The value times the power of ten that stands there; XPath knows no exponents, libxml2 reads them."""
    negative = start < end and data[start] == 45
    if start < end and (data[start] == 45 or data[start] == 43):
        start += 1
    exponent = 0
    while start < end and 48 <= data[start] <= 57:
        if exponent < 1_000_000:
            exponent = exponent * 10 + (data[start] - 48)
        start += 1
    if start != end:
        return np.nan
    return value * 10.0 ** float(-exponent if negative else exponent)


@inlined
def length_in_characters(data, start, end):  # type: ignore[no-untyped-def]
    """string-length(): the bytes that begin a character."""
    length = 0
    for at in range(start, end):
        length += (data[at] & 0xC0) != 0x80
    return length


@inlined
def normalize(data, start, end, into):  # type: ignore[no-untyped-def]
    """normalize-space() written to `into`, which must have room for the whole; returns its length."""
    length = 0
    pending = False
    for at in range(start, end):
        byte = data[at]
        if is_blank(byte):
            pending = length > 0
        else:
            if pending:
                into[length] = 32
                length += 1
                pending = False
            into[length] = byte
            length += 1
    return length


@inlined
def equal(data, start, end, other, other_start, other_end):  # type: ignore[no-untyped-def]
    if end - start != other_end - other_start:
        return False
    for at in range(end - start):
        if data[start + at] != other[other_start + at]:
            return False
    return True


@inlined
def starts_with(data, start, end, other, other_start, other_end):  # type: ignore[no-untyped-def]
    length = other_end - other_start
    return length <= end - start and equal(data, start, start + length, other, other_start, other_end)


@inlined
def contains(data, start, end, other, other_start, other_end):  # type: ignore[no-untyped-def]
    return index_of(data, start, end, other, other_start, other_end) >= 0


@inlined
def index_of(data, start, end, other, other_start, other_end):  # type: ignore[no-untyped-def]
    """The first place at which the other string stands, or -1."""
    length = other_end - other_start
    if length > end - start:
        return np.int64(-1)
    if length == 0:
        return np.int64(start)
    if length > _PLAIN_SEARCH:
        return _index_of_long(data, start, end, other, other_start, length)
    first = other[other_start]
    for at in range(start, end - length + 1):
        if data[at] == first and equal(data, at, at + length, other, other_start, other_end):
            return np.int64(at)
    return np.int64(-1)


@inlined
def _index_of_long(data, start, end, other, base, length):  # type: ignore[no-untyped-def]
    """The two-way search of Crochemore and Perrin: linear whatever the strings, and without room to work. The
    pattern is cut after `cut`; its right part is compared first, rightwards, then its left part, leftwards."""
    low, low_period = _maximal_suffix(other, base, length, False)
    high, high_period = _maximal_suffix(other, base, length, True)
    cut, period = (low, low_period) if low > high else (high, high_period)
    periodic = equal(other, base, base + cut + 1, other, base + period, base + period + cut + 1)
    if not periodic:
        period = max(cut + 1, length - cut - 1) + 1
    known = np.int64(-1)  # how much of the pattern's beginning is known to stand here: periodic ones overlap
    at = np.int64(start)
    while at <= end - length:
        right = max(cut, known) + 1
        while right < length and other[base + right] == data[at + right]:
            right += 1
        if right < length:
            at += right - cut
            known = np.int64(-1)
            continue
        left = cut
        while left > known and other[base + left] == data[at + left]:
            left -= 1
        if left <= known:
            return at
        at += period
        known = length - period - 1 if periodic else np.int64(-1)
    return np.int64(-1)


@inlined
def _maximal_suffix(text, base, length, reverse):  # type: ignore[no-untyped-def]
    """Where the largest suffix starts (one before it), and its period; `reverse` turns the order of bytes round."""
    found = np.int64(-1)
    at, ahead, period = np.int64(0), np.int64(1), np.int64(1)
    while at + ahead < length:
        here, there = text[base + at + ahead], text[base + found + ahead]
        if here == there:
            if ahead == period:
                at += period
                ahead = np.int64(1)
            else:
                ahead += 1
        elif (here < there) != reverse:
            at += ahead
            ahead = np.int64(1)
            period = at - found
        else:
            found = at
            at += 1
            ahead = np.int64(1)
            period = np.int64(1)
    return found, period


@inlined
def mix(value):  # type: ignore[no-untyped-def]
    """Spreads a 64-bit key over all bits (the finaliser of MurmurHash3)."""
    value = np.uint64(value)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(33))
