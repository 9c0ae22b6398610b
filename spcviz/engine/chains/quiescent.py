r"""Quiescent inference: after one potential changes, message passing only as far as it still matters.

Saved messages of a chain (scores as in `spcviz.engine.chains.chain`):

- ``forward[i, k]``: best score of a prefix that ends in state k at i, that state's unary score included
- ``backward[i, k]``: best score of a suffix that follows state k at i

so forward + backward are max-marginals. When the unary scores of position p change, forward messages
from p on and backward messages from p - 1 down are passed again until a message has changed by no more than
``tolerance`` times the spread of the max-marginals there; at tolerance 0 until nothing changes, which is
exact.

The algorithm is Weiss (2013), thesis, Algorithm 4, with omissions and errors of the printed version
corrected: both indices advance; the backward step adds the unary score of the next position; the ends of the
chain have their own messages; the backward walk starts at p - 1 (the message at p does not depend on the
score at p, so a walk from p would stop at once); the spread is the printed range or the margin that the text
names; and a spread of 0 makes any change count.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.inputs import checked_chain
from spcviz.engine.errors import ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import larger_of, smaller_of
from spcviz.engine.kernels.semirings import MAX_PLUS, combine, multiply
from spcviz.engine.kernels.vectors import copy

SCALES = ("range", "margin")
"""Scales of a change: largest minus smallest max-marginal, or the difference of the best two."""


class Quiet(NamedTuple):
    """Messages of one chain, (L, K) each way."""

    forward: np.ndarray
    backward: np.ndarray


class Rippled(NamedTuple):
    """The result of one update.

    `n_messages` columns were computed; passing all messages again takes 2 L. The max-marginals of positions
    `first` .. `last` may have changed.
    """

    messages: Quiet
    n_messages: int
    first: int
    last: int


def quiet_messages(unary: ArrayLike, pairwise: ArrayLike) -> Quiet:
    """All messages of a chain, in O(L K^2). Arguments as in `spcviz.engine.chains.chain.decode`.

    >>> quiet = quiet_messages([[0.0, 1.0], [2.0, 0.0]], [[0.0, 0.0], [-3.0, 0.0]])
    >>> (quiet.forward + quiet.backward).tolist()
    [[2.0, 1.0], [2.0, 1.0]]
    """
    unary, pairwise = checked_chain(unary, pairwise)
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    step = steps_into(len(unary), len(pairwise))
    fill_messages(unary, pairwise, transposed_tables(pairwise), step, forward, backward)
    return Quiet(forward, backward)


def ripple(
    messages: Quiet,
    unary: ArrayLike,
    pairwise: ArrayLike,
    position: int,
    *,
    tolerance: float = 0.0,
    scale: str = "range",
) -> Rippled:
    """Update messages after the unary scores of one position (or the step into it) have changed.

    `ArgumentError`, `ShapeError`, `ScoreError` if an argument is out of range or the arrays disagree. Weiss
    (2013), thesis, Algorithm 4.

    Parameters
    ----------
    messages : Quiet
        The messages before the change; not modified.
    unary, pairwise : array_like
        The scores after the change.
    position : int
        The position where unary changed; for a change of the step from p - 1 to p, p.
    tolerance : float
        0 <= q < 1; the first message each way is passed whatever q is.
    scale : {"range", "margin"}

    Examples
    --------
    >>> unary, pairwise = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]), np.zeros((2, 2))
    >>> before = quiet_messages(unary, pairwise)
    >>> unary[1, 1] = 1.0
    >>> after = ripple(before, unary, pairwise, 1)
    >>> after.n_messages, (after.messages.forward + after.messages.backward)[1].tolist()
    (3, [6.0, 5.0])
    """
    unary, pairwise = checked_chain(unary, pairwise)
    named = zip(Quiet._fields, checks.of_own_type("messages", messages, Quiet), strict=True)
    forward, backward = (checks.sums(name, message, 2).copy() for name, message in named)
    for name, array in (("forward", forward), ("backward", backward)):
        if array.shape != unary.shape:
            raise ShapeError(f"{name} has shape {array.shape}; unary needs {unary.shape}")
    position = checks.integer("position", position, 0, len(unary) - 1)
    tolerance = checks.fraction("tolerance", tolerance, below_one=True)
    by_margin = is_margin(scale)
    first, last, count = pass_on(
        unary, pairwise, transposed_tables(pairwise), steps_into(len(unary), len(pairwise)),
        forward, backward, position, tolerance, by_margin,
    )  # fmt: skip
    return Rippled(Quiet(forward, backward), int(count), int(first), int(last))


def is_margin(scale: str) -> bool:
    """True for "margin", False for "range"; ArgumentError for anything else."""
    return checks.one_of("scale", scale, SCALES) == "margin"


def transposed_tables(pairwise: np.ndarray) -> np.ndarray:
    """Transition tables for the walk from the right, [edge, to, from], C-contiguous."""
    return np.ascontiguousarray(np.swapaxes(pairwise, -1, -2))


def steps_into(length: int, n_tables: int) -> np.ndarray:
    """Index, of 1 or `length` - 1 tables, of the step into each position, shape (length,); 0 at the first.

    >>> steps_into(3, 1).tolist(), steps_into(3, 2).tolist()
    ([0, 0, 0], [0, 0, 1])
    """
    return np.maximum(np.arange(length) - 1, 0) % max(n_tables, 1)


@kernel
def fill_messages(
    unary: np.ndarray,
    tables: np.ndarray,
    transposed: np.ndarray,
    step: np.ndarray,
    forward: np.ndarray,
    backward: np.ndarray,
) -> None:
    """Compute all messages of one chain in place.

    tables, transposed (M, K, K): of all steps; step (L,): the one that leads into position i (step[0]: any).
    """
    length = len(unary)
    copy(unary[0], forward[0])
    for i in range(1, length):
        combine(MAX_PLUS, forward[i - 1], tables[step[i]], forward[i])
        multiply(MAX_PLUS, forward[i], unary[i], forward[i])
    backward[length - 1] = 0.0
    for j in range(length - 2, -1, -1):
        combine(MAX_PLUS, backward[j + 1] + unary[j + 1], transposed[step[j + 1]], backward[j])


@kernel
def pass_on(
    unary: np.ndarray,
    tables: np.ndarray,
    transposed: np.ndarray,
    step: np.ndarray,
    forward: np.ndarray,
    backward: np.ndarray,
    position: int,
    tolerance: float,
    by_margin: bool,
) -> tuple[int, int, int]:
    """Algorithm 4 in place; returns (first, last) position touched and the number of messages computed.

    Arrays as in `fill_messages`. The scores of `position`, the step into it, or both have changed.
    """
    length, n = unary.shape
    fresh, product = np.empty(n, np.float64), np.empty(n, np.float64)
    # A backward message leaves out the scores of its own position, so the first to change is one before.
    count, i, j, change = 0, position, position - 1, 1.0
    while i < length and change > tolerance:
        scale = _spread(forward[i], backward[i], by_margin)
        if i == 0:
            fresh[:] = 0.0
        else:
            combine(MAX_PLUS, forward[i - 1], tables[step[i]], fresh)
        for k in range(n):
            fresh[k] += unary[i, k]
        change = _replace(forward[i], fresh, scale)
        count += 1
        i += 1
    change = 1.0
    while j >= 0 and change > tolerance:
        scale = _spread(forward[j], backward[j], by_margin)
        for k in range(n):
            product[k] = backward[j + 1, k] + unary[j + 1, k]
        combine(MAX_PLUS, product, transposed[step[j + 1]], fresh)
        change = _replace(backward[j], fresh, scale)
        count += 1
        j -= 1
    return j + 1, larger_of(i - 1, position), count


@kernel
def _spread(forward: np.ndarray, backward: np.ndarray, by_margin: bool) -> float:
    best, second, least = -np.inf, -np.inf, np.inf
    for k in range(len(forward)):
        v = forward[k] + backward[k]
        if v > best:
            best, second = v, best
        elif v > second:
            second = v
        if v > -np.inf:  # a state that no labelling passes through does not count in the spread
            least = smaller_of(least, v)
    if by_margin:
        return best - second if len(forward) > 1 and best > -np.inf else 0.0
    return best - least if best > -np.inf else 0.0


@kernel
def _replace(old: np.ndarray, fresh: np.ndarray, scale: float) -> float:
    """Write a column of messages; returns its largest change in units of `scale`."""
    most = 0.0
    for k in range(len(old)):
        if old[k] != fresh[k]:
            # A state that becomes possible or impossible has changed without bound.
            bounded = old[k] > -np.inf and fresh[k] > -np.inf
            most = larger_of(most, abs(fresh[k] - old[k]) if bounded else np.inf)
            old[k] = fresh[k]
    if most == 0.0:
        return 0.0
    return most / scale if 0.0 < scale < np.inf else np.inf
