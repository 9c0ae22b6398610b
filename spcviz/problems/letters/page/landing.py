r"""Home's word and its two-step cascade in numpy alone: quick bigrams, sharper trigrams on what is left.

A letter y at position i, with q_y its mean image, scores

.. math:: u_i(y) = \beta \sum_p x_{ip} \log q_{yp} + (1 - x_{ip}) \log(1 - q_{yp})

and a pair of letters its log frequency. Max-marginals and the alpha at which each letter falls are exact.
In the sharper model a letter scores the log of its share of the most similar training images, and a letter
after two others its log frequency; the best of the remaining words is exact.
The engine does all this better, but is not used here: importing numba takes longer than the page may take to
appear.

Throughout: L positions, K = 26 letters, P = 128 pixels.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from spcviz.shared.folders import CACHE, NEEDS

LETTERS = CACHE / "data" / "ocr_letters.npz"
WORDS = CACHE / "data" / "open_words.npz"
FIRST_TRAINING_FOLD = 2
STOP = 0.6
"""The alpha at which the page's story lets the sharper model read."""
AT_MOST = 1000
"""The most words that may be left by then."""
WORD = 362
"""A development word of seven or eight letters that meets four conditions. It is misread letter by letter;
pairs of letters misread it in the same way; the truth and at most `AT_MOST` words are left at `STOP`; the
sharper model then reads it right. Of all such words it is the most frequent in the treebank. A test repeats
the choice.
"""

N_LETTERS = 26
PIXEL_WEIGHT = 0.25  # beta: neighbouring pixels repeat each other, so each counts for less than one
N_SIMILAR = 20
BACK_OFF = 5.0  # pseudo-count of a context, spread over letters as shorter contexts predict
EDGE = N_LETTERS  # the symbol before and after a word

PYTHON = f"""# Home: one word, read letter by letter, and by a sharper model of what pruning left.
{NEEDS}
from spcviz import scenes

word = scenes.home()
print("letter by letter:", word.alone)
for step in word.steps:
    print(f"from alpha {{step.alpha:.3f}} on, with {{list(step.n_left)}} letters left:", step.reading)
"""


class HomeWord(NamedTuple):
    """One word, when its letters fall, and what each model reads."""

    pixels: np.ndarray  # (L, 16, 8) uint8: 1 = ink
    truth: np.ndarray  # (L,): true letters
    alone: np.ndarray  # (L,): the best letter of each position on its own
    # (L, K) int64: letters of each position, best max-marginal first; ties in alphabetical order
    order: np.ndarray
    # (L, K): the alpha at which ``order[i, r]`` is pruned: it is kept iff alpha is smaller. Negative for a
    # max-marginal under the mean; 1 on the best path, which is never pruned.
    falls_at: np.ndarray
    # the sharper model's readings (L,), each with the alpha from which it holds
    sharper: tuple[tuple[float, np.ndarray], ...]


@cache
def word(number: int = WORD):
    """A development word, by default the home page's own, as a `HomeWord`; 0.2 s the first time."""
    images, is_training, words = _data()
    lengths = np.char.str_len(words["types"][words["dev_words"]])
    end = int(lengths[: number + 1].sum())
    spelled = words["types"][words["train_words"]]
    return home_word(
        images["pixels"],
        images["labels"],
        is_training,
        words["dev_rows"][end - lengths[number] : end],
        np.frombuffer(b"".join(spelled), dtype=np.uint8).astype(np.int64) - ord("a"),
        np.char.str_len(spelled),
    )


def _data():
    """(letter images, which of them are for training, words)."""
    with np.load(LETTERS, allow_pickle=False) as letters, np.load(WORDS, allow_pickle=False) as words:
        images = {name: letters[name] for name in letters.files}
        words = {name: words[name] for name in ("types", "train_words", "dev_words", "dev_rows", "counts")}
    return images, np.repeat(images["folds"] >= FIRST_TRAINING_FOLD, images["lengths"]), words


def values(shown, alpha) -> dict:
    """A `HomeWord` at an alpha (None: the story's), for the checks of tasks."""
    true = np.take_along_axis(shown.falls_at, np.argsort(shown.order, axis=1), axis=1)
    true = true[np.arange(len(shown.truth)), shown.truth]
    at = STOP if alpha is None else alpha
    left = (shown.falls_at > at).sum(axis=1)
    left[left == 0] = 1  # the best word is never pruned
    falls = {f"falls_{i}": float(value) for i, value in enumerate(true, start=1)}
    alive = bool(((true > at) | (true == 1)).all())
    return falls | {"falls": true.tolist(), "alive": alive, "left": math.prod(left.tolist())}


def home_word(
    pixels: np.ndarray,
    labels: np.ndarray,
    is_training: np.ndarray,
    rows: np.ndarray,
    spelled: np.ndarray,
    lengths: np.ndarray,
) -> HomeWord:
    """Learn from the training images (N, 16), packed by rows, and words, then find one word's break points.

    >>> rng = np.random.default_rng(0)
    >>> word = home_word(rng.integers(0, 256, (4, 16), np.uint8), np.array([0, 1, 1, 0]), np.arange(4) > 1,
    ...                  np.array([0, 1]), np.array([1, 0, 0]), np.array([2, 1]))
    >>> word.order.shape, float(word.falls_at[0, 0])
    ((2, 26), 1.0)
    """
    ink = np.unpackbits(pixels[rows], axis=1)
    known, known_labels = pixels[is_training], labels[is_training]
    unary = PIXEL_WEIGHT * _letter_scores(ink, known, known_labels)
    follows = np.ones(len(spelled), dtype=bool)
    follows[np.cumsum(lengths) - 1] = False  # the last letter of a word and the first of the next: not a pair
    pairs = np.flatnonzero(follows)
    max_marginals = _max_marginals(unary, pair_scores(spelled[pairs], spelled[pairs + 1]))
    best, mean = max_marginals.max(), max_marginals.mean()
    order = np.argsort(-max_marginals, axis=1, kind="stable")
    falls_at = (np.take_along_axis(max_marginals, order, axis=1) - mean) / (best - mean)
    falls_at[:, 0] = 1.0  # the best path, whatever rounding says
    similar = _similar_scores(pixels[rows], known, known_labels)
    sharper = _readings(similar, _triple_scores(spelled, lengths), order, falls_at)
    return HomeWord(ink.reshape(-1, 16, 8), labels[rows], unary.argmax(axis=1), order, falls_at, sharper)


def _similar_scores(packed, known, labels):
    """Log share of each letter among the `N_SIMILAR` images that differ in fewest pixels, shape (L, K)."""
    known, packed = known.view(np.uint64), np.ascontiguousarray(packed).view(np.uint64)
    counts = np.full((len(packed), N_LETTERS), 0.2)
    for i, image in enumerate(packed):
        differ = np.bitwise_count(known ^ image).sum(axis=1)
        nearest = np.argsort(differ, kind="stable")[:N_SIMILAR]
        counts[i] += np.bincount(labels[nearest], minlength=N_LETTERS)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


def _triple_scores(spelled, lengths):
    """log p(third | first, second), shape (27, 27, 27); `EDGE` comes twice before a word and once after."""
    starts = np.cumsum(lengths) - lengths
    at = np.arange(len(spelled)) + 3 * np.repeat(np.arange(len(lengths)), lengths) + 2
    signs = np.full(len(spelled) + 3 * len(lengths), EDGE)
    signs[at] = spelled
    is_third = np.ones(len(signs), dtype=bool)
    is_third[at[starts] - 2] = is_third[at[starts] - 1] = False
    third = np.flatnonzero(is_third)
    triples = np.zeros((EDGE + 1,) * 3)
    np.add.at(triples, (signs[third - 2], signs[third - 1], signs[third]), 1)
    pairs = triples.sum(axis=0)
    p = pairs.sum(axis=0) + 1
    p = p / p.sum()
    p = (pairs + BACK_OFF * p) / (pairs.sum(axis=1, keepdims=True) + BACK_OFF)
    return np.log((triples + BACK_OFF * p) / (triples.sum(axis=2, keepdims=True) + BACK_OFF))


def _readings(similar, triples, order, falls_at):
    """The sharper model's readings of the remaining letters, each from the alpha where it changes."""
    place = np.argsort(order, axis=1)
    falls = np.take_along_axis(falls_at, place, axis=1)  # by letter
    out, alpha = [], 0.0
    while alpha < 1:
        word = _best_word(similar, triples, falls > alpha)
        out.append((alpha, word))
        alpha = float(falls[np.arange(len(word)), word].min())  # until a letter of it falls
    return tuple(out)


def _best_word(similar, triples, is_left):
    """The word of remaining letters with the best score under triples, shape (L,)."""
    score = np.full((EDGE + 1, EDGE + 1), -np.inf)  # of the best beginning, by its last two letters
    score[EDGE, EDGE] = 0.0
    first = []
    for letters, left in zip(similar, is_left, strict=True):
        longer = score[:, :, None] + triples
        first.append(longer.argmax(axis=0))
        score = np.full_like(score, -np.inf)
        score[:, :EDGE] = longer.max(axis=0)[:, :EDGE] + np.where(left, letters, -np.inf)
    before, last = np.unravel_index((score + triples[:, :, EDGE]).argmax(), score.shape)
    word = [last]
    for from_which in reversed(first):
        before, last = from_which[before, last], before
        word.append(last)
    return np.array(word[-2::-1])


def _letter_scores(ink, packed, labels):
    """log p(ink | letter) with independent pixels, shape (L, K)."""
    mean = mean_images(packed, labels)
    return ink @ np.log(mean).T + (1.0 - ink) @ np.log1p(-mean).T


def mean_images(packed, labels):
    """Share of each letter's images that have ink at a pixel, shape (K, P)."""
    n_ink = np.ones((N_LETTERS, 8 * packed.shape[1]))  # a pseudo-count of one each
    n_seen = np.full((N_LETTERS, 1), 2.0)
    for letter in range(N_LETTERS):
        images = np.unpackbits(packed[labels == letter], axis=1)
        n_ink[letter] += images.sum(axis=0)
        n_seen[letter] += len(images)
    return n_ink / n_seen


def pair_scores(first, second):
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
