"""Subscribers who come and go for years: nothing leaks, nothing is forgotten, no structure contradicts itself."""

from __future__ import annotations

import gc
import random

import pytest

from tests.differential.documents import random_document
from tests.differential.expressions import random_subscription
from tests.differential.judge import NAMESPACES
from tests.scale import scaled
from xylem import Matcher, XPathError
from xylem.document.vocabulary import Vocabulary
from xylem.matching.registry import ENGINES, create
from xylem.matching.tree.engine import DEAD_MIN, TreeEngine
from xylem.matching.tree.generation import YOUNG_MIN
from xylem.xpath import parse

_FORMS = (
    "/r/a{0}", "//a{0}", "/r[a{0}]/b{1}", "//a{0}[@n > {1}]", "/r[a{0}][not(b{1})]", "//a{0} | //b{1}",
    "//b{1}[. = 'v{0}']", "count(//a{0}) > 1", "//a{0}[contains(., 'v{1}')]", "not(//a{0})", "//a{0}[@n != {1}]",
    "//b{1}[starts-with(a{0}, 'v')]",
)  # fmt: skip
_NAMES = 40
DOCUMENT = "<r>" + "".join(f"<a{n} n='{n}'>v{n}</a{n}><b{n}>v{n}</b{n}>" for n in range(0, _NAMES, 3)) + "</r>"


def _query(rng: random.Random) -> str:
    return rng.choice(_FORMS).format(rng.randrange(_NAMES), rng.randrange(_NAMES))


def _tree(matcher: Matcher) -> TreeEngine:
    core = matcher._engine.core
    assert isinstance(core, TreeEngine)
    return core


def test_a_long_life() -> None:
    """Additions, removals and matches against an engine that has no structure, over several generations."""
    rng = random.Random(1)
    matcher, plain = Matcher("tree"), Matcher("reference")
    alive: list[int] = []
    generations = {id(_tree(matcher)._now)}
    kept = [_tree(matcher)._now]  # so that no address is used twice
    for turn in range(scaled(30_000)):
        if len(alive) > 150 and rng.random() < 0.7:
            number = alive.pop(rng.randrange(len(alive)))
            matcher.remove(number)
            plain.remove(number)
        else:
            query = _query(rng)
            alive.append(turn)
            matcher.add(turn, query)
            plain.add(turn, query)
        if id(_tree(matcher)._now) not in generations:
            generations.add(id(_tree(matcher)._now))
            kept.append(_tree(matcher)._now)
            matcher._check()
            assert list(matcher.match(DOCUMENT)) == list(plain.match(DOCUMENT))
        if turn % 401 == 0:
            assert list(matcher.match(DOCUMENT)) == list(plain.match(DOCUMENT)), turn
        if turn % 2_003 == 0:
            matcher._check()
    assert len(generations) > 1, "dead slots were cleared away"


def test_changes_while_a_generation_is_built() -> None:
    """What comes, leaves and comes back otherwise in the middle of a rebuild is neither lost nor doubled."""
    rng = random.Random(2)
    matcher = Matcher("tree")
    engine = _tree(matcher)
    queries: dict[int, int] = {}
    name = 0

    def add() -> None:
        nonlocal name
        name += 1
        queries[name] = rng.randrange(_NAMES)
        matcher.add(name, f"/r/a{queries[name]}[{name}]" if name % 7 == 0 else f"/r/a{queries[name]}")

    for _ in range(2_000):
        add()
    matcher.match(DOCUMENT)
    while engine._next is None:
        name += 1
        matcher.add(name, f"/r/x{name % 50}[y{name}]")
        matcher.remove(name)
    building = 0
    while engine._next is not None:
        building += 1
        gone = rng.choice(list(queries))
        matcher.remove(gone)
        del queries[gone]
        add()
        add()
        assert building < 2_000, "a rebuild ends"
        if building % 20 == 0:
            matcher._check()
    matcher._check()
    assert building > 20
    shown = set(range(0, _NAMES, 3))
    # A position is true of the first element of its name, which is the only one.
    expected = sorted(key for key, n in queries.items() if n in shown and key % 7)
    found = [key for key in matcher.match(DOCUMENT) if key % 7]
    assert found == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_return_when_everybody_has_left(engine: str) -> None:
    """After a hundred thousand changes memory is what the number of subscribers alive asks for."""
    rng = random.Random(3)
    subscriptions = create(engine, Vocabulary())
    patterns = [parse(_query(rng)) for _ in range(300)]
    peak = 0
    alive: dict[int, None] = {}
    for turn in range(scaled(100_000)):
        number = turn % 500
        if number in alive:
            subscriptions.remove(number)
            del alive[number]
        else:
            subscriptions.add(number, rng.choice(patterns))
            alive[number] = None
        if turn % 10_000 == 9_999:
            peak = max(peak, subscriptions.size_bytes())
            subscriptions._check()
    assert peak < 8 * 1024 * 1024
    for number in list(alive):
        subscriptions.remove(number)
    subscriptions._check()
    assert (len(subscriptions), subscriptions.distinct) == (0, 0)
    assert len(subscriptions._keys) <= 500


def test_dead_slots_are_bounded() -> None:
    matcher = Matcher("tree")
    for number in range(1_000):
        matcher.add(number, f"/r/a{number}[b]")
    matcher.match("<r/>")
    most = 0
    for number in range(scaled(40_000)):
        matcher.remove(number)
        matcher.add(number + 1_000, f"/r/a{number % 1_000}[b]")
        most = max(most, _tree(matcher)._now.dead)
    assert most < 2 * DEAD_MIN
    gc.collect()
    assert len(matcher._ids.names) <= 1_002


def test_the_young_move_on() -> None:
    """Additions after a match go to a small trie and from there, a few with each change, to the main one."""
    matcher = Matcher("tree")
    engine = _tree(matcher)
    matcher.add(-1, "/r/a0")
    matcher.match(DOCUMENT)
    sizes = []
    for number in range(4 * YOUNG_MIN):
        matcher.add(number, f"/r/a{number % _NAMES}[@n >= {number // _NAMES}]")
        sizes.append(engine._now.young.size)
        if number % 16 == 0:
            matcher._check()
            expected = [
                n for n in range(-1, number + 1) if n < 0 or (n % _NAMES % 3 == 0 and n % _NAMES >= n // _NAMES)
            ]
            assert list(matcher.match(DOCUMENT)) == expected
    assert max(sizes) <= 2 * YOUNG_MIN
    assert engine._now.main.size > YOUNG_MIN


def test_a_storm_of_equal_subscriptions() -> None:
    matcher = Matcher("tree")
    for number in range(scaled(20_000)):
        matcher.add(number, "//a[b = 1][c]" if number % 2 else "//a[c][b = 1]")
    assert matcher.distinct == 1
    assert len(matcher.match("<a><b>1</b><c/></a>")) == scaled(20_000)
    for number in range(scaled(20_000)):
        matcher.remove(number)
    matcher._check()
    assert matcher.match("<a><b>1</b><c/></a>") == []


def test_an_interrupted_match_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a document: the next one's answer has nothing of it."""
    from xylem.matching.tree import engine as module

    matcher = Matcher("tree")
    matcher.add("a", "//a")
    matcher.add("b", "count(//b) = 1")
    assert matcher.match("<b/>") == ["b"]
    real = module.decide

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "decide", interrupted)
    with pytest.raises(KeyboardInterrupt):
        matcher.match("<a><b/></a>")
    monkeypatch.setattr(module, "decide", real)
    assert matcher.match("<c/>") == []
    assert matcher.match("<b/>") == ["b"]


def test_what_is_on_the_move_is_answered_for_where_it_was() -> None:
    """A move to the main forest begins with the last of these; `not` would hold of tests that nobody has sorted yet."""
    matcher = Matcher("tree")
    matcher.add("first", "//z")
    matcher.match("<r/>")
    matcher.add("late", "//d[not(. <= 2)]")
    for number in range(YOUNG_MIN - 1):
        matcher.add(number, f"//u{number}")
    assert matcher.match("<d>1</d>") == []
    assert matcher.match("<d>3</d>") == ["late"]


@pytest.mark.parametrize("seed", range(scaled(6)))
@pytest.mark.parametrize("leaving", [0.0, 0.4, 0.9])
def test_answers_between_all_changes_of_a_move(seed: int, leaving: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moves all the time, and a match after every change, with one scratch that has seen it all."""
    from xylem.matching.tree import generation

    monkeypatch.setattr(generation, "YOUNG_MIN", 30)
    monkeypatch.setattr(generation, "YOUNG_SHARE", 1_000)
    monkeypatch.setattr(generation, "MOVED_AT_ONCE", 2)
    rng = random.Random(seed)
    tree, plain = Matcher("tree", namespaces=NAMESPACES), Matcher("reference", namespaces=NAMESPACES)
    documents = [random_document(rng) for _ in range(6)]
    held: list[int] = []
    for number in range(260):
        if held and rng.random() < leaving:
            gone = held.pop(rng.randrange(len(held)))
            tree.remove(gone)
            plain.remove(gone)
        else:
            text = random_subscription(rng).xpath
            try:
                plain.add(number, text)
            except XPathError:
                continue
            tree.add(number, text)
            held.append(number)
        document = rng.choice(documents)
        assert list(tree.match(document)) == list(plain.match(document)), (number, document)
    tree._check()
