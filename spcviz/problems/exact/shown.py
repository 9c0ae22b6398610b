"""Records that the Exact inference page draws: plain named tuples of numpy arrays."""

from typing import NamedTuple

import numpy as np


class WordProblem(NamedTuple):
    """Some letters of a handwritten word as a chain of D positions with K candidate letters each."""

    word_id: int
    pixels: np.ndarray  # (D, 16, 8) uint8
    truth: np.ndarray  # (D,) int64: 0 = a
    candidates: np.ndarray  # (D, K) int64: letters on offer at each position, in alphabetical order
    unary: np.ndarray  # (D, K)
    pairwise: np.ndarray  # (D - 1, K, K)


class ExactRun(NamedTuple):
    """Exhaustive search against dynamic programming on a `WordProblem`; labels index its candidates."""

    score: float  # of the best labelling, by dynamic programming
    labels: np.ndarray  # labels, separate (D,) int64: the best; each position's own best
    separate: np.ndarray
    score_search: float  # by exhaustive search; NaN if there were too many configurations
    n_configurations: int  # K to the D
    n_visited: int  # n_visited, n_letters_searched: actually searched; fewer if all letters were too many
    n_letters_searched: int
    seconds_search: float  # seconds_search, seconds_projected: measured; scaled up to all
    seconds_projected: float
    n_entries: int  # candidates that dynamic programming looks at
    seconds_dp: float
    forward: tuple  # (K,): message i into position i + 1
    forward_choice: tuple  # (K,): the state behind each entry of a message
    backward: tuple  # (K,): message i into position D - 2 - i
    backward_choice: tuple  # (K,): the state behind each entry of a message
    max_marginals: np.ndarray  # (D, K)


class Decomposition(NamedTuple):
    """Restriction sets over D variables, counted."""

    sizes: tuple[int, ...]  # entries of each table
    n_stored: int  # their sum
    n_configurations: int  # what exhaustive search visits
    n_explored: int  # what dynamic programming looks at in its best order
    order: tuple[int, ...]  # that order of the variables, from 0
    widest: tuple[int, ...]  # the variables that its largest step looks at together


class TreeProblem(NamedTuple):
    """Two handwritten words that cross at a letter: N letters, K candidates each, N - 1 edges."""

    names: tuple[str, ...]  # "across 1", ..., "down 1", ...; the crossing letter is "crossing"
    place: np.ndarray  # (N, 2) int64: column from the crossing; line: 0 crossing, 1 across, -1 down
    pixels: np.ndarray  # (N, 16, 8) uint8
    truth: np.ndarray  # (N,) int64
    candidates: np.ndarray  # (N, K) int64: letters on offer, in alphabetical order
    unary: np.ndarray  # (N, K)
    edges: np.ndarray  # (N - 1, 2) int64: in reading order
    pairwise: np.ndarray  # (N - 1, K, K)


class TreeMessage(NamedTuple):
    """One message from a node to a neighbour."""

    source: int
    target: int
    values: np.ndarray  # (K,): by state of the target: best score of everything behind the source
    choice: np.ndarray  # (K,) int64: the source's state behind each


class TreeRun(NamedTuple):
    """Messages on a `TreeProblem` in the order they are sent: to the root, then from it."""

    root: int
    messages: tuple[TreeMessage, ...]  # 2 (N - 1); the first N - 1 go to the root
    max_marginals: np.ndarray  # (N, K)
    score: float
    labels: np.ndarray  # labels, separate (N,) int64: the best; each node's own best
    separate: np.ndarray
    n_entries: int  # sums compared on the way to the root


class FamilyRun(NamedTuple):
    """A word's loss from CRF to structured SVM. First index: a wrong letter costs 0, 1 or 1 - epsilon."""

    epsilons: np.ndarray  # (E,): from 1 down to 0
    value: np.ndarray  # (3, E)
    weights: np.ndarray  # (3, E, D, 26): share of each letter in the readings that are pushed down
    n_readings: np.ndarray  # (3, E): how many readings share the blame, 1 .. 26 to the D.


class MergedRun(NamedTuple):
    """An n-gram model of a word of D letters as a chain of M = D - n + 2 merged variables of S states."""

    order: int  # n, 2 or more
    unary: np.ndarray  # (M, S)
    pairwise: np.ndarray  # (M - 1, S, S): -inf where neighbours disagree
    states: np.ndarray  # (S, n - 1) int64: candidates behind each merged state
    path: np.ndarray  # (M,) int64: the best merged states
    labels: np.ndarray  # (D,) int64: the candidates behind them
    score: float  # of the best, on the merged chain
    score_search: float  # of the best reading under the unmerged model; NaN if not tried
    n_readings: int  # K to the D
