"""Matchers in files: whole or not at all, mapped and not copied, refused when they are not what they say."""

from __future__ import annotations

import mmap
import os
import pickle
import random
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.differential.documents import random_document
from tests.differential.expressions import random_subscription
from tests.differential.judge import NAMESPACES
from tests.scale import scaled
from xylem import Matcher, UsageError
from xylem.matching import storage
from xylem.matching.tree import walk


def _filled(count: int = 300, engine: str = "tree") -> Matcher:
    rng = random.Random(1)
    matcher = Matcher(engine, namespaces=NAMESPACES)
    for number in range(count):
        matcher.add(number, random_subscription(rng, 0.03).xpath)
    return matcher


DOCUMENTS = [random_document(random.Random(seed)) for seed in range(30)]


def _answers(matcher: Matcher) -> list[list[int]]:
    return [list(matcher.match(text)) for text in DOCUMENTS]


def _is_mapped(array: np.ndarray[Any, Any]) -> bool:
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, (memoryview, pickle.PickleBuffer)) and isinstance(base.obj, mmap.mmap)


@pytest.mark.parametrize("when", ["before the first match", "after", "while subscriptions move", "while it is rebuilt"])
def test_a_matcher_is_saved_at_any_time(when: str, tmp_path: Path) -> None:
    matcher = _filled()
    if when != "before the first match":
        matcher.match("<a/>")
    if when == "while subscriptions move":
        rng = random.Random(2)
        for number in range(1_000, 1_400):
            matcher.add(number, f"//a[@x = {number}]" if number % 2 else random_subscription(rng, 0.0).xpath)
            if matcher._engine.core._now._moving:
                break
        assert matcher._engine.core._now._moving
    if when == "while it is rebuilt":
        number = 1_000
        while matcher._engine.core._next is None:
            number += 1
            matcher.add(number, f"//a[@x = {number}]")
            matcher.remove(number)
    matcher.save(tmp_path / "m")
    copy = Matcher.load(tmp_path / "m")
    copy._check()
    assert _answers(copy) == _answers(matcher)
    for number in range(2_000, 2_000 + scaled(600)):
        for one in (copy, matcher):
            one.add(number, f"//*[@x > {number % 7}]")
            one.remove(number - 2_000 if number < 2_300 else number - 300)
    copy._check()
    assert _answers(copy) == _answers(matcher)


def test_arrays_are_mapped_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "m"
    _filled(1_000).save(path)
    before = path.read_bytes()
    one, two = Matcher.load(path), Matcher.load(path)
    trie = one._engine.core._now.main.trie.arrays
    assert all(_is_mapped(array) for array in (trie.node_flags, trie.edges.entries, trie.end_slot))
    assert trie.node_flags.flags.writeable and trie.node_flags.flags.aligned
    expected = _answers(two)
    for number in range(500):
        one.remove(number)
        one.add(-number - 1, f"//a{number}[b]")
    one._check()
    assert path.read_bytes() == before
    assert _answers(two) == expected
    path.unlink()
    assert _answers(two) == expected


def test_mapped_arrays_need_no_kernels_of_their_own(tmp_path: Path) -> None:
    matcher = _filled()
    expected = _answers(matcher)
    compiled = len(walk.walk.signatures)  # type: ignore[attr-defined]
    matcher.save(tmp_path / "m")
    assert _answers(Matcher.load(tmp_path / "m")) == expected
    assert len(walk.walk.signatures) == compiled  # type: ignore[attr-defined]


def test_the_reference_engine_is_saved_too(tmp_path: Path) -> None:
    matcher = _filled(50, "reference")
    matcher.save(tmp_path / "m")
    assert _answers(Matcher.load(tmp_path / "m")) == _answers(matcher)


def test_options_and_ids_come_back(tmp_path: Path) -> None:
    from xylem import Limits

    matcher = Matcher(namespaces={"p": "urn:p"}, limits=Limits(depth=7), strict=True)
    matcher.add(("alice", 3), "//p:a")
    matcher.save(str(tmp_path / "m"))
    copy = Matcher.load(str(tmp_path / "m"))
    assert (copy.limits, copy.strict, copy.namespaces) == (Limits(depth=7), True, {"p": "urn:p"})
    assert list(copy) == [("alice", 3)]
    assert copy.match("<a xmlns='urn:p'/>") == [("alice", 3)]


@pytest.mark.parametrize(
    "thing",
    [{}, [], np.zeros(0, np.int32), np.arange(10_000), [np.arange(3), np.zeros((2, 0)), "x"], {"a": np.arange(5.0)}],
    ids=repr,
)
def test_whatever_is_saved_comes_back(thing: object, tmp_path: Path) -> None:
    storage.save(thing, tmp_path / "t")
    assert pickle.dumps(storage.load(tmp_path / "t")) == pickle.dumps(thing)


def test_what_is_not_whole_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    _filled(20).save(path)
    whole = path.read_bytes()
    damaged = {
        "empty": b"",
        "short": whole[:10],
        "cut in the index": whole[:40],
        "cut at the end": whole[:-64],
        "longer": whole + bytes(64),
        "another kind": b"PK\3\4" + whole[4:],
        "another layout": whole[:7] + b"\x7f" + whole[8:],
        "an index that is none": whole[:16] + b"\xc1" * 32 + whole[48:],
    }
    for what, data in damaged.items():
        path.write_bytes(data)
        with pytest.raises(UsageError):
            Matcher.load(path)
            raise AssertionError(what)
    storage.save({"no": "matcher"}, path)
    with pytest.raises(UsageError, match="holds no matcher"):
        Matcher.load(path)
    with pytest.raises(FileNotFoundError):
        Matcher.load(tmp_path / "missing")


def test_a_file_of_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _filled(5).save(tmp_path / "m")
    monkeypatch.setattr(storage, "_version", lambda: "0.0.0")
    with pytest.raises(UsageError, match="saved by version"):
        Matcher.load(tmp_path / "m")


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "m"
    _filled(5).save(path)
    before = path.read_bytes()
    matcher = _filled(5)
    matcher.add(lambda: None, "//a")  # an id that no pickle takes
    with pytest.raises((pickle.PicklingError, AttributeError)):
        matcher.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m"]
    with pytest.raises(OSError):
        _filled(2).save(tmp_path / "no such folder" / "m")
    assert not stat.S_IMODE(path.stat().st_mode) & 0o111
