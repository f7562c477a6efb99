"""The kernels that look at strings, against Python and the reference evaluator."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import pytest

from tests.scale import scaled
from xylem.kernels import allocating_kernel
from xylem.matching import text
from xylem.xpath import normalize_space, string_to_number


def _bytes(value: str | bytes) -> np.ndarray:
    raw = value.encode() if isinstance(value, str) else value
    return np.frombuffer(b"<" + raw + b">", np.uint8)  # what is around a value must not be looked at


def _contains(value: bytes, part: bytes) -> bool:
    return bool(text.contains(_bytes(value), 1, 1 + len(value), _bytes(part), 1, 1 + len(part)))


def test_contains_over_every_small_string() -> None:
    strings = [bytes(letters) for size in range(5) for letters in product(b"ab", repeat=size)]
    for value, part in product(strings, repeat=2):
        assert _contains(value, part) == (part in value), (value, part)


def _periodic(rng: random.Random, size: int) -> bytes:
    """A string that repeats itself, with a few errors: what linear searches are wrong about first."""
    period = bytes(rng.choices(b"ab", k=rng.choice((1, 2, 3, 5, 8, 13, 21))))
    value = bytearray((period * (size // len(period) + 1))[:size])
    for _ in range(rng.choice((0, 0, 1, 2))):
        value[rng.randrange(size)] ^= 3
    return bytes(value)


def test_contains_of_long_strings() -> None:
    rng = random.Random(1)
    outcomes = [0, 0]
    for _ in range(scaled(20_000)):
        value = _periodic(rng, rng.randint(33, 300))
        if rng.random() < 0.5:
            start = rng.randrange(len(value) - 32)
            part = value[start : start + rng.randint(33, 120)]
        else:
            part = _periodic(rng, rng.randint(33, 120))
        expected = part in value
        outcomes[expected] += 1
        assert _contains(value, part) == expected, (value, part)
    assert min(outcomes) > scaled(20_000) // 10


@pytest.mark.parametrize(("unit", "odd"), [(b"a", b"b"), (b"ab", b"a"), (b"aab", b"bb")])
def test_contains_is_linear_however_strings_repeat_themselves(unit: bytes, odd: bytes) -> None:
    """32 KB in 4 MB: comparing at every place would take 10¹¹ steps."""
    value, part = unit * (4_000_000 // len(unit)), unit * (16_000 // len(unit))
    assert not _contains(value, part + odd + part)
    assert _contains(value + part + odd + part, part + odd + part)


_PIECES = ("", "0", "00", "7", "123", "9007199254740993", "5" * 30, "0" * 40 + "1", "1" * 310)


def test_numbers_are_those_of_the_specification() -> None:
    shapes = [
        f"{blank}{sign}{whole}{point}{fraction}{exponent}{blank}"
        for blank, sign, whole, point, fraction, exponent in product(
            ("", " \n"), ("", "-", "+"), _PIECES, ("", "."), _PIECES[:8], ("", "e5", "E-5", "e400", "e", "x")
        )
    ]
    for shape in shapes:
        found, expected = float(text.to_number(_bytes(shape), 1, 1 + len(shape))), string_to_number(shape)
        assert found == expected or (math.isnan(found) and math.isnan(expected)), shape


def test_spaces_and_lengths_are_those_of_the_specification() -> None:
    for letters in product(" \t\n\rax\u00a0𝒳", repeat=4):
        value = "".join(letters)
        raw = value.encode()
        into = np.zeros(len(raw), np.uint8)
        size = text.normalize(_bytes(value), 1, 1 + len(raw), into)
        assert into[:size].tobytes().decode() == normalize_space(value)
        assert text.length_in_characters(_bytes(value), 1, 1 + len(raw)) == len(value)


@allocating_kernel
def _mixed(keys):  # type: ignore[no-untyped-def]
    found = np.empty(len(keys), np.uint64)
    for at in range(len(keys)):
        found[at] = text.mix(keys[at])
    return found


def test_mixing_loses_nothing() -> None:
    keys = np.arange(100_000, dtype=np.int64)
    mixed = _mixed(keys)
    assert len(np.unique(mixed)) == len(keys)
    assert len(np.unique(mixed & np.uint64(0xFFFF))) > 40_000, "the low bits are fit for a table"
