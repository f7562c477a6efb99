"""Structures of arrays for kernels, handed over as one address.

A kernel that works on dozens of arrays should not be given dozens of arguments: Numba unpacks each array on
every call from Python, copies seven words of it with every call between kernels, and compiles slowly for it. So a named
tuple of arrays is written once into a block of words, two for each array (where it begins, how many elements
it has), and kernels take the block's address:

    class Pair(NamedTuple):
        left: npt.NDArray[np.int32]
        right: npt.NDArray[np.float64]

    pair_at = frame_at(Pair)

    @kernel
    def add(address):
        pair = pair_at(address)
        for at in range(len(pair.left)):
            pair.right[at] += pair.left[at]

    frame = Frame(Pair(…))
    add(frame.address)

In a kernel, `pair.left` is a *column*: it has a length, elements and slices like an array, but no negative
indices, no bounds checks and no owner. Tuples may hold tuples.

Invariant: the words of a frame do not change while a kernel runs with it.

This module knows nothing of what the arrays mean.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast, get_args, get_type_hints

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import intrinsic, models, register_model

from xylem.kernels import kernel

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])

_I64 = ir.IntType(64)
_WORD_BYTES = 8

# Addresses are integers here, and LLVM takes one that it can prove zero for a null pointer, through which nothing "can"
# be accessed in the ordinary address space; see document/memory.py.
_SPACE = 1


class ColumnType(types.Type):
    """An array within a frame, as kernels see it."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"xylem.Column({dtype})")


class FrameType(types.Type):
    """The address of a block of words that describe a named tuple's arrays."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.fields: dict[str, tuple[Any, int]] = {}
        self.words = 0
        for field, kind in fields:
            self.fields[field] = (kind, self.words)
            self.words += kind.words if isinstance(kind, FrameType) else 2
        layout = ", ".join(f"{field}: {kind}" for field, kind in fields)
        super().__init__(name=f"xylem.Frame({name}: {layout})")


@register_model(FrameType)
class _FrameModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: FrameType) -> None:
        super().__init__(manager, kind, _I64)


@register_model(ColumnType)
class _ColumnModel(models.StructModel):
    def __init__(self, manager: Any, kind: ColumnType) -> None:
        super().__init__(manager, kind, [("address", types.int64), ("size", types.int64)])


@infer_getattr
class _FieldTyping(AttributeTemplate):
    key = FrameType

    def generic_resolve(self, frame: Any, name: Any) -> Any:  # type: ignore[override]
        return frame.fields[name][0] if name in frame.fields else None


@lower_getattr_generic(FrameType)
def _lower_field(context: Any, builder: Any, frame: FrameType, value: Any, name: str) -> Any:
    kind, at = frame.fields[name]
    place = builder.add(value, _I64(at * _WORD_BYTES))
    if isinstance(kind, FrameType):
        return place
    return _column(
        context, builder, kind, _load_word(builder, place), _load_word(builder, builder.add(place, _I64(_WORD_BYTES)))
    )


def _load_word(builder: Any, place: Any) -> Any:
    word = builder.load(builder.inttoptr(place, _I64.as_pointer(_SPACE)))
    # Frames do not change while a kernel runs, so that no store into a column makes LLVM load this again.
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def _column(context: Any, builder: Any, kind: ColumnType, address: Any, size: Any) -> Any:
    column = cgutils.create_struct_proxy(kind)(context, builder)
    column.address, column.size = address, size
    return column._getvalue()


def _unpacked(context: Any, builder: Any, kind: ColumnType, value: Any) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, value=value)


def _element(context: Any, builder: Any, kind: ColumnType, value: Any, index_kind: Any, index: Any) -> Any:
    """A pointer to an element."""
    at = context.cast(builder, index, index_kind, types.int64)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    address = builder.add(_unpacked(context, builder, kind, value).address, builder.mul(at, _I64(size)))
    return builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer(_SPACE))


@infer_global(operator.getitem)
class _GetTyping(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        column, index = arguments
        if isinstance(column, ColumnType) and isinstance(index, types.Integer):
            return signature(column.dtype, column, index)
        if isinstance(column, ColumnType) and isinstance(index, types.SliceType) and not index.has_step:
            return signature(column, column, index)
        return None


@lower_builtin(operator.getitem, ColumnType, types.Integer)
def _lower_get(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    kind, index_kind = sig.args
    pointer = _element(context, builder, kind, arguments[0], index_kind, arguments[1])
    return context.data_model_manager[kind.dtype].from_data(builder, builder.load(pointer))


@lower_builtin(operator.getitem, ColumnType, types.SliceType)
def _lower_slice(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    kind = sig.args[0]
    column = _unpacked(context, builder, kind, arguments[0])
    part = cgutils.create_struct_proxy(sig.args[1])(context, builder, value=arguments[1])
    stop = builder.select(builder.icmp_signed("<", part.stop, column.size), part.stop, column.size)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    address = builder.add(column.address, builder.mul(part.start, _I64(size)))
    return _column(context, builder, kind, address, builder.sub(stop, part.start))


@infer_global(operator.setitem)
class _SetTyping(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        column, index, _ = arguments
        if isinstance(column, ColumnType) and isinstance(index, types.Integer):
            return signature(types.none, column, index, column.dtype)
        return None


@lower_builtin(operator.setitem, ColumnType, types.Integer, types.Any)
def _lower_set(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    kind, index_kind, value_kind = sig.args
    pointer = _element(context, builder, kind, arguments[0], index_kind, arguments[1])
    value = context.cast(builder, arguments[2], value_kind, kind.dtype)
    builder.store(context.data_model_manager[kind.dtype].as_data(builder, value), pointer)
    return context.get_dummy_value()


@infer_global(len)
class _LengthTyping(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        return signature(types.int64, arguments[0]) if isinstance(arguments[0], ColumnType) else None


@lower_builtin(len, ColumnType)
def _lower_length(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return _unpacked(context, builder, sig.args[0], arguments[0]).size


def _type_of(arrays: type[tuple[Any, ...]]) -> FrameType:
    """The frame of a named tuple, from the annotations of its fields."""
    fields: list[tuple[str, Any]] = []
    for name, annotation in get_type_hints(arrays).items():
        if hasattr(annotation, "_fields"):
            fields.append((name, _type_of(annotation)))
        else:
            dtype = get_args(get_args(annotation)[1])[0]
            fields.append((name, ColumnType(from_dtype(np.dtype(dtype)))))
    return FrameType(arrays.__name__, tuple(fields))


def frame_at(arrays: type[tuple[Any, ...]]) -> Callable[[int], Any]:
    """For kernels: what makes a frame of an address."""
    kind = _type_of(arrays)

    def at(typing_context: Any, address: Any) -> Any:
        def build(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            return arguments[0]

        return kind(types.int64), build

    return cast(Callable[[int], Any], intrinsic(at))


def _describing(typing_context: Any, arrays: Any, address: Any) -> Any:
    def build(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        place = arguments[1]
        for kind, value in _flattened(builder, sig.args[0], arguments[0]):
            array = context.make_array(kind)(context, builder, value)
            for word in (builder.ptrtoint(array.data, _I64), array.nitems):
                builder.store(word, builder.inttoptr(place, _I64.as_pointer()))
                place = builder.add(place, _I64(_WORD_BYTES))
        return context.get_dummy_value()

    return types.void(arrays, types.int64), build


_describe: Any = intrinsic(_describing)


def _flattened(builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    if not isinstance(kind, types.BaseTuple):
        return [(kind, value)]
    inner_kinds: Any = kind
    return [
        pair
        for inner, part in zip(inner_kinds.types, cgutils.unpack_tuple(builder, value), strict=True)
        for pair in _flattened(builder, inner, part)
    ]


@kernel
def describe(arrays: tuple[Any, ...], address: int) -> None:
    """Writes a frame's words to an address."""
    _describe(arrays, address)


def words_of(arrays: tuple[Any, ...]) -> int:
    """How many words the frame of a named tuple has."""
    return sum(words_of(part) if isinstance(part, tuple) else 2 for part in arrays)


class Frame(Generic[Arrays]):
    """A named tuple of arrays and its words. Setting `arrays` writes the words anew, at the same address."""

    __slots__ = ("_arrays", "_words", "address")

    def __init__(self, arrays: Arrays) -> None:
        self._words: npt.NDArray[np.int64] = np.zeros(words_of(arrays), np.int64)
        self.address = int(self._words.ctypes.data)
        self.arrays = arrays

    @property
    def arrays(self) -> Arrays:
        return self._arrays

    @arrays.setter
    def arrays(self, arrays: Arrays) -> None:
        self._arrays = arrays
        describe(arrays, self.address)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Frame, (self._arrays,))
