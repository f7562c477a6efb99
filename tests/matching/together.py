"""Several threads at once: none may fail, and none may wait for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable


def together(patience_s: float, *tasks: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def guarded(task: Callable[[], None]) -> None:
        try:
            task()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(task,), daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(patience_s)
        assert not thread.is_alive(), "somebody waits for ever"
    assert failures == []
