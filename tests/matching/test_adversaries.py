"""Documents and subscriptions written to hurt: answers stay exact, memory and time stay bounded.

Time is bounded by what the tests may take at all: what they forbid would take hours.
"""

from __future__ import annotations

import random
from itertools import product

import pytest

from tests.differential.judge import NAMESPACES, Judge
from tests.scale import scaled
from xylem import Matcher, XPathError
from xylem.document.model import Document
from xylem.matching.tree.check import check_cache, check_rise
from xylem.matching.tree.scratch import KEPT_ROWS, TreeScratch


def _answer(matcher: Matcher, document: Document, scratch: TreeScratch) -> list[int]:
    """With a scratch of the test's own; ids are numbers here, given in order."""
    return matcher._engine.match(document, scratch).tolist()


def _random_paths(rng: random.Random, count: int, names: int, most: int = 6) -> list[str]:
    made = [
        "".join(
            rng.choice(("/", "/", "//")) + rng.choice(("*", *(f"n{rng.randrange(names)}" for _ in range(5))))
            for _ in range(rng.randint(2, most))
        )
        for _ in range(count)
    ]
    return list(dict.fromkeys(made))


def _random_structure(rng: random.Random, elements: int, names: int, values: bool = False) -> str:
    """A document in which hardly any path occurs twice."""
    parts, path = ["<n0>"], ["n0"]
    for _ in range(elements):
        while len(path) > 1 and (len(path) > 30 or rng.random() < 0.4):
            parts.append(f"</{path.pop()}>")
        path.append(f"n{rng.randrange(names)}")
        parts.append(f"<{path[-1]} v='{rng.randrange(9)}'>" if values else f"<{path[-1]}>")
    return "".join(parts) + "".join(f"</{name}>" for name in reversed(path))


@pytest.mark.parametrize("budget", [256 * 1024, 1024 * 1024])
def test_documents_aimed_at_the_automaton(budget: int) -> None:
    """More states than the cache may hold, over and over: memory stays under the budget, the answer exact."""
    rng = random.Random(budget)
    queries = _random_paths(rng, 2_000, 12)
    matcher = Matcher("tree")
    for number, query in enumerate(queries):
        matcher.add(number, query)
    scratch = TreeScratch(budget)
    judge = Judge(queries)
    for turn in range(scaled(40)):
        text = _random_structure(rng, 150, 12)
        document = matcher.read(text)
        found = _answer(matcher, document, scratch)
        for part in (scratch._main, scratch._young):
            assert part.cached_bytes() <= part.budget
            check_cache(part.frame.arrays.cache)
            check_rise(part.frame.arrays.rise)
        if turn % 10 == 0:
            assert found == judge.matching(text)
        else:
            assert found == list(matcher.match_document(document))
    assert scratch.resets > 5, "the cache was full again and again"


@pytest.mark.long
def test_documents_aimed_at_the_automaton_for_minutes() -> None:
    rng = random.Random(5)
    matcher = Matcher("tree")
    for number, query in enumerate(_random_paths(rng, 50_000, 200)):
        matcher.add(number, query)
    scratch, roomy = TreeScratch(8 * 1024 * 1024), TreeScratch()
    for _ in range(scaled(3_000)):
        document = matcher.read(_random_structure(rng, 500, 200))
        assert _answer(matcher, document, scratch) == _answer(matcher, document, roomy)
        assert scratch._main.cached_bytes() <= scratch._main.budget


def test_a_cache_too_small_for_a_single_step() -> None:
    """One element with thousands of attributes, each a move of its own: the cache grows to what a step needs."""
    matcher = Matcher("tree")
    names = [f"a{n}" for n in range(3_000)]
    for number, name in enumerate(names):
        matcher.add(number, f"//*[@{name}]//b/@{name}")
    scratch = TreeScratch(4 * 1024)
    attributes = " ".join(f"{name}=''" for name in names)
    document = matcher.read(f"<r {attributes}><b {attributes}/><b a1=''/></r>")
    for _ in range(3):
        assert _answer(matcher, document, scratch) == list(range(3_000))
    assert _answer(matcher, matcher.read("<r a5=''><b a5=''/></r>"), scratch) == [5]


@pytest.mark.parametrize("depth", [7, 8])
def test_a_set_that_is_larger_than_all_before_it(depth: int) -> None:
    """Three edges lead on from every node, so that each level's set is three times the last one's."""
    matcher = Matcher("tree", namespaces=NAMESPACES)
    for number, steps in enumerate(product(("p:a", "*", "p:*"), repeat=depth)):
        matcher.add(number, "/" + "/".join(steps))
    document = "<a xmlns='urn:p'>" * depth + "</a>" * depth
    assert len(matcher.match(document)) == 3**depth
    assert matcher.match(document.replace("a", "b").replace("urn:p", "urn:q")) == [(3**depth - 1) // 2]


def test_sets_that_all_go_on_asking() -> None:
    """Every node that is reached also asks below: what a step puts together is three times what it reached."""
    matcher = Matcher("tree", namespaces=NAMESPACES)
    tests = ("p:a", "*", "p:*")
    queries = ["".join(f"{axis}{test}" for axis, test in zip(axes, steps, strict=True)) + "//p:b"
               for axes in product(("/", "//"), repeat=3) for steps in product(tests, repeat=3)]  # fmt: skip
    queries += [f"/{'/'.join(steps)}//{last}//p:b" for steps in product(tests, repeat=5) for last in tests]
    judge = Judge(queries)
    for number, query in enumerate(queries):
        matcher.add(number, query)
    for depth in (3, 6, 9):
        text = "<a xmlns='urn:p'>" * depth + "<b/>" + "</a>" * depth
        assert list(matcher.match(text)) == judge.matching(text)


def test_many_beginnings() -> None:
    """A path below all of them makes a set of thousands of nodes that ask everywhere."""
    count = scaled(3_000)
    matcher = Matcher("tree")
    for number in range(count):
        matcher.add(number, f"//x{number}//y{number % 7}")
    deep = "".join(f"<x{n}>" for n in range(0, count, 5))
    ends = "".join(f"</x{n}>" for n in reversed(range(0, count, 5)))
    assert list(matcher.match(f"{deep}<y3/>{ends}")) == [n for n in range(0, count, 5) if n % 7 == 3]
    flat = "".join(f"<x{n}><y{n % 7}/></x{n}>" for n in range(count))
    assert list(matcher.match(f"<r>{flat}</r>")) == list(range(count))


def test_wildcards_on_recursive_documents() -> None:
    queries = ["//*" * n for n in range(1, 12)] + [f"//*//*[{n}]//*//a" for n in range(1, 4)] + ["//a//a//a//a//b"]
    queries += [f"//a[.//a[.//a[not(.//a//b{'//a' * n})]]]" for n in range(4)]
    matcher = Matcher("tree")
    for number, query in enumerate(queries):
        matcher.add(number, query)
    judge = Judge(queries)
    for text in ("<a>" * 60 + "<b/>" + "</a>" * 60, "<a>" * 9 + "</a>" * 9, "<a><a><b><a/></b></a></a>"):
        assert list(matcher.match(text)) == judge.matching(text)
    assert len(matcher.match("<a>" * 1_000 + "</a>" * 1_000)) >= 11


def test_predicates_by_the_thousand() -> None:
    matcher = Matcher("tree")
    matcher.add("all", "/a" + "".join(f"[b{n}]" for n in range(1_300)))
    matcher.add("any", "/a[" + " or ".join(f"b{n}" for n in range(1_300)) + "]")
    matcher.add("union", " | ".join(f"//c{n}[x]" for n in range(650)))
    whole = "".join(f"<b{n}/>" for n in range(1_300))
    assert matcher.match(f"<a>{whole}</a>") == ["all", "any"]
    assert matcher.match(f"<a>{whole.replace('<b700/>', '')}</a>") == ["any"]
    assert matcher.match("<a><c649><x/></c649></a>") == ["union"]
    with pytest.raises(XPathError) as refused:
        matcher.add("too many", "/a" + "[b]" * 100_000)
    assert refused.value.column >= 1


def test_a_path_with_more_steps_than_a_count_can_follow() -> None:
    matcher = Matcher("tree")
    for steps in (10, 61, 62, 63, 64, 100):
        matcher.add(steps, f"count(/a{'/*' * (steps - 1)}) = 1")
        matcher.add(steps + 0.5, f"contains(/a{'/*' * (steps - 1)}, 'x')")
    for depth in (9, 10, 62, 63, 64, 99, 100):
        found = list(matcher.match("<a>" * depth + "x" + "</a>" * depth))
        assert found == [n + half for n in (10, 61, 62, 63, 64, 100) if n <= depth for half in (0, 0.5)], depth


def test_what_asks_the_document_node_alone() -> None:
    """No step, so no chain and no node in the program: it must still have room for the document."""
    matcher = Matcher("tree")
    matcher.add("normal", "not(contains(normalize-space(/), 'x'))")
    matcher.add("length", "not(string-length(normalize-space(/)) > 100)")
    for size in (1, 10, 1_000, 100_000):
        text = "<a>" + "<b>hello  </b>" * size + "</a>"
        assert list(matcher.match(text)) == (["length", "normal"] if size < 17 else ["normal"])


def test_names_that_share_nothing() -> None:
    count = scaled(10_000)
    matcher = Matcher("tree")
    for number in range(count):
        matcher.add(number, f"/p{number}/q{number}[@r{number} = 's{number}']/t{number}")
    assert matcher._engine.size_bytes() < 1_300 * count
    for number in (0, 17, count - 1):
        assert matcher.match(f"<p{number}><q{number} r{number}='s{number}'><t{number}/></q{number}></p{number}>") == [
            number
        ]


@pytest.mark.parametrize("function", ["contains", "starts-with"])
def test_huge_literals(function: str) -> None:
    """A literal that nearly stands at every place of a long text."""
    matcher = Matcher("tree")
    literals = ["a" * 30_000 + "b", "ab" * 15_000 + "b", "b" + "a" * 30_000, "a" * 300, "é" * 200]
    for number, literal in enumerate(literals):
        matcher.add(number, f"//v[{function}(., '{literal}')]")
        matcher.add(number + 0.5, f"//v[{function}(@w, '{literal}')]")
    texts = ["a" * 1_000_000, "ab" * 500_000, "a" * 100_000 + "b" + "a" * 100_000, "é" * 300]
    for text in texts:
        found = list(matcher.match(f"<r><v w='{text}'>{text}</v></r>"))
        holds = [literal in text if function == "contains" else text.startswith(literal) for literal in literals]
        assert found == [n + half for n, held in enumerate(holds) if held for half in (0, 0.5)]


def test_needles_that_are_everywhere() -> None:
    """More hits than are kept: needles are then followed through the text, for elements and for text nodes."""
    literals = ["a" * n for n in range(1, 24)] + ["b", "ab", "ba", "bb", "aabaa"]
    queries = [f"//v[contains(., '{literal}')]" for literal in literals]
    queries += [f"//v[contains(text(), '{literal}')]/w" for literal in literals]
    queries += [f"//*[not(contains(., '{literal}'))]" for literal in literals]
    matcher = Matcher("tree")
    for number, query in enumerate(queries):
        matcher.add(number, query)
    judge = Judge(queries)
    rng = random.Random(1)
    for _ in range(scaled(40)):
        pieces = ["".join(rng.choices("ab", (99, 1), k=rng.randrange(90))) for _ in range(4)]
        text = "<r><v>{}<w>{}</w>{}</v>{}</r>".format(*pieces)
        assert list(matcher.match(text)) == judge.matching(text)


@pytest.mark.parametrize("prefix", ["", "http://www.example.org/items/", "a" * 250, "ab" * 100])
def test_needles_that_begin_alike(prefix: str) -> None:
    """Thousands of strings with one beginning, in a text that holds this beginning everywhere."""
    rng = random.Random(2)
    literals = list({prefix + "".join(rng.choices("ab", k=rng.randint(1, 6))) for _ in range(300)})
    literals += [prefix[:n] for n in range(1, len(prefix), 7)] + [f"{prefix}{n}"[:256] for n in range(scaled(3_000))]
    literals = list(dict.fromkeys(literals))
    matcher = Matcher("tree")
    for number, literal in enumerate(literals):
        matcher.add(number, f"//v[{'starts-with' if number % 5 == 0 else 'contains'}(., '{literal}')]")
    for _ in range(scaled(10)):
        pieces = [prefix + "".join(rng.choices("abx", k=3)) for _ in range(20)]
        text = " ".join(pieces) if rng.random() < 0.5 else "".join(pieces)
        held = [text.startswith(one) if n % 5 == 0 else one in text for n, one in enumerate(literals)]
        assert list(matcher.match(f"<v>{text}</v>")) == [n for n, holds in enumerate(held) if holds]


def test_needles_that_are_everywhere_at_every_depth() -> None:
    """The same text is the value of a thousand elements: searching each would take 10¹⁰ steps."""
    matcher = Matcher("tree")
    literals = ["a" * n for n in range(1, 40)] + ["b", "ab" * 20]
    for number, literal in enumerate(literals):
        matcher.add(number, f"//*[contains(., '{literal}')]")
    for text in ("a" * 300_000, "a" * 150_000 + "b" + "a" * 150_000):
        expected = [number for number, literal in enumerate(literals) if literal in text]
        assert list(matcher.match("<a>" * 1_000 + text + "</a>" * 1_000)) == expected


def _room_for(matcher: Matcher, rows: int, scratch: TreeScratch) -> int:
    text = "<r>" + "<a v='1'>t</a>" * rows + "</r>"
    assert _answer(matcher, matcher.read(text), scratch) == [0, 1]
    return scratch.size_bytes()


def test_memory_in_proportion_to_the_document() -> None:
    matcher = Matcher("tree")
    matcher.add(0, "//a[@v > 0][contains(., 't')]")
    matcher.add(1, "count(//a) > 2")
    sizes = [_room_for(matcher, rows, TreeScratch()) for rows in (10_000, 100_000)]
    assert sizes[1] < 15 * sizes[0]
    assert sizes[1] < 100_000 * 400


def test_a_giant_document_does_not_leave_its_arrays_behind() -> None:
    matcher = Matcher("tree")
    matcher.add(0, "//a[@v > 0][contains(., 't')]")
    matcher.add(1, "count(//a) > 2")
    scratch = TreeScratch()
    small = _room_for(matcher, 10, scratch)
    giant = _room_for(matcher, KEPT_ROWS + 10, scratch)
    assert giant > 10 * small
    assert _room_for(matcher, 10, scratch) < giant // 10
