"""Check the arrays of a stored model against each other before a kernel indexes with them.

Kernels do not check bounds. Code that accepts a state from outside first checks every array's shape, dtype
and range against the others; each error message starts with the field.
"""

from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.table import MAX_BITS, symbol_bits

MOST_VALUE = 1e100
"""Largest learned number: products of two, and sums of more of them than fit in memory, stay finite."""


def check_table(name: str, array: Any, shape: tuple[int, ...], kinds: str = "f8") -> None:
    """Refuse anything but an array of this shape with finite numbers; `kinds`: dtypes, separated by spaces.

    >>> check_table("weights", np.zeros((2, 3)), (2, 4))
    Traceback (most recent call last):
    spcviz.engine.errors.ShapeError: weights has shape (2, 3); it needs (2, 4)
    """
    if not isinstance(array, np.ndarray) or array.dtype not in [np.dtype(kind) for kind in kinds.split()]:
        got = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise ArgumentError(f"{name} must be an array of {' or '.join(kinds.split())}, got {got}")
    if array.shape != tuple(shape):
        raise ShapeError(f"{name} has shape {array.shape}; it needs {tuple(shape)}")
    if array.dtype.kind == "f" and not (is_good := np.abs(array) <= MOST_VALUE).all():
        at = tuple(int(i) for i in np.argwhere(~is_good)[0])
        raise ArgumentError(
            f"{name}{list(at)} must be a number from {-MOST_VALUE} to {MOST_VALUE}, got {array[at]}"
        )


def check_positive(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Refuse anything but an array of this shape with numbers above 0."""
    check_table(name, array, shape)
    if array.size and array.min() <= 0:
        raise ArgumentError(f"{name} must be above 0, got {array.min()}")


def check_flag(name: str, value: Any, wanted: bool | None = None) -> None:
    """Refuse anything but True or False, or anything but `wanted` if that is given."""
    if not isinstance(value, bool | np.bool_) or wanted not in (None, bool(value)):
        rule = "True or False" if wanted is None else str(wanted)
        raise ArgumentError(f"{name} must be {rule}, got {value!r:.60}")


def check_classes(name: str, labels: Any, least: int, most: int) -> None:
    """Refuse anything but `least` to `most` labels: different texts or whole numbers."""
    if not isinstance(labels, list | tuple) or not least <= len(labels) <= most:
        n = len(labels) if isinstance(labels, list | tuple) else type(labels).__name__
        raise ArgumentError(f"{name} must be a list of {least} to {most} labels, got {n}")
    for k, label in enumerate(labels):
        if type(label) not in (str, int):
            raise ArgumentError(f"{name}[{k}] must be a text or a whole number, got {label!r:.60}")
        if type(label) is int:
            checks.integer(f"{name}[{k}]", label, -(2**63), 2**63 - 1)
    if len(set(labels)) < len(labels):
        raise ArgumentError(f"{name} must be different, got {labels!r:.60}")


def check_grams(name: str, keys: Any, values: Any, n_states: int, longest: int) -> None:
    """Refuse anything but weights of n-grams: rising codes of 2 to `longest` symbols, one weight each.

    A symbol is a state, the end mark after all others, or the begin mark before them; see
    `spcviz.engine.ngrams.table`.
    """
    size = np.shape(keys)[0] if np.ndim(keys) else 0
    check_table(f"{name}.keys", keys, (size,), "i8")
    check_table(f"{name}.values", values, (size,), "f8 f4")
    bits = symbol_bits(n_states)
    longest = min(longest, MAX_BITS // bits)
    if size and (keys[0] < 1 << bits or keys[-1] >> bits * longest or (np.diff(keys) <= 0).any()):
        raise ArgumentError(f"{name}.keys must rise, each the code of 2 to {longest} symbols")
    rest, is_last = keys.copy(), True
    while rest.any():
        symbol, more = rest & (1 << bits) - 1, rest >> bits
        most = np.where(more > 0, n_states + (1 if is_last else 0), n_states + 2)
        if ((rest > 0) & ((symbol < 1) | (symbol > most))).any():
            raise ArgumentError(
                f"{name}.keys must be codes of states 0 to {n_states - 1}, got another symbol"
            )
        rest, is_last = more, False
