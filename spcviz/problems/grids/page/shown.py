"""What the Loopy grids page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class LiveGrid(NamedTuple):
    """One random grid, its combs and its sampled truth: N variables row by row, K states, P combs.

    Attributes
    ----------
    rows, columns : int
    strength : float
        Pairwise scores are uniform on [-strength, strength].
    seed : int
    edges : ndarray, shape (E, 2)
    membership : ndarray, shape (P, E), bool
        Which edges each comb has; row combs first.
    best : ndarray, shape (P,)
        Each comb's best score.
    combs : ndarray, shape (P, N, K)
        Max-marginals of each comb.
    summed : ndarray, shape (N, K)
        Their sum.
    frequencies : ndarray, shape (N, K)
        Share of samples with each state.
    n_samples, n_sweeps : int
    error : ndarray, shape (K,)
        At k - 1: share of sampled states not among the k best of `summed`.
    error_combs : ndarray, shape (P, K)
    error_samples : ndarray, shape (K,)
        Of ranking by `frequencies` themselves: no ranking can do better.
    agreement : ndarray, shape (N,)
        Mean rank correlation of the combs; NaN if there is but one comb or state.
    """

    rows: int
    columns: int
    strength: float
    seed: int
    edges: np.ndarray
    membership: np.ndarray
    best: np.ndarray
    combs: np.ndarray
    summed: np.ndarray
    frequencies: np.ndarray
    n_samples: int
    n_sweeps: int
    error: np.ndarray
    error_combs: np.ndarray
    error_samples: np.ndarray
    agreement: np.ndarray


class GridBeliefs(NamedTuple):
    """Loopy belief propagation on a `LiveGrid`, iteration by iteration.

    Attributes
    ----------
    kind : {"sum", "max"}
    damping : float
    beliefs : ndarray, shape (N, K)
        Where it ended; rows add up to 1.
    trace : ndarray, shape (T + 1, N, K)
        Beliefs before the first iteration and after each.
    residual : ndarray, shape (T, N)
        Largest change of a message into each variable.
    converged : ndarray, shape (N,), bool
    error : ndarray, shape (K,)
        As in `LiveGrid`.
    """

    kind: str
    damping: float
    beliefs: np.ndarray
    trace: np.ndarray
    residual: np.ndarray
    converged: np.ndarray
    error: np.ndarray


class GridPruned(NamedTuple):
    """What the ensemble keeps of a `LiveGrid` at one alpha.

    Attributes
    ----------
    alpha : float
    keep : ndarray, shape (N, K), bool
    threshold : float
        Sum of the combs' thresholds.
    is_rescued : ndarray, shape (N,), bool
        Variables that had lost every state and were given back their best.
    efficiency_loss : float
        Share of states kept.
    lost : ndarray, shape (N,)
        Share of samples whose state at the variable was pruned.
    """

    alpha: float
    keep: np.ndarray
    threshold: float
    is_rescued: np.ndarray
    efficiency_loss: float
    lost: np.ndarray


class StrengthSweep(NamedTuple):
    """One random grid at S coupling strengths, everything else the same.

    Attributes
    ----------
    strengths : ndarray, shape (S,)
    ensemble, lbp, tree, samples : ndarray, shape (S, K)
        Errors as in `LiveGrid`; `tree` is the mean of all combs.
    settled : ndarray, shape (S,)
        Share of variables whose messages had stopped changing.
    """

    strengths: np.ndarray
    ensemble: np.ndarray
    lbp: np.ndarray
    tree: np.ndarray
    samples: np.ndarray
    settled: np.ndarray
