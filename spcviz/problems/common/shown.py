"""What lattices of words and sentences show, level by level: named tuples of plain arrays, no behaviour.

Index conventions. A word has L positions and K states (letters, tags). A level of a cascade
works on n-grams; its *arcs* are n-grams in columns: column c holds assignments of positions
c .. c+n-1, so a level of order n has C = L - n + 1 columns. Arcs are numbered column by column,
``col_start[c] : col_start[c + 1]``, and inside a column by their symbols in dictionary order.
"""

from typing import NamedTuple

import numpy as np


class LevelTrace(NamedTuple):
    """One level of a cascade on one example, before its own pruning.

    Attributes
    ----------
    order : int
        n of the n-grams (1 = single states).
    col_start : ndarray, shape (C + 1,), int64
        Column c holds arcs ``col_start[c] : col_start[c + 1]``.
    symbols : ndarray, shape (A, order), int32
        The states of each arc, first position first.
    score : ndarray, shape (A,)
        The arc's own score; arcs of column 0 carry the scores of all their positions.
    forward : ndarray, shape (A,)
        Best score of a path from the start up to and including the arc.
    backward : ndarray, shape (A,)
        Best score of the rest of a path after the arc (0 in the last column).
    max_marginal : ndarray, shape (A,)
        Score of the best complete path through the arc; -inf if there is none.
    previous, following : ndarray, shape (A,), int32
        The neighbouring arcs on the arc's witness path, -1 at the ends.
    map_arcs : ndarray, shape (C,), int32
        The best path, one arc a column.
    truth_arcs : ndarray, shape (C,) or (0,), int32
        The true path; empty when the truth is unknown or fell at an earlier level.
    truth_score : float
        Score of the true path under this level's model (also when it has fallen); NaN if unknown.
    best, mean : float
        Largest and mean finite max-marginal; threshold = best - (1 - alpha)(best - mean).
    n_valid : int
        Number of arcs with a finite max-marginal: what the mean is over.
    has_spread : bool
        False when all max-marginals are equal; then nothing is pruned.
    alpha : float
        The alpha this level was pruned with to make the next.
    tuned_alpha : float
        The alpha that training chose on development data.
    was_capped : bool
        True if the next level would have been too large and alpha was raised to `alpha_used`.
    alpha_used : float
        Equal to `alpha` unless capped.
    microseconds : float
        Time for scores, messages, threshold and pruning of this level.
    """

    order: int
    col_start: np.ndarray
    symbols: np.ndarray
    score: np.ndarray
    forward: np.ndarray
    backward: np.ndarray
    max_marginal: np.ndarray
    previous: np.ndarray
    following: np.ndarray
    map_arcs: np.ndarray
    truth_arcs: np.ndarray
    truth_score: float
    best: float
    mean: float
    n_valid: int
    has_spread: bool
    alpha: float
    tuned_alpha: float
    was_capped: bool
    alpha_used: float
    microseconds: float


class WordTrace(NamedTuple):
    """A cascade run on one word, level by level.

    Attributes
    ----------
    word_id : int
        Index of the word in the data set, -1 for a word drawn by the user.
    truth : ndarray, shape (L,) or (0,), int32
        True states; empty if unknown.
    pixels : ndarray, shape (L, 16, 8), uint8
        1 = ink.
    alphabet : tuple of str, length K
        Display name of each state.
    levels : tuple of LevelTrace
        Orders 1 .. n (an order larger than L stays at L).
    predictions : ndarray, shape (n_levels, L), int32
        The final predictor's labelling at each order, within that level's lattice.
    microseconds : float
        Whole cascade including the last predictor.
    microseconds_dense : float
        Exact dense Viterbi of the same order on the same word; NaN if not run (orders above 4).
    words : tuple of str
        For tagged text, the L words; then `pixels` has no rows.
    meanings : tuple of str
        For tagged text, the K states in plain words.
    level_names : tuple of str
        What to call each level; by their order if empty.
    """

    word_id: int
    truth: np.ndarray
    pixels: np.ndarray
    alphabet: tuple
    levels: tuple
    predictions: np.ndarray
    microseconds: float
    microseconds_dense: float
    words: tuple = ()
    meanings: tuple = ()
    level_names: tuple = ()
