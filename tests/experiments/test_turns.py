"""Definitions and turns: what is refused, in which order variants run, what they must agree on."""

from __future__ import annotations

import math

import pytest

from tests.experiments.tiny import Recorder, experiment
from xylem.errors import UsageError
from xylem.experiments.harness.experiment import Comparison, Outcome, Scale, Verdict
from xylem.experiments.harness.setting import Setting
from xylem.experiments.harness.turn import Disagreement, Place, places, take

_MEASURES = ("time", "found")


def test_places_are_all_there_once_and_in_order() -> None:
    scale = Scale(({"a": 1}, {"a": 2}), seeds=2, repeats=3)
    found = places(scale, seed=7, repeats=3)
    assert [(place.seed, place.point["a"], place.repeat) for place in found] == [
        (seed, a, repeat) for seed in (7, 8) for a in (1, 2) for repeat in range(3)
    ]
    assert len({place.key for place in found}) == len(found)


@pytest.mark.parametrize(
    "points",
    [
        (),
        ({"a": 1}, {"b": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 3}),
        ({"a": 1}, {"a": 1}),
        ({"a": "10"},),
        ({"a": "1_0"},),
    ],
)
def test_a_scale_that_makes_no_sense_is_refused(points: tuple[dict[str, int | str], ...]) -> None:
    with pytest.raises(UsageError):
        Scale(points)


def test_every_repeat_begins_with_another_variant() -> None:
    order: list[str] = []
    variants = {name: lambda name=name: order.append(name) or {"time": 1.0} for name in "abc"}
    for repeat in range(4):
        turn = take(Place({"x": 1}, 1, repeat), variants, _MEASURES, ())
        assert list(turn.values) == ["a", "b", "c"]
    assert "".join(order) == "abcbcacababc"


def test_variants_that_disagree_are_no_measurement() -> None:
    variants = {"one": lambda: {"found": 1.0}, "two": lambda: {"found": 2.0}, "silent": lambda: {"time": 0.1}}
    with pytest.raises(Disagreement, match=r"found at .*'x': 1.*one 1, two 2"):
        take(Place({"x": 1}, 1, 0), variants, _MEASURES, ("found",))
    agreeing = {"one": lambda: {"found": 2.0}, "two": lambda: {"found": 2.0}, "silent": lambda: {"time": 0.1}}
    assert take(Place({"x": 1}, 1, 0), agreeing, _MEASURES, ("found",)).values["silent"] == {"time": 0.1}


@pytest.mark.parametrize("values", [{"time": math.nan}, {"time": math.inf}, {"undeclared": 1.0}])
def test_what_is_no_measure_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="one reports"):
        take(Place({"x": 1}, 1, 0), {"one": lambda: values}, _MEASURES, ())


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ((), Outcome.NOTHING_PUBLISHED),
        ((None,), Outcome.OPEN),
        ((True, None), Outcome.HOLDS),
        ((False, None), Outcome.DIFFERS),
        ((True, False), Outcome.PARTLY),
    ],
)
def test_the_outcome_follows_from_the_comparisons(answers: tuple[bool | None, ...], outcome: Outcome) -> None:
    comparisons = tuple(Comparison("claim", "ours", answer, "" if answer else "because") for answer in answers)
    assert Verdict("headline", "found", comparisons).outcome is outcome


@pytest.mark.parametrize("answer", [False, None])
def test_what_differs_must_say_why(answer: bool | None) -> None:
    with pytest.raises(ValueError, match="says why"):
        Comparison("claim", "ours", answer)


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(UsageError, match="no scale 'huge'; there are small, paper"):
        experiment().scale("huge")


def test_what_is_kept_is_made_once() -> None:
    setting, made = Setting(1), []
    for _ in range(3):
        assert setting.keep("key", lambda: made.append(1) or "thing") == "thing"
    assert made == [1]


def test_a_trial_may_leave_variants_out() -> None:
    assert list(Recorder().trial({"place": "here", "size": 100}, Setting(1))) == ["linear"]
