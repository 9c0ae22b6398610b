"""Decorators of kernels: the one place that decides how they compile.

`spcviz.engine.kernels.kernel_cache` decides where compiled kernels are stored.

Flags: -inf means "pruned", so `nnan` and `ninf` must stay off; ``fastmath=True`` would let LLVM
fold ``score == -inf`` to False. `strict_kernel` has no flags at all: its rounding is that of plain
IEEE arithmetic and so equals numpy's and JavaScript's to the last bit.

Numba compiles a literal number in a call from kernel to kernel into a separate copy of the callee: ``f(1)``,
``f(-1)`` and ``f(n)`` are three compilations. ``f(np.int64(1))`` and ``f(n)`` are one. Functions that are not
kernels (``max``, ``np.empty``, `plain_kernel`, functions of numba's `overload`) it compiles again for each
set of options of the kernels that call them, and caches none of them on disk.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import types
from numba.extending import lower_builtin, register_jitable, type_callable

from spcviz.engine.kernels import kernel_cache, placing

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
"""A decorated function: to a reader and a type checker it stays what it was."""

SAFE_FLAGS = {"nsz", "arcp", "contract", "afn"}


def _compile(function: Kernel, flags: set[str] | bool, **options: Any) -> Kernel:
    # Nobody calls a kernel from C: without that wrapper each compiles a tenth faster.
    options |= {"nogil": True, "fastmath": flags, "no_cfunc_wrapper": True}
    with placing.place_kernels():
        return numba.njit(cache=kernel_cache.folder() is not None, **options)(function)


def kernel(function: Kernel) -> Kernel:
    """Compile a serial kernel: releases the GIL, cached on disk, -inf safe."""
    return _compile(function, SAFE_FLAGS)


def strict_kernel(function: Kernel) -> Kernel:
    """Like `kernel`, with IEEE rounding: for arithmetic that another language must repeat."""
    return _compile(function, False)


def inlined_kernel(function: Kernel) -> Kernel:
    """A kernel for inner loops of other kernels: passing arrays to a call costs more than a look-up."""
    return _compile(function, SAFE_FLAGS, forceinline=True)


def spliced_kernel(function: Kernel) -> Kernel:
    """A few lines of other kernels: numba splices them in before it compiles those, which takes less time."""
    return _compile(function, SAFE_FLAGS, inline="always")


def bare_kernel(function: Kernel) -> Kernel:
    """A kernel that allocates nothing and returns no array: compiled without reference counting.

    Counting them for tuples of many arrays takes longer than loops over a few elements.
    """
    return _compile(function, SAFE_FLAGS, _nrt=False)


def bare_inlined_kernel(function: Kernel) -> Kernel:
    """An `inlined_kernel` that is also a `bare_kernel`."""
    return _compile(function, SAFE_FLAGS, _nrt=False, forceinline=True)


def by_type(function: Callable[..., Any], kernel_for: Callable[..., Any]) -> None:
    """In kernels, turn a call of a plain function into one of the kernel that its arguments' types select.

    ``kernel_for(*types)`` is that kernel, with the same arguments. Numba's `overload` would compile the
    chosen function for every kind of caller; a kernel is compiled once for all of them, and cached on disk.
    """
    parameters = inspect.signature(function)

    def call_of(typing: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
        """(type of the kernel, signature of the call)."""
        plain = tuple(types.unliteral(argument) for argument in arguments)
        chosen = types.Dispatcher(kernel_for(*plain))
        return chosen, chosen.get_call_type(typing, plain, {})

    @type_callable(function)
    def _give_type(typing: Any) -> Callable[..., Any]:
        def signature_of(*arguments: Any) -> Any:
            return call_of(typing, arguments)[1]

        signature_of.pysig = parameters  # type: ignore[attr-defined]  # where numba looks for names
        return signature_of

    @lower_builtin(function, types.VarArg(types.Any))
    def _lower_call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_function(*call_of(context.typing_context, signature.args))(builder, arguments)


def plain_kernel(function: Kernel) -> Kernel:
    """A plain Python function that kernels may call too: each compiles it in, under its own flags."""
    return register_jitable(function)
