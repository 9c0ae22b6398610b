"""Run one handwritten word through a cascade, level by level: the Letters page's data."""

import time
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams.dense import DenseModel, dense_decode
from spcviz.engine.thresholds import filtering
from spcviz.learning.cascade.cascade import Level, filter_examples, predict
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.learning.cascade.retuning import retune
from spcviz.problems.letters import handwriting
from spcviz.problems.open_words.data.word_images import load_set
from spcviz.shared.trace import WordTrace, alphas_used, at_margins, trace_fields

MAX_LETTERS = 20
_DENSE_TURNS = 3  # the first run finds the processor's caches cold


def trace_word(
    model,
    pixels: ArrayLike,
    *,
    truth: ArrayLike | None = None,
    word_id: int = -1,
    n_levels: int | None = None,
    alphas: Sequence[float] | None = (),
    dense: DenseModel | None = None,
    margins: Sequence[float] | None = None,
) -> WordTrace:
    """Run a cascade on one word of 1 to 20 letter images (L, 16, 8) and keep everything a picture needs.

    Times are the best of two runs, wrappers included; in a batch a word costs several times less. An alpha of
    None means tuned; `dense`, an exact model of the last level's predictor, is timed on the same word. With
    `margins`, one per level, "tuned" means this word's own alphas that are equivalent to them.
    """
    pixels = checks.typed_array("pixels", pixels, "biuf", "numbers")
    if pixels.ndim != 3 or pixels.shape[1:] != handwriting.SHAPE or not 1 <= len(pixels) <= MAX_LETTERS:
        needs = f"a word needs (1 to {MAX_LETTERS}, 16, 8) letter images"
        raise ArgumentError(f"pixels has shape {pixels.shape}; {needs}")
    cascade = model.cascade
    most = len(cascade.levels)
    n_levels = most if n_levels is None else min(checks.integer("n_levels", n_levels, 1, 100), most)
    features = model.features(pixels, [len(pixels)])
    if margins is not None:
        asked = [*(alphas or ()), *[None] * n_levels][:n_levels]
        cascade = at_margins(cascade, features, len(pixels), asked, margins)
    labels = None if truth is None or len(truth) == 0 else np.asarray(truth, dtype=np.int64)
    fields = trace_fields(cascade, features, len(pixels), alphas_used(cascade, alphas, n_levels), labels)
    last = cascade.levels[n_levels - 1]
    return WordTrace(
        word_id=word_id,
        truth=np.zeros(0, dtype=np.int32) if labels is None else labels.astype(np.int32),
        pixels=pixels.astype(np.uint8),
        alphabet=handwriting.ALPHABET,
        microseconds_dense=np.nan if dense is None else dense_time(last, features, dense),
        **fields,
    )


def margins_of(model) -> tuple[float, ...]:
    """A margin for each level of an open vocabulary's model, tuned on its development words.

    Each loses the share of words that the model's own threshold may lose at its level.
    """
    words = load_set("dev").words
    seen = model.features(words.pixels, words.lengths)
    tolerances = model.settings.config.tolerances
    tuned = retune(model.cascade, "margin", seen, words.labels, words.lengths, tolerances)
    return tuple(-float(level.alpha) for level in tuned.levels)


def dense_time(level: Level, features: DenseRows, dense: DenseModel) -> float:
    """Microseconds of a level's predictor over all n-grams of one word, the best of three runs."""
    times = []
    for _ in range(_DENSE_TURNS):
        start = time.perf_counter()
        dense_decode(dense, unary_scores(features, level.predictor.weights))
        times.append(time.perf_counter() - start)
    return 1e6 * min(times)


_WORDS_AT_ONCE = 64  # lattices of all words together take 100 MB that the process would keep


def word_readings(model, words: handwriting.Words | None = None) -> np.ndarray:
    """Readings of all test words by each order, (orders, letters) int8; -1 where no reading is possible."""
    words, chosen = _test_words(model, words)
    readings = []
    for batch in np.split(chosen, range(_WORDS_AT_ONCE, len(chosen), _WORDS_AT_ONCE)):
        rows, lengths = handwriting.rows_of(words, batch)
        table = model.features(words.pixels[rows], lengths)
        steps = zip(model.cascade.levels, filter_examples(model.cascade, table, lengths))
        readings.append([predict(level, step.lattice, table).labels for level, step in steps])
    return np.concatenate(readings, axis=1).astype(np.int8)


def word_list(
    model, words: handwriting.Words | None = None, readings: np.ndarray | None = None
) -> list[dict]:
    """Every test word with its reading by each order, from the `readings` of `word_readings`."""
    readings = word_readings(model, words) if readings is None else readings
    words, chosen = _test_words(model, words)
    ends = [0, *np.cumsum(words.lengths[chosen]).tolist()]
    lines = ["".join(handwriting.ALPHABET[k] for k in line) for line in readings.tolist()]
    out = []
    for w, (start, end) in zip(chosen.tolist(), pairwise(ends)):
        text, spelled = words.text(w), {n: line[start:end] for n, line in enumerate(lines, start=1)}
        is_correct = spelled[len(lines)] == text
        out.append({"word_id": w, "text": text, "predicted": spelled, "is_correct": is_correct})
    return out


def _test_words(model, words):
    """(words, numbers of those that the model may be tested on)."""
    if words is not None:
        return words, np.arange(len(words.lengths))
    words = handwriting.load_words()
    return words, np.flatnonzero(words.folds == model.test_fold)


class PositionCounts(NamedTuple):
    """One level of a cascade on one word; column c is the n-grams that begin at letter c."""

    order: int  # n of the n-grams
    valid: np.ndarray  # (C,) int64: n-grams on some complete word before the level's own threshold
    kept: np.ndarray  # (C,) int64: those of them above it
    # (C,) bool: whether the written n-gram is pruned; False everywhere if unknown or already pruned before
    is_lost: np.ndarray


def position_counts(trace: WordTrace) -> tuple[PositionCounts, ...]:
    """Count the n-grams at each position of a word, for each level at the alpha that it was pruned with."""
    return tuple(_counts(level) for level in trace.levels)


def _counts(level):
    scores = level.max_marginal
    mask = filtering.keep(scores, filtering.threshold(scores, level.alpha_used), level.map_arcs)
    is_lost = np.zeros(len(level.col_start) - 1, dtype=bool)
    if len(level.truth_arcs):
        is_lost = ~mask[level.truth_arcs]
    first = level.col_start[:-1]
    return PositionCounts(
        order=int(level.order),
        valid=np.add.reduceat((scores > -np.inf).astype(np.int64), first),
        kept=np.add.reduceat(mask.astype(np.int64), first),
        is_lost=is_lost,
    )


class ReadOnce:
    """Stand-in for a model that remembers at most `most` images; `n_read` counts the images it has read."""

    def __init__(self, model, most: int):
        self.model, self.most, self.rows, self.n_read = model, most, {}, 0

    def __getattr__(self, name):
        return getattr(self.model, name)

    def features(self, pixels: ArrayLike, lengths: Sequence[int]):
        """As in the model; rows may differ in the last bits, as between batches of different sizes."""
        pixels = np.ascontiguousarray(pixels, dtype=np.uint8)
        names = [image.tobytes() for image in pixels]
        known = self.rows
        fresh = {name: i for i, name in enumerate(names) if name not in known}
        if fresh:
            if len(known) + len(fresh) > self.most:
                fresh, known = {name: i for i, name in enumerate(names)}, {}
            read = self.model.read(pixels[list(fresh.values())])
            self.rows = known = known | dict(zip(fresh, read))  # a new dict: other threads read the old one
            self.n_read += len(fresh)
        return self.model.inputs_of(np.array([known[name] for name in names]), lengths)
