"""Running the command: inside this process where that will do, as a process of its own where it must."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Command = Callable[..., Result]
Files = Callable[[dict[str, str | bytes]], None]


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """The command as a process of its own. It listens to interrupts, as from a terminal: tests that a shell has put
    into the background pass on that it ignores them."""
    command = [sys.executable, "-m", "xylem", *map(str, arguments)]
    return subprocess.Popen(command, preexec_fn=_listening, **options)


def _listening() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
