"""Replacements in kernels for numba's ``max``, ``min``, ``np.zeros`` and ``np.full``.

Numba compiles its own again for each set of options of a caller, ``np.zeros`` in three parts. Here the larger
of two numbers is an instruction or two in the caller, and arrays are filled by a kernel, compiled once.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.core import types
from numba.extending import lower_builtin, type_callable

from spcviz.engine.kernels.jit import by_type, kernel

Number = TypeVar("Number", int, float)


def larger_of(a: Number, b: Number) -> Number:
    """The larger of two numbers, the first of equals: ``max`` for kernels.

    >>> larger_of(2, 3)
    3
    """
    return b if b > a else a


def smaller_of(a: Number, b: Number) -> Number:
    """The smaller of two numbers, the first of equals: ``min`` for kernels.

    >>> smaller_of(2, 3)
    2
    """
    return b if b < a else a


def _instruct(function: Callable[..., Any], sign: str) -> None:
    """In kernels: compare, then select."""

    @type_callable(function)
    def _give_type(typing: Any) -> Callable[..., Any]:
        def signature_of(a: Any, b: Any) -> Any:
            both = typing.unify_types(types.unliteral(a), types.unliteral(b))
            is_signed = isinstance(both, types.Integer) and both.signed
            return both(both, both) if is_signed or isinstance(both, types.Float) else None

        return signature_of

    @lower_builtin(function, types.Number, types.Number)
    def _lower_call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = arguments
        compare = (
            builder.fcmp_ordered if isinstance(signature.return_type, types.Float) else builder.icmp_signed
        )
        return builder.select(compare(sign, b, a), b, a)


_instruct(larger_of, ">")
_instruct(smaller_of, "<")


def fill_new(shape: Any, dtype: Any, value: Any) -> np.ndarray:
    """A new array (of a given length, or of a tuple's shape) filled with `value`.

    >>> fill_new(2, np.int64, 1)
    array([1, 1])
    """
    out = np.empty(shape, dtype)
    out[:] = value
    return out


_filled = kernel(fill_new)
by_type(fill_new, lambda shape, dtype, value: _filled)
