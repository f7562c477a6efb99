"""The addresses of expat's functions, out of the capsule that CPython exports for C extensions.

`pyexpat.expat_CAPI` holds a struct (Include/pyexpat.h) that only ever grows at its end: a magic
string, its own size, expat's version, and function pointers. Everything is checked before it is believed;
when the capsule is missing, has another magic, is shorter than expected, or this is no machine whose integers and
pointers the handlers know how to pass, `expat()` is None and the plain reader takes over.

This module knows nothing of what the functions are used for.
"""

from __future__ import annotations

import ctypes
import functools
import platform
from dataclasses import dataclass

_NAME = b"pyexpat.expat_CAPI"
_MAGIC = b"pyexpat.expat_CAPI 1.1"

# Where C passes integers and pointers alike in 64-bit registers, and raw memory is read as `memory.py` does it.
_MACHINES = frozenset({"x86_64", "AMD64", "aarch64", "arm64"})

_FUNCTIONS = (
    "error_string",
    "get_error_code",
    "get_column",
    "get_line",
    "parse",
    "create",
    "free",
    "set_character_data",
    "set_comment",
    "set_default_expand",
    "set_element",
    "set_namespace_declaration",
    "set_processing_instruction",
    "set_unknown_encoding",
    "set_user_data",
    "set_doctype",
    "set_encoding",
    "default_unknown_encoding",
    "set_hash_salt",
)


class _Capsule(ctypes.Structure):
    _fields_ = (
        ("magic", ctypes.c_char_p),
        ("size", ctypes.c_int),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("micro", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in _FUNCTIONS),
    )


@dataclass(frozen=True, slots=True)
class Expat:
    """Version and function addresses of the expat that CPython carries."""

    version: tuple[int, int, int]
    functions: dict[str, int]

    def message(self, code: int) -> str:
        """Expat's own words for an error code."""
        describe = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int)(self.functions["error_string"])
        text: bytes | None = describe(code)
        return text.decode() if text else f"unknown error {code}"


@functools.cache
def expat() -> Expat | None:
    """The functions behind the capsule, or None when they cannot be trusted."""
    try:
        import pyexpat

        capsule = pyexpat.expat_CAPI
        prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
        address = prototype(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, _NAME)
    except (ImportError, AttributeError, ValueError):
        return None
    return _checked(_Capsule.from_address(address)) if address and _known_machine() else None


def _known_machine() -> bool:
    words = (ctypes.c_void_p, ctypes.c_long, ctypes.c_size_t)
    return platform.machine() in _MACHINES and all(ctypes.sizeof(word) == 8 for word in words)


def _checked(api: _Capsule) -> Expat | None:
    if api.magic != _MAGIC or api.size < ctypes.sizeof(_Capsule):
        return None
    functions = {name: getattr(api, name) for name in _FUNCTIONS}
    if any(not address for address in functions.values()):
        return None
    return Expat((api.major, api.minor, api.micro), functions)
