"""Records of a cascade run on one word or sentence, level by level: named tuples of plain arrays.

Index conventions. A word has L positions and K states (letters, tags). A level of a cascade
works on n-grams; its *arcs* are n-grams in columns: column c holds assignments of positions
c .. c+n-1, so a level of order n has C = L - n + 1 columns. Arcs are numbered column by column,
``col_start[c] : col_start[c + 1]``, and inside a column by their symbols in dictionary order.
"""

from typing import NamedTuple

import numpy as np


class LevelTrace(NamedTuple):
    """One level of a cascade on one example, before its own pruning."""

    order: int  # n of the n-grams (1 = single states)
    col_start: np.ndarray  # (C + 1,) int64: column c holds arcs ``col_start[c] : col_start[c + 1]``
    symbols: np.ndarray  # (A, order) int32: the states of each arc, first position first
    score: np.ndarray  # (A,): the arc's own score; arcs of column 0 carry the scores of all their positions
    forward: np.ndarray  # (A,): best score of a path from the start up to and including the arc
    backward: np.ndarray  # (A,): best score of the rest of a path after the arc (0 in the last column)
    max_marginal: np.ndarray  # (A,): score of the best complete path through the arc; -inf if there is none
    # previous, following, each (A,) int32: the neighbouring arcs on the arc's witness path, -1 at the ends
    previous: np.ndarray
    following: np.ndarray
    map_arcs: np.ndarray  # (C,) int32: the best path, one arc per column
    # (C,) or (0,) int32: the true path; empty if the truth is unknown or was pruned at an earlier level
    truth_arcs: np.ndarray
    # score of the true path under this level's model (also if it was pruned); NaN if unknown
    truth_score: float
    # best, mean: largest and mean finite max-marginal; threshold = best - (1 - alpha)(best - mean)
    best: float
    mean: float
    n_valid: int  # number of arcs with a finite max-marginal, over which the mean is taken
    has_spread: bool  # false when all max-marginals are equal; then nothing is pruned
    alpha: float  # the alpha this level was pruned with to make the next
    tuned_alpha: float  # the alpha that training chose on development data
    was_capped: bool  # true if the next level would have been too large and alpha was raised to `alpha_used`
    alpha_used: float  # equal to `alpha` unless capped
    microseconds: float  # time for scores, messages, threshold and pruning of this level


class WordTrace(NamedTuple):
    """A cascade run on one word, level by level."""

    word_id: int  # index of the word in the data set, -1 for a word drawn by the user
    truth: np.ndarray  # (L,) or (0,) int32: true states; empty if unknown
    pixels: np.ndarray  # (L, 16, 8) uint8: 1 = ink
    alphabet: tuple[str, ...]  # display name of each state
    levels: tuple[LevelTrace, ...]  # orders 1 .. n (an order larger than L stays at L)
    # (n_levels, L) int32: the final predictor's labelling at each order, within that level's lattice
    predictions: np.ndarray
    microseconds: float  # whole cascade including the last predictor
    # exact dense Viterbi of the same order on the same word; NaN if not run (orders above 4)
    microseconds_dense: float
    words: tuple[str, ...] = ()  # for tagged text, the L words; then `pixels` has no rows
    meanings: tuple[str, ...] = ()  # for tagged text, the K states in plain words
    level_names: tuple[str, ...] = ()  # names of the levels; they are named by order if empty
