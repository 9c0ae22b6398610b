r"""Synthetic grids: the random Markov field of the thesis, its true samples, and the agreement of rankings.

An instance has unary potentials :math:`\omega_i(k) \sim U[0, 1]` and pairwise potentials
:math:`\omega_{ij}(k, k') = e^{-v}, v \sim U[-s, s]`, all independent. They multiply, so the scores are
:math:`\log \omega_i` and :math:`-v`. (The thesis leaves open whether unary potentials are logs; this is the
reading of the toolbox it used.) The larger s, the stronger the coupling and the harder inference; it uses 25.
"""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.graphs import gibbs
from spcviz.engine.graphs import grid as combs


class GridInstance(NamedTuple):
    """Scores of one random grid."""

    unary: np.ndarray  # (R, C, K)
    across: np.ndarray  # (R, C - 1, K, K): ``[r, c, state of (r, c), state of (r, c + 1)]``
    down: np.ndarray  # (R - 1, C, K, K): ``[r, c, state of (r, c), state of (r + 1, c)]``


def random_grid(
    rng: np.random.Generator, rows: int = 11, columns: int = 11, n_states: int = 8, strength: float = 25.0
) -> GridInstance:
    """One instance of the synthetic segmentation task (thesis, section 5.5.1).

    Parameters
    ----------
    rng : numpy.random.Generator
    rows, columns : int
        Size of the grid, R and C, 1 to 300.
    n_states : int
        Number of states of each cell, K, 1 to 100.
    strength : float
        Strength of the coupling, 0 to 100: scores of pairs are uniform from minus it to it.

    Returns
    -------
    GridInstance
        ``unary`` (R, C, K), ``across`` (R, C - 1, K, K) and ``down`` (R - 1, C, K, K).

    Raises
    ------
    ArgumentError
        For an invalid argument.

    Examples
    --------
    >>> random_grid(np.random.default_rng(0), 3, 3, 2).across.shape
    (3, 2, 2, 2)
    """
    if not isinstance(rng, np.random.Generator):
        raise ArgumentError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
    rows, columns = checks.integer("rows", rows, 1, 300), checks.integer("columns", columns, 1, 300)
    n = checks.integer("n_states", n_states, 1, 100)
    strength = checks.number("strength", strength, 0, 100)
    unary = np.log1p(-rng.random((rows, columns, n)))  # 1 - U is in (0, 1]: never log 0
    across = rng.uniform(-strength, strength, (rows, columns - 1, n, n))
    down = rng.uniform(-strength, strength, (rows - 1, columns, n, n))
    return GridInstance(unary, across, down)


def truth_samples(
    instance: GridInstance, rng: np.random.Generator, n_samples: int = 1000, n_sweeps: int = 1000
) -> np.ndarray:
    """Labellings (S, R C) by Gibbs sampling, the chain restarted for each (thesis, section 5.5.1).

    >>> rng = np.random.default_rng(0)
    >>> truth_samples(random_grid(rng, 2, 2, 3), rng, n_samples=5, n_sweeps=10).shape
    (5, 4)
    """
    unary, edges, pairwise = combs.as_graph(*instance)
    return gibbs.sample(unary, edges, pairwise, gibbs.seeds(rng, n_samples), n_sweeps)


def state_frequencies(samples: np.ndarray, n_states: int) -> np.ndarray:
    """Share of samples (S, N) with each state: (N, K), rows add up to 1.

    >>> state_frequencies(np.array([[0, 1], [0, 0]]), 2)
    array([[1. , 0. ], [0.5, 0.5]])
    """
    samples = np.asarray(samples)
    if not samples.size:
        raise ArgumentError(f"samples must hold at least one labelling, got shape {samples.shape}")
    return np.stack([(samples == k).mean(axis=0) for k in range(n_states)], axis=1)


def filter_error(frequencies: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Share of true states not among each variable's top k, ``[..., i, k - 1]``, by ranks from 0 = best.

    >>> filter_error(np.array([[0.9, 0.1]]), np.array([[1, 0]]))
    array([[0.9, 0. ]])
    """
    n = frequencies.shape[1]
    lost = [np.where(ranks >= k, frequencies, 0.0).sum(axis=-1) for k in range(1, n + 1)]
    return np.stack(lost, axis=-1)


def agreement(ranks: np.ndarray) -> np.ndarray:
    """Mean Spearman correlation of all pairs of ranks (P, N, K), (N,): -1 / (P - 1) .. 1 (thesis, 5.5.1).

    >>> agreement(np.array([[[0, 1, 2]], [[0, 1, 2]], [[2, 1, 0]]]))
    array([-0.33333333])
    """
    n_models, n_variables, n = ranks.shape
    if n_models < 2 or n < 2:
        return np.full(n_variables, np.nan)
    centred = ranks - ranks.mean(axis=-1, keepdims=True)
    unit = centred / np.linalg.norm(centred, axis=-1, keepdims=True)
    together = (unit.sum(axis=0) ** 2).sum(axis=-1)  # all ordered pairs, each with itself too
    return (together - n_models) / (n_models * (n_models - 1))
