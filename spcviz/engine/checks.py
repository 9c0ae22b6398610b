"""Argument checks of the engine: every public function refuses bad arguments with one typed error."""

import sys
from collections.abc import Collection, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.kernels.jit import bare_kernel

Item = TypeVar("Item")
Made = TypeVar("Made")

# Beyond these, sums of two scores overflow to inf and lose their meaning: of 64 bits, and of 32.
MAX_SCORE, MAX_SINGLE = 1e300, 1e30
MAX_SUM = 1e307
"""Largest sum of scores: best scores, messages and max-marginals of more than any table holds."""

MAX_STRENGTH = 1e15
"""Largest factor in training: beyond it a float has no digits left for a score of 1 next to it, and products
of a few such numbers overflow."""


@bare_kernel
def first_bad(flat: np.ndarray) -> int:
    """Index of the first value that is NaN or larger than +-MAX_SCORE and not -inf; -1 if none."""
    bad, most = 0, MAX_SCORE if flat.itemsize == 8 else MAX_SINGLE
    for i in range(len(flat)):  # no early exit and a single test, so that the usual case vectorises
        bad += not abs(flat[i]) <= most
    if bad:
        for i in range(len(flat)):
            if not (-most <= flat[i] <= most) and flat[i] != -np.inf:
                return i
    return -1


def scores(
    name: str, values: ArrayLike, ndim: int | tuple[int, ...], dtype: DTypeLike = np.float64
) -> np.ndarray:
    """`values` as a C-contiguous array of float64, or of float32, without NaN or +inf.

    `name` is the caller's name for the argument and opens the message; `ndim` gives the allowed number of
    dimensions. Raises ShapeError for any other number, ScoreError for NaN, +inf or a magnitude over 1e300
    (1e30 in float32), ArgumentError for values that are not numbers at all.
    """
    array = np.ascontiguousarray(_check_dimensions(name, values, ndim), dtype=dtype)
    bad = first_bad(array.reshape(-1))
    if bad >= 0:
        raise _bad_score(name, array, bad)
    return array


def sums(name: str, values: ArrayLike, ndim: int | tuple[int, ...]) -> np.ndarray:
    """`values` that are sums of scores, like max-marginals: as in `scores`, errors too, but up to 1e307."""
    array = np.ascontiguousarray(_check_dimensions(name, values, ndim), dtype=np.float64)
    is_good = (np.abs(array) <= MAX_SUM) | (array == -np.inf)
    if not is_good.all():
        raise _bad_score(name, array, int(is_good.reshape(-1).argmin()))
    return array


def _check_dimensions(name: str, values: ArrayLike, ndim: int | tuple[int, ...]) -> np.ndarray:
    given = typed_array(name, values, "biuf", "numbers")
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if given.ndim not in allowed:
        wanted = " or ".join(str(d) for d in allowed)
        raise ShapeError(f"{name} has shape {given.shape}; it needs {wanted} dimensions")
    return given


def _bad_score(name: str, array: np.ndarray, at: int) -> ScoreError:
    where = tuple(int(i) for i in np.unravel_index(at, array.shape))
    return ScoreError(f"{name}{list(where)} must be a finite score or -inf, got {array[where]}")


def integer(name: str, value: Any, low: int, high: int) -> int:
    """`value` as an int with low <= value <= high, or ArgumentError."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        raise ArgumentError(f"{name} must be a whole number from {low} to {high}, got {_short(value)}")
    return int(value)


def fraction(name: str, value: Any, *, below_one: bool = False) -> float:
    """`value` as a float in [0, 1], or in [0, 1) if `below_one`."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    limit = "0 <= {0} < 1" if below_one else "0 <= {0} <= 1"
    if not is_number or not 0 <= value <= 1 or (below_one and value == 1):
        raise ArgumentError(f"{name} must satisfy {limit.format(name)}, got {_short(value)}")
    return float(value)


def alpha(name: str, value: Any) -> float:
    """`value` as a pruning strength: at most 1; below 0 the threshold lies under the mean."""
    return number(name, value, high=1)


def number(name: str, value: Any, low: float = -np.inf, high: float = np.inf) -> float:
    """`value` as a finite float with low <= value <= high, or ArgumentError."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not abs(value) <= sys.float_info.max or not low <= value <= high:
        raise ArgumentError(f"{name} must be a number from {low} to {high:.15g}, got {_short(value)}")
    return float(value)


def strength(name: str, value: Any, low: float = 0) -> float:
    """`value` as a factor in training: a rate, a margin, a weight, a regulariser.

    >>> strength("margin", 2)
    2.0
    """
    return number(name, value, low, MAX_STRENGTH)


def strengths(name: str, values: ArrayLike) -> np.ndarray:
    """`values` as a one-dimensional float64 array of numbers that `strength` allows."""
    array = scores(name, values, 1)
    for i in np.flatnonzero(array < 0)[:1]:
        raise ArgumentError(f"{name}[{i}] must be at least 0, got {array[i]}")
    for i in np.flatnonzero(array > MAX_STRENGTH)[:1]:
        raise ArgumentError(f"{name}[{i}] must be at most {MAX_STRENGTH:.15g}, got {array[i]}")
    return array


def settings(name: str, values: ArrayLike) -> np.ndarray:
    """One number, or a one-dimensional array of numbers, as in `scores`; True is not a number here.

    >>> settings("alpha", 0.5)
    array([0.5])
    """
    if _has_switch(values):
        raise ArgumentError(f"{name} must be a number, or an array of numbers, got {_short(values)}")
    return scores(name, values, (0, 1))


def _has_switch(values: ArrayLike) -> bool:
    """Whether True or False is among `values`; numpy would take them for 1 and 0."""
    if isinstance(values, list | tuple):
        kinds = set(map(type, values))
        rows = values if kinds & {list, tuple, np.ndarray} else ()
        return not kinds.isdisjoint({bool, np.bool_}) or any(map(_has_switch, rows))
    return isinstance(values, bool) or getattr(values, "dtype", None) == np.bool_


def switch(name: str, value: Any) -> bool:
    """A parameter that is on (True, 1) or off (False, 0, None); the text "False", say, is neither."""
    if value is not None and not (isinstance(value, bool | np.bool_ | int | np.integer) and value in (0, 1)):
        raise ArgumentError(f"{name} must be True or False, got {_short(value)}")
    return bool(value)


def one_of(name: str, value: Any, known: Collection[str]) -> str:
    """`value` if it is one of the `known` texts, else ArgumentError.

    >>> one_of("kind", "max", ("sum", "max"))
    'max'
    """
    if not isinstance(value, str) or value not in known:  # for an array, ``in`` raises numpy's own error
        raise ArgumentError(f"{name} must be one of {', '.join(known)}, got {_short(value)}")
    return value


def points(name: str, values: ArrayLike) -> np.ndarray:
    """Break points: like scores, but inf is allowed (never falls)."""
    array = typed_array(name, values, "biuf", "numbers").astype(np.float64)
    if array.ndim != 1:
        raise ShapeError(f"{name} has shape {array.shape}; it needs 1 dimension")
    if np.isnan(array).any():
        raise ScoreError(f"{name}[{np.isnan(array).argmax()}] must not be NaN, got nan")
    return array


def whole_numbers(name: str, values: ArrayLike, low: int, high: int) -> np.ndarray:
    """`values` as an int64 array of one dimension with entries low .. high."""
    array = typed_array(name, values, "iu", "whole numbers")
    if array.ndim != 1:
        raise ShapeError(f"{name} has shape {array.shape}; it needs 1 dimension")
    bad = np.flatnonzero((array < low) | (array > high))
    if len(bad):
        raise ArgumentError(f"{name}[{bad[0]}] must be from {low} to {high}, got {array[bad[0]]}")
    return array.astype(np.int64)


def lengths(values: ArrayLike, most: int) -> np.ndarray:
    """Lengths of examples as an int64 array, at least 1 each and at most `most` in all."""
    array = typed_array("lengths", values, "iu", "whole numbers")
    if array.ndim != 1:
        raise ShapeError(f"lengths has shape {array.shape}; it needs (N,) integers")
    if array.size and array.min() < 1:
        raise ArgumentError(f"lengths[{array.argmin()}] must be at least 1, got {array.min()}")
    if array.size and array.max() > most:  # before they are added up: a sum could wrap around
        raise ArgumentError(f"lengths[{array.argmax()}] must be at most {most}, got {array.max()}")
    return array.astype(np.int64)


def offsets(name: str, values: ArrayLike, total: int) -> np.ndarray:
    """`values` as int64 boundaries of consecutive parts: rising from 0 to `total`."""
    array = whole_numbers(name, values, 0, total)
    if not len(array) or array[0] != 0 or array[-1] != total or (np.diff(array) < 0).any():
        raise ArgumentError(f"{name} must rise from 0 to {total}, got {_short(array.tolist())}")
    return array


def starts(sizes: np.ndarray) -> np.ndarray:
    """Starts of consecutive parts of the given sizes (N,), and the end of the last: (N + 1,), int64."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def states(name: str, values: ArrayLike, length: int, n_states: int) -> np.ndarray:
    """`values` as an int64 labelling of shape (length,) with entries 0 .. n_states - 1."""
    array = typed_array(name, values, "iu", "whole numbers")
    if array.shape != (length,):
        raise ShapeError(f"{name} has shape {array.shape}; it needs {(length,)}")
    return whole_numbers(name, array, 0, n_states - 1)


def typed_array(name: str, values: ArrayLike, kinds: str, what: str) -> np.ndarray:
    """`values` as an array whose dtype is of one of the `kinds`; nothing else is converted silently."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:  # ragged
        raise ArgumentError(f"{name} must be an array of {what}, got {_short(values)}") from error
    if n_masked := count_masked(values):  # numpy would hand over the values behind the mask
        raise ArgumentError(
            f"{name} must have no masked entries (-inf forbids a score), got {n_masked} masked"
        )
    if array.size == 0 and array.dtype.kind in "biuf":  # [] is an array of floats to numpy
        return array if array.dtype.kind in kinds else array.astype(np.int64)
    if array.dtype.kind not in kinds:
        kind = f"dtype {array.dtype}" if array.dtype.kind in "biufc" else _short(values)
        raise ArgumentError(f"{name} must be an array of {what}, got {kind}")
    if "b" not in kinds and isinstance(values, list | tuple) and _has_switch(values):
        raise ArgumentError(f"{name} must be an array of {what}, got {_short(values)}")
    return array


def count_masked(values: ArrayLike) -> int:
    """Number of masked entries of a masked array, or of those in a sequence."""
    if isinstance(values, np.ma.MaskedArray):
        return int(np.ma.count_masked(values))  # type: ignore[no-untyped-call]
    if isinstance(values, list | tuple):
        return sum(
            count_masked(part) for part in values if isinstance(part, list | tuple | np.ma.MaskedArray)
        )
    return 0


def of_own_type(name: str, value: object, kind: type[Made]) -> Made:
    """`value` if it is of a type that another function of this package returns, else ArgumentError."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{name} must be a {kind.__name__}, got {_short(value)}")
    return value


def mask(name: str, values: ArrayLike) -> np.ndarray:
    """`values` as an array of yes and no: given as bool, or as numbers, where nonzero means yes."""
    return typed_array(name, values, "biuf", "yes and no").astype(bool)


def as_tuple(name: str, values: Iterable[Item]) -> tuple[Item, ...]:
    """`values` as a tuple, or ArgumentError."""
    try:
        return tuple(values)
    except TypeError as error:
        raise ArgumentError(f"{name} must be a sequence, got {_short(values)}") from error


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
