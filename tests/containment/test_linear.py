"""Paths: every small pair against the definition, longer ones against an automaton and against libxml2."""

from __future__ import annotations

import re
from itertools import product
from random import Random

from tests.containment.judge import check_witness, matching
from tests.differential.spaces import chains
from tests.scale import scaled
from tests.xpath.tree import document, read
from xylem.containment import Linear, compare, contains
from xylem.xpath import TreePattern, parse
from xylem.xpath.evaluate import accepts
from xylem.xpath.pattern import Axis, Exists, Kind, PatternNode

NAMESPACES = {"p": "urn:p", "q": "urn:q"}
Symbol = tuple[Kind, str, str]

# Each name that the paths mention, and one that they do not, in each namespace that they mention, and in another.
ELEMENTS: list[Symbol] = [(Kind.ELEMENT, *name) for name in (("", "a"), ("", "b"), ("urn:p", "a"), ("urn:p", "z"))]
LEAVES: list[Symbol] = [(Kind.ATTRIBUTE, "", "x"), (Kind.ATTRIBUTE, "urn:p", "x"), (Kind.ATTRIBUTE, "urn:q", "z")]
SYMBOLS = [*ELEMENTS, (Kind.ELEMENT, "", "z"), *LEAVES, (Kind.TEXT, "", "")]


def nodes_of(pattern: TreePattern) -> list[PatternNode]:
    nodes = []
    formula = pattern.condition
    while isinstance(formula, Exists):
        nodes.append(formula.node)
        formula = formula.node.condition
    return nodes


def moved(nodes: list[PatternNode], reached: frozenset[int], symbol: Symbol) -> frozenset[int]:
    """The steps of a path that are reached after one more node below: what a path means, step by step."""
    kind, namespace, local = symbol
    found = set()
    for at in reached:
        if at < len(nodes):
            if nodes[at].axis is Axis.DESCENDANT:
                found.add(at)
            if nodes[at].test.kind is kind and accepts(nodes[at].test, (namespace, local)):
                found.add(at + 1)
    return frozenset(found)


def contained(outer: list[PatternNode], inner: list[PatternNode]) -> bool:
    """The definition over words of any length: all pairs of reached sets are visited, and there are finitely many.

    A document that matches only `inner` has a chain of nodes that `inner` accepts; the chain alone does not match
    `outer` either, which has no negation. So words are enough, and of names that nobody mentions one will do."""
    start = (frozenset([0]), frozenset([0]), True)
    waiting, seen = [start], {start}
    while waiting:
        ours, theirs, at_root = waiting.pop()
        for symbol in SYMBOLS:
            if symbol[0] is not Kind.ELEMENT and at_root:
                continue
            one, two = moved(inner, ours, symbol), moved(outer, theirs, symbol)
            if len(outer) in two:
                continue
            if len(inner) in one:
                return False
            state = (one, two, False)
            if one and symbol[0] is Kind.ELEMENT and state not in seen:
                seen.add(state)
                waiting.append(state)
    return True


def test_all_small_pairs() -> None:
    """All pairs of paths of up to three steps, decided by the automaton, and looked at on every chain of up to five
    elements: a gap need be no longer than the other path, and shorter ones are among the chains."""
    patterns = {parse(path) for steps in (1, 2, 3) for path in chains(steps)}
    paths = sorted((p for p in patterns if Linear.of(p.condition) is not None), key=repr)
    words = [word for length in range(1, 6) for word in product("abz", repeat=length)]
    chained = ["".join(f"<{name}>" for name in word) + "".join(f"</{n}>" for n in reversed(word)) for word in words]
    documents = [document(read(text)) for text in chained]
    matched = [matching(path, documents) for path in paths]
    compiled = [Linear.of(path.condition) for path in paths]
    nodes = [nodes_of(path) for path in paths]
    assert len(paths) == 154
    answers = {True: 0, False: 0}
    for outer, inner in product(range(len(paths)), repeat=2):
        found = compiled[outer].contains(compiled[inner])  # type: ignore[union-attr, arg-type]
        assert found == contained(nodes[outer], nodes[inner]), (paths[outer], paths[inner])
        assert not found or not matched[inner] & ~matched[outer]
        answers[found] += 1
    assert answers == {True: 2_503, False: 21_213}


def test_every_no_of_small_pairs_has_a_witness() -> None:
    random = Random(5)
    paths = sorted({parse(path) for steps in (1, 2, 3) for path in chains(steps)}, key=repr)
    refused = 0
    for _ in range(scaled(1_500)):
        outer, inner = random.choice(paths), random.choice(paths)
        answer = compare(outer, inner)
        assert answer.contains is not None
        if not answer.contains:
            refused += 1
            check_witness(answer, outer, inner)
    assert refused > scaled(1_500) // 3


def random_path(random: Random, most: int) -> str:
    steps = [
        random.choice(("/", "/", "//")) + random.choice(("a", "b", "*", "*", "p:a", "p:*"))
        for _ in range(random.randint(1, most))
    ]
    leaf = random.choice(("", "", "/@x", "//@x", "/@*", "//@p:*", "/@p:x", "/text()", "//text()"))
    return "".join(steps) + leaf


def loosened(random: Random, path: str) -> str:
    """A path that the first one often implies."""
    for old, new in random.sample([("/a", "/*"), ("/b", "//*"), ("p:a", "p:*"), ("/*/", "//"), ("@x", "@*")], 3):
        if random.random() < 0.6:
            path = path.replace(old, new, random.randint(1, 2))
    return re.sub("/{3,}", "//", path)


def test_random_paths() -> None:
    random = Random(7)
    answers = {True: 0, False: 0}
    for at in range(scaled(6_000)):
        text = random_path(random, 6)
        inner = parse(text, NAMESPACES)
        outer = parse(loosened(random, text) if at % 2 else random_path(random, 4), NAMESPACES)
        if Linear.of(outer.condition) is None or Linear.of(inner.condition) is None:
            continue
        found = contains(outer, inner)
        assert found == contained(nodes_of(outer), nodes_of(inner)), (outer, inner)
        answers[bool(found)] += 1
        if not found and at % 20 == 0:
            check_witness(compare(outer, inner), outer, inner)
    assert min(answers.values()) > scaled(6_000) // 20


def test_stars_inside_a_run() -> None:
    """What a table of failures loses: matching with `*` is not transitive."""
    assert contains(parse("//a/*/b"), parse("/a/a/z/b"))
    assert contains(parse("//a/*/a/b"), parse("//a/*/a/*/a/b"))
    assert not contains(parse("//a/*/a/b"), parse("//a/*/b/*/a/b"))
    assert contains(parse("//a/*/*/b"), parse("//a/a/a/*/b/b"))


def test_long_paths_take_one_pass() -> None:
    path = parse("//" + "//".join(["a/*/*"] * 42))
    longer = parse("//" + "//".join(["a/*/*/b"] * 31) + "//a")
    assert contains(path, path)
    assert contains(path, longer) is False
    assert contains(parse("//a" + "/*" * 100 + "/b"), parse("//a" * 126 + "//b")) is False
