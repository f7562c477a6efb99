"""Choices that never repeat: each sequence once, all of them in the end, the likely ones first."""

from __future__ import annotations

from itertools import product

import pytest

from tests.scale import scaled
from xylem.workload.chance import Chance, Exhausted, Free, Unrepeated


def chosen(chance: Chance) -> tuple[object, ...]:
    """Questions that depend on the answers before them, certain ones and ones with a single answer included."""
    first = chance.pick((0.5, 0.75, 1.0))
    if first == 2:
        return (first,)
    sure, never = chance.coin(1.0), chance.coin(0.0)
    second = chance.coin(0.01)
    rest = tuple(chance.below(first + 2) for _ in range(2 if second else 1))
    return (first, sure, never, second, chance.below(1), *rest)


EVERYTHING = {(2,)} | {
    (first, True, False, second, 0, *rest)
    for first in (0, 1)
    for second in (False, True)
    for rest in product(range(first + 2), repeat=2 if second else 1)
}


@pytest.mark.parametrize("seed", range(scaled(50)))
def test_every_sequence_comes_once(seed: int) -> None:
    chance = Unrepeated(f"{seed}")
    made = []
    for _ in EVERYTHING:
        chance.begin()
        made.append(chosen(chance))
        chance.end()
    assert len(set(made)) == len(made) and set(made) == EVERYTHING
    with pytest.raises(Exhausted):
        chance.begin()


def test_a_draw_that_is_not_ended_spends_nothing() -> None:
    chance = Unrepeated("a")
    for _ in range(5):
        chance.begin()
        chance.below(2)
    for _ in range(2):
        chance.begin()
        chance.below(2)
        chance.end()
    with pytest.raises(Exhausted):
        chance.begin()


def test_what_comes_is_as_likely_as_with_free_draws_until_something_new_comes() -> None:
    """Of three answers with 1/2, 1/4, 1/4, the second one drawn is the likely one with 1/3 (2 * 1/4 * 1/2 / (3/4))."""
    rounds = scaled(4_000)
    likely_second = 0
    for seed in range(rounds):
        chance = Unrepeated(f"order/{seed}")
        for turn in range(2):
            chance.begin()
            answer = chance.pick((0.5, 0.75, 1.0))
            chance.end()
            likely_second += turn == 1 and answer == 0
    assert abs(likely_second / rounds - 1 / 3) < 2.5 * rounds**-0.5


def test_free_choices_are_those_of_their_seed() -> None:
    chance = Free()
    made = []
    for seed in ("a", "b", "a"):
        chance.sow(seed)
        made.append([chosen(chance) for _ in range(20)])
    assert made[0] == made[2] != made[1]
    assert {item for run in made for item in run} <= EVERYTHING
