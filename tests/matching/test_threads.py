"""Many threads on one matcher: answers equal those of some order of the changes, and nobody waits for ever."""

from __future__ import annotations

import pickle
import random
import threading
import time

import pytest

from tests.matching.together import together
from tests.scale import scaled
from xylem import Matcher
from xylem.matching.registry import ENGINES

PATIENCE_S = 120


@pytest.mark.parametrize("engine", ENGINES)
def test_matching_beside_changes(engine: str) -> None:
    """Those who stay are found always; those who come and go are found or not, never somebody else."""
    matcher = Matcher(engine)
    staying = [f"stay{n}" for n in range(30)]
    for n, name in enumerate(staying):
        matcher.add(name, f"//a[@n = {n % 10}]" if n % 3 else f"//a[@n][not(b{n % 10})]")
    documents = [(n, f"<r><a n='{n}'/><b{n}/><c>{'x' * n}</c></r>") for n in range(10)]
    expected = {n: set(matcher.match(text)) for n, text in documents}
    stop = threading.Event()

    def match(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(scaled(300)):
            n, text = rng.choice(documents)
            found = matcher.match(text)
            names = set(found)
            assert expected[n] <= names
            # Who passes by says in its name which documents are for it.
            assert all(int(name.split("-")[1]) == n for name in names - expected[n]), (n, names)

    def change(seed: int) -> None:
        rng = random.Random(seed)
        mine: list[str] = []
        while not stop.is_set():
            if len(mine) > 20:
                matcher.remove(mine.pop(rng.randrange(len(mine))))
            else:
                n = rng.randrange(10)
                name = f"pass-{n}-{seed}-{rng.random()}"
                matcher.add(name, rng.choice((f"//a[@n = '{n}']", f"//b{n}", f"//r[a/@n = {n}][b{n}]", f"/r/b{n}[1]")))
                mine.append(name)
        for name in mine:
            matcher.remove(name)

    def matching() -> None:
        try:
            together(PATIENCE_S, *(lambda seed=seed: match(seed) for seed in range(3)))
        finally:
            stop.set()

    together(PATIENCE_S, matching, lambda: change(10), lambda: change(11))
    matcher._check()
    assert sorted(matcher) == sorted(staying)
    assert {n: set(matcher.match(text)) for n, text in documents} == expected


def test_a_match_ends_however_busy_the_writer_is() -> None:
    """Each addition asks for a preparation; a match must not be overtaken for ever between the two."""
    matcher = Matcher("tree")
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            matcher._engine.add(number, PATTERNS[number % len(PATTERNS)])
            matcher._engine.remove(number)
            number += 1

    from xylem.xpath import parse

    PATTERNS = [parse(f"//a[@n > {n}]") for n in range(50)]
    document = matcher.read("<a n='1'/>")

    def match() -> None:
        try:
            for _ in range(200):
                matcher.match_document(document)
        finally:
            stop.set()

    together(PATIENCE_S, write, match)


def test_removal_during_a_match() -> None:
    """A removal waits for the matches that have begun and no longer."""
    matcher = Matcher("tree")
    for number in range(600):
        matcher.add(number, f"//a[contains(., 'x{number}')][b]")
    text = "<a>" + "".join(f"<a><b/>x{n}</a>" for n in range(600)) + "</a>"
    expected = list(matcher.match(text))
    assert len(expected) == 600
    answers: list[list[int]] = []
    pauses: list[float] = []

    def match() -> None:
        answers.extend(list(matcher.match(text)) for _ in range(6))

    def remove() -> None:
        for number in range(0, 600, 3):
            before = time.monotonic()
            matcher.remove(number)
            pauses.append(time.monotonic() - before)

    together(PATIENCE_S, match, match, remove)
    gone = set(range(0, 600, 3))
    for answer in answers:
        left = set(range(600)) - set(answer)
        # Removals came in this order, so an answer lacks the first few of them.
        assert left == set(range(0, 3 * len(left), 3)) and left <= gone
    assert list(matcher.match(text)) == [n for n in range(600) if n % 3]
    matcher._check()


def test_scratches_are_one_a_thread_and_go_with_it() -> None:
    matcher = Matcher("tree")
    matcher.add(1, "//a[b]")
    scratches: list[int] = []

    def match() -> None:
        for _ in range(10):
            matcher.match("<a><b/></a>")
        scratches.append(id(matcher._scratch()))
        meeting.wait(PATIENCE_S)

    meeting = threading.Barrier(4)
    together(PATIENCE_S, *[match] * 4)
    assert len(set(scratches)) == 4


def test_answers_are_read_by_several_threads() -> None:
    matcher = Matcher("tree")
    for number in range(2_000):
        matcher.add(number, "//a")
    for _ in range(20):
        answer = matcher.match("<a/>")
        for number in range(2_000):
            matcher.remove(number)
            matcher.add(number, "//a")
        together(PATIENCE_S, *[lambda answer=answer: _is_whole(answer)] * 3)


def _is_whole(answer: object) -> None:
    assert answer == list(range(2_000))


def test_saving_beside_changes(tmp_path: object) -> None:
    matcher = Matcher("tree")
    for number in range(500):
        matcher.add(("stay", number), f"//a{number % 20}")
    stop = threading.Event()

    def change() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            matcher.add(number, f"//a{number % 20}[b{number}]")
            matcher.remove(number)

    def save() -> None:
        try:
            for turn in range(10):
                matcher.save(f"{tmp_path}/{turn}")
                copy = Matcher.load(f"{tmp_path}/{turn}")
                copy._check()
                assert len(copy.match("<a3/>")) >= 25
        finally:
            stop.set()

    def match() -> None:
        while not stop.is_set():
            assert len(matcher.match("<a3/>")) == 25

    together(PATIENCE_S, change, save, match)
    assert pickle.loads(pickle.dumps(matcher)).match("<a3/>") == matcher.match("<a3/>")
