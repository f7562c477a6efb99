"""Answers on standard output, one whole line at a time.

Invariant: every line is handed to the operating system in full before the next answer is computed, so that
a reader at the other end of a pipe sees answers as they come, and an interrupt or a crash neither loses nor cuts one
that was printed. One flush a document costs nothing beside parsing it.

This module knows nothing of what the lines say.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from typing import NoReturn

from xylem.cli.interrupts import whole
from xylem.cli.process import OutputClosed, OutputFailed


def json_line(value: object) -> str:
    """One JSON value on one line, spelled the same everywhere: a space after each comma and colon, no escapes
    where UTF-8 will do."""
    return json.dumps(value, ensure_ascii=False)


def print_json(value: object) -> None:
    """One JSON value as one line."""
    print_line(json_line(value))


def print_line(text: str) -> None:
    """One line of text."""
    print_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def print_bytes(data: bytes) -> None:
    """Writes and flushes; a closed or failing output becomes one of the two named exceptions."""
    try:
        stream = sys.stdout.buffer
        left = memoryview(data)
        with whole():
            # Under PYTHONUNBUFFERED the stream is a bare file, which may take less than it was given.
            while left:
                left = left[stream.write(left) or _stuck() :]
            stream.flush()
    except BrokenPipeError as error:
        raise OutputClosed from error
    except OSError as error:
        raise OutputFailed(error.strerror or str(error)) from error
    except (AttributeError, ValueError) as error:  # standard output was closed before the start: `>&-`
        raise OutputFailed("standard output is closed") from error


def _stuck() -> NoReturn:
    raise BlockingIOError(errno.EAGAIN, "standard output takes nothing more, and does not wait")


def readable(name: str) -> str:
    """A file's name as text that any reader of JSON takes: bytes that are no UTF-8 come out as \\xNN."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
