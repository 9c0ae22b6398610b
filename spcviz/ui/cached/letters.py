"""Cached calls of the Letters and Sweep pages."""

import streamlit as st

from spcviz.engine.dense import dense_model
from spcviz.problems.common.folders import MODELS
from spcviz.problems.letters import bound, bound_ensemble, cascade, live, models, positions, sweep
from spcviz.problems.letters.data import load_words
from spcviz.ui.cached.common import STORED, result

LETTERS_FEATURES = {
    name: label for name, label in cascade.FEATURE_NAMES.items() if models.model_name(name) in STORED
}
"""Feature sets whose models are stored: name -> what a menu calls it."""


@st.cache_resource(max_entries=4, show_spinner=False)
def ocr_model(features):
    """A stored handwriting model, verified; see `spcviz.problems.letters.models.load_ocr`."""
    return models.load_ocr(MODELS, features)


@st.cache_resource(max_entries=8, show_spinner=False)
def _dense(features, order):
    if order > cascade.DENSE_ORDERS:
        return None
    return dense_model(ocr_model(features).cascade.levels[order - 1].predictor.table, order)


@st.cache_data(max_entries=256, show_spinner=False)
def letters_trace(word_id, features, order, alphas=()):
    """One word of the data set through a cascade.

    Parameters
    ----------
    word_id : int
    features : str
    order : int
        Number of levels.
    alphas : tuple of (float or None)
        By level; None or missing means tuned.

    Returns
    -------
    WordTrace
    """
    words = load_words()
    start, stop = words.starts[word_id : word_id + 2]
    return live.trace_word(
        ocr_model(features),
        words.pixels[start:stop],
        truth=words.labels[start:stop],
        word_id=word_id,
        n_levels=order,
        alphas=alphas,
        dense=_dense(features, order),
    )


@st.cache_data(max_entries=256, show_spinner=False)
def letters_positions(word_id, features, order, alphas=()):
    """(the word's letters, n-grams at each position); see `spcviz.problems.letters.positions`."""
    trace = letters_trace(word_id, features, order, alphas)
    return trace.pixels, positions.position_counts(trace)


@st.cache_resource(max_entries=4, show_spinner=False)
def letters_words(features):
    """Every test word with what each order reads; see `spcviz.problems.letters.live.word_list`."""
    return live.word_list(ocr_model(features))


@st.cache_resource(max_entries=3, show_spinner="Filtering every test word at every level ...")
def _sweep(features):
    return sweep.sweep_levels(ocr_model(features))


def sweep_level(features, level):
    """One level over all alphas to draw, a `SweepLevel`; None if the model has no such level."""
    levels = _sweep(features)
    return levels[level - 1].curves if level <= len(levels) else None


@st.cache_data(max_entries=512, show_spinner=False)
def sweep_choice(features, level, tolerance, by_definition=False, alpha=None):
    """The alpha that a tolerance gives; see `spcviz.problems.letters.sweep.choose`."""
    return sweep.choose(_sweep(features)[level - 1], tolerance, by_definition=by_definition, alpha=alpha)


@st.cache_data(max_entries=256, show_spinner=False)
def sweep_bound(features, level, alpha, margin_share):
    """Theorem 1 at one alpha; see `spcviz.problems.letters.bound.bound`."""
    return bound.bound(_sweep(features)[level - 1], alpha, margin_share=margin_share)


@st.cache_data(max_entries=256, show_spinner=False)
def sweep_ensemble_bound(features, level, alpha, margin_share, n_models):
    """Theorem 2 for the same filter in P parts; see `spcviz.problems.letters.bound_ensemble`."""
    found = sweep_bound(features, level, alpha, margin_share)
    return bound_ensemble.ensemble_bound(found, n_models)


@st.cache_data(max_entries=64, show_spinner=False)
def filters_tuned(features, level, tolerance):
    """Filters of ocr-sweep, tuned on development words; see `spcviz.problems.letters.sweep.tuned_on_dev`."""
    rows = (result("ocr-sweep") or {"rows": []})["rows"]
    rows = [row for row in rows if row["features"] == features and row["level"] == level]
    first = min((row["fold"] for row in rows), default=0)
    return sweep.tuned_on_dev([row for row in rows if row["fold"] == first], tolerance)


def fill():
    """What the Letters page shows first: for warm-up, so that no visitor waits for it."""
    for features in list(LETTERS_FEATURES)[:1]:
        letters_words(features)
