r"""A small cascade for the home page: mean images and letter pairs, in numpy alone.

A letter y at position i, with q_y its mean image, scores

.. math:: u_i(y) = \beta \sum_p x_{ip} \log q_{yp} + (1 - x_{ip}) \log(1 - q_{yp})

and a pair of letters its log frequency. Max-marginals and the alpha at which each letter falls are exact.
The engine does all this better; it is not used here because
importing numba takes longer than the page may take to appear.

Throughout: L positions, K = 26 letters, P = 128 pixels.
"""

from typing import NamedTuple

import numpy as np

N_LETTERS = 26
PIXEL_WEIGHT = 0.25  # beta: neighbouring pixels repeat each other, so each counts for less than one


class HomeWord(NamedTuple):
    """One word and when its letters fall."""

    pixels: np.ndarray  # (L, 16, 8) uint8: 1 = ink
    truth: np.ndarray  # (L,) uint8: true letters
    # (L, K) int64: letters of each position, best max-marginal first; ties in alphabetical order
    order: np.ndarray
    # (L, K): the alpha at which ``order[i, r]`` is pruned: it is kept iff alpha is smaller. Negative for a
    # max-marginal under the mean; 1 on the best path, which is never pruned.
    falls_at: np.ndarray


def home_word(
    pixels: np.ndarray, labels: np.ndarray, lengths: np.ndarray, folds: np.ndarray, word_idx: int
) -> HomeWord:
    """Learn from all folds but the word's own, then find the break points of the word.

    `pixels` (N, 16) uint8: all letters, 128 pixels packed row by row. `labels` (N,) uint8: 0 = a. `lengths`,
    `folds` (W,): of each word.

    >>> rng = np.random.default_rng(0)
    >>> word = home_word(rng.integers(0, 256, (4, 16), np.uint8), np.array([0, 1, 1, 0]),
    ...                  np.array([2, 2]), np.array([0, 1]), 0)
    >>> word.order.shape, float(word.falls_at[0, 0])
    ((2, 26), 1.0)
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    rows = slice(ends[word_idx] - lengths[word_idx], ends[word_idx])
    is_training = np.repeat(folds != folds[word_idx], lengths)
    follows = is_training[:-1] & is_training[1:]
    follows[ends[:-1] - 1] = False  # the last letter of a word and the first of the next are no pair

    ink = np.unpackbits(pixels[rows], axis=1)
    unary = PIXEL_WEIGHT * _letter_scores(ink, pixels[is_training], labels[is_training])
    pairwise = _pair_scores(labels[:-1][follows], labels[1:][follows])
    max_marginals = _max_marginals(unary, pairwise)
    best, mean = max_marginals.max(), max_marginals.mean()
    order = np.argsort(-max_marginals, axis=1, kind="stable")
    falls_at = (np.take_along_axis(max_marginals, order, axis=1) - mean) / (best - mean)
    falls_at[:, 0] = 1.0  # the best path, whatever rounding says
    return HomeWord(ink.reshape(-1, 16, 8), labels[rows], order, falls_at)


def _letter_scores(ink, packed, labels):
    """log p(ink | letter) with independent pixels, shape (L, K)."""
    return _scores_of_ink(ink, _mean_images(packed, labels))


def _mean_images(packed, labels):
    """Share of each letter's images that have ink at a pixel, shape (K, P)."""
    n_ink = np.ones((N_LETTERS, 8 * packed.shape[1]))  # one of each, to begin
    n_seen = np.full((N_LETTERS, 1), 2.0)
    for letter in range(N_LETTERS):
        images = np.unpackbits(packed[labels == letter], axis=1)
        n_ink[letter] += images.sum(axis=0)
        n_seen[letter] += len(images)
    return n_ink / n_seen


def _scores_of_ink(ink, mean):
    """`_letter_scores` by mean images."""
    return ink @ np.log(mean).T + (1.0 - ink) @ np.log1p(-mean).T


def _pair_scores(first, second):
    """log p(second | first), shape (K, K)."""
    count = np.ones((N_LETTERS, N_LETTERS))
    np.add.at(count, (first, second), 1)
    return np.log(count / count.sum(axis=1, keepdims=True))


def _max_marginals(unary, pairwise):
    """Score of the best word through each letter, shape (L, K)."""
    forward, backward = unary.copy(), np.zeros_like(unary)
    for i in range(1, len(unary)):
        forward[i] += (forward[i - 1][:, None] + pairwise).max(axis=0)
    for i in range(len(unary) - 2, -1, -1):
        backward[i] = (pairwise + unary[i + 1] + backward[i + 1]).max(axis=1)
    return forward + backward
