"""Recursion, heights and reachability, against the plain definition of each."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest

from tests.scale import scaled
from tests.schema.models import possible_children, random_schema, small_schemas
from tests.schema.writing import schema_of
from tests.shared_data import need
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


def check_cycles(graph: ElementGraph) -> None:
    """The cycles are networkx's, and the example of each is a shortest one."""
    theirs = networkx.DiGraph([(name, child) for name, children in graph.children.items() for child in children])
    looping = [
        part
        for part in networkx.strongly_connected_components(theirs)
        if networkx.number_of_edges(theirs.subgraph(part))
    ]
    assert sorted(map(sorted, graph.cycles())) == sorted(map(sorted, looping))
    for cycle in graph.cycles():
        loop = graph.loop(cycle)
        steps = list(zip(loop, (*loop[1:], loop[0]), strict=True))
        assert set(loop) <= set(cycle) and all(theirs.has_edge(*step) for step in steps)
        part = theirs.subgraph(cycle)
        back = (networkx.shortest_path_length(part, second, first) for first, second in part.edges)
        assert len(loop) == 1 + min(back)


@pytest.mark.parametrize("seed", range(scaled(40)))
def test_cycles_are_those_of_networkx(tmp_path: Path, seed: int) -> None:
    check_cycles(ElementGraph.of(random_schema(tmp_path, seed)))


@pytest.mark.parametrize("name", ["nitf-2.5/nitf-2-5.dtd", "xhtml-1.0/xhtml1-strict.dtd", "xmlspec/xmlspec.dtd"])
def test_cycles_of_published_schemas(name: str) -> None:
    check_cycles(ElementGraph.of(Schema.from_dtd(need("dtd", *name.split("/")))))


def test_every_small_schema_has_the_children_that_its_words_have(tmp_path: Path) -> None:
    for text in small_schemas():
        graph = ElementGraph.of(schema_of(tmp_path, text))
        found = {name: (set(children), graph.heights[name] == 1) for name, children in graph.children.items()}
        assert found == possible_children(text), text


def test_a_child_that_stands_only_beside_an_impossible_one_is_none(tmp_path: Path) -> None:
    graph = ElementGraph.of(schema_of(tmp_path, "<!ELEMENT a ((b, gone) | c)><!ELEMENT b EMPTY><!ELEMENT c EMPTY>"))
    assert graph.children["a"] == ("c",)
