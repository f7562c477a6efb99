"""What every engine promises, as tests. An engine's own test file is a class with one factory function:

class TestTree(EngineContract):
    @staticmethod
    def make(**options): return Matcher("tree", **options)
"""

from __future__ import annotations

import gc
import pickle
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.differential.documents import random_document
from tests.differential.expressions import random_subscription
from tests.differential.judge import NAMESPACES, Judge
from tests.matching.cases import GROUPS, Group
from tests.scale import scaled
from xylem import DocumentError, Matcher, Matches, UsageError, XPathError
from xylem.errors import StaleDocumentError
from xylem.matching.registry import create
from xylem.xpath import parse, spell

# Every way in for a document; each takes the text of one.
WAYS: dict[str, Callable[[Matcher, str, Path], Any]] = {
    "bytes": lambda m, text, folder: m.match(text.encode()),
    "text": lambda m, text, folder: m.match(text),
    "bytearray": lambda m, text, folder: m.match(bytearray(text.encode())),
    "memoryview": lambda m, text, folder: m.match(memoryview(text.encode())),
    "utf-16": lambda m, text, folder: m.match(text.encode("utf-16")),
    "path": lambda m, text, folder: m.match(_written(text, folder)),
    "path as text": lambda m, text, folder: m.match(str(_written(text, folder))),
    "many": lambda m, text, folder: next(m.match_many([text])),
    "many threads": lambda m, text, folder: list(m.match_many([text, "<a", text], workers=2))[2],
    "document": lambda m, text, folder: m.match_document(m.read(text)),
}


def _written(text: str, folder: Path) -> Path:
    path = folder / "document.xml"
    path.write_text(text, encoding="utf-8")
    return path


class EngineContract(ABC):
    """The tests of an engine."""

    @staticmethod
    @abstractmethod
    def make(**options: Any) -> Matcher:
        """A matcher that uses the engine."""

    @pytest.fixture
    def matcher(self) -> Iterator[Matcher]:
        found = self.make(namespaces=NAMESPACES)
        yield found
        found._check()

    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
    def test_cases_by_every_way_in(self, matcher: Matcher, group: Group, way: str, tmp_path: Path) -> None:
        for number, case in enumerate(group.cases):
            matcher.add(number, case.xpath)
        found = list(WAYS[way](matcher, group.document, tmp_path))
        wrong = [group.cases[number] for number in sorted(set(found) ^ set(group.matching))]
        assert wrong == []
        assert found == group.matching

    @pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
    def test_cases_one_by_one(self, matcher: Matcher, group: Group) -> None:
        """A query must not need the company of others."""
        document = group.document.encode()
        for number, case in enumerate(group.cases):
            matcher.add(number, case.xpath)
            assert (list(matcher.match(document)) == [number]) == case.expected, case
            matcher.remove(number)
        assert list(matcher.match(document)) == []

    def test_documents_follow_each_other(self, matcher: Matcher) -> None:
        """Nothing of one document is left for the next."""
        cases = [(group, number) for group in GROUPS for number in range(len(group.cases))]
        for key, (group, number) in enumerate(cases):
            matcher.add(key, group.cases[number].xpath)
        judge = Judge([group.cases[number].judged for group, number in cases])
        expected = {group.name: judge.matching(group.document) for group in GROUPS}
        for _ in range(2):
            for group in (*GROUPS, *reversed(GROUPS)):
                assert list(matcher.match(group.document)) == expected[group.name]

    def test_nothing_matches_nobody(self, matcher: Matcher) -> None:
        found = matcher.match("<a/>")
        assert (found, len(found), bool(found), len(matcher)) == ([], 0, False, 0)

    def test_equal_queries_are_kept_once_and_leave_one_by_one(self, matcher: Matcher) -> None:
        spellings = ["//a[b][c]", "//a[c][b]", "//a[b and c]", "/descendant::a[child::c][b]"]
        for number in range(400):
            matcher.add(number, spellings[number % 4])
        assert matcher.distinct == 1
        order = list(range(400))
        random.Random(1).shuffle(order)
        alive = set(order)
        for number in order:
            assert list(matcher.match("<a><b/><c/></a>")) == sorted(alive)
            matcher.remove(number)
            alive.remove(number)
        assert (matcher.distinct, len(matcher)) == (0, 0)

    @pytest.mark.parametrize(
        "xpath", ["//a", "/a[@n > 5]", "//a[b][c]", "//b | //a[@n = 7]", "not(//z)", "//a[1][@n]", "/", "//a[.='x']"]
    )
    def test_what_comes_back_matches_again(self, matcher: Matcher, xpath: str) -> None:
        document = "<a n='7'><b/><c/><a>x</a></a>"
        for _ in range(20):
            matcher.add("it", xpath)
            assert matcher.match(document) == ["it"]
            matcher.remove("it")
            assert matcher.match(document) == []

    def test_wrong_usage_is_named_and_changes_nothing(self, matcher: Matcher) -> None:
        matcher.add("a", "//a")
        with pytest.raises(UsageError, match="there is a subscription 'a' already"):
            matcher.add("a", "//b")
        with pytest.raises(UsageError, match="no subscription 'b'"):
            matcher.remove("b")
        with pytest.raises(UsageError, match="no subscription 'b'"):
            matcher.pattern("b")
        with pytest.raises(XPathError):
            matcher.add("c", "//c[")
        with pytest.raises(DocumentError):
            matcher.match("<a>")
        with pytest.raises(UsageError, match="bytes, text or a path, not int"):
            matcher.match(0)  # type: ignore[arg-type]
        assert (list(matcher), "c" in matcher, matcher.match("<a/>")) == (["a"], False, ["a"])

    def test_an_answer_stays_as_it_is(self, matcher: Matcher) -> None:
        """Ids are looked up when they are read, which may be after their subscriptions have left."""
        for number in range(50):
            matcher.add(("old", number), "//a")
        early, unread = matcher.match("<a/>"), matcher.match("<a/>")
        for number in range(50):
            matcher.remove(("old", number))
            matcher.add(("new", number), "//a")
        expected = [("old", number) for number in range(50)]
        assert early == expected
        assert pickle.loads(pickle.dumps(unread)) == expected
        assert matcher.match("<a/>") == [("new", number) for number in range(50)]

    def test_numbers_are_used_again(self, matcher: Matcher) -> None:
        for number in range(1_000):
            matcher.add(number, f"//a{number % 10}")
            assert len(matcher.match(f"<a{number % 10}/>")) == 1
            matcher.remove(number)
        gc.collect()
        assert len(matcher._ids.names) <= 2

    def test_ids_of_any_kind(self, matcher: Matcher) -> None:
        ids = [3, "b", ("t", 1), 1, "a", None]
        for name in ids:
            matcher.add(name, "//a")
        found = list(matcher.match("<a/>"))
        assert sorted(map(repr, found)) == sorted(map(repr, ids))
        matcher.remove(3)
        matcher.add(3, "//a")
        assert list(matcher.match("<a/>")) == found, "the order does not depend on who came when"

    def test_the_pattern_of_a_subscription(self, matcher: Matcher) -> None:
        for group in GROUPS:
            for number, case in enumerate(group.cases):
                matcher.add((group.name, number), case.xpath)
        for group in GROUPS:
            for number, case in enumerate(group.cases):
                assert matcher.pattern((group.name, number)) == parse(case.xpath, NAMESPACES)

    def test_a_document_from_before_is_read_again(self, matcher: Matcher) -> None:
        matcher.add("a", "//a")
        document = matcher.read("<a><b c='1'/></a>")
        assert matcher.match_document(document) == ["a"]
        matcher.add("b", "//b[@c = 1]")
        assert matcher.match_document(document) == ["a", "b"]

    def test_a_document_of_another_matcher_is_read_again(self, matcher: Matcher) -> None:
        other = self.make()
        for number in range(5):
            other.add(number, f"//x{number}")
        matcher.add("a", "//a")
        assert matcher.match_document(other.read("<a/>")) == ["a"]
        assert matcher.match_document(other.read("<x0/>")) == []

    def test_engines_refuse_documents_whose_names_they_do_not_know(self, matcher: Matcher) -> None:
        """Also after an addition that failed half-way, and when another engine brought the name."""
        engine, vocabulary = matcher._engine, matcher.vocabulary
        document = matcher.read("<a/>")
        vocabulary.name("", "a")
        engine.add(0, parse("//a"))
        with pytest.raises(StaleDocumentError):
            engine.match(document, engine.scratch())
        assert engine.match(matcher.read("<a/>"), engine.scratch()).tolist() == [0]
        engine.remove(0)

    def test_the_answer_of_an_engine(self) -> None:
        matcher = self.make()
        engine = create(matcher.engine_name, matcher.vocabulary)
        for number in (7, 3, 1_000_000, 5):
            engine.add(number, parse("//a" if number != 5 else "//a[b]"))
        scratch = engine.scratch()
        found = engine.match(matcher.read("<a><b/></a>"), scratch)
        assert found.dtype == np.int32
        assert found.tolist() == [3, 5, 7, 1_000_000]
        assert scratch.size_bytes() >= 0
        engine._check()
        with pytest.raises(UsageError):
            engine.add(7, parse("//b"))
        with pytest.raises(UsageError):
            engine.remove(8)

    def test_a_copy_goes_on_by_itself(self, matcher: Matcher, tmp_path: Path) -> None:
        """Pickled, and saved and mapped: both match at once, and take changes that the original does not see."""
        rng = random.Random(2)
        for number in range(200):
            matcher.add(number, random_subscription(rng).xpath)
        documents = [random_document(rng) for _ in range(20)]
        expected = [list(matcher.match(text)) for text in documents]
        matcher.save(tmp_path / "saved")
        for copy in (pickle.loads(pickle.dumps(matcher)), Matcher.load(tmp_path / "saved")):
            copy._check()
            assert [list(copy.match(text)) for text in documents] == expected
            for number in range(0, 200, 2):
                copy.remove(number)
                said = spell(matcher.pattern(number))
                copy.add(-number - 1, said.expression, namespaces=dict(said.namespaces))
            copy._check()
            for text, found in zip(documents, expected, strict=True):
                assert set(copy.match(text)) == {n if n % 2 else -n - 1 for n in found}
            assert [list(matcher.match(text)) for text in documents] == expected
        assert [list(Matcher.load(tmp_path / "saved").match(text)) for text in documents] == expected

    def test_changes_mixed_with_matches(self, matcher: Matcher) -> None:
        """Against libxml2, with the structure checked after each batch of changes."""
        rng = random.Random(3)
        texts = [random_subscription(rng) for _ in range(120)]
        documents = [random_document(rng) for _ in range(15)]
        judge = Judge([text.judged for text in texts])
        truth = [set(judge.matching(text)) for text in documents]
        held: dict[int, int] = {}
        matches = 0
        for turn in range(scaled(60)):
            for _ in range(rng.randrange(30)):
                if held and rng.random() < 0.5:
                    key = rng.choice(list(held))
                    matcher.remove(key)
                    del held[key]
                else:
                    key = rng.randrange(1_000)
                    if key not in held:
                        held[key] = rng.randrange(len(texts))
                        matcher.add(key, texts[held[key]].xpath)
            for number in rng.sample(range(len(documents)), 3):
                expected = sorted(key for key, query in held.items() if query in truth[number])
                assert list(matcher.match(documents[number])) == expected, turn
                matches += len(expected)
            matcher._check()
        assert matches > 0
        for key in list(held):
            matcher.remove(key)
        matcher._check()
        assert (len(matcher), matcher.distinct) == (0, 0)

    def test_many_at_once_leave_rejects_in_their_places(self, matcher: Matcher) -> None:
        matcher.add("a", "//a")
        documents = ["<a/>", "<a", "<b/>", "", "<a/>"] * 20
        for workers in (1, 3):
            found = list(matcher.match_many(documents, workers=workers))
            shown = ["reject" if isinstance(one, DocumentError) else list(one) for one in found]
            assert shown == [["a"], "reject", [], "reject", ["a"]] * 20
        assert isinstance(next(matcher.match_many(iter(["<a/>"]))), Matches)
        with pytest.raises(UsageError, match="workers"):
            matcher.match_many([], workers=0)
