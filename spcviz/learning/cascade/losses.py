r"""Losses of structured models, as gradients on the arcs of one example's lattice.

Every loss here is a convex function of arc scores; a step adds, for each arc a, ``gradient[a]``
times the arc's features. The truth's arcs count +1 and

============  ==========================================================================
Perceptron    -1 on the best path, when it is not the truth
FilterHinge   the SPC update: -alpha on the best path and -(1 - alpha) / M on each of the M
              assignments' witnesses, when truth < threshold + margin (thesis (4.8), (4.9))
MarginHinge   -1 on the best path of the loss-augmented scores: the structured SVM's, and
              the hinge of a threshold at a margin below the best
LogLoss       -p(a) on every arc (CRF, log-linear), for thresholds on probabilities
============  ==========================================================================

Each hinge bounds the loss of its threshold. Let the truth be lost, :math:`\psi(y) \le \tau`. The filter's
hinge is then at least its margin. With :math:`\tau = \max \psi - \delta`, the best labelling :math:`y^*` is
not y, so it has at least one wrong position, and
:math:`\max_{y'} [\psi(y') + m\,d(y, y')] - \delta - \psi(y) \ge m\,d(y, y^*) \ge m`.

The sum of all M witnesses' features comes from passing counts along best-arc pointers, once from
each end, in time linear in the arcs; never one witness at a time.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import by_type, kernel
from spcviz.engine.kernels.once import larger_of
from spcviz.engine.kernels.semirings import LOG_PLUS, MAX_PLUS
from spcviz.engine.ngrams.arc_ranges import Runs, start_total, trace, walk_back, walk_forth
from spcviz.engine.ngrams.lattice import Lattice, attaining_arcs
from spcviz.engine.thresholds import rule


class Perceptron(NamedTuple):
    """Structured perceptron."""


class FilterHinge(NamedTuple):
    """max(0, margin * L + threshold - truth), for filtering arcs or (on_nodes) their (n-1)-grams."""

    alpha: float = 0.5  # 0 <= alpha < 1
    margin: float = 1.0  # times the example's length (thesis: the length itself)
    on_nodes: bool = False  # filter (n-1)-grams instead of n-grams (thesis 4.5.1), where n is at least 2


class MarginHinge(NamedTuple):
    r"""max(0, largest of (score + margin times wrong positions) - delta - truth).

    With delta 0 this is the structured SVM's hinge with the Hamming loss (thesis (3.4), (3.5)). Without
    `by_hamming` the margin is that of (4.8), however many are wrong: margin * L + best - delta - truth.
    """

    delta: float = 0.0  # at least 0: how far below the best the intended threshold lies
    margin: float = 1.0
    by_hamming: bool = True


class LogLoss(NamedTuple):
    """-log p(truth) within the lattice."""


Loss = Perceptron | FilterHinge | MarginHinge | LogLoss


class Scratch(NamedTuple):
    """A lattice's runs, and arrays over all nodes (N,) and arcs (A,) that the losses write; see `scratch`."""

    runs: Runs
    forward: np.ndarray
    backward: np.ndarray
    into: np.ndarray
    out_of: np.ndarray
    from_right: np.ndarray
    from_left: np.ndarray
    path: np.ndarray
    gradient: np.ndarray


def scratch(lattice: Lattice) -> Scratch:
    """Work space for one lattice."""
    n = int(lattice.node_start[-1])
    return Scratch(
        lattice.runs,
        np.empty(n),
        np.empty(n),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n),
        np.empty(n),
        np.empty(int(lattice.col_start[-1]), dtype=np.int64),
        np.zeros(lattice.n_arcs),
    )


def arc_gradient(
    loss: Loss, lattice: Lattice, w: int, arc_score: np.ndarray, truth: np.ndarray, work: Scratch
) -> float:
    """Loss of example w; where it is positive, ``work.gradient`` holds the step on its arcs.

    `truth` (arc columns,) are the true arcs, all of them in the lattice. Called by kernels.
    """
    return _GRADIENT[type(loss)](loss, lattice, w, arc_score, truth, work)


@kernel
def _truth_score(lattice: Lattice, w: int, arc_score: np.ndarray, truth: np.ndarray) -> float:
    score = 0.0
    for c in range(lattice.col_start[w], lattice.col_start[w + 1]):
        score += arc_score[truth[c]]
    return score


@kernel
def _clear(lattice: Lattice, w: int, values: np.ndarray) -> None:
    for a in range(lattice.arc_start[lattice.col_start[w]], lattice.arc_start[lattice.col_start[w + 1]]):
        values[a] = 0.0


@kernel
def _add_path(lattice: Lattice, w: int, path: np.ndarray, amount: float, values: np.ndarray) -> None:
    for c in range(lattice.col_start[w], lattice.col_start[w + 1]):
        values[path[c]] += amount


def _perceptron(
    loss: Any, lattice: Lattice, w: int, arc_score: np.ndarray, truth: np.ndarray, work: Scratch
) -> float:
    walk_forth(MAX_PLUS, work.runs, w, arc_score, work.forward)
    best = trace(work.runs, w, arc_score, work.forward, work.path)
    wrong = False
    for c in range(lattice.col_start[w], lattice.col_start[w + 1]):
        wrong |= work.path[c] != truth[c]
    if not wrong:
        return 0.0
    _clear(lattice, w, work.gradient)
    _add_path(lattice, w, truth, 1.0, work.gradient)
    _add_path(lattice, w, work.path, -1.0, work.gradient)
    # A tie lost to a smaller arc is an error too: report it as a positive loss.
    return larger_of(best - _truth_score(lattice, w, arc_score, truth), 1e-12)


def _filter_hinge(
    loss: Any, lattice: Lattice, w: int, arc_score: np.ndarray, truth: np.ndarray, work: Scratch
) -> float:
    walk_forth(MAX_PLUS, work.runs, w, arc_score, work.forward)
    walk_back(MAX_PLUS, work.runs, w, arc_score, work.backward)
    best = start_total(MAX_PLUS, work.runs, w, work.backward)
    on_nodes = loss.on_nodes and lattice.order[w] > 1
    mean, n_valid = _mean_max_marginal(on_nodes, lattice, w, arc_score, work.forward, work.backward)
    length = lattice.row_start[w + 1] - lattice.row_start[w]
    threshold = rule.mixture(best, mean, loss.alpha)
    hinge = loss.margin * length + threshold - _truth_score(lattice, w, arc_score, truth)
    if hinge <= 0:
        return 0.0
    trace(work.runs, w, arc_score, work.forward, work.path)
    witness_sum(on_nodes, lattice, w, arc_score, work)
    scale = -rule.mean_share(loss.alpha) / n_valid
    for a in range(lattice.arc_start[lattice.col_start[w]], lattice.arc_start[lattice.col_start[w + 1]]):
        work.gradient[a] *= scale
    _add_path(lattice, w, truth, 1.0, work.gradient)
    _add_path(lattice, w, work.path, -loss.alpha, work.gradient)
    return hinge


def _margin_hinge(
    loss: Any, lattice: Lattice, w: int, arc_score: np.ndarray, truth: np.ndarray, work: Scratch
) -> float:
    length = lattice.row_start[w + 1] - lattice.row_start[w]
    augmented, room = arc_score, loss.margin * length
    if loss.by_hamming:
        _augment(lattice, w, arc_score, truth, loss.margin, work.gradient)
        augmented, room = work.gradient, 0.0
    walk_forth(MAX_PLUS, work.runs, w, augmented, work.forward)
    best = trace(work.runs, w, augmented, work.forward, work.path)
    hinge = room + best - loss.delta - _truth_score(lattice, w, arc_score, truth)
    if hinge <= 0:
        return 0.0
    _clear(lattice, w, work.gradient)
    _add_path(lattice, w, truth, 1.0, work.gradient)
    _add_path(lattice, w, work.path, -1.0, work.gradient)
    return hinge


@kernel
def _augment(
    lattice: Lattice, w: int, arc_score: np.ndarray, truth: np.ndarray, margin: float, out: np.ndarray
) -> None:
    """Arc scores of example w plus `margin` for each wrong position that an arc ends in; arcs of the first
    column count all of their positions."""
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    for c in range(first, last):
        n_symbols = lattice.order[w] if c == first else 1
        for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
            key, right, wrong = lattice.arc_key[a], lattice.arc_key[truth[c]], 0
            for _ in range(n_symbols):
                wrong += ((key ^ right) & ((1 << lattice.bits) - 1)) != 0
                key >>= lattice.bits
                right >>= lattice.bits
            out[a] = arc_score[a] + margin * wrong


def _log_loss(
    loss: Any, lattice: Lattice, w: int, arc_score: np.ndarray, truth: np.ndarray, work: Scratch
) -> float:
    walk_forth(LOG_PLUS, work.runs, w, arc_score, work.forward)
    walk_back(LOG_PLUS, work.runs, w, arc_score, work.backward)
    log_partition = start_total(LOG_PLUS, work.runs, w, work.backward)
    for a in range(lattice.arc_start[lattice.col_start[w]], lattice.arc_start[lattice.col_start[w + 1]]):
        through = work.forward[lattice.arc_tail[a]] + arc_score[a] + work.backward[lattice.arc_head[a]]
        work.gradient[a] = -np.exp(through - log_partition)
    _add_path(lattice, w, truth, 1.0, work.gradient)
    return larger_of(log_partition - _truth_score(lattice, w, arc_score, truth), 1e-300)


@kernel
def _mean_max_marginal(
    on_nodes: bool, lattice: Lattice, w: int, arc_score: np.ndarray, forward: np.ndarray, backward: np.ndarray
) -> tuple[float, int]:
    acc, n_valid = 0.0, 0
    if on_nodes:
        first, last = lattice.col_start[w] + w, lattice.col_start[w + 1] + w + 1
        for v in range(lattice.node_start[first], lattice.node_start[last]):
            s = forward[v] + backward[v]
            if s > -np.inf:
                acc += s
                n_valid += 1
    else:
        for a in range(lattice.arc_start[lattice.col_start[w]], lattice.arc_start[lattice.col_start[w + 1]]):
            s = forward[lattice.arc_tail[a]] + arc_score[a] + backward[lattice.arc_head[a]]
            if s > -np.inf:
                acc += s
                n_valid += 1
    return acc / n_valid, n_valid


@kernel
def witness_sum(on_nodes: bool, lattice: Lattice, w: int, arc_score: np.ndarray, work: Scratch) -> None:
    """Write the number of witnesses that use each arc of example w into ``work.gradient``.

    Needs messages in ``work.forward`` and ``work.backward``. Each valid arc (or node) has one
    witness: its best prefix, itself, its best suffix. A node that k witnesses enter from the
    right hands k to the arc that attains its forward message, and so on to the start; likewise
    to the end.

    References
    ----------
    The last term of thesis equation (4.9).
    """
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    node_lo, node_hi = lattice.node_start[first + w], lattice.node_start[last + w + 1]
    arc_lo, arc_hi = lattice.arc_start[first], lattice.arc_start[last]
    count = work.gradient
    for v in range(node_lo, node_hi):
        work.into[v] = work.out_of[v] = -1
        alive = on_nodes and work.forward[v] + work.backward[v] > -np.inf
        work.from_right[v] = work.from_left[v] = 1.0 if alive else 0.0
    attaining_arcs(lattice.arc_tail, lattice.arc_head, arc_score, arc_lo, arc_hi, work.forward, work.into)
    attaining_arcs(lattice.arc_head, lattice.arc_tail, arc_score, arc_lo, arc_hi, work.backward, work.out_of)
    for a in range(arc_lo, arc_hi):
        tail, head = lattice.arc_tail[a], lattice.arc_head[a]
        alive = not on_nodes and work.forward[tail] + arc_score[a] + work.backward[head] > -np.inf
        count[a] = 1.0 if alive else 0.0
        work.from_right[tail] += count[a]
        work.from_left[head] += count[a]
    for v in range(node_hi - 1, node_lo - 1, -1):  # nodes lie column by column
        a = work.into[v]
        if a >= 0:
            count[a] += work.from_right[v]
            work.from_right[lattice.arc_tail[a]] += work.from_right[v]
    for v in range(node_lo, node_hi):
        a = work.out_of[v]
        if a >= 0:
            count[a] += work.from_left[v]
            work.from_left[lattice.arc_head[a]] += work.from_left[v]


_GRADIENT: dict[type, Callable[..., float]] = {
    Perceptron: _perceptron,
    FilterHinge: _filter_hinge,
    MarginHinge: _margin_hinge,
    LogLoss: _log_loss,
}


def checked_loss(loss: Loss) -> Loss:
    """`loss` if it is one of those above with settings in range, else ArgumentError."""
    if type(loss) not in _GRADIENT:
        names = ", ".join(kind.__name__ for kind in _GRADIENT)
        raise ArgumentError(f"loss must be one of {names}, got {loss!r:.60}")
    if isinstance(loss, FilterHinge):
        checks.fraction("alpha", loss.alpha, below_one=True)
        checks.strength("margin", loss.margin)
    if isinstance(loss, MarginHinge):
        checks.strength("delta", loss.delta)
        checks.strength("margin", loss.margin)
    return loss


_KERNELS = {kind: kernel(gradient) for kind, gradient in _GRADIENT.items()}
by_type(arc_gradient, lambda loss, *more: _KERNELS[loss.instance_class])
