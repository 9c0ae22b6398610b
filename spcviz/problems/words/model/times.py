"""Time every part of spending a budget on words, in microseconds."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine.chains.chain import decode_batch
from spcviz.learning.budgets import expansion, part_policy, selector
from spcviz.learning.budgets.chains import meta as chain_meta
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.methods import EXAMPLE, PART, find_method
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.handwriting import batch_hog
from spcviz.problems.words.model import dms_pi, folds, resource_constraints
from spcviz.problems.words.model.folds import tier_features
from spcviz.shared.clock import median_us


class WordTimes(NamedTuple):
    """Medians, in microseconds."""

    # (T,): a letter's features of each tier, by scikit-image where they are HoG; tier 0 is free (0)
    feature: np.ndarray
    feature_fast: np.ndarray  # (T,): the same by the project's own HoG, two hundred letters at a time
    score: np.ndarray  # (T,): a letter's 26 scores from all features up to the tier, one letter at a time
    decode: float  # best labelling of a word
    meta: float  # best labelling and meta-features of a word
    # values of a word's next models, and its place in the queue, each time it is considered
    choose: float
    letters: float  # mean number of letters in a word


def measure(fold: folds.Fold, repeats: int = 25, n_letters: int = 20) -> WordTimes:
    """Time each piece on the fold's test words, in one process and one thread."""
    half = fold.test
    pixels = handwriting.load_words().pixels[half.images[:n_letters]]
    feature = np.zeros(folds.N_TIERS)
    for t in range(1, folds.N_TIERS):
        feature[t] = median_us(lambda t=t: tier_features(pixels, t), repeats) / len(pixels)
    score = np.zeros(folds.N_TIERS)
    for t in range(folds.N_TIERS):
        weights = fold.plain_weights[t].astype(np.float32)
        inputs = np.random.default_rng(0).random((200, len(weights)), dtype=np.float32)
        score[t] = median_us(lambda x=inputs, w=weights: [row @ w for row in x], repeats) / len(inputs)
    unary = np.ascontiguousarray(half.plain[:, 0], dtype=np.float64)
    table, n = fold.test_pairs[0, 0], len(half.words)
    decode = median_us(lambda: decode_batch(unary, half.lengths, table), repeats) / n
    meta = median_us(lambda: chain_meta.chain_meta(unary, half.lengths, table, fold.seen_test), repeats) / n
    choose, letters = choose_us(n, repeats), float(half.lengths.mean())
    return WordTimes(feature, feature * fast_ratios(), score, decode, meta, choose, letters)


def choose_us(n, repeats):
    """Microseconds to value a word by a selector and queue it, besides decoding and meta-features."""
    rng, width = np.random.default_rng(0), 2 * len(dms_pi.COLUMNS)
    fitted = selector.Selector(
        rng.normal(size=(folds.N_TIERS - 1, width + 1)), *np.ones((2, folds.N_TIERS - 1, width)), 1.0
    )
    meta = rng.random((n, folds.N_TIERS - 1, width))
    us = median_us(lambda: expansion.expand(selector.predict_values(fitted, meta), dms_pi.COSTS), repeats)
    return us / (n * (folds.N_TIERS - 1))


def fixed_model_us(times, tier):
    """Microseconds per word of one model for all words."""
    return float(times.letters * (times.feature[: tier + 1].sum() + times.score[tier]) + times.decode)


def word_level_us(
    times: WordTimes, shares: ArrayLike, *, looks: bool = True, overhead: float = 0.0
) -> np.ndarray:
    """Microseconds per word when shares (..., T - 1) of letters are lifted; `looks`: with meta-features."""
    shares = np.asarray(shares, dtype=np.float64)
    n_more = shares.shape[-1]
    read = times.meta if looks else times.decode
    read = read + (times.choose if looks else 0.0)
    total = times.letters * times.score[0] + read + overhead
    for t in range(1, n_more + 1):
        letters = times.letters * (times.feature[t] + times.score[t])
        total = total + shares[..., t - 1] * (letters + (read if t < n_more else times.decode))
    return total


def as_dict(times):
    """Plain numbers for a result."""
    return {name: np.asarray(value).tolist() for name, value in times._asdict().items()}


def letter_level_us(times: WordTimes, lifted: ArrayLike, overhead: Callable):
    """Microseconds per word when letters are lifted singly; overhead(lifted): of inference and policy."""
    lifted = np.asarray(lifted, dtype=np.float64)
    letters = times.letters * (times.score[0] + lifted @ (times.feature[1:] + times.score[1:]))
    return letters + overhead(lifted)


def method_of(row):
    """The `Method` of a row of a result about words."""
    return find_method(row["method"], EXAMPLE if row["level"] == "word" else PART)


def policy_us(fold: folds.Fold, row: dict, choose: float) -> tuple[Callable, Callable]:
    """Times of a policy's inference and choices, and of inference alone, for `letter_level_us`."""
    parts = dms_pi.parts_of(fold, "test")
    n, method = len(fold.test.words), method_of(row)
    if method.level == EXAMPLE:
        given = np.ascontiguousarray(parts.scores[:, 0]), fold.test.lengths, parts.pairwise[0]
        look = median_us(lambda: chain_meta.chain_meta(*given, fold.seen_test), 3) / n
        read = median_us(lambda: decode_batch(*given), 3) / n

        def reads(lifted, us=read):
            first, last = np.asarray(lifted)[..., 0], np.asarray(lifted)[..., 1]
            return us * (1.0 + first) + read * last  # a word with everything is decoded only

        return lambda lifted: reads(lifted, look + choose), reads
    beta = np.random.default_rng(0).normal(size=(folds.N_TIERS - 1, len(ACTION_FEATURES)))
    noise = np.random.default_rng(0).random((len(parts.scores), folds.N_TIERS - 1))
    learned = part_policy.Learned(beta, beta, beta, noise, {})
    how = part_policy.rule_of(method, learned, q=row["q"], scale=row["scale"])
    known = how._replace(fixed=noise)
    return _course_us(parts, how, n), _course_us(parts, known, n)


def _course_us(parts, how, n):
    """Microseconds per word of a trajectory on n words: callable, see `letter_level_us`."""
    letters = len(parts.scores) / n
    begin = median_us(lambda: part_policy.spend(parts, how, 0.0), 3) / n
    whole = median_us(lambda: part_policy.spend(parts, how), 2) / n
    steps_a_letter = 1 if how.all_at_once else folds.N_TIERS - 1
    a_step = max(whole - begin, 0.0) / (letters * steps_a_letter)
    # All tiers at once: one step lifts a letter to every tier.
    count = (lambda lifted: lifted[..., -1]) if how.all_at_once else (lambda lifted: lifted.sum(axis=-1))
    return lambda lifted: begin + a_step * letters * count(np.asarray(lifted))


def constrained_us(fold, row):
    """The same for one-shot and anytime policies: inputs and classifier, then one decoding."""
    parts, pixels = dms_pi.parts_of(fold, "test"), resource_constraints.pixels_of(fold.test)
    n, letters = len(fold.test.words), len(parts.scores) / len(fold.test.words)
    unary = np.ascontiguousarray(parts.scores[:, -1])
    decode = median_us(lambda: decode_batch(unary, fold.test.lengths, parts.pairwise[0]), 5) / n
    look, spends = 0.0, method_of(row).rule
    if spends.inputs:
        make = resource_constraints.INPUTS[spends.inputs]
        weights = np.zeros((make(parts, pixels).shape[1], folds.N_TIERS - 1))
        look = median_us(lambda: make(parts, pixels) @ weights, 3) / n
    if spends.by in ("anytime", "margin"):
        look = median_us(lambda: resource_constraints.myopic_values(parts), 3) / n

    def once(us):
        return lambda lifted: us + 0.0 * np.asarray(lifted).sum(axis=-1)

    def before_every_step(lifted):
        return decode + look * np.maximum(letters * np.asarray(lifted).sum(axis=-1), 1.0)

    return before_every_step if spends.looks else once(decode + look), once(decode)


def fast_ratios(repeats=25, n_letters=200):
    """Time of the project's batch HoG over scikit-image's, measured in turn: shape (T,), tier 0 is 1."""
    pixels = handwriting.load_words().pixels[:n_letters].astype(np.float64)
    padded = np.pad(pixels, ((0, 0), (1, 1), (1, 1)))
    out = np.ones(folds.N_TIERS)
    for t, (images, cell) in {1: (padded, 3), 2: (pixels, 2)}.items():
        slow = median_us(lambda t=t: tier_features(pixels[:20], t), repeats) / 20
        out[t] = median_us(lambda i=images, c=cell: batch_hog(i, c), repeats) / len(pixels) / slow
    return out
