"""Raw memory for C callbacks: loads, stores, copies and calls at addresses.

A callback that C runs in the middle of a parse can neither allocate a NumPy array nor raise, so it works
on blocks from the C heap by address. Addresses are plain 64-bit integers; the C functions are those of the
process's own C library, found by name, so that compiled code can be cached on disk.

This module knows nothing of XML.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

I64 = types.int64

strlen: Any = types.ExternalFunction("strlen", I64(I64))
memcpy: Any = types.ExternalFunction("memcpy", I64(I64, I64, I64))
memcmp: Any = types.ExternalFunction("memcmp", types.int32(I64, I64, I64))
malloc: Any = types.ExternalFunction("malloc", I64(I64))
realloc: Any = types.ExternalFunction("realloc", I64(I64, I64))
free: Any = types.ExternalFunction("free", types.void(I64))


def _load(width: int, result: Any) -> Any:
    def load(typing_context: Any, address: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(width).as_pointer())
            # Words inside a name start anywhere, so the load must not promise an alignment.
            value = builder.load(pointer, align=1)
            if width == 64:
                return value
            extend = builder.zext if width == 8 else builder.sext
            return extend(value, ir.IntType(64))

        return result(I64), build

    return intrinsic(load)


def _store(width: int) -> Any:
    def store(typing_context: Any, address: Any, value: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(width).as_pointer())
            value = arguments[1] if width == 64 else builder.trunc(arguments[1], ir.IntType(width))
            builder.store(value, pointer, align=1)
            return context.get_dummy_value()

        return types.void(I64, I64), build

    return intrinsic(store)


load_byte: Any = _load(8, I64)
load_int: Any = _load(32, I64)
load_word: Any = _load(64, I64)
store_int: Any = _store(32)


def _build_call(result: Any) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = [ir.IntType(64)] * (len(arguments) - 1)
        function = ir.FunctionType(ir.IntType(64) if result else ir.VoidType(), words)
        value = builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])
        return value if result else context.get_dummy_value()

    return build


# One function for each shape that expat's functions have: C passes integers and pointers alike in 64-bit
# registers on the platforms that the capsule is used on.


@intrinsic  # type: ignore[untyped-decorator]
def call_1(typing_context: Any, function: Any, a: Any) -> Any:
    return I64(I64, I64), _build_call(True)


@intrinsic  # type: ignore[untyped-decorator]
def call_2(typing_context: Any, function: Any, a: Any, b: Any) -> Any:
    return I64(I64, I64, I64), _build_call(True)


@intrinsic  # type: ignore[untyped-decorator]
def call_3(typing_context: Any, function: Any, a: Any, b: Any, c: Any) -> Any:
    return I64(I64, I64, I64, I64), _build_call(True)


@intrinsic  # type: ignore[untyped-decorator]
def call_4(typing_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return I64(I64, I64, I64, I64, I64), _build_call(True)
