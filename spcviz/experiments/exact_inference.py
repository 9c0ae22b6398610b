"""Lecture 12 on a real handwritten word: exhaustive search, dynamic programming, decompositions; stereo.

A word's letters score how well a letter's mean image explains the ink, and pairs their log frequency, both
counted in the training folds (not the word's own): the home page's small model, so that the numbers are
counted letter statistics and nothing else. K candidates are kept at each position, best letters first.
"""

import itertools
import time

import numpy as np

from spcviz.engine import chain, checks, exhaustive, loopy_bp
from spcviz.engine import grid as combs
from spcviz.experiments import home_word
from spcviz.results import ExactRun, StereoReadings, WordProblem
from spcviz.tasks import ocr, stereo

CAP = 3_000_000
SECONDS_A_YEAR = 365.25 * 24 * 3600


def word_problem(word_id, start, n_letters, n_candidates, pair_weight=1.0):
    """Some letters of a word with the best candidates at each position.

    Parameters
    ----------
    word_id : int
    start : int
        The first letter that is taken, 0 = the word's first; the last one if there are not as many.
    n_letters : int
        D, cut to the word's length.
    n_candidates : int
        K, 1 .. 26.
    pair_weight : float
        What pair scores are multiplied by; 0 = every letter by itself.

    Returns
    -------
    WordProblem

    Examples
    --------
    >>> found = word_problem(0, 0, 4, 3)
    >>> found.unary.shape, found.pairwise.shape
    ((4, 3), (3, 3, 3))
    """
    words = ocr.load_words()
    word_id = checks.integer("word_id", word_id, 0, len(words.lengths) - 1)
    n_candidates = checks.integer("n_candidates", n_candidates, 1, ocr.N_STATES)
    longest = int(words.lengths[word_id])
    start = min(checks.integer("start", start, 0, 100), longest - 1)
    length = min(checks.integer("n_letters", n_letters, 1, 20), longest - start)
    first = words.starts[word_id] + start
    is_training = np.repeat(words.folds != words.folds[word_id], words.lengths)
    ink = words.pixels[first : first + length].reshape(length, -1)
    unary, pairs = _scores(ink, is_training)
    chosen = np.sort(np.argsort(-unary, axis=1, kind="stable")[:, :n_candidates], axis=1)
    near = [pairs[np.ix_(a, b)] for a, b in itertools.pairwise(chosen)]
    shape = (length - 1, n_candidates, n_candidates)
    return WordProblem(
        word_id=word_id,
        pixels=words.pixels[first : first + length],
        truth=words.labels[first : first + length],
        candidates=chosen,
        unary=np.take_along_axis(unary, chosen, axis=1),
        pairwise=float(pair_weight) * np.array(near).reshape(shape),
    )


def _scores(ink, is_training):
    """(unary (D, 26), pair scores (26, 26)) counted in training letters."""
    words = ocr.load_words()
    packed = np.packbits(words.pixels[is_training].reshape(-1, 128), axis=1)
    unary = home_word.PIXEL_WEIGHT * home_word._letter_scores(ink, packed, words.labels[is_training])
    follows = is_training[:-1] & is_training[1:]
    follows[words.starts[1:-1] - 1] = False
    return unary, home_word._pair_scores(words.labels[:-1][follows], words.labels[1:][follows])


def run_exact(problem, cap=CAP):
    """Both methods on one word, really run and timed; exhaustive search only up to `cap` configurations.

    Parameters
    ----------
    problem : WordProblem
    cap : int
        Beyond it, search runs on as many letters as fit, and its speed there gives the projection.

    Returns
    -------
    ExactRun

    Examples
    --------
    >>> run = run_exact(word_problem(0, 0, 3, 4))
    >>> run.n_visited == 64, abs(run.score_search - run.score) < 1e-9
    (True, True)
    """
    unary, pairwise = problem.unary, problem.pairwise
    length, k = unary.shape
    fits = length
    while fits > 1 and k**fits > cap:
        fits -= 1
    part = exhaustive.chain_graph(unary[:fits], pairwise[: fits - 1])
    exhaustive.search(exhaustive.chain_graph(unary[:1], pairwise[:0]))  # loads the kernel
    began = time.perf_counter()
    found = exhaustive.search(part, cap=cap)
    seconds = time.perf_counter() - began
    graph = exhaustive.chain_graph(unary, pairwise)
    chain.decode(unary, pairwise)
    began = time.perf_counter()
    best = chain.decode(unary, pairwise)
    seconds_dp = time.perf_counter() - began
    forward = exhaustive.eliminate(graph)
    backward = exhaustive.eliminate(graph, range(length - 1, -1, -1))
    is_whole = fits == length
    count = exhaustive.n_configurations(graph.n_states)
    return ExactRun(
        score=float(best.score),
        labels=best.labels,
        separate=unary.argmax(axis=1),
        score_search=found.score if is_whole else np.nan,
        n_configurations=count,
        n_visited=found.n_configurations,
        n_letters_searched=fits,
        seconds_search=seconds,
        seconds_projected=seconds if is_whole else seconds * (count / found.n_configurations),
        n_entries=forward.n_entries,
        seconds_dp=seconds_dp,
        forward=tuple(step.message for step in forward.steps[:-1]),
        forward_choice=tuple(step.choice for step in forward.steps[:-1]),
        backward=tuple(step.message for step in backward.steps[:-1]),
        backward_choice=tuple(step.choice for step in backward.steps[:-1]),
        max_marginals=chain.max_marginals(unary, pairwise).unary,
    )


def decomposition(n_states, scopes):
    """Sizes of the tables of some restriction sets, and how many configurations they score.

    Parameters
    ----------
    n_states : sequence of int
    scopes : sequence of sequence of int
        From 0.

    Returns
    -------
    (list of int, int, int)
        Entries of each table, of all, configurations.

    Examples
    --------
    >>> decomposition([26] * 4, [[0], [1], [2], [3], [0, 1], [1, 2], [2, 3]])[1:]
    (2132, 456976)
    """
    sizes = [exhaustive.stored_entries(n_states, [scope]) for scope in scopes]
    return sizes, sum(sizes), exhaustive.n_configurations(n_states)


def stereo_readings(seed, noise, weight, *, height=48, width=64, n_disparities=7):
    """A random-dot stereogram read pixel by pixel, row by row and as a grid.

    Parameters
    ----------
    seed : int
    noise : float
        0 .. 1.
    weight : float
        Of smoothness.
    height, width, n_disparities : int

    Returns
    -------
    StereoReadings

    Examples
    --------
    >>> found = stereo_readings(0, 0.1, 0.5, height=10, width=16, n_disparities=3)
    >>> found.grid.shape
    (10, 16)
    """
    pair = stereo.random_dots(np.random.default_rng(seed), height, width, n_disparities, noise)
    unary = stereo.matching_scores(pair.left, pair.right, n_disparities)
    smooth = stereo.smoothness(n_disparities, weight)
    tables = np.broadcast_to(smooth, (height, width - 1, *smooth.shape))
    down = np.broadcast_to(smooth, (height - 1, width, *smooth.shape))
    flat, edges, pairwise = combs.as_graph(unary, tables, down)
    beliefs = loopy_bp.propagate(flat, edges, pairwise, "max", max_iterations=40, damping=0.3)
    readings = (
        unary.argmax(axis=2),
        exhaustive.scanlines(unary, smooth),
        beliefs.labels.reshape(height, width),
    )
    errors = tuple(stereo.error_rate(found, pair.disparity) for found in readings)
    return StereoReadings(pair.left, pair.right, pair.disparity, *readings, errors)
