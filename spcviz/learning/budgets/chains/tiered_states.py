r"""A chain predictor whose states have their own features, bought tier by tier.

States of a position are not labels but proposals: state k at position i has features, and so has each
allowed step into it. Positions may be at different tiers; tier a has its own weights for the features of
tiers 0 .. a (thesis 7.3.2, the re-weighting that it calls crucial):

.. math:: u_i(k) = w^{a_i} \cdot f_i(k), \qquad p_i(j, k) = v^{a_i} \cdot g_i(j, k)

A step belongs to the position it leads to. Steps that are not allowed score -inf. `tiered` is the
same for labels that share features.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.chains.best import decode_into
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.kernels.once import fill_new, larger_of


class Proposals(NamedTuple):
    """Chains of positions with K states each, R positions in all."""

    starts: np.ndarray  # (W + 1,) int64
    state: np.ndarray  # (R, K, Fs) float32: features of states
    before: np.ndarray  # (R, K, B) int64: the states at the position before from which a step may lead here
    # (R, K, B, Fp) float32: features of these steps; not used at the first position of a chain
    step: np.ndarray


class TieredStates(NamedTuple):
    """Weights per tier; features that a tier does not have weigh 0."""

    state: np.ndarray  # (T, Fs)
    step: np.ndarray  # (T, Fp)


def nearest_paths(proposals: Proposals, cost: np.ndarray) -> np.ndarray:
    """The allowed path (R,) of least cost (R, K), say pixels from the truth: a target that can be learned.

    Examples
    --------
    >>> before = np.array([[[0], [1]], [[0], [1]]])
    >>> two = Proposals(np.array([0, 2]), np.zeros((2, 2, 1)), before, np.zeros((2, 2, 1, 1)))
    >>> nearest_paths(two, [[0.0, 1.0], [3.0, 0.0]]).tolist()
    [1, 1]
    """
    proposals = checked_proposals(proposals)
    cost = checks.scores("cost", cost, 2)
    if cost.shape != proposals.state.shape[:2]:
        raise ShapeError(f"cost has shape {cost.shape}; it needs {proposals.state.shape[:2]}")
    blank = np.zeros(proposals.step.shape[-1])
    at = np.zeros(len(cost), dtype=np.int64)
    return _read(proposals, -cost, blank[None], at)


def fit_tiered_states(
    proposals: Proposals,
    target: np.ndarray,
    loss: np.ndarray,
    edges: tuple[np.ndarray, np.ndarray],
    draw: Callable[[np.random.Generator], np.ndarray],
    rng: np.random.Generator,
    *,
    epochs: int = 20,
    margin: float = 1.0,
    penalty: float = 1e-4,
) -> TieredStates:
    """Structured hinge by averaged subgradient steps, over tiers drawn anew at every pass.

    Parameters
    ----------
    target : array_like of int, shape (R,)
        The wanted path of each chain, as from `nearest_paths`.
    loss : array_like, shape (R, K)
        Of predicting each state.
    edges : tuple of (array_like, array_like), shapes (T,)
        Tier t has the first ``edges[0][t]`` features of states and ``edges[1][t]`` of steps.
    draw : callable
        draw(rng) -> tiers of all positions, called once per pass.
    margin : float
        Fraction of its loss by which another path should score less.
    penalty : float
        lambda of the squared norm.

    Raises
    ------
    ShapeError, ArgumentError, ScoreError
        If arrays disagree or a feature is not finite.

    References
    ----------
    Weiss (2013), thesis, (7.9); the step is 1 / (lambda t) after Pegasos.
    """
    proposals = checked_proposals(proposals)
    rows, n_states = proposals.state.shape[:2]
    target = checks.states("target", target, rows, n_states)
    loss = checks.scores("loss", loss, 2)
    if loss.shape != (rows, n_states):
        raise ShapeError(f"loss has shape {loss.shape}; it needs {(rows, n_states)}")
    has_state, has_step = (
        np.arange(n) < checks.whole_numbers("edges", e, 0, n)[:, None]
        for e, n in zip(edges, (proposals.state.shape[-1], proposals.step.shape[-1]), strict=True)
    )
    if len(has_state) != len(has_step):
        raise ArgumentError(f"edges must name as many tiers twice, got {len(has_state)} and {len(has_step)}")
    epochs = checks.integer("epochs", epochs, 1, 10_000)
    margin, penalty = checks.strength("margin", margin), checks.strength("penalty", penalty, 1e-12)
    weights = TieredStates(np.zeros(has_state.shape), np.zeros(has_step.shape))
    average = TieredStates(np.zeros(has_state.shape), np.zeros(has_step.shape))
    seen = 0
    for _ in range(epochs):
        tiers = checks.whole_numbers("tiers", draw(rng), 0, len(has_state) - 1)
        order = rng.permutation(len(proposals.starts) - 1)
        states = has_state, has_step
        seen = _pass(
            proposals, target, margin * loss, tiers, order, states, weights, average, (penalty, seen)
        )
    return TieredStates(average.state / seen, average.step / seen)


def state_scores(model: TieredStates, proposals: Proposals) -> np.ndarray:
    """Scores of every state at every tier, shape (R, T, K).

    Rounded to four decimals: the last bits of a product depend on the number of threads, and the same command
    should give the same bits.
    """
    return np.round(np.einsum("rkf,tf->rtk", proposals.state, model.state, optimize=True), 4)


def step_tables(model: TieredStates, proposals: Proposals) -> np.ndarray:
    """Tables of the step into every position at every tier, shape (R, T, K, K), ``[r, t, from, to]``.

    -inf where no step is allowed; a chain's first position has zeros, which nothing reads.
    """
    scores = np.round(np.einsum("rkbf,tf->rtkb", proposals.step, model.step, optimize=True), 4)
    rows, n_tiers, n_states, _ = scores.shape
    out = np.full((rows, n_tiers, n_states, n_states), -np.inf)
    r, t, k = np.ogrid[:rows, :n_tiers, :n_states]
    for b in range(scores.shape[-1]):
        out[r, t, proposals.before[:, None, :, b], k] = scores[..., b]
    out[proposals.starts[:-1]] = 0.0
    return out


def checked_proposals(proposals: Proposals) -> Proposals:
    """Proposals in the form that kernels need; a ShapeError or ArgumentError if they are malformed."""
    state = np.ascontiguousarray(proposals.state, dtype=np.float32)
    step = np.ascontiguousarray(proposals.step, dtype=np.float32)
    if state.ndim != 3 or step.ndim != 4 or step.shape[:2] != state.shape[:2]:
        raise ShapeError(
            f"step has shape {step.shape}; state has {state.shape}: they need (R, K, B, Fp), (R, K, Fs)"
        )
    before = checks.whole_numbers("before", np.ravel(proposals.before), 0, state.shape[1] - 1)
    if np.shape(proposals.before) != step.shape[:3]:
        raise ShapeError(f"before has shape {np.shape(proposals.before)}; it needs {step.shape[:3]}")
    for name, features in (("state", state), ("step", step)):
        if not np.isfinite(features.sum(dtype=np.float64)):
            raise ArgumentError(f"{name} must be finite")
    starts = checks.offsets("starts", proposals.starts, len(state))
    return Proposals(starts, state, before.reshape(step.shape[:3]), step)


@kernel
def _fill(
    proposals: Proposals, a: int, b: int, tiers: np.ndarray, weights: np.ndarray, table: np.ndarray
) -> None:
    """Tables of the steps inside chain a .. b - 1 into table (L - 1, K, K)."""
    n_states, n_before = proposals.before.shape[1:]
    for i in range(a + 1, b):
        tier_weights = weights[tiers[i]]
        table[i - a - 1] = -np.inf
        for k in range(n_states):
            for j in range(n_before):
                score = 0.0
                for f in range(len(tier_weights)):
                    score += tier_weights[f] * proposals.step[i, k, j, f]
                table[i - a - 1, proposals.before[i, k, j], k] = score


@kernel
def _read(proposals: Proposals, unary: np.ndarray, weights: np.ndarray, tiers: np.ndarray) -> np.ndarray:
    """Best paths for given state scores."""
    n_states = unary.shape[1]
    out = fill_new(len(unary), np.int64, 0)
    for w in range(len(proposals.starts) - 1):
        a, b = proposals.starts[w], proposals.starts[w + 1]
        table = fill_new((larger_of(b - a - 1, 1), n_states, n_states), np.float64, 0.0)
        _fill(proposals, a, b, tiers, weights, table)
        decode_into(unary[a:b], table, None, np.empty((b - a + 1, n_states), np.float64), out[a:b])
    return out


@kernel
def _pass(
    proposals: Proposals,
    target: np.ndarray,
    loss: np.ndarray,
    tiers: np.ndarray,
    order: np.ndarray,
    has: tuple[np.ndarray, np.ndarray],
    weights: TieredStates,
    average: TieredStates,
    schedule: tuple[float, int],
) -> int:
    """One pass over all chains; changes weights and their sum in place, returns the steps so far."""
    penalty, seen = schedule
    n_states = proposals.state.shape[1]
    for w in order:
        a, b = proposals.starts[w], proposals.starts[w + 1]
        unary = loss[a:b].copy()
        table = fill_new((larger_of(b - a - 1, 1), n_states, n_states), np.float64, 0.0)
        for i in range(a, b):
            for k in range(n_states):
                for f in range(weights.state.shape[1]):
                    unary[i - a, k] += weights.state[tiers[i], f] * proposals.state[i, k, f]
        _fill(proposals, a, b, tiers, weights.step, table)
        best = np.empty(b - a, np.int64)
        decode_into(unary, table, None, np.empty((b - a + 1, n_states), np.float64), best)
        seen += 1
        rate = 1.0 / (penalty * (seen + 1.0 / penalty))  # 1 / (lambda t), started late: at most 1
        weights.state[:] *= 1.0 - rate * penalty
        weights.step[:] *= 1.0 - rate * penalty
        share = rate / (b - a)
        for i in range(a, b):
            h = larger_of(i - 1, a)
            _move(proposals, i, target[i], target[h], share, tiers[i], has, weights, i > a)
            _move(proposals, i, best[i - a], best[h - a], -share, tiers[i], has, weights, i > a)
        average.state[:] += weights.state
        average.step[:] += weights.step
    return seen


@kernel
def _move(
    proposals: Proposals,
    i: int,
    state: int,
    previous: int,
    rate: float,
    tier: int,
    has: tuple[np.ndarray, np.ndarray],
    weights: TieredStates,
    has_step: bool,
) -> None:
    """Move a tier's weights towards (rate > 0) or away from a state and the step into it."""
    for f in range(weights.state.shape[1]):
        if has[0][tier, f]:
            weights.state[tier, f] += rate * proposals.state[i, state, f]
    if not has_step:
        return
    for j in range(proposals.before.shape[2]):
        if proposals.before[i, state, j] == previous:
            for f in range(weights.step.shape[1]):
                if has[1][tier, f]:
                    weights.step[tier, f] += rate * proposals.step[i, state, j, f]
            return
