"""The registry: names, what `auto` takes, and that every engine is held to the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from xylem import Matcher, UsageError
from xylem.document.vocabulary import Vocabulary
from xylem.matching.registry import AUTO, ENGINES, choose, create


def test_every_engine_is_held_to_the_contract() -> None:
    for engine in ENGINES:
        text = Path(__file__).with_name(f"test_{engine}.py").read_text()
        assert "(EngineContract)" in text and f'Matcher("{engine}"' in text


def test_auto_takes_the_tree_and_says_so() -> None:
    assert choose() == choose(AUTO) == "tree"
    assert Matcher().engine_name == "tree"


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_go_by_their_names(engine: str) -> None:
    assert choose(engine) == engine
    assert create(engine, Vocabulary()).name == engine
    assert Matcher(engine).engine_name == engine


def test_an_engine_that_is_none() -> None:
    with pytest.raises(UsageError, match="there is no engine 'fastest'; engines are auto, reference, tree"):
        Matcher("fastest")
