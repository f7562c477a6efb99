"""The path automaton: against enumeration on small schemas, against plain recursion on published ones."""

from __future__ import annotations

import pickle
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.scale import scaled
from tests.schema.models import enumerated_paths, possible_children, random_schema, small_schemas
from tests.schema.writing import schema_of
from tests.shared_data import need
from xylem.errors import UsageError
from xylem.schema import ElementGraph, PathAutomaton, PathNumbering, Schema, count_paths, sample_paths, shortest_path
from xylem.schema.paths import NOWHERE, START, UNKNOWN

DEPTH = 5


def accepts(paths: PathAutomaton, names: tuple[str, ...]) -> bool:
    state = paths.follow(("", name) for name in names)
    return state != NOWHERE and bool(paths.accepting[state])


def check(paths: PathAutomaton) -> None:
    """The arrays are what the module says of them."""
    assert paths.edge_start[0] == 0 and paths.edge_start[-1] == len(paths.edge_label) == len(paths.edge_target)
    assert len(paths.edge_start) - 1 == len(paths.other) == len(paths.accepting) == len(paths)
    assert not paths.accepting[START]
    reached = {START}
    for state in range(len(paths)):
        labels = [label for label, _ in paths.edges(state)]
        assert labels == sorted(set(labels))
        reached |= {target for _, target in paths.edges(state)} | {int(paths.other[state])}
    assert reached - {NOWHERE} == set(range(len(paths)))
    alive = set(np.flatnonzero(paths.accepting).tolist())
    while more := {s for s in range(len(paths)) if s not in alive and any(t in alive for _, t in paths.edges(s))}:
        alive |= more
    assert alive == set(range(len(paths))) or len(paths) == 1


def test_every_small_schema_has_exactly_the_paths_of_its_documents(tmp_path: Path) -> None:
    words = [word for depth in range(1, DEPTH + 1) for word in product("rabz", repeat=depth)]
    for text in small_schemas():
        schema = schema_of(tmp_path, text).with_roots("r")
        paths = PathAutomaton.of(schema)
        check(paths)
        expected = enumerated_paths(possible_children(text), {"r"}, DEPTH)
        assert {word for word in words if accepts(paths, word)} == expected, text
        by_depth = Counter(map(len, expected))
        assert count_paths(paths, DEPTH) == [by_depth[depth] for depth in range(1, DEPTH + 1)], text
        numbering = PathNumbering(paths, DEPTH)
        assert sorted(numbering.path(number) for number in range(numbering.total)) == sorted(expected), text


def _plain_counts(graph: ElementGraph, roots: tuple[str, ...], depth: int) -> list[int]:
    @cache
    def leading(name: str, left: int) -> int:
        if left == 1:
            return int(graph.heights[name] == 1)
        return sum(leading(child, left - 1) for child in graph.children[name])

    return [sum(leading(root, length) for root in roots) for length in range(1, depth + 1)]


@pytest.mark.parametrize("seed", range(scaled(40)))
def test_counts_and_samples_of_random_schemas(tmp_path: Path, seed: int) -> None:
    schema = random_schema(tmp_path, seed)
    paths, graph = PathAutomaton.of(schema), ElementGraph.of(schema)
    check(paths)
    roots = tuple(root for root in schema.roots if root in graph.heights)
    counts = count_paths(paths, 12)
    assert counts == _plain_counts(graph, roots, 12)
    least = shortest_path(paths)
    assert least == next((depth for depth, count in enumerate(counts, 1) if count), None)
    if least is None:
        with pytest.raises(UsageError, match="no finite document"):
            sample_paths(paths, 1, 12, seed)
        return
    drawn = sample_paths(paths, 20, 12, seed)
    assert all(accepts(paths, path) and len(path) <= 12 for path in drawn)
    assert drawn == sample_paths(PathAutomaton.of(schema), 20, 12, seed)
    if least > 1:
        with pytest.raises(UsageError, match=f"the shortest has {least} elements"):
            sample_paths(paths, 1, least - 1, seed)


def test_samples_are_even(tmp_path: Path) -> None:
    paths = PathAutomaton.of(
        schema_of(tmp_path, "<!ELEMENT a (a | b)*><!ELEMENT b (c*)><!ELEMENT c EMPTY>").with_roots("a")
    )
    total = PathNumbering(paths, 6).total
    drawn = Counter(sample_paths(paths, 500 * total, 6, seed=1))
    assert len(drawn) == total
    # Each is binomial around 500 with a deviation below 23; six of them are once in a hundred million.
    assert all(abs(count - 500) < 6 * 23 for count in drawn.values())


@pytest.mark.parametrize("name", ["nitf-2.5/nitf-2-5.dtd", "docbook-4.5/docbookx.dtd", "mathml-3/mathml3.dtd"])
def test_published_schemas(name: str) -> None:
    schema = Schema.from_dtd(need("dtd", *name.split("/")))
    paths, graph = PathAutomaton.of(schema), ElementGraph.of(schema)
    check(paths)
    assert len(paths) == 1 + len(graph.reachable(schema.roots))
    assert count_paths(paths, 30) == _plain_counts(graph, schema.roots, 30)
    assert all(0 < len(path) <= 30 for path in sample_paths(paths, 100, 30, seed=1))
    again = pickle.loads(pickle.dumps(paths))
    assert again.labels == paths.labels and again.label(*paths.labels[3]) == 3


def test_the_automaton_of_nitf_is_small() -> None:
    paths = PathAutomaton.of(Schema.from_dtd(need("dtd", "nitf-2.5", "nitf-2-5.dtd")))
    assert paths.nbytes < 10_000_000
    assert len(pickle.dumps(paths)) < 10_000_000


def test_a_prefix_that_the_schema_leaves_open_stands_for_any_namespace(tmp_path: Path) -> None:
    schema = schema_of(
        tmp_path,
        """<!ELEMENT r (p:a, q:a)><!ATTLIST r xmlns:q CDATA #FIXED "urn:q" xmlns:p CDATA #IMPLIED>
        <!ELEMENT p:a EMPTY><!ELEMENT q:a (p:b)><!ELEMENT p:b EMPTY>""",
    )
    paths = PathAutomaton.of(schema)
    assert set(paths.labels) == {("", "r"), (None, "a"), ("urn:q", "a"), (None, "b")}
    a = paths.follow([("", "r"), ("urn:other", "a")])
    assert paths.states[a] == ("p:a",)
    # In the namespace of q it may be either.
    either = paths.follow([("", "r"), ("urn:q", "a")])
    assert paths.states[either] == ("p:a", "q:a") and paths.accepting[either]
    assert paths.follow([("", "r"), ("urn:q", "a"), ("urn:x", "b")]) != NOWHERE
    assert paths.follow([("", "r"), ("urn:other", "a"), ("urn:x", "b")]) == NOWHERE


def test_names_that_nobody_declares_are_nowhere(tmp_path: Path) -> None:
    paths = PathAutomaton.of(schema_of(tmp_path, "<!ELEMENT r ANY><!ELEMENT a EMPTY>").with_roots("r"))
    assert paths.label("", "x") == UNKNOWN and paths.label("urn:x", "r") == UNKNOWN
    assert paths.follow([("", "r"), ("", "x")]) == NOWHERE
    assert paths.follow([("", "a")]) == NOWHERE
    assert paths.follow([]) == START


def test_a_schema_without_documents_has_no_paths(tmp_path: Path) -> None:
    schema = schema_of(tmp_path, "<!ELEMENT a (a)>\n<!ELEMENT b (a)>")
    paths = PathAutomaton.of(schema)
    assert len(paths) == 1 and count_paths(paths, 3) == [0, 0, 0] and shortest_path(paths) is None
    said = [(problem.element, problem.place.line, problem.message) for problem in schema.problems]
    assert [(element, line) for element, line, _ in said] == [("a", 1), ("b", 2)]
    assert all("no document can contain" in message for _, _, message in said)


def test_beginnings_of_paths_are_counted_too(tmp_path: Path) -> None:
    paths = PathAutomaton.of(schema_of(tmp_path, "<!ELEMENT a (b, c)><!ELEMENT b (c)><!ELEMENT c EMPTY>"))
    assert count_paths(paths, 4) == [0, 1, 1, 0]
    assert count_paths(paths, 4, to_leaf=False) == [1, 2, 1, 0]
