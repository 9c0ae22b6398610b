"""Cached calls of the pages Letters, Sweep and Write: word lists, traces, threshold sweeps, drawings."""

import math

import numpy as np

from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.ngrams.dense import dense_model
from spcviz.learning.cascade.online import Model
from spcviz.problems.letters.handwriting import load_words
from spcviz.problems.letters.model import cascade, stored, sweep
from spcviz.problems.letters.page import live
from spcviz.problems.letters.page.live import ReadOnce
from spcviz.problems.letters.shown import (
    FIRST_ORDER,
    FIRST_WORD,
    SweepBound,
    SweepChoice,
    SweepLevel,
    SweepRules,
)
from spcviz.problems.open_words.data import drawings, tracing
from spcviz.problems.open_words.data.word_images import TEST_FOLD, load_set
from spcviz.problems.open_words.model import lists
from spcviz.problems.open_words.model import stored as open_models
from spcviz.shared.folders import MODELS
from spcviz.shared.linear import with_models
from spcviz.shared.trace import WordTrace
from spcviz.web.cached import visitor_files
from spcviz.web.cached.common import STORED, StoreError, result
from spcviz.web.cached.sharing import share

OPEN = {"open": "fourier", "open_raw": "raw"}
"""Names in the address of the cascades on an open vocabulary, and their features."""

_OPEN_NAMES = {"open": "open vocabulary", "open_raw": "open vocabulary, raw pixels"}
LETTERS_FEATURES = {
    name: label for name, label in _OPEN_NAMES.items() if open_models.model_name(OPEN[name]) in STORED
} | {
    name: f"55 words, {label}"
    for name, label in cascade.FEATURE_NAMES.items()
    if stored.model_name(name) in STORED
}
"""Words and features whose models are stored: name -> label in a menu. The first is opened first."""

MODEL_NAMES = (*map(open_models.model_name, OPEN.values()), *map(stored.model_name, cascade.FEATURE_NAMES))
"""Names of all handwriting models, whether stored here or not."""
NONE = "No handwriting model is stored here. Make one with: python -m spcviz train {}"

_EVERY = max(len(LETTERS_FEATURES), 1)  # cached at once: with fewer, a class would load each in turn
MAX_LETTERS = drawings.MAX_LETTERS
MAX_ORDER = 6
_ZOOM = 4
_MOST_IMAGES, _MOST_DRAWN = 10_000, 500
BOX_MIDDLE = 16.5
"""A letter is half as wide as its box: the shift that centres it."""


@share(_EVERY)
def _reader(features):
    """A stored model to read test words with; on an open vocabulary, one that reads no image twice."""
    model = (
        open_models.load_open(MODELS, OPEN[features])
        if features in OPEN
        else stored.load_ocr(MODELS, features)
    )
    model = model._replace(cascade=with_models(model.cascade, Model.without_codes))
    return ReadOnce(model, _MOST_IMAGES) if features in OPEN else model  # others' rows are 4,001 numbers


def ocr_model(features):
    """A stored handwriting model, verified: an `OcrModel`, or for an open vocabulary an `OpenModel`."""
    reader = _reader(features)
    return reader.model if features in OPEN else reader


@share(2)
def _dense(features, order):
    """The exact model of an order, to be timed against a cascade: 4 MB that are rarely needed again."""
    return dense_model(ocr_model(features).cascade.levels[order - 1].predictor.table, order)


@share(_EVERY)
def _pen_reader(features):
    """A stored model that reads no drawn letter twice: after a stroke only one letter of a word is new."""
    return ReadOnce(ocr_model(features), _MOST_DRAWN)


def _test_words(features):
    """Words that are all for testing, of types unseen in training; None: one fold of the shipped words is."""
    return load_set("unseen").words if features in OPEN else None


def _words_with(word_id, features):
    """(words, a word's place among them); on an open vocabulary development words follow the test words."""
    words = _test_words(features) or load_words()
    n_words = len(words.lengths)
    is_dev = features in OPEN and word_id >= n_words
    return (load_set("dev").words, word_id - n_words) if is_dev else (words, word_id)


def _first_word(features):
    """{number: text} of the development word that the page opens with; nothing for the 55 words."""
    if features not in OPEN:
        return {}
    words, at = _words_with(FIRST_WORD, features)
    return {FIRST_WORD: words.text(at)}


@share(_EVERY * MAX_LETTERS * cascade.DENSE_ORDERS)
def _dense_us(features, order, length):
    """Microseconds of the exact model on any word of a length, measured once; NaN where it is too large."""
    if order > cascade.DENSE_ORDERS:
        return math.nan
    level = ocr_model(features).cascade.levels[order - 1]
    pixels = (_test_words(features) or load_words()).pixels[:length]
    return live.dense_time(level, _reader(features).features(pixels, [length]), _dense(features, order))


@share(512, stored=WordTrace, beside=3)
def letters_trace(
    word_id: int, features: str, order: int, alphas: tuple[float | None, ...] = (), rule: str = "mean_max"
) -> WordTrace:
    """One word of the data set through a cascade of `order` levels; an alpha of None means tuned.

    `rule` "margin": tuned by margins instead (`letters_margins`), where there are development words for it.
    """
    words, at = _words_with(word_id, features)
    rows = slice(*words.starts[at : at + 2])
    pixels, how = words.pixels[rows], {"word_id": word_id, "n_levels": order, "alphas": alphas}
    if rule == "margin" and features in OPEN:
        how["margins"] = letters_margins(features)
    trace = live.trace_word(_reader(features), pixels, truth=words.labels[rows], **how)
    return trace._replace(microseconds_dense=_dense_us(features, order, len(pixels)))


@share(_EVERY, stored=())
def letters_margins(features: str) -> tuple[float, ...]:
    """A margin for each level of an open vocabulary's model; see `spcviz.problems.letters.page.live`."""
    return live.margins_of(ocr_model(features))


@share(256, stored=live.PositionCounts, beside=3)
def letters_positions(word_id, features, order, alphas=(), rule="mean_max"):
    """(the word's letters, n-grams at each position); see `spcviz.problems.letters.page.live`."""
    trace = letters_trace(word_id, features, order, alphas, rule)
    return trace.pixels, live.position_counts(trace)


@share(_EVERY)
def letters_words(features):
    """Every test word with its reading by each order; see `spcviz.problems.letters.page.live.word_list`."""
    name = open_models.model_name(OPEN[features]) if features in OPEN else stored.model_name(features)
    try:
        readings = lists.load(MODELS, name)
    except StoreError:
        readings = None
    return live.word_list(_reader(features), _test_words(features), readings)


@share(_EVERY, stored=())
def letters_ids(features, first):
    """Numbers of all words, preceded by that of the first test word whose text is one of `first`."""
    every = letters_words(features)
    ids = (w["word_id"] for w in every if w["text"] in first)
    return (next(ids, every[0]["word_id"]), *(w["word_id"] for w in every), *_first_word(features))


@share(_EVERY * 7, stored=())
def letters_offer(features, wrong_at=None):
    """{number: text} of words misread at an order, or of all words after the one that the page opens with."""
    every = letters_words(features)
    wrong = [w for w in every if w["predicted"].get(wrong_at, w["text"]) != w["text"]]
    return ({} if wrong else _first_word(features)) | {w["word_id"]: w["text"] for w in wrong or every}


@share(_EVERY * 4, stored=())
def letters_labels(features, wrong_at, is_hidden):
    """{number: label in a menu} of `letters_offer`, without the word's text where that is hidden."""
    words = letters_offer(features, wrong_at).items()
    if is_hidden:
        return {word_id: f"word {word_id}, {len(text)} letters" for word_id, text in words}
    return {word_id: f"{text} · {word_id}" for word_id, text in words}


@share(_EVERY, "Filtering every test word at every level ...")
def _sweep(features):
    levels = sweep.sweep_levels(_reader(features), words=_test_words(features))
    return [_in_32_bits(level) for level in levels]  # millions of n-grams


def _in_32_bits(level):
    test = level.test
    single = {name: getattr(test, name).astype(np.float32) for name in ("points", "margins")}
    return level._replace(test=test._replace(**single))


@share(_EVERY * MAX_ORDER, stored=SweepLevel)
def sweep_level(features, level):
    """One level over all alphas to draw, a `SweepLevel`; None if the model has no such level."""
    levels = _sweep(features)
    return levels[level - 1].curves if level <= len(levels) else None


@share(512, stored=SweepChoice)
def sweep_choice(features, level, tolerance, by_definition=False, alpha=None, guarantee=None):
    """The alpha that a tolerance gives; see `spcviz.problems.letters.model.sweep.choose`."""
    how = {"by_definition": by_definition, "alpha": alpha, "guarantee": guarantee}
    return sweep.choose(_sweep(features)[level - 1], tolerance, **how)


@share(512)
def sweep_promised(features, level, tolerance, by_definition, guarantee):
    """`sweep_choice` with a guarantee, or the sentence that says why it cannot be given."""
    try:
        return sweep_choice(features, level, tolerance, by_definition, None, guarantee)
    except InfeasibleError as error:
        return str(error)


@share(_EVERY * MAX_ORDER, stored=SweepRules)
def sweep_rules(features, level):
    """Both threshold rules at a level, on the same scores; None if the model has no such level."""
    levels = _sweep(features)
    return sweep.rule_curves(levels[level - 1]) if level <= len(levels) else None


@share(256, stored=SweepBound)
def sweep_bound(features, level, alpha, margin_share):
    """Theorem 1 at one alpha; see `spcviz.problems.letters.model.sweep.bound`."""
    return sweep.bound(_sweep(features)[level - 1], alpha, margin_share=margin_share)


@share(256, stored=sweep.EnsembleBound)
def sweep_ensemble_bound(features, level, alpha, margin_share, n_models):
    """Theorem 2 for the same filter in P parts; see `spcviz.problems.letters.model.sweep`."""
    one_model = sweep_bound(features, level, alpha, margin_share)
    return sweep.ensemble_bound(one_model, n_models)


@share(64, kernels=False)
def filters_tuned(features, level, tolerance):
    """Filters of ocr-sweep, tuned on development words; see `letters.model.sweep.tuned_on_dev`."""
    rows = (result("ocr-sweep") or {"rows": []})["rows"]
    rows = [row for row in rows if row["features"] == features and row["level"] == level]
    first = min((row["fold"] for row in rows), default=0)
    return sweep.tuned_on_dev([row for row in rows if row["fold"] == first], tolerance)


def is_drawn(ink: str, *_) -> bool:
    """Whether strokes are a visitor's own, not the example that everybody may see."""
    return ink != example()


@share(512, kernels=False, own=is_drawn)
def read_ink(ink: str) -> drawings.Written:
    """What can be read in a drawing's text; nothing if the text is not a drawing."""
    try:
        return drawings.read_drawing(ink)
    except ArgumentError:
        return drawings.read_drawing("b")


@share(512, stored=WordTrace, beside=3, own=is_drawn)
def written_trace(
    ink: str, features: str, order: int, alphas: tuple[float | None, ...] = (), truth: str = ""
) -> WordTrace:
    """A drawn word through a cascade; `truth` counts if it has a letter for each that can be read."""
    pixels = read_ink(ink).pixels
    order = min(order, len(pixels))  # a word of two letters has no triples
    meant = [ord(c) - ord("a") for c in truth] if len(truth) == len(pixels) else None
    trace = live.trace_word(_pen_reader(features), pixels, truth=meant, n_levels=order, alphas=alphas)
    return trace._replace(microseconds_dense=_dense_us(features, order, len(pixels)))


def reading(trace):
    """The last predictor's reading, as a string."""
    return "".join(trace.alphabet[k] for k in trace.predictions[-1])


@share(16, kernels=False, own=True)
def _scan_upload(digest, _data):
    return visitor_files.outcome(lambda: tracing.scan_strip(_data, glance=visitor_files.leave_if_left))


def scan_strip(data):
    """(the text of a strip, what is wrong): one of the two is None."""
    return visitor_files.call_by_digest(_scan_upload, data)


EXAMPLE = "spring"


@share(4, kernels=False)
def example(word=EXAMPLE):
    """A word composed of test letters, as strokes: an example to begin with."""
    words = load_words()
    is_test = np.repeat(words.folds == TEST_FOLD, words.lengths)
    letters = []
    for i, letter in enumerate(word):
        rows = np.flatnonzero(is_test & (words.labels == ord(letter) - ord("a")))
        large = np.kron(words.pixels[rows[7 * i % len(rows)]], np.ones((_ZOOM, _ZOOM), dtype=bool))
        letters.append([stroke + np.array([BOX_MIDDLE, 0.5]) for stroke in tracing.strokes_of(large, 1.0)])
    return drawings.boxes_text(letters)


FIRST = next(iter(LETTERS_FEATURES), "")


def prepare():
    """Load what tracing any word on Letters needs: a model, kernels called once, times to compare with."""
    if FIRST:
        every = letters_words(FIRST)
        yield
        letters_trace(every[0]["word_id"], FIRST, FIRST_ORDER, (None,) * FIRST_ORDER)
        yield
        for length in {len(word["text"]) for word in every}:
            _dense_us(FIRST, FIRST_ORDER, length)
            yield


def fill():
    """Do all of that, so that no visitor waits for it at their first word."""
    yield from prepare()


def fill_more():
    """Compute what the Sweep and Write pages show first, then the other choices on Letters."""
    if FIRST:
        _sweep(FIRST)
        yield
        written_trace(example(), FIRST, FIRST_ORDER, (None,) * MAX_ORDER)
        yield
    for features in LETTERS_FEATURES:
        _sweep(features)
        yield
    for features in LETTERS_FEATURES:
        words = letters_offer(features)
        for order in range(1, cascade.DENSE_ORDERS + 1):  # longer ones make tables of 33 MB a level
            letters_trace(next(iter(words)), features, order, (None,) * MAX_ORDER)
            for length in set(map(len, words.values())):
                _dense_us(features, order, length)
            yield
