r"""Merge the variables of an n-gram model until it is a chain: of any scores, and of a handwritten word.

Messages between variables of overlapping factors would run in cycles. So n - 1 neighbours are merged into
one variable :math:`z_j = (y_j, \ldots, y_{j+n-2})` with :math:`K^{n-1}` states (``states[s]``, in dictionary
order), and an n-gram's score becomes that of a transition: -inf where two states disagree about the n - 2
variables they share. Of :math:`K^{2(n-1)}` transitions :math:`K^n` remain, and every path is a labelling.
This is for display and for checks: `spcviz.engine.ngrams.dense` and `spcviz.engine.ngrams.lattice` never
store the -inf.

An n-gram of a word scores log p(letter | the n - 1 before it), counted in the training folds with one added
to every count; the word's first letters have fewer before them. Ink scores are those of
`spcviz.problems.exact.page.live`.
"""

import itertools
from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.graphs import exhaustive
from spcviz.problems.exact.shown import MergedRun, WordProblem
from spcviz.problems.letters import handwriting

MAX_STATES = 4096
CAP = 100_000  # the most readings of a word that are also tried one by one


class Agglomerated(NamedTuple):
    """A chain for `spcviz.engine.chains.chain`, M = L - n + 2 merged variables of S = K^(n - 1) states."""

    unary: np.ndarray  # (M, S)
    pairwise: np.ndarray  # (M - 1, S, S): -inf where two neighbours disagree
    states: np.ndarray  # (S, n - 1) int64: the old states behind each new one


def agglomerate(unary: ArrayLike, ngrams: ArrayLike) -> Agglomerated:
    """Merge n - 1 neighbours (thesis, 3.2 and 3.3, Fig. 3.2 and 3.3) of scores (L, K) and factors (L - n + 1,
    K, ..., K), ``[j, y_j, ..., y_{j+n-1}]``.

    >>> merged = agglomerate(np.zeros((3, 2)), np.ones((1, 2, 2, 2)))
    >>> merged.states.tolist(), merged.pairwise[0, 1].tolist()  # 01 goes on with 10 and 11 only
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [-inf, -inf, 1.0, 1.0])
    """
    unary = checks.scores("unary", unary, 2)
    ngrams = checks.typed_array("ngrams", ngrams, "biuf", "numbers")
    n, (length, k) = ngrams.ndim - 1, unary.shape
    wanted = (length - n + 1, *(k,) * n)
    if n < 2 or length < n or k < 1 or ngrams.shape != wanted:
        raise ShapeError(
            f"ngrams has shape {ngrams.shape}; unary {unary.shape} needs (L - n + 1, K, ..., K) with n from "
            f"2 to {length} axes of {k}"
        )
    if (size := k ** (n - 1)) > MAX_STATES:
        raise ArgumentError(
            f"{k} to the power {n - 1} is {size} merged states; at most {MAX_STATES} are stored"
        )
    ngrams = checks.scores("ngrams", ngrams.reshape(wanted[0], -1), 2).reshape(-1, size, k)
    states = np.indices((k,) * (n - 1)).reshape(n - 1, -1).T
    merged = np.zeros((length - n + 2, size))
    for i in range(n - 1):  # the first one scores all its variables; each later one what it adds
        merged[0] += unary[i, states[:, i]]
    merged[1:] = unary[n - 1 :, states[:, -1]]
    # (y_j .. y_{j+n-2}) followed by y_{j+n-1}: the first letter is dropped, the new one added at the end.
    goes_to = (np.arange(size)[:, None] * k + np.arange(k)) % size
    pairwise = np.full((len(ngrams), size, size), -np.inf)
    pairwise[:, np.arange(size)[:, None], goes_to] = ngrams
    return Agglomerated(merged, pairwise, states.astype(np.int64))


def separate(labels: ArrayLike, states: np.ndarray) -> np.ndarray:
    """Labels (M,) of the merged chain as (M + n - 2,) of the old one; `ArgumentError` where two disagree.

    >>> separate([1, 2], np.array([[0, 0], [0, 1], [1, 0], [1, 1]])).tolist()
    [0, 1, 0]
    """
    states = checks.typed_array("states", states, "iu", "whole numbers")
    if states.ndim != 2 or 0 in states.shape:
        raise ShapeError(f"states has shape {states.shape}; it needs (S, n - 1), both over 0")
    if states.min() < 0 or states.max() >= MAX_STATES:
        raise ArgumentError(
            f"states must be from 0 to {MAX_STATES - 1}, got {states.min()} to {states.max()}"
        )
    tuples = states[checks.whole_numbers("labels", labels, 0, len(states) - 1)]
    if not len(tuples):
        raise ShapeError("labels has shape (0,); it needs at least one")
    for j, (a, b) in enumerate(itertools.pairwise(tuples)):
        if (a[1:] != b[:-1]).any():
            raise ArgumentError(f"labels {j} and {j + 1} disagree: {tuple(a.tolist())}, {tuple(b.tolist())}")
    return np.concatenate([tuples[0], tuples[1:, -1]])


def run_merged(problem: WordProblem, order: int, weight: float = 1.0) -> MergedRun:
    """Merge a word's letters by n-grams of order 2 .. 4, without its pair scores; read it merged and not.

    >>> from spcviz.problems.exact.page.live import word_problem
    >>> run = run_merged(word_problem(6320, 2, 4, 3), 3)
    >>> run.pairwise.shape, int(np.isfinite(run.pairwise[0]).sum()), abs(run.score - run.score_search) < 1e-9
    ((2, 9, 9), 27, True)
    """
    length, k = problem.unary.shape
    n = checks.integer("order", order, 2, min(4, length))
    tables = weight * _ngrams(problem, n)
    merged = agglomerate(problem.unary, tables)
    best = chain.decode(merged.unary, merged.pairwise)
    count, searched = k**length, np.nan
    if count <= CAP:
        scopes = [(i,) for i in range(length)] + [tuple(range(j, j + n)) for j in range(len(tables))]
        graph = exhaustive.factor_graph([k] * length, scopes, [*problem.unary, *tables])
        searched = exhaustive.search(graph, cap=CAP).score
    return MergedRun(
        order=n,
        unary=merged.unary,
        pairwise=merged.pairwise,
        states=merged.states,
        path=best.labels,
        labels=separate(best.labels, merged.states),
        score=float(best.score),
        score_search=float(searched),
        n_readings=count,
    )


def narrow(problem: WordProblem, n_candidates: int) -> WordProblem:
    """A word with the K candidates of best max-marginals under pairs, so the best word can still be read."""
    k = checks.integer("n_candidates", n_candidates, 1, problem.unary.shape[1])
    through = chain.max_marginals(problem.unary, problem.pairwise, edges=False).unary
    kept = np.sort(np.argsort(-through, axis=1, kind="stable")[:, :k], axis=1)
    here = np.arange(len(kept) - 1)[:, None, None]
    return problem._replace(
        candidates=np.take_along_axis(problem.candidates, kept, axis=1),
        unary=np.take_along_axis(problem.unary, kept, axis=1),
        pairwise=problem.pairwise[here, kept[:-1, :, None], kept[1:, None, :]],
    )


def _ngrams(problem, n):
    """Scores of the n-grams of a word's candidates, shape (D - n + 1, K, ..., K)."""
    candidates, fold = problem.candidates, int(handwriting.load_words().folds[problem.word_id])
    logs = {m: _logs_without(fold, m) for m in range(2, n + 1)}
    tables = np.stack([logs[n][np.ix_(*candidates[j : j + n])] for j in range(len(candidates) - n + 1)])
    for m in range(2, n):  # the first n-gram also scores the letters that have fewer before them
        start = logs[m][np.ix_(*candidates[:m])]
        tables[0] += start.reshape(start.shape + (1,) * (n - m))
    return tables


@lru_cache(12)
def _logs_without(fold, n):
    """`conditional_logs` of all words outside a fold."""
    words = handwriting.load_words()
    logs = conditional_logs(words, words.folds != fold, n)
    logs.flags.writeable = False  # shared
    return logs


def conditional_logs(words: handwriting.Words, is_training: np.ndarray, n: int):
    """log p(letter | the n - 1 letters before it), shape (26,) * n, counted in training words."""
    of_word = np.repeat(np.arange(len(words.lengths)), words.lengths)
    first = np.arange(len(of_word) - n + 1)
    first = first[(of_word[first] == of_word[first + n - 1]) & is_training[of_word[first]]]
    count = np.ones((handwriting.N_STATES,) * n)
    np.add.at(count, tuple(words.labels[first + i] for i in range(n)), 1)
    return np.log(count / count.sum(axis=-1, keepdims=True))
