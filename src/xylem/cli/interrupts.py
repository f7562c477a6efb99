"""Ctrl-C while a line is being written: the line is finished first.

An interrupt in the middle of a write would leave half a line behind, and nobody could say how much of it went out.
Inside `whole()` the first one therefore waits until the block ends. A second one does not wait: whoever presses again
wants out, even if the other end of the pipe has stopped reading.

This module knows nothing of what is written.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_held = False
_asked = False
_raised = False


def listen() -> None:
    """Takes over Python's own handling of interrupts; where they are ignored, they stay ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


@contextmanager
def whole() -> Iterator[None]:
    """A block that an interrupt does not cut short. One that came before and was swallowed on the way, as callbacks
    from C swallow whatever is raised in them, is raised here."""
    global _held, _asked
    if _raised:
        raise KeyboardInterrupt
    _held = True
    try:
        yield
    finally:
        _held = False
        asked, _asked = _asked, False
    if asked:
        _raise()


def raised() -> bool:
    """Whether an interrupt was raised, whatever became of it: out of a library's cleaning up, it may come as another
    error (Numba does that in the middle of compiling)."""
    return _raised


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _asked
    if _held and not _asked:
        _asked = True
        return
    _raise()


def _raise() -> NoReturn:
    global _raised
    _raised = True
    raise KeyboardInterrupt
