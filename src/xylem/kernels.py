"""How Xylem compiles its hot loops: one decorator for kernels, one for C callbacks.

Kernels see arrays and scalars only, release the GIL, and are cached on disk, so that the second
start does not compile. Numba itself is imported with the first kernel module: what needs no kernel
(the language, the command line's help) starts without it.

`on_first_compile` lets a program tell its user why the first run takes a while; libraries stay
silent unless asked.

This module knows nothing of what the kernels do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compiles a function over arrays and scalars on first use."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))


def inlined(function: F) -> F:
    """A small helper of kernels; compiled into its callers by LLVM, not called from Python."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", inline="never")(function))


def callback(signature: Any) -> Callable[[F], Any]:
    """Compiles a C callback; `.address` of the result is what C libraries take."""
    return cast(Callable[[F], Any], numba.cfunc(signature, cache=True))


class _FirstCompile(event.Listener):
    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce: Callable[[], None] | None = announce

    def on_start(self, event: Any) -> None:
        if self._announce is not None:
            announce, self._announce = self._announce, None
            announce()

    def on_end(self, event: Any) -> None:
        pass


def on_first_compile(announce: Callable[[], None]) -> None:
    """Calls `announce` once, when a kernel is compiled because no cached one was found."""
    event.register("numba:compile", _FirstCompile(announce))  # type: ignore[no-untyped-call]
