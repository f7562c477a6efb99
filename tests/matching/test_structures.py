"""The structures that engines are made of, each against a plain one after random changes."""

from __future__ import annotations

import gc
import pickle
import random

import numpy as np
import pytest

from tests.differential.expressions import random_subscription
from tests.differential.judge import NAMESPACES
from tests.matching.cases import GROUPS
from tests.scale import scaled
from xylem import XPathError
from xylem.matching.compact import pack, unpack
from xylem.matching.identifiers import Identifiers
from xylem.matching.matches import Matches
from xylem.matching.members import Members
from xylem.matching.tables import FREE, find, new_table, put, room
from xylem.xpath import parse


def _patterns(count: int) -> list[object]:
    rng = random.Random(1)
    found = [parse(case.xpath, NAMESPACES) for group in GROUPS for case in group.cases]
    while len(found) < count:
        try:
            found.append(parse(random_subscription(rng).xpath, NAMESPACES))
        except XPathError:
            continue
    return found


def test_patterns_as_bytes() -> None:
    """Equal bytes stand for equal patterns, and the bytes give the pattern back."""
    by_bytes = {}
    for pattern in _patterns(scaled(3_000)):
        data = pack(pattern)
        assert unpack(data) == pattern
        assert by_bytes.setdefault(data, pattern) == pattern
    assert len(set(by_bytes.values())) == len(by_bytes)


def test_a_pattern_as_deep_as_patterns_may_be() -> None:
    pattern = parse("/" + "/".join(["a"] * 127))
    assert unpack(pack(pattern)) == pattern


def test_bytes_that_are_no_pattern() -> None:
    with pytest.raises(ValueError, match="no packed pattern"):
        unpack(b"\x91\x07")


def test_members() -> None:
    rng = random.Random(2)
    members, plain = Members(), dict[int, int]()
    for turn in range(scaled(3_000)):
        if plain and rng.random() < 0.5:
            key = rng.choice(list(plain))
            slot = plain.pop(key)
            assert members.leave(key) == (slot, sum(other == slot for other in plain.values()))
        else:
            key = rng.randrange(400)
            if key not in plain:
                plain[key] = rng.randrange(60) if turn % 3 else key
                members.join(plain[key], key)
        slots = np.array(sorted(rng.sample(range(400), 20)), np.int32)
        expected = sorted(key for key, slot in plain.items() if slot in set(slots.tolist()))
        assert members.of(slots[np.isin(slots, list(members.slots()))]).tolist() == expected
        if turn % 50 == 0:
            members._check()
    members._check()


def test_identifiers_with_answers_that_are_read_late() -> None:
    """A number stands for one id as long as an answer may ask for it, and not longer."""
    rng = random.Random(3)
    identifiers, alive = Identifiers(), dict[str, int]()
    unread: list[tuple[Matches, list[str]]] = []
    for turn in range(scaled(4_000)):
        draw = rng.random()
        if draw < 0.4 and len(alive) < 30:
            name = f"id{turn}"
            number = identifiers.reserve(name)
            if rng.random() < 0.1:
                identifiers.release(number)
                continue
            identifiers.enter(name, number)
            alive[name] = number
        elif draw < 0.7 and alive:
            name = rng.choice(list(alive))
            del alive[name]
            identifiers.forget(name)
        elif draw < 0.85:
            chosen = rng.sample(sorted(alive), min(len(alive), 5))
            numbers = np.array([alive[name] for name in chosen], np.int32)
            unread.append((Matches(numbers, identifiers.names, identifiers.era), sorted(chosen)))
        elif unread:
            answer, expected = unread.pop(rng.randrange(len(unread)))
            assert list(answer) == expected
        if turn % 20 == 0:
            identifiers._check()
    for answer, expected in unread:
        assert list(answer) == expected
    unread.clear()
    gc.collect()
    for name in list(alive):
        identifiers.forget(name)
    identifiers._check()
    assert len(identifiers.names) == len(identifiers._free), "all numbers are free again"


def test_one_unread_answer_holds_numbers_back_and_then_lets_go() -> None:
    identifiers = Identifiers()
    identifiers.enter("first", identifiers.reserve("first"))
    answer = Matches(np.array([0], np.int32), identifiers.names, identifiers.era)
    for turn in range(200_000):
        if turn % 2:
            identifiers.forget("other")
        else:
            identifiers.enter("other", identifiers.reserve("other"))
    assert len(identifiers.names) == 100_001
    assert answer == ["first"]  # an era of a hundred thousand ends, one after the other
    assert len(identifiers._free) == 100_000
    copy = pickle.loads(pickle.dumps(identifiers))
    copy._check()
    assert len(copy._free) == 100_000


def test_tables() -> None:
    rng = random.Random(4)
    table, plain = new_table(1), dict[int, int]()
    for value in range(5_000):
        key = rng.choice((rng.randrange(1 << 62), rng.randrange(10_000), rng.randrange(1 << 20) << 35))
        if key in plain:
            continue
        table = room(table, 1)
        put(table, key, value)
        plain[key] = value
    assert all(find(table, key) == value for key, value in plain.items())
    assert all(find(table, key) == -1 for key in range(10_000, 12_000) if key not in plain)


def _home(key: int, seed: int) -> int:
    """Where a key stands in an empty table of 1,024 places."""
    table = new_table(512)
    table.used[1] = seed
    put(table, key, 0)
    return int(np.flatnonzero(table.entries[::2] != FREE)[0])


def test_nobody_can_choose_keys_that_meet() -> None:
    """Keys that meet under one seed lie anywhere under another, and each table has its own."""
    meeting = [key for key in range(4_000) if _home(key, 1) < 16]
    assert len(meeting) > 30
    assert sum(_home(key, 2) < 16 for key in meeting) < len(meeting) // 4
    assert new_table(1).used[1] != new_table(1).used[1]
