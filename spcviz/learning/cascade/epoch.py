"""Kernels of one pass over the examples: score, take the loss's gradient, step along it."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spcviz.engine.kernels.jit import kernel
from spcviz.learning.cascade.features import (
    add_row,
    score_row,
)
from spcviz.learning.cascade.losses import Loss, Scratch, arc_gradient

if TYPE_CHECKING:
    from spcviz.learning.cascade.problem import Problem


class Step(NamedTuple):
    """What a step is made of."""

    rate: float  # eta of unary weights at step 0
    gram_rate: float  # multiplies it for n-grams
    decay: float  # lambda
    fall: float  # step t is rate / (1 + fall * t)
    taken: int  # steps before this stretch
    # scale, scale_sum: where this stretch goes on: of one that begins, 1 and 0
    scale: float = 1.0
    scale_sum: float = 0.0


class Moving(NamedTuple):
    """Weights (F, K) and n-gram weights (G,) that a pass moves, and what the average takes off each."""

    weights: np.ndarray
    weight_late: np.ndarray
    grams: np.ndarray
    gram_late: np.ndarray


@kernel
def run_epoch(
    loss: Loss,
    problem: "Problem",
    order: np.ndarray,
    step: Step,
    moving: Moving,
    arc_score: np.ndarray,
    work: Scratch,
) -> tuple[float, float, float]:
    """One pass. Returns (sum of losses, final scale, sum of scales); the weights stand unscaled."""
    lattice = problem.lattice
    n_states = lattice.n_states
    weights, weight_late, grams, gram_late = moving
    scale, scale_sum, loss_sum = step.scale, step.scale_sum, 0.0
    longest = 0
    for w in range(len(lattice.order)):
        longest = max(longest, lattice.row_start[w + 1] - lattice.row_start[w])
    unary, toward = np.empty((longest, n_states)), np.empty((longest, n_states))
    for t, w in enumerate(order):
        row, length = lattice.row_start[w], lattice.row_start[w + 1] - lattice.row_start[w]
        rate = step.rate / (1.0 + step.fall * (step.taken + t))
        for i in range(length):
            score_row(problem.features, row + i, weights, unary[i])
        _score_example(problem, w, unary, grams, scale, arc_score)
        value = arc_gradient(loss, lattice, w, arc_score, problem.truth, work)
        scale *= 1.0 - rate * step.decay  # (4.9): the old weights shrink, then comes the step
        if value > 0.0:
            loss_sum += value
            amount = rate / scale
            toward[:length] = 0.0
            _push_grams(
                problem, w, work.gradient, amount * step.gram_rate, scale_sum, toward, grams, gram_late
            )
            for i in range(length):
                moved = False
                for k in range(n_states):
                    toward[i, k] *= amount
                    moved |= toward[i, k] != 0.0
                if moved:
                    add_row(problem.features, row + i, toward[i], weights)
                    for k in range(n_states):
                        toward[i, k] *= scale_sum
                    add_row(problem.features, row + i, toward[i], weight_late)
        scale_sum += scale
    return loss_sum, scale, scale_sum


@kernel
def _score_example(
    problem: "Problem", w: int, unary: np.ndarray, grams: np.ndarray, scale: float, arc_score: np.ndarray
) -> None:
    lattice = problem.lattice
    bits, n = lattice.bits, lattice.order[w]
    mask = (1 << bits) - 1
    arc_key, gram_start, gram_index = lattice.arc_key, problem.gram_start, problem.gram_index
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    for c in range(first, last):
        i = c - first + n - 1
        for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
            key = arc_key[a]
            s = unary[i, (key & mask) - 1]
            if c == first:
                for j in range(1, n):
                    key >>= bits
                    s += unary[i - j, (key & mask) - 1]
            for g in range(gram_start[a], gram_start[a + 1]):
                s += grams[gram_index[g]]
            arc_score[a] = scale * s


@kernel
def _push_grams(
    problem: "Problem",
    w: int,
    gradient: np.ndarray,
    amount: float,
    scale_sum: float,
    toward: np.ndarray,
    grams: np.ndarray,
    gram_late: np.ndarray,
) -> None:
    """Step the n-gram weights along the arcs' gradient; collect the unary part in `toward` (L, K)."""
    lattice = problem.lattice
    bits, n = lattice.bits, lattice.order[w]
    mask = (1 << bits) - 1
    arc_key, gram_start, gram_index = lattice.arc_key, problem.gram_start, problem.gram_index
    first, last = lattice.col_start[w], lattice.col_start[w + 1]
    for c in range(first, last):
        i = c - first + n - 1
        for a in range(lattice.arc_start[c], lattice.arc_start[c + 1]):
            g = gradient[a]
            if g == 0.0:
                continue
            key = arc_key[a]
            toward[i, (key & mask) - 1] += g
            if c == first:
                for j in range(1, n):
                    key >>= bits
                    toward[i - j, (key & mask) - 1] += g
            for at in range(gram_start[a], gram_start[a + 1]):
                grams[gram_index[at]] += amount * g
                gram_late[gram_index[at]] += scale_sum * amount * g
