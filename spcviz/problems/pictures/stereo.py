r"""Stereo as labels of a grid: random-dot pairs, matching scores, and loopy BP in K operations per message.

A pixel (r, c) of the left image at disparity d is seen at (r, c - d) in the right one. Scores are local
evidence plus smoothness (lecture 12, eq. 11),

.. math:: F(y) = -\sum_{r, c} |left_{r, c} - right_{r, c - y_{r, c}}|
   - \sum_{neighbours} \lambda \min(|y_i - y_j|, cut)

read pixel by pixel (no second term: `unary.argmax`), row by row (`exhaustive.scanlines`, each row exact) or
on the whole grid (`loopy_bp.propagate`, approximate).

With a cut of 2, a jump of two or more costs the same, so `propagate_near` passes the max-product messages of
`loopy_bp.propagate`, in the same order, faster: the best sender of a state y is itself, a neighbour, or the
best of all (Felzenszwalb and Huttenlocher 2006, section 3.1):

.. math:: m(y) = \max\big( h(y),\; h(y - 1) - \lambda,\; h(y + 1) - \lambda,\;
   \max_{y'} h(y') - 2 \lambda \big)

A whole row of pixels is updated at once, state by state, so that the processor vectorises over pixels.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import inlined_kernel, kernel

_UNSEEN = -1.0  # a match outside the right image counts like the worst possible one


class StereoPair(NamedTuple):
    """Two views and how far each left pixel is shifted."""

    left: np.ndarray  # left, right, each (H, W): 0 (black) .. 1 (white)
    right: np.ndarray
    disparity: np.ndarray  # (H, W) int64: true disparities of the left image's pixels


def random_dots(
    rng: np.random.Generator, height: int = 60, width: int = 80, n_disparities: int = 8, noise: float = 0.1
) -> StereoPair:
    """A random-dot stereogram: nothing is visible in one view, a stepped pyramid in both together; a share
    `noise` of the right view is drawn again.

    >>> pair = random_dots(np.random.default_rng(0), 20, 30, 4)
    >>> pair.left.shape, np.unique(pair.disparity)
    ((20, 30), array([0, 1, 2, 3]))
    """
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    height, width = checks.integer("height", height, 4, 2_000), checks.integer("width", width, 4, 2_000)
    n = checks.integer("n_disparities", n_disparities, 2, min(64, width - 1))
    noise = checks.fraction("noise", noise)
    r = np.abs(np.linspace(-1, 1, height))[:, None]
    c = np.abs(np.linspace(-1, 1, width))[None, :]
    depth = np.clip((1 - np.maximum(r, c)) * 1.25, 0, 1)
    disparity = np.minimum((depth * n).astype(np.int64), n - 1)
    left = rng.integers(0, 2, (height, width)).astype(float)
    right = rng.integers(0, 2, (height, width)).astype(float)  # what no left pixel fills stays random
    for d in range(n):  # nearer surfaces hide farther ones
        rows, columns = np.nonzero(disparity == d)
        seen = columns >= d
        right[rows[seen], columns[seen] - d] = left[rows[seen], columns[seen]]
    spoiled = rng.random((height, width)) < noise
    right[spoiled] = rng.integers(0, 2, int(spoiled.sum()))
    return StereoPair(left, right, disparity)


def matching_scores(left: ArrayLike, right: ArrayLike, n_disparities: int, cut: float = 1.0) -> np.ndarray:
    """Minus the mean colour difference of the pixels that each disparity matches, as a share of `cut`, at
    which it is truncated (a pixel may be hidden); -1 where the match lies outside the right view.

    >>> matching_scores([[0.0, 1.0]], [[1.0, 0.0]], 2)[0, 1]
    array([-1., -0.])
    """
    left, right = checks.scores("left", left, (2, 3)), checks.scores("right", right, (2, 3))
    if left.shape != right.shape:
        raise ShapeError(f"right has shape {right.shape}; left needs {left.shape}")
    n, cut = checks.integer("n_disparities", n_disparities, 1, 256), checks.number("cut", cut, 0.001, 1)
    left, right = (image.reshape(*image.shape[:2], -1) for image in (left, right))
    unary = np.full((*left.shape[:2], n), _UNSEEN)
    for d in range(min(n, left.shape[1])):
        apart = np.abs(left[:, d:] - right[:, : left.shape[1] - d]).mean(axis=2)
        unary[:, d:, d] = -np.minimum(apart / cut, 1.0)
    return unary


def smoothness(n_disparities: int, weight: float = 0.5, cut: int = 2) -> np.ndarray:
    """Scores of neighbouring disparities: -weight times their difference, which `cut` bounds so that edges
    stay sharp.

    >>> smoothness(4, 0.5, 2)[0]
    array([-0. , -0.5, -1. , -1. ])
    """
    n = checks.integer("n_disparities", n_disparities, 1, 256)
    cut = checks.integer("cut", cut, 1, 256)
    weight = checks.number("weight", weight, 0, 1000)
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return -weight * np.minimum(apart, cut)


def errors_of(labels: ArrayLike, truth: ArrayLike, slack: float = 0) -> tuple[float, float]:
    """(share of pixels more than `slack` off, mean distance), over pixels whose truth is not NaN.

    >>> errors_of([0, 1, 3, 9], [0, 1, 1, np.nan], slack=1)
    (0.3333333333333333, 0.6666666666666666)
    """
    off = np.abs(np.asarray(labels, dtype=float) - np.asarray(truth, dtype=float))
    off = off[np.isfinite(off)]
    if not off.size:
        raise ArgumentError("truth must be known at one pixel at least, got none")
    return float((off > slack).mean()), float(off.mean())


class NearBeliefs(NamedTuple):
    """The result of `propagate_near`."""

    labels: np.ndarray  # (H, W) int64: each pixel's best state on its own; ties go to the smallest
    n_iterations: int
    converged: np.ndarray  # (H, W) bool: whether messages into it last changed by at most the tolerance


def propagate_near(
    unary: ArrayLike,
    weight: float,
    *,
    max_iterations: int = 60,
    damping: float = 0.0,
    tolerance: float = 1e-6,
) -> NearBeliefs:
    """Pass max-product messages of finite scores (H, W, K), all at once, until none changes by more than
    `tolerance`; a jump by one state costs `weight`, larger ones twice that; float32 takes half the time.

    >>> propagate_near([[[0.0, 0.1], [1.0, 0.0], [0.0, 0.1]]], 0.5).labels
    array([[0, 0, 0]])
    """
    dtype = np.float32 if getattr(unary, "dtype", None) == np.float32 else np.float64
    unary = checks.scores("unary", unary, 3, dtype)
    if not unary.size:
        raise ArgumentError(f"unary must have pixels and states, got shape {unary.shape}")
    if not np.isfinite(unary).all():
        raise ArgumentError("unary must be finite, got -inf")
    weight = checks.number("weight", weight, 0, 1000)
    max_iterations = checks.integer("max_iterations", max_iterations, 1, 100_000)
    damping = checks.fraction("damping", damping, below_one=True)
    tolerance = checks.number("tolerance", tolerance, 0, 1e300)
    by_row = np.ascontiguousarray(unary.transpose(0, 2, 1))  # (H, K, W)
    prices, shares = (dtype(weight), dtype(2 * weight)), (dtype(damping), dtype(1 - damping))
    beliefs, change, n = _propagate(by_row, prices, shares, tolerance, max_iterations)
    return NearBeliefs(beliefs.argmax(axis=1), n, change <= tolerance)


@kernel
def _propagate(unary, prices, shares, tolerance, most):
    """(beliefs (H, K, W), largest changes (H, W), iterations). Messages to the next row are buffered in
    two places until this one is done; the others are overwritten as soon as no pixel needs the old ones.
    """
    height, n, width = unary.shape
    left, right, up, down = np.zeros((4, *unary.shape), unary.dtype)  # from there, into each pixel
    cavity, fresh = np.empty((n, width), unary.dtype), np.empty((5, n, width), unary.dtype)
    peak, change = np.empty((5, width), unary.dtype), np.empty((height, width), unary.dtype)
    done = 0
    while done < most:
        done += 1
        change[:] = 0.0
        for r in range(height):
            from_above, below = 4 - r % 2, 3 + r % 2
            _leave_out(unary[r], left[r], up[r], down[r], cavity)
            _send(cavity, prices, shares, left[r], fresh[0], peak[0], (0, 1))
            _leave_out(unary[r], right[r], up[r], down[r], cavity)
            _send(cavity, prices, shares, right[r], fresh[1], peak[1], (1, 0))
            if r > 0:
                _leave_out(unary[r], left[r], right[r], down[r], cavity)
                _send(cavity, prices, shares, down[r - 1], fresh[2], peak[2], (0, 0))
                _arrive(fresh[2], peak[2], down[r - 1], change[r - 1], (0, width))
            if r < height - 1:
                _leave_out(unary[r], left[r], right[r], up[r], cavity)
                _send(cavity, prices, shares, up[r + 1], fresh[below], peak[below], (0, 0))
            _arrive(fresh[0], peak[0], left[r], change[r], (1, width))
            _arrive(fresh[1], peak[1], right[r], change[r], (0, width - 1))
            if r > 0:
                _arrive(fresh[from_above], peak[from_above], up[r], change[r], (0, width))
        if change.max() <= tolerance:
            break
    return unary + left + right + up + down, change, done


@inlined_kernel
def _leave_out(unary, one, two, three, out):
    """What each pixel of a row sends to one neighbour: its own score plus messages of the other three."""
    for k in range(unary.shape[0]):
        for c in range(unary.shape[1]):
            out[k, c] = unary[k, c] + one[k, c] + two[k, c] + three[k, c]


@inlined_kernel
def _send(cavity, prices, shares, old, new, peak, shift):
    """Damped messages from columns ``shift[0] + c`` to ``shift[1] + c``, their peaks not yet subtracted."""
    n, width = cavity.shape
    source, target = shift
    count = width - source - target
    best = peak[target : target + count]
    best[:] = -np.inf
    for k in range(n):
        _raise(best, cavity[k, source : source + count])
    for k in range(n):
        same = cavity[k, source : source + count]
        lower = cavity[max(k - 1, 0), source : source + count]
        upper = cavity[min(k + 1, n - 1), source : source + count]
        before, after = old[k, target : target + count], new[k, target : target + count]
        for c in range(count):
            near = (lower[c] if lower[c] > upper[c] else upper[c]) - prices[0]
            far = best[c] - prices[1]
            message = near if near > far else far
            message = (same[c] if same[c] > message else message) - best[c]
            after[c] = shares[0] * before[c] + shares[1] * message
    best[:] = -np.inf
    for k in range(n):
        _raise(best, new[k, target : target + count])


@inlined_kernel
def _raise(most, values):
    """Raise the first to the larger of the two, element by element."""
    for c in range(len(most)):
        most[c] = values[c] if values[c] > most[c] else most[c]


@inlined_kernel
def _arrive(new, peak, message, change, columns):
    """Replace old messages by new ones, and update the largest change into every pixel so far."""
    first, last = columns
    best, most = peak[first:last], change[first:last]
    for k in range(new.shape[0]):
        fresh, old = new[k, first:last], message[k, first:last]
        for c in range(len(best)):
            value = fresh[c] - best[c]
            moved = abs(value - old[c])
            most[c] = moved if moved > most[c] else most[c]
            old[c] = value
