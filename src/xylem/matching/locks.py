"""A lock that many readers share and one writer has alone.

Phase-fair: readers and writers that both wait take turns. A reader that arrives while a writer waits
queues behind it, and a writer that leaves lets in every reader that waited, so neither side starves
however busy the other is. The lock is handed over by whoever leaves, never raced for: the waiter owns it
when it wakes. Not re-entrant: a thread that reads must not ask to read again, for a writer may
be waiting between the two.

The uncontended paths are one short mutex each.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType


class ReadWriteLock:
    """Use `with lock.reading():` and `with lock.writing():`, or the four methods where a microsecond counts."""

    __slots__ = ("_mutex", "_read_side", "_readers", "_waiting_readers", "_waiting_writers", "_write_side", "_writing")

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._readers = 0
        self._writing = False
        self._waiting_readers: list[threading.Lock] = []
        self._waiting_writers: deque[threading.Lock] = deque()
        self._read_side = _Side(self.acquire_read, self.release_read)
        self._write_side = _Side(self.acquire_write, self.release_write)

    def reading(self) -> _Side:
        return self._read_side

    def writing(self) -> _Side:
        return self._write_side

    def acquire_read(self) -> None:
        with self._mutex:
            if not self._writing and not self._waiting_writers:
                self._readers += 1
                return
            turn = _closed_gate()
            self._waiting_readers.append(turn)
        try:
            turn.acquire()
        except BaseException:  # an interrupt: the turn may have come already
            with self._mutex:
                granted = turn not in self._waiting_readers
                if not granted:
                    self._waiting_readers.remove(turn)
            if granted:
                self.release_read()
            raise

    def release_read(self) -> None:
        with self._mutex:
            self._readers -= 1
            if not self._readers and self._waiting_writers:
                self._writing = True
                self._waiting_writers.popleft().release()

    def acquire_write(self) -> None:
        with self._mutex:
            if not self._writing and not self._readers:
                self._writing = True
                return
            turn = _closed_gate()
            self._waiting_writers.append(turn)
        try:
            turn.acquire()
        except BaseException:
            with self._mutex:
                granted = turn not in self._waiting_writers
                if not granted:
                    self._waiting_writers.remove(turn)
                    if not self._writing and not self._waiting_writers:
                        self._admit_readers()
            if granted:
                self.release_write()
            raise

    def release_write(self) -> None:
        with self._mutex:
            if self._waiting_readers:
                self._writing = False
                self._admit_readers()
            elif self._waiting_writers:
                self._waiting_writers.popleft().release()
            else:
                self._writing = False

    def downgrade(self) -> None:
        """Turns the writing of the one who calls into reading, so that no other writer comes in between. Readers who
        wait come in too."""
        with self._mutex:
            self._writing = False
            self._readers += 1
            self._admit_readers()

    def _admit_readers(self) -> None:
        admitted, self._waiting_readers = self._waiting_readers, []
        self._readers += len(admitted)
        for turn in admitted:
            turn.release()

    def __reduce__(self) -> tuple[Callable[[], ReadWriteLock], tuple[()]]:
        """A lock pickles as a new, open one."""
        return (ReadWriteLock, ())


class _Side:
    """One side of the lock as a context manager; holds no state, so that all threads share it."""

    __slots__ = ("_enter", "_exit")

    def __init__(self, enter: Callable[[], None], leave: Callable[[], None]) -> None:
        self._enter = enter
        self._exit = leave

    def __enter__(self) -> None:
        self._enter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit()


def _closed_gate() -> threading.Lock:
    gate = threading.Lock()
    gate.acquire()
    return gate
