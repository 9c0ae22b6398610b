"""Records that the Loopy grids page draws: plain named tuples of numpy arrays."""

from typing import NamedTuple

import numpy as np

OPENING = {
    "show": "grid",
    "rows": 4,
    "columns": 4,
    "classes": 3,
    "strength": 12.0,
    "seed": 5491,
    "comb": 2,
}
"""The state that the page opens with. Chosen because belief propagation fails on this grid and the combs
together do not, whether the truth is taken from samples or computed exactly; its comb is about as good as
most."""


class LiveGrid(NamedTuple):
    """One random grid, its combs and its sampled truth: N variables row by row, K states, P combs."""

    rows: int
    columns: int
    strength: float  # pairwise scores are uniform on [-strength, strength]
    seed: int
    edges: np.ndarray  # (E, 2)
    membership: np.ndarray  # (P, E) bool: which edges each comb has; row combs first
    best: np.ndarray  # (P,): each comb's best score
    combs: np.ndarray  # (P, N, K): max-marginals of each comb
    summed: np.ndarray  # (N, K): their sum
    frequencies: np.ndarray  # (N, K): share of samples with each state
    n_samples: int
    n_sweeps: int
    error: np.ndarray  # (K,): at k - 1: share of sampled states not among the k best of `summed`
    error_combs: np.ndarray  # (P, K)
    error_samples: np.ndarray  # (K,): of ranking by `frequencies` themselves: no ranking can do better
    agreement: np.ndarray  # (N,): mean rank correlation of the combs; NaN if there is but one comb or state


class GridBeliefs(NamedTuple):
    """Loopy belief propagation on a `LiveGrid`, iteration by iteration."""

    kind: str  # "sum" or "max"
    damping: float
    beliefs: np.ndarray  # (N, K): the final ones; rows add up to 1
    trace: np.ndarray  # (T + 1, N, K): beliefs before the first iteration and after each
    residual: np.ndarray  # (T, N): largest change of a message into each variable
    converged: np.ndarray  # (N,) bool
    error: np.ndarray  # (K,): as in `LiveGrid`


class GridPruned(NamedTuple):
    """The states of a `LiveGrid` that the ensemble keeps at one alpha."""

    alpha: float
    keep: np.ndarray  # (N, K) bool
    threshold: float  # sum of the combs' thresholds
    is_rescued: np.ndarray  # (N,) bool: variables that had lost every state and were given back their best
    efficiency_loss: float  # share of states kept
    lost: np.ndarray  # (N,): share of samples whose state at the variable was pruned


class StrengthSweep(NamedTuple):
    """One random grid at S coupling strengths, everything else the same."""

    strengths: np.ndarray  # (S,)
    ensemble: np.ndarray  # ensemble, lbp, tree (mean comb), samples (S, K): errors as in `LiveGrid`
    lbp: np.ndarray
    tree: np.ndarray
    samples: np.ndarray
    settled: np.ndarray  # (S,): share of variables whose messages had stopped changing
