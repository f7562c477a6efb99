"""Raw memory for C callbacks: loads, stores, copies and calls at addresses.

A callback that C runs in the middle of a parse can neither allocate a NumPy array nor raise, so it works
on blocks from the C heap by address. Addresses are plain 64-bit integers; the C functions are those of the
process's own C library, found by name, so that compiled code can be cached on disk.

This module knows nothing of XML.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from xylem.kernels import inlined

I64 = types.int64

# Addresses are sums of integers, and LLVM may take any summand for the pointer and the rest for an offset. If that
# summand is zero, it holds the access for one through a null pointer, which in the ordinary address space "cannot
# happen", and deletes it. In any other address space it can; x86-64 and AArch64 give the number 1 no other meaning.
_SPACE = 1


def _c(name: str, signature: Any) -> Any:
    return types.ExternalFunction(name, signature)


strlen: Callable[[int], int] = _c("strlen", I64(I64))
memcpy: Callable[[int, int, int], int] = _c("memcpy", I64(I64, I64, I64))
malloc: Callable[[int], int] = _c("malloc", I64(I64))
realloc: Callable[[int, int], int] = _c("realloc", I64(I64, I64))
free: Callable[[int], None] = _c("free", types.void(I64))


def _load(width: int, result: Any) -> Any:
    def load(typing_context: Any, address: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], ir.IntType(width).as_pointer(_SPACE))
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
            pointer = builder.inttoptr(arguments[0], ir.IntType(width).as_pointer(_SPACE))
            value = arguments[1] if width == 64 else builder.trunc(arguments[1], ir.IntType(width))
            builder.store(value, pointer, align=1)
            return context.get_dummy_value()

        return types.void(I64, I64), build

    return intrinsic(store)


load_byte: Callable[[int], int] = _load(8, I64)
load_int: Callable[[int], int] = _load(32, I64)
load_word: Callable[[int], int] = _load(64, I64)
store_byte: Callable[[int, int], None] = _store(8)
store_int: Callable[[int, int], None] = _store(32)
store_word: Callable[[int, int], None] = _store(64)


@inlined
def short_word(address: int, length: int) -> int:
    """The bytes of a string shorter than eight as one word; different for different strings of a length."""
    if length >= 4:
        return (load_int(address) << 32) ^ (load_int(address + length - 4) & 0xFFFFFFFF)
    if length == 0:
        return 0
    return (load_byte(address) << 16) | (load_byte(address + (length >> 1)) << 8) | load_byte(address + length - 1)


@inlined
def equal_bytes(a: int, b: int, length: int) -> bool:
    """Whether two strings of a length are equal; names are too short for a call of memcmp to pay."""
    if length < 8:
        return bool(short_word(a, length) == short_word(b, length))
    position = 0
    last = length - 8
    while position < last:
        if load_word(a + position) != load_word(b + position):
            return False
        position += 8
    return bool(load_word(a + last) == load_word(b + last))


@inlined
def copy_bytes(target: int, source: int, length: int) -> None:
    """Copies a piece of text; most pieces are a few bytes, for which a call of memcpy is too much."""
    if length > 32:
        memcpy(target, source, length)
        return
    if length < 8:
        for position in range(length):
            store_byte(target + position, load_byte(source + position))
        return
    last = length - 8
    for position in range(0, last, 8):
        store_word(target + position, load_word(source + position))
    store_word(target + last, load_word(source + last))


def _call(arity: int) -> Any:
    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = [ir.IntType(64)] * arity
        pointer = ir.FunctionType(ir.IntType(64), words).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], pointer), arguments[1:])

    return I64(*[I64] * (arity + 1)), build


# One function for each number of arguments that expat's functions have: C passes integers and pointers alike in
# 64-bit registers on the platforms that the capsule is used on. What a void function returns means nothing.


@intrinsic
def _call_1(typing_context: Any, function: Any, a: Any) -> Any:
    return _call(1)


@intrinsic
def _call_2(typing_context: Any, function: Any, a: Any, b: Any) -> Any:
    return _call(2)


@intrinsic
def _call_3(typing_context: Any, function: Any, a: Any, b: Any, c: Any) -> Any:
    return _call(3)


@intrinsic
def _call_4(typing_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return _call(4)


call_1: Callable[[int, int], int] = cast(Any, _call_1)
call_2: Callable[[int, int, int], int] = cast(Any, _call_2)
call_3: Callable[[int, int, int, int], int] = cast(Any, _call_3)
call_4: Callable[[int, int, int, int, int], int] = cast(Any, _call_4)
