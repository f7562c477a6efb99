"""The lock of many readers and one writer: who may be in together, and that everybody gets in."""

from __future__ import annotations

import pickle
import random
import threading
import time
from collections.abc import Callable

import pytest

from tests.matching.together import together
from xylem.matching.locks import ReadWriteLock

PATIENCE_S = 60


def test_a_writer_is_alone() -> None:
    lock, inside = ReadWriteLock(), {"readers": 0, "writers": 0}
    guard = threading.Lock()

    def enter(kind: str) -> None:
        with guard:
            inside[kind] += 1
            assert inside["writers"] <= 1
            assert not (inside["writers"] and inside["readers"])

    def leave(kind: str) -> None:
        with guard:
            inside[kind] -= 1

    def work(seed: int) -> None:
        rng = random.Random(seed)
        for _ in range(400):
            draw = rng.random()
            if draw < 0.6:
                with lock.reading():
                    enter("readers")
                    leave("readers")
            elif draw < 0.8:
                with lock.writing():
                    enter("writers")
                    leave("writers")
            else:
                lock.acquire_write()
                enter("writers")
                leave("writers")
                lock.downgrade()
                enter("readers")
                leave("readers")
                lock.release_read()

    together(PATIENCE_S, *(lambda seed=seed: work(seed) for seed in range(6)))
    with lock.writing():
        pass


def test_readers_are_in_together() -> None:
    lock, meeting = ReadWriteLock(), threading.Barrier(3)

    def read() -> None:
        with lock.reading():
            meeting.wait(PATIENCE_S)

    together(PATIENCE_S, read, read, read)


def test_nobody_comes_between_writing_and_the_reading_that_follows() -> None:
    lock, value = ReadWriteLock(), [0]
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            with lock.writing():
                value[0] = -1

    def prepare_and_read() -> None:
        try:
            for turn in range(500):
                lock.acquire_write()
                value[0] = turn
                lock.downgrade()
                assert value[0] == turn
                lock.release_read()
        finally:
            stop.set()

    together(PATIENCE_S, write, write, prepare_and_read)


def test_neither_side_starves() -> None:
    lock, stop = ReadWriteLock(), threading.Event()
    counts = {"read": 0, "write": 0}

    def busy(kind: str, side: Callable[[], object]) -> None:
        while not stop.is_set():
            with side():  # type: ignore[attr-defined]
                counts[kind] += 1

    def wait() -> None:
        end = time.monotonic() + PATIENCE_S / 2
        while min(counts.values()) < 200 and time.monotonic() < end:
            time.sleep(0.001)
        stop.set()

    readers = [lambda: busy("read", lock.reading)] * 3
    writers = [lambda: busy("write", lock.writing)] * 3
    together(PATIENCE_S, wait, *readers, *writers)
    assert min(counts.values()) >= 200


@pytest.mark.parametrize("side", ["reading", "writing"])
def test_an_error_inside_opens_the_lock(side: str) -> None:
    lock = ReadWriteLock()
    with pytest.raises(KeyError), getattr(lock, side)():
        raise KeyError
    with lock.writing():
        pass


def test_a_lock_is_pickled_as_an_open_one() -> None:
    lock = ReadWriteLock()
    with lock.writing():
        copy = pickle.loads(pickle.dumps(lock))
    with copy.writing():
        pass
