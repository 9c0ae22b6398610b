r"""Explicit vectors: rows of a known number of lanes as one value in registers, where vectorisers fall short.

A loop over states whose length is only known at run time is vectorised with half registers, with a loop for
the remainder, and the maxima of a column go to memory and back for each row. A `Vector` is a row of W numbers
that stays in registers; W is the length of a *width*, a tuple of zeros (see `widths`), so it is known to the
compiler. Machines with shorter registers use two or four of them: nothing here requires a single one.

These functions work in kernels only. Each kernel that uses them has a plain version next to it, which is its
test and runs without a compiler.

==========================  =======================================================================
`splat(width, x)`           x in every lane
`load(width, array, at)`    W neighbours of a C-contiguous array from index `at`, a tuple, unchecked
`store(array, at, v)`       the inverse of `load`
`add`, `sub`, `mul`, `div`  lane by lane
`widen(v)`                  v in 64 bits, whatever it had
`larger`, `smaller`         of (a, b), lane by lane ``a if a > b else b``: of NaN and b it is b
`power(v)`                  exp of each lane, of 64 bits and from -700 to 700, to 1e-15 of it
`top(v)`, `bottom(v)`       the largest and the smallest lane; the width is a power of two
`total(v)`                  the sum of the lanes, likewise
==========================  =======================================================================

`largest`, `smallest`, `sum_of`, `exponentials` and `stretch` of a whole array are built from them; those five
work anywhere. With them `chain.marginals` is 1.9 times as fast as with plain loops on 8 x 26,
2.2 times on 25 x 45; max-marginals are as fast without.
"""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from spcviz.engine.kernels.jit import bare_inlined_kernel, bare_kernel, by_type

Width = tuple[int, ...]
"""A tuple of W zeros: the length, a part of its type, is known to the compiler."""

ARE_COMPILED = not numba.config.DISABLE_JIT
"""Whether kernels are compiled: without a compiler there are no vectors."""

_WIDTH, _HALF, _QUARTER = (0,) * 16, (0,) * 8, (0,) * 4

# exp(v) = 2^n exp(r), n the whole number nearest to v / ln 2, r at most half of ln 2 from 0. A number of this
# size has no bits for a fraction: adding it rounds, and leaves n in the lowest bits.
_ROUNDER = 1.5 * 2.0**52
# ln 2 in two parts: n times the first is exact.
_LN2_HIGH, _LN2_LOW = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")
_TERMS = 13
"""Terms of the series of exp(r): the first that is left out is below 1e-17."""


class Vector(types.Type):
    """W lanes of one floating type."""

    def __init__(self, dtype: Any, lanes: int) -> None:
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Vector({dtype}, {lanes})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Vector) -> None:
        element = dmm.lookup(fe_type.dtype).get_value_type()
        super().__init__(dmm, fe_type, ir.VectorType(element, fe_type.lanes))


def _place(context: Any, builder: Any, array_type: Any, array: Any, index_type: Any, index: Any) -> Any:
    """Address of an element."""
    parts = context.make_array(array_type)(context, builder, array)
    index = cgutils.unpack_tuple(builder, index, len(index_type))
    index = [
        context.cast(builder, i, kind, types.intp) for i, kind in zip(index, index_type.types, strict=True)
    ]
    shape, strides = (cgutils.unpack_tuple(builder, a, array_type.ndim) for a in (parts.shape, parts.strides))
    return cgutils.get_item_pointer2(context, builder, parts.data, shape, strides, "C", index)


def _is_row(array: Any, index: Any) -> bool:
    return _has_rows(array) and isinstance(index, types.BaseTuple) and len(index) == array.ndim


@intrinsic
def load(typing: Any, width: Any, array: Any, at: Any) -> Any:
    if not _is_row(array, at):
        return None
    vector = Vector(array.dtype, len(width))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        element = context.get_value_type(array.dtype)
        place = _place(context, builder, array, arguments[1], at, arguments[2])
        place = builder.bitcast(place, ir.VectorType(element, vector.lanes).as_pointer())
        return builder.load(place, align=array.dtype.bitwidth // 8)

    return vector(width, array, at), generate


@intrinsic
def store(typing: Any, array: Any, at: Any, vector: Any) -> Any:
    if not _is_row(array, at) or not isinstance(vector, Vector):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, array, arguments[0], at, arguments[1])
        place = builder.bitcast(place, arguments[2].type.as_pointer())
        builder.store(arguments[2], place, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, at, vector), generate


@intrinsic
def splat(typing: Any, width: Any, x: Any) -> Any:
    if not isinstance(x, types.Float):
        return None
    vector = Vector(x, len(width))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(vector)
        first = builder.insert_element(ir.Constant(kind, ir.Undefined), arguments[1], ir.IntType(32)(0))
        return builder.shuffle_vector(first, first, _picks([0] * vector.lanes))

    return vector(width, x), generate


@intrinsic
def widen(typing: Any, vector: Any) -> Any:
    if not isinstance(vector, Vector):
        return None
    wide = Vector(types.float64, vector.lanes)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if vector == wide:
            return arguments[0]
        return builder.fpext(arguments[0], context.get_value_type(wide))

    return wide(vector), generate


def _picks(lanes: list[int]) -> ir.Constant:
    return ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)


def _pick(sign: str) -> Callable[[Any, Any, Any], Any]:
    """A function of (builder, a, b): the larger lanes for ">", the smaller for "<"."""
    return lambda builder, a, b: builder.select(builder.fcmp_ordered(sign, a, b), a, b)


def _lane_by_lane(operation: Callable[[Any, Any, Any], Any]) -> Any:
    """An intrinsic of two vectors from a function of (builder, a, b)."""

    @intrinsic
    def both(typing: Any, a: Any, b: Any) -> Any:
        if not isinstance(a, Vector) or a != b:
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return operation(builder, *arguments)

        return a(a, b), generate

    return both


add = _lane_by_lane(lambda builder, a, b: builder.fadd(a, b))
sub = _lane_by_lane(lambda builder, a, b: builder.fsub(a, b))
mul = _lane_by_lane(lambda builder, a, b: builder.fmul(a, b))
div = _lane_by_lane(lambda builder, a, b: builder.fdiv(a, b))
larger, smaller = _lane_by_lane(_pick(">")), _lane_by_lane(_pick("<"))


@intrinsic
def power(typing: Any, vector: Any) -> Any:
    if not isinstance(vector, Vector) or vector.dtype != types.float64:
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, (v,) = context.get_value_type(vector), arguments
        whole_kind = ir.VectorType(ir.IntType(64), vector.lanes)

        def every(number: float, of: Any = kind) -> ir.Constant:
            return ir.Constant(of, [number] * vector.lanes)

        shifted = builder.fadd(builder.fmul(v, every(1 / math.log(2))), every(_ROUNDER))
        n = builder.fsub(shifted, every(_ROUNDER))
        r = builder.fsub(builder.fsub(v, builder.fmul(n, every(_LN2_HIGH))), builder.fmul(n, every(_LN2_LOW)))
        series = every(1 / math.factorial(_TERMS))
        for k in range(_TERMS - 1, -1, -1):
            series = builder.fadd(builder.fmul(series, r), every(1 / math.factorial(k)))
        exponent = builder.shl(builder.bitcast(shifted, whole_kind), every(52, whole_kind))
        return builder.bitcast(builder.add(builder.bitcast(series, whole_kind), exponent), kind)

    return vector(vector), generate


def _across(pick: Callable[[Any, Any, Any], Any]) -> Any:
    """An intrinsic of one vector: its lanes' largest, smallest or sum."""

    @intrinsic
    def over_lanes(typing: Any, vector: Any) -> Any:
        if not isinstance(vector, Vector):
            return None

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            (left,) = arguments
            n = vector.lanes
            while n > 1:  # the halves against each other
                n //= 2
                low = builder.shuffle_vector(left, left, _picks(list(range(n))))
                high = builder.shuffle_vector(left, left, _picks(list(range(n, 2 * n))))
                left = pick(builder, low, high)
            return builder.extract_element(left, ir.IntType(32)(0))

        return vector.dtype(vector), generate

    return over_lanes


top, bottom = _across(_pick(">")), _across(_pick("<"))
total = _across(lambda builder, a, b: builder.fadd(a, b))


def largest(values: np.ndarray) -> float:
    """The largest entry of a one-dimensional array without NaN; -inf if it is empty.

    >>> largest(np.array([1.0, 3.0, 2.0]))
    3.0
    """
    most = -np.inf
    for v in values:
        most = v if v > most else most
    return float(most)


def smallest(values: np.ndarray) -> float:
    """The smallest entry, as in `largest`; inf if the array is empty."""
    least = np.inf
    for v in values:
        least = v if v < least else least
    return float(least)


def copy(values: np.ndarray, out: np.ndarray) -> None:
    """Copy one row to another: ``out[:] = values`` also compiles the text of numba's error, for a second.

    >>> out = np.zeros(2)
    >>> copy(np.array([1.0, 3.0]), out)
    >>> out
    array([1., 3.])
    """
    for i in range(len(out)):
        out[i] = values[i]


def sum_of(values: np.ndarray) -> float:
    """The sum of a one-dimensional array; in kernels in parallel lanes, so that none waits.

    >>> sum_of(np.array([1.0, 3.0, 2.0]))
    6.0
    """
    summed = 0.0
    for v in values:
        summed += v
    return float(summed)


@bare_kernel
def _sum_wide(values: np.ndarray) -> float:
    n, summed = len(values), 0.0
    whole = n - n % len(_WIDTH)
    if whole > 0:
        acc = load(_WIDTH, values, (0,))
        for i in range(len(_WIDTH), whole, len(_WIDTH)):
            acc = add(load(_WIDTH, values, (i,)), acc)
        summed = total(acc)
    for i in range(whole, n):
        summed += values[i]
    return summed


@bare_inlined_kernel
def _largest_wide(values: np.ndarray) -> float:
    n, most = len(values), -np.inf
    if n >= len(_WIDTH):
        acc = load(_WIDTH, values, (0,))
        for i in range(len(_WIDTH), n, len(_WIDTH)):  # the last row overlaps the one before
            acc = larger(load(_WIDTH, values, (i if i < n - len(_WIDTH) else n - len(_WIDTH),)), acc)
        return top(acc)
    if n >= len(_HALF):
        return top(larger(load(_HALF, values, (0,)), load(_HALF, values, (n - len(_HALF),))))
    if n >= len(_QUARTER):
        return top(larger(load(_QUARTER, values, (0,)), load(_QUARTER, values, (n - len(_QUARTER),))))
    for v in values:
        most = v if v > most else most
    return most


@bare_kernel
def _smallest_wide(values: np.ndarray) -> float:
    n, least = len(values), np.inf
    if n >= len(_WIDTH):
        acc = load(_WIDTH, values, (0,))
        for i in range(len(_WIDTH), n, len(_WIDTH)):
            acc = smaller(load(_WIDTH, values, (i if i < n - len(_WIDTH) else n - len(_WIDTH),)), acc)
        return bottom(acc)
    if n >= len(_HALF):
        return bottom(smaller(load(_HALF, values, (0,)), load(_HALF, values, (n - len(_HALF),))))
    if n >= len(_QUARTER):
        return bottom(smaller(load(_QUARTER, values, (0,)), load(_QUARTER, values, (n - len(_QUARTER),))))
    for v in values:
        least = v if v < least else least
    return least


def exponentials(values: np.ndarray, shift: float, factor: float, out: np.ndarray) -> None:
    """out[i] = factor x exp(values[i] - shift), from -700 to 700; out, in separate memory, may be longer.

    >>> out = np.zeros(3)
    >>> exponentials(np.array([2.0, 1.0]), 2.0, 3.0, out)
    >>> out.round(2).tolist()
    [3.0, 1.1, 0.0]
    """
    for i in range(len(values)):
        out[i] = factor * math.exp(values[i] - shift)


@bare_kernel
def _exponentials_wide(values: np.ndarray, shift: float, factor: float, out: np.ndarray) -> None:
    n = len(values)
    if n >= len(_HALF):
        for i in range(0, n, len(_HALF)):
            at = (i if i < n - len(_HALF) else n - len(_HALF),)  # the last overlaps the one before
            v = power(sub(load(_HALF, values, at), splat(_HALF, shift)))
            store(out, at, mul(splat(_HALF, factor), v))
    elif n >= len(_QUARTER):
        at = (n - len(_QUARTER),)
        first = power(sub(load(_QUARTER, values, (0,)), splat(_QUARTER, shift)))
        last = power(sub(load(_QUARTER, values, at), splat(_QUARTER, shift)))
        store(out, (0,), mul(splat(_QUARTER, factor), first))
        store(out, at, mul(splat(_QUARTER, factor), last))
    else:
        for i in range(n):
            out[i] = factor * math.exp(values[i] - shift)


def stretch(values: np.ndarray, factor: float) -> None:
    """values[i] *= factor.

    >>> values = np.array([2.0, 1.0])
    >>> stretch(values, 3.0)
    >>> values
    array([6., 3.])
    """
    for i in range(len(values)):
        values[i] *= factor


@bare_inlined_kernel
def _stretch_wide(values: np.ndarray, factor: float) -> None:
    n = len(values)
    if n >= len(_HALF):
        last = mul(load(_HALF, values, (n - len(_HALF),)), splat(_HALF, factor))  # before others overlap it
        for i in range(0, n - len(_HALF), len(_HALF)):
            store(values, (i,), mul(load(_HALF, values, (i,)), splat(_HALF, factor)))
        store(values, (n - len(_HALF),), last)
    else:
        for i in range(n):
            values[i] *= factor


def _has_rows(values: Any) -> bool:
    return isinstance(values, types.Array) and values.layout == "C"


def _are_doubles(*arrays: Any) -> bool:
    return all(_has_rows(array) and array.dtype == types.float64 for array in arrays)


_copy = bare_inlined_kernel(copy)
_largest, _smallest, _sum = bare_inlined_kernel(largest), bare_kernel(smallest), bare_kernel(sum_of)
_exponentials, _stretch = bare_kernel(exponentials), bare_inlined_kernel(stretch)

by_type(copy, lambda values, out: _copy)
by_type(largest, lambda values: _largest_wide if _has_rows(values) else _largest)
by_type(smallest, lambda values: _smallest_wide if _has_rows(values) else _smallest)
by_type(sum_of, lambda values: _sum_wide if _has_rows(values) else _sum)
by_type(
    exponentials,
    lambda values, shift, factor, out: _exponentials_wide if _are_doubles(values, out) else _exponentials,
)
by_type(stretch, lambda values, factor: _stretch_wide if _are_doubles(values) else _stretch)
