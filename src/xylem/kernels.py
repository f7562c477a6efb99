"""How Xylem compiles its hot loops: one decorator for kernels, one for C callbacks.

Kernels see arrays and scalars only, release the GIL, and are cached on disk, so that the second
start does not compile. Numba itself is imported with the first kernel module: what needs no kernel
(the language, the command line's help) starts without it.

`on_first_compile` lets a program tell its user why the first run takes a while; libraries stay
silent unless asked.

A cached kernel holds the code of the helpers that were compiled into it, wherever they stand, and Numba looks only
at the file of the kernel itself. So the cache has a folder for each state of the package's sources, and
nothing stale is ever loaded.

This module knows nothing of what the kernels do.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

KEPT_CACHES = 3  # states of a module whose kernels stay on disk


class _Caches:
    """Where the kernels of each module are kept: a folder for each state of the module and of all modules of the
    package that it imports, directly or not."""

    def __init__(self) -> None:
        self._package = Path(__file__).parent
        self._base = self._writable_base()
        self._sources: dict[str, tuple[bytes, list[str]]] = {}
        self._folders: dict[str, str] = {}

    def _writable_base(self) -> Path:
        """Beside the sources, or the user's folder when those cannot be written, or one for this process."""
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        for base in (self._package / "__pycache__" / "kernels", Path(home) / "xylem" / "kernels"):
            try:
                base.mkdir(parents=True, exist_ok=True)
            except OSError:
                continue
            if os.access(base, os.W_OK):
                return base
        base = Path(tempfile.mkdtemp(prefix="xylem-kernels-"))
        atexit.register(shutil.rmtree, base, ignore_errors=True)
        return base

    def folder(self, module: str) -> str:
        if module not in self._folders:
            state = hashlib.sha256(numba.__version__.encode())
            for name in sorted(self._closure(module)):
                state.update(self._source(name)[0])
            folder = self._base / f"{module}-{state.hexdigest()[:16]}"
            if not folder.is_dir():
                self._forget_old(module)
            self._folders[module] = str(folder)
        return self._folders[module]

    def _closure(self, module: str) -> set[str]:
        found: set[str] = set()
        waiting = [module]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._source(name)[1]
        return found

    def _source(self, module: str) -> tuple[bytes, list[str]]:
        """A module's text and the modules of the package that it names; nothing for what is none."""
        if module not in self._sources:
            path = self._package.parent.joinpath(*module.split(".")).with_suffix(".py")
            text = path.read_bytes() if path.is_file() else b""
            self._sources[module] = (text, [name.decode() for name in _IMPORTED.findall(text)])
        return self._sources[module]

    def _forget_old(self, module: str) -> None:
        states = sorted(self._base.glob(f"{module}-{'?' * 16}"), key=lambda path: path.stat().st_mtime_ns)
        for old in states[: 1 - KEPT_CACHES]:
            shutil.rmtree(old, ignore_errors=True)


_IMPORTED = re.compile(rb"^\s*from (xylem[.\w]*) import", re.MULTILINE)
_caches = _Caches()


def _compiled(function: F, compiler: Callable[[F], Any]) -> Any:
    """Applies one of Numba's decorators with the cache in the folder of the function's module."""
    if "NUMBA_CACHE_DIR" not in os.environ:
        _config.CACHE_DIR = _caches.folder(function.__module__)
    return compiler(function)


# Numba's own annotations name neither this setting nor every option of its decorators.
_config: Any = numba.config
_njit: Any = numba.njit
_plain_jit: Any = _njit(nogil=True, cache=True, error_model="numpy", _nrt=False)
_quick_jit: Any = _njit(cache=True, error_model="numpy", _nrt=False)
_allocating_jit: Any = _njit(nogil=True, cache=True, error_model="numpy")


def kernel(function: F) -> F:
    """Compiles a function over arrays and scalars on first use. It may not allocate arrays: without that, arrays need
    no reference counts, which cost more than the work when dozens of arrays are handed from function to function."""
    return cast(F, _compiled(function, _plain_jit))


def quick_kernel(function: F) -> F:
    """The same for a few microseconds of work: it keeps the GIL, because threads that let go of it that often wait
    for each other longer than they work."""
    return cast(F, _compiled(function, _quick_jit))


def allocating_kernel(function: F) -> F:
    """The same for a function that makes arrays of its own."""
    return cast(F, _compiled(function, _allocating_jit))


def inlined(function: F) -> F:
    """A small helper of kernels; compiled into its callers by LLVM, not called from Python."""
    return cast(F, _compiled(function, _plain_jit))


def callback(signature: Any) -> Callable[[F], Any]:
    """Compiles a C callback; `.address` of the result is what C libraries take."""
    return lambda function: _compiled(function, numba.cfunc(signature, cache=True))


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
