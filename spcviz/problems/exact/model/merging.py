"""Agglomeration of a handwritten word's n-gram model, counted step by step (thesis 3.2, 3.3).

An n-gram scores log p(letter | the n - 1 before it), counted in the training folds with one added to every
count; the word's first letters have fewer before them. Ink scores are those of
`spcviz.problems.exact.page.live`.
"""

import numpy as np
from cachetools.func import lru_cache

from spcviz.engine import checks
from spcviz.engine.chains import chain
from spcviz.engine.graphs import exhaustive
from spcviz.problems.exact.model.agglomerate import agglomerate, separate
from spcviz.problems.exact.shown import MergedRun, WordProblem
from spcviz.problems.letters.data import handwriting

CAP = 100_000


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
