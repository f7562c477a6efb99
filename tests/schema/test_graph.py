"""Recursion, heights and reachability, against the plain definition of each."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.scale import scaled
from tests.schema.writing import schema_of
from xylem.schema import ElementGraph, Schema


def below(graph: ElementGraph, start: str) -> set[str]:
    """What can be reached in one step or more, the obvious way."""
    seen: set[str] = set()
    waiting = list(graph.children[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(graph.children[name])
    return seen


def random_schema(folder: Path, seed: int) -> Schema:
    random = Random(seed)
    names = [f"e{number}" for number in range(random.randint(1, 8))]
    lines = []
    for name in names:
        parts = [random.choice(names) + random.choice(["", "?", "*", "+"]) for _ in range(random.randint(0, 3))]
        between = random.choice([", ", " | "])
        lines.append(f"<!ELEMENT {name} {'(' + between.join(parts) + ')' if parts else 'EMPTY'}>")
    return schema_of(folder, "\n".join(lines))


@pytest.mark.parametrize("seed", range(scaled(60)))
def test_recursion_and_lengths(tmp_path: Path, seed: int) -> None:
    graph = ElementGraph.of(random_schema(tmp_path, seed))
    reach = {name: below(graph, name) for name in graph.children}
    assert graph.recursive() == {name for name in reach if name in reach[name]}
    for cycle in graph.cycles():
        assert all(set(cycle) <= reach[name] for name in cycle)
    lengths = graph.longest_paths()
    for name in reach:
        assert set(graph.reachable((name,))) == reach[name] | {name}
        loops = any(other in reach[other] for other in reach[name] | {name})
        longest = 1 + max((lengths[child] for child in graph.children[name]), default=0)
        assert lengths[name] == (float("inf") if loops else longest)


HEIGHTS = [
    ("<!ELEMENT a EMPTY>", {"a": 1}),
    ("<!ELEMENT a (a?)>", {"a": 1}),
    ("<!ELEMENT a (a)>", {}),
    ("<!ELEMENT a (b, c)><!ELEMENT b (c)><!ELEMENT c EMPTY>", {"a": 3, "b": 2, "c": 1}),
    ("<!ELEMENT a (b | c)><!ELEMENT b (c)><!ELEMENT c EMPTY>", {"a": 2, "b": 2, "c": 1}),
    ("<!ELEMENT a (b | gone)><!ELEMENT b (gone)>", {}),
    ("<!ELEMENT a (b+)><!ELEMENT b (#PCDATA | a)*>", {"a": 2, "b": 1}),
    ("<!ELEMENT a ((b, c) | d)><!ELEMENT b (a)><!ELEMENT c EMPTY><!ELEMENT d EMPTY>", {"a": 2, "b": 3, "c": 1, "d": 1}),
    ("<!ELEMENT a ANY><!ELEMENT b (b)>", {"a": 1}),
]


@pytest.mark.parametrize(("text", "heights"), HEIGHTS)
def test_least_heights(tmp_path: Path, text: str, heights: dict[str, int]) -> None:
    assert ElementGraph.of(schema_of(tmp_path, text)).heights == heights


def test_the_height_of_documents(tmp_path: Path) -> None:
    flat = schema_of(tmp_path, "<!ELEMENT a (b, c?)><!ELEMENT b (c*)><!ELEMENT c EMPTY>")
    assert ElementGraph.of(flat).height(flat.roots) == 3
    looping = schema_of(tmp_path, "<!ELEMENT a (b?)><!ELEMENT b (b?)>")
    assert ElementGraph.of(looping).height(looping.roots) is None
