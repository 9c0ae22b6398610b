"""What the Exact inference page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class WordProblem(NamedTuple):
    """Some letters of a handwritten word as a chain of D positions with K candidate letters each.

    Attributes
    ----------
    word_id : int
    pixels : ndarray, shape (D, 16, 8), uint8
    truth : ndarray, shape (D,), int64
        0 = a.
    candidates : ndarray, shape (D, K), int64
        Letters on offer at each position, in alphabetical order.
    unary : ndarray, shape (D, K)
    pairwise : ndarray, shape (D - 1, K, K)
    """

    word_id: int
    pixels: np.ndarray
    truth: np.ndarray
    candidates: np.ndarray
    unary: np.ndarray
    pairwise: np.ndarray


class ExactRun(NamedTuple):
    """Exhaustive search against dynamic programming on a `WordProblem`; labels index its candidates.

    Attributes
    ----------
    score : float
        Of the best labelling, by dynamic programming.
    labels, separate : ndarray, shape (D,), int64
        The best labelling; the best of each position by itself.
    score_search : float
        By exhaustive search; NaN if there were too many configurations.
    n_configurations : int
        K to the D.
    n_visited, n_letters_searched : int
        What search really did: fewer letters if all were too many.
    seconds_search, seconds_projected : float
        Measured; scaled up to all configurations.
    n_entries : int
        Candidates that dynamic programming looks at.
    seconds_dp : float
    forward, backward : tuple of ndarray, shape (K,)
        Message i into position i + 1; message i into position D - 2 - i.
    forward_choice, backward_choice : tuple of ndarray, shape (K,), int64
        The state behind each entry of a message.
    max_marginals : ndarray, shape (D, K)
    """

    score: float
    labels: np.ndarray
    separate: np.ndarray
    score_search: float
    n_configurations: int
    n_visited: int
    n_letters_searched: int
    seconds_search: float
    seconds_projected: float
    n_entries: int
    seconds_dp: float
    forward: tuple
    forward_choice: tuple
    backward: tuple
    backward_choice: tuple
    max_marginals: np.ndarray


class Decomposition(NamedTuple):
    """Restriction sets over D variables, counted.

    Attributes
    ----------
    sizes : tuple of int
        Entries of each table.
    n_stored : int
        Their sum.
    n_configurations : int
        What exhaustive search visits.
    n_explored : int
        What dynamic programming looks at in its best order.
    order : tuple of int
        That order of the variables, from 0.
    widest : tuple of int
        The variables that its largest step looks at together.
    """

    sizes: tuple
    n_stored: int
    n_configurations: int
    n_explored: int
    order: tuple
    widest: tuple


class TreeProblem(NamedTuple):
    """Two handwritten words that cross at a letter: N letters, K candidates each, N - 1 edges.

    Attributes
    ----------
    names : tuple of str
        "across 1", ..., "down 1", ...; the crossing letter is "crossing".
    place : ndarray, shape (N, 2), int64
        Columns from the crossing (negative = before it); line: 0 crossing, 1 across, -1 down.
    pixels : ndarray, shape (N, 16, 8), uint8
    truth : ndarray, shape (N,), int64
    candidates : ndarray, shape (N, K), int64
        Letters on offer, in alphabetical order.
    unary : ndarray, shape (N, K)
    edges : ndarray, shape (N - 1, 2), int64
        In reading order.
    pairwise : ndarray, shape (N - 1, K, K)
    """

    names: tuple
    place: np.ndarray
    pixels: np.ndarray
    truth: np.ndarray
    candidates: np.ndarray
    unary: np.ndarray
    edges: np.ndarray
    pairwise: np.ndarray


class TreeMessage(NamedTuple):
    """One message: what a node tells a neighbour.

    Attributes
    ----------
    source, target : int
    values : ndarray, shape (K,)
        By state of the target: best score of everything behind the source.
    choice : ndarray, shape (K,), int64
        The source's state behind each.
    """

    source: int
    target: int
    values: np.ndarray
    choice: np.ndarray


class TreeRun(NamedTuple):
    """Messages on a `TreeProblem` in the order they are sent: to the root, then from it.

    Attributes
    ----------
    root : int
    messages : tuple of TreeMessage
        2 (N - 1); the first N - 1 go to the root.
    max_marginals : ndarray, shape (N, K)
    score : float
    labels, separate : ndarray, shape (N,), int64
        The best labelling; the best of each letter by itself.
    n_entries : int
        Sums compared on the way to the root.
    """

    root: int
    messages: tuple
    max_marginals: np.ndarray
    score: float
    labels: np.ndarray
    separate: np.ndarray
    n_entries: int


class FamilyRun(NamedTuple):
    """A word's loss from CRF to structured SVM. First index: a wrong letter costs 0, 1 or 1 - epsilon.

    Attributes
    ----------
    epsilons : ndarray, shape (E,)
        From 1 down to 0.
    value : ndarray, shape (3, E)
    weights : ndarray, shape (3, E, D, 26)
        Share of each letter in the readings that are pushed down.
    n_readings : ndarray, shape (3, E)
        How many readings share the blame, 1 .. 26 to the D.
    """

    epsilons: np.ndarray
    value: np.ndarray
    weights: np.ndarray
    n_readings: np.ndarray


class MergedRun(NamedTuple):
    """An n-gram model of a word of D letters as a chain of M = D - n + 2 merged variables of S states.

    Attributes
    ----------
    order : int
        n, 2 or more.
    unary : ndarray, shape (M, S)
    pairwise : ndarray, shape (M - 1, S, S)
        -inf where neighbours disagree.
    states : ndarray, shape (S, n - 1), int64
        Candidates behind each merged state.
    path : ndarray, shape (M,), int64
        The best merged states.
    labels : ndarray, shape (D,), int64
        The candidates that they stand for.
    score : float
        Of the best, on the merged chain.
    score_search : float
        Of the best of all readings, each tried on the model that is not merged; NaN if not tried.
    n_readings : int
        K to the D.
    """

    order: int
    unary: np.ndarray
    pairwise: np.ndarray
    states: np.ndarray
    path: np.ndarray
    labels: np.ndarray
    score: float
    score_search: float
    n_readings: int
