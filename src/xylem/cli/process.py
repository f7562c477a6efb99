"""What the command owes to the process around it: exit codes, signals, and no trace-backs.

Whatever happens inside a command ends here as one exit code and, where something went wrong, one sentence on
standard error. Only an error that nobody foresaw asks for a report; `XYLEM_DEBUG=1` shows its trace-back.

This module knows nothing of what the commands do; importing it imports none of them.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from enum import IntEnum
from typing import NoReturn

from xylem.cli.interrupts import listen, raised
from xylem.errors import SubscriptionFileError, UsageError


class ExitCode(IntEnum):
    """What a command ends with. Where both apply, REJECTED_DOCUMENTS wins over REJECTED_SUBSCRIPTIONS."""

    FINE = 0
    FAILED = 1  # an error that nobody foresaw, or a check that did not hold
    USAGE = 2
    REJECTED_DOCUMENTS = 3
    REJECTED_SUBSCRIPTIONS = 4
    OUTPUT = 74  # the output could not be written (the number that sysexits.h gives to such errors)
    INTERRUPTED = 130  # 128 + SIGINT
    CLOSED = 141  # 128 + SIGPIPE: whoever read the output has left


# What a file system answers when it has no room left, wherever it was that a command wrote.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class OutputClosed(Exception):
    """Whoever read the output has left, as in `| head`: nothing to complain about."""


class OutputFailed(Exception):
    """The output cannot be written; the message says why."""


def say(message: str) -> None:
    """One line for a person, on standard error. A standard error that is closed or full is no reason to fail."""
    try:
        print(message, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        _silence("stderr")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and ends the process."""
    listen()
    code = run(sys.argv[1:] if arguments is None else arguments)
    try:
        if sys.stdout is not None:  # it is when the command was started with `>&-`
            sys.stdout.flush()
    except BrokenPipeError:
        code = ExitCode.CLOSED
        _silence("stdout")
    except (OSError, ValueError) as error:
        say(f"xylem: the output could not be written: {_reason(error)}")
        code = ExitCode.OUTPUT
        _silence("stdout")
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs the command line; returns the exit code."""
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt:
        say("xylem: interrupted")
        return ExitCode.INTERRUPTED
    except (OutputClosed, BrokenPipeError):
        _silence("stdout")
        return ExitCode.CLOSED
    except OutputFailed as error:
        _silence("stdout")
        say(f"xylem: the output could not be written: {error}")
        return ExitCode.OUTPUT
    except (UsageError, SubscriptionFileError) as error:
        say(f"xylem: {error}")
        return ExitCode.USAGE
    except OSError as error:
        if error.errno not in _NO_ROOM:
            return _unforeseen(error)
        _silence("stdout")
        say(f"xylem: the output could not be written: {error.strerror}")
        return ExitCode.OUTPUT
    except MemoryError:
        say("xylem: out of memory; --limit bytes=N bounds how large a document may be")
        return ExitCode.FAILED
    except Exception as error:
        if raised():
            say("xylem: interrupted")
            return ExitCode.INTERRUPTED
        return _unforeseen(error)


def _dispatch(arguments: Sequence[str]) -> int:
    # Typer is imported here, so that an interrupt during a slow start ends in `run` as well.
    import typer

    from xylem.cli.app import app

    try:
        result = app(list(arguments), prog_name="xylem", standalone_mode=False)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "xylem"
        say(f"xylem: {error.format_message()}")
        say(f"       {command} --help shows how it is used")
        return ExitCode.USAGE
    except typer.Abort:
        return ExitCode.INTERRUPTED
    if result == ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    return result if isinstance(result, int) else ExitCode.FINE


def _unforeseen(error: Exception) -> int:
    if os.environ.get("XYLEM_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exc()
    detail = " ".join(str(error).split())
    say(f"xylem: an unexpected error: {type(error).__name__}{': ' + detail if detail else ''}")
    say("       This is a fault of xylem. Please report it with the output of the same command under XYLEM_DEBUG=1.")
    return ExitCode.FAILED


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _silence(name: str) -> None:
    """Lets what is still buffered go nowhere, so that the interpreter's own flush at the end is quiet."""
    stream = getattr(sys, name)
    try:
        descriptor = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        setattr(sys, name, None)
