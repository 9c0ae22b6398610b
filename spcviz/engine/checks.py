"""Checks at the door: every public function refuses bad arguments with one typed error."""

import numpy as np

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.jit import kernel

MAX_SCORE = 1e300  # beyond this, sums of two scores overflow to inf and lose their meaning


@kernel
def _first_bad(flat):
    """Index of the first value that is NaN or larger than +-MAX_SCORE and not -inf; -1 if none."""
    for i in range(len(flat)):
        if not (-MAX_SCORE <= flat[i] <= MAX_SCORE) and flat[i] != -np.inf:
            return i
    return -1


def scores(name, values, ndim):
    """`values` as a C-contiguous float64 array of `ndim` dimensions without NaN or +inf.

    Parameters
    ----------
    name : str
        What the caller calls the argument; it opens the message.
    values : array_like
    ndim : int or tuple of int
        Allowed numbers of dimensions.

    Raises
    ------
    ShapeError
        Wrong number of dimensions.
    ScoreError
        NaN, +inf or a magnitude over 1e300.
    ArgumentError
        Not numbers at all.
    """
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} must be an array of numbers, got {_short(values)}") from error
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if np.ndim(values) not in allowed:  # ascontiguousarray turns a scalar into one dimension
        wanted = " or ".join(str(d) for d in allowed)
        raise ShapeError(f"{name} has shape {np.shape(values)}; it needs {wanted} dimensions")
    bad = _first_bad(array.reshape(-1))
    if bad >= 0:
        where = tuple(int(i) for i in np.unravel_index(bad, array.shape))
        raise ScoreError(f"{name}{list(where)} must be a finite score or -inf, got {array[where]}")
    return array


def integer(name, value, low, high):
    """`value` as an int with low <= value <= high, or ArgumentError."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high:
        raise ArgumentError(f"{name} must be a whole number from {low} to {high}, got {_short(value)}")
    return int(value)


def fraction(name, value, *, below_one=False):
    """`value` as a float in [0, 1], or in [0, 1) if `below_one`."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    limit = "0 <= {0} < 1" if below_one else "0 <= {0} <= 1"
    if not is_number or not 0 <= value <= 1 or (below_one and value == 1):
        raise ArgumentError(f"{name} must satisfy {limit.format(name)}, got {_short(value)}")
    return float(value)


def states(name, values, length, n_states):
    """`values` as an int64 labelling of shape (length,) with entries 0 .. n_states - 1."""
    array = np.asarray(values)
    if array.shape != (length,):
        raise ShapeError(f"{name} has shape {array.shape}; it needs {(length,)}")
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"{name} must hold whole numbers, got dtype {array.dtype}")
    array = array.astype(np.int64)
    bad = np.flatnonzero((array < 0) | (array >= n_states))
    if len(bad):
        raise ArgumentError(f"{name}[{bad[0]}] must be from 0 to {n_states - 1}, got {array[bad[0]]}")
    return array


def _short(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
