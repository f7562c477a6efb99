"""A bar on standard error for work that takes more than a moment; nothing at all where nobody watches.

The bar appears after a second, so that quick commands neither flicker nor pay for importing what draws it.
It never touches standard output.

This module knows nothing of the work.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PATIENCE_S = 1.0
_REDRAW_S = 0.1


class Progress:
    """`with Progress("documents", total) as progress: … progress.advance()`; `total` None when unknown."""

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._due = time.monotonic() + _PATIENCE_S if watched() else float("inf")

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)
            self._bar.stop()

    def advance(self) -> None:
        """One more is done."""
        self._done += 1
        if time.monotonic() >= self._due:
            self._draw()

    def _draw(self) -> None:
        self._due = time.monotonic() + _REDRAW_S
        if self._bar is None:
            self._bar, self._task = self._begin()
        if self._task is not None:
            self._bar.update(self._task, completed=self._done)

    def _begin(self) -> tuple[Bar, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        bar = Bar(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        bar.start()
        return bar, bar.add_task(self._what, total=self._total)


def watched() -> bool:
    """Whether a person watches standard error."""
    return sys.stderr is not None and sys.stderr.isatty()
