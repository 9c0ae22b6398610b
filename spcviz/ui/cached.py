"""The only module that caches: thin streamlit wrappers over pure functions, keyed by small values.

Arrays that come out are read-only and shared between sessions. Every cache is bounded.
"""

import hashlib
import json
import threading
from pathlib import Path

import streamlit as st

from spcviz.engine.dense import dense_model
from spcviz.engine.errors import ArgumentError
from spcviz.experiments import (
    arm_batch,
    budget_models,
    exact_tree,
    letters,
    loopy,
    ocr,
    ocr_models,
    pictures,
    pose_budget_models,
    pose_budget_view,
    pose_models,
    pose_view,
    sweep,
    tagging_models,
    tagging_trace,
)
from spcviz.experiments import exact_inference as exact
from spcviz.experiments import sweep_bound as theorem
from spcviz.experiments import trade_arms as spending_arms
from spcviz.experiments import trade_off as spending
from spcviz.experiments.warmup import warmup
from spcviz.store import StoreError, list_models
from spcviz.tasks import catalogue, pose_data, stereo_pairs, uploads
from spcviz.tasks.catalogue import data_folder
from spcviz.tasks.denoise import PICTURES as _PICTURES
from spcviz.tasks.ocr import load_words
from spcviz.tasks.uploads import UploadError

CACHE = Path(__file__).parents[2] / "cache"
_STORED = {status.name for status in list_models(CACHE / "models") if not status.problem}
LETTERS_FEATURES = {
    name: label for name, label in ocr.FEATURE_NAMES.items() if ocr_models.model_name(name) in _STORED
}
"""Feature sets whose models are stored: name -> what a menu calls it."""


@st.cache_resource(max_entries=4, show_spinner=False)
def ocr_model(features):
    """A stored handwriting model, verified; see `spcviz.experiments.ocr_models.load_ocr`."""
    return ocr_models.load_ocr(CACHE / "models", features)


@st.cache_resource(max_entries=8, show_spinner=False)
def _dense(features, order):
    if order > ocr.DENSE_ORDERS:
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
    return letters.trace_word(
        ocr_model(features),
        words.pixels[start:stop],
        truth=words.labels[start:stop],
        word_id=word_id,
        n_levels=order,
        alphas=alphas,
        dense=_dense(features, order),
    )


@st.cache_resource(max_entries=4, show_spinner=False)
def letters_words(features):
    """Every test word with what each order reads; see `spcviz.experiments.letters.word_list`."""
    return letters.word_list(ocr_model(features))


def fill():
    """Kernels, and what the Letters page shows first: for warm-up, so that no visitor waits for it."""
    warmup(CACHE / "models")
    for features in list(LETTERS_FEATURES)[:1]:
        letters_words(features)
    if HAS_ARMS:  # drawing a batch of clips takes seconds
        trade_arms(12, 0)


@st.cache_data(max_entries=16, show_spinner=False, ttl=300)
def result(name):
    """A reproduced result from cache/results, or None if it has not been made."""
    path = CACHE / "results" / f"{name}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


@st.cache_resource(max_entries=3, show_spinner="Filtering every test word at every level ...")
def _sweep(features):
    return sweep.sweep_levels(ocr_model(features))


def sweep_level(features, level):
    """One level over all alphas to draw, a `SweepLevel`; None if the model has no such level."""
    levels = _sweep(features)
    return levels[level - 1].curves if level <= len(levels) else None


@st.cache_data(max_entries=512, show_spinner=False)
def sweep_choice(features, level, tolerance, by_definition=False, alpha=None):
    """The alpha that a tolerance gives; see `spcviz.experiments.sweep.choose`."""
    return sweep.choose(_sweep(features)[level - 1], tolerance, by_definition=by_definition, alpha=alpha)


@st.cache_data(max_entries=256, show_spinner=False)
def sweep_bound(features, level, alpha, margin_share):
    """Theorem 1 at one alpha; see `spcviz.experiments.sweep_bound.bound`."""
    return theorem.bound(_sweep(features)[level - 1], alpha, margin_share=margin_share)


@st.cache_data(max_entries=64, show_spinner=False)
def filters_tuned(features, level, tolerance):
    """Filters of ocr-sweep, tuned on development words; see `spcviz.experiments.sweep.tuned_on_dev`."""
    rows = (result("ocr-sweep") or {"rows": []})["rows"]
    rows = [row for row in rows if row["features"] == features and row["level"] == level]
    first = min((row["fold"] for row in rows), default=0)
    return sweep.tuned_on_dev([row for row in rows if row["fold"] == first], tolerance)


@st.cache_resource(max_entries=32, show_spinner=False)
def live_grid(rows, columns, n_states, strength, seed):
    """A random grid with its combs and samples; see `spcviz.experiments.loopy.live_grid`."""
    return loopy.live_grid(rows, columns, n_states, strength, seed)


@st.cache_resource(max_entries=32, show_spinner=False)
def grid_beliefs(rows, columns, n_states, strength, seed, kind, damping):
    """Belief propagation on it; see `spcviz.experiments.loopy.grid_beliefs`."""
    return loopy.grid_beliefs(live_grid(rows, columns, n_states, strength, seed), kind, damping)


@st.cache_data(max_entries=256, show_spinner=False)
def grid_pruned(rows, columns, n_states, strength, seed, alpha):
    """Its states pruned; see `spcviz.experiments.loopy.prune_grid`."""
    return loopy.prune_grid(live_grid(rows, columns, n_states, strength, seed), alpha)


@st.cache_resource(max_entries=32, show_spinner="Drawing the grid at nine strengths ...")
def strength_sweep(rows, columns, n_states, seed, kind, damping):
    """The same grid at rising strength; see `spcviz.experiments.loopy.sweep_strength`."""
    return loopy.sweep_strength(rows, columns, n_states, seed, kind, damping)


@st.cache_resource(max_entries=32, show_spinner=False)
def exact_run(word_id, start, n_letters, n_candidates, pair_weight):
    """(problem, both methods run on it); see `spcviz.experiments.exact_inference`."""
    problem = exact.word_problem(word_id, start, n_letters, n_candidates, pair_weight)
    return problem, exact.run_exact(problem)


@st.cache_data(max_entries=256, show_spinner=False)
def decomposition(scopes):
    """Restriction sets of a word of four letters; see `spcviz.experiments.exact_inference`."""
    return exact.decomposition([26] * 4, scopes)


CROSSWORDS = tuple(exact_tree.CROSSWORDS)
PICTURES = {name: picture.title for name, picture in _PICTURES.items()}


@st.cache_resource(max_entries=64, show_spinner=False)
def tree_run(name, n_candidates, pair_weight, root):
    """(problem, its messages); the last letter is the root if there are not as many."""
    problem = exact_tree.crossword(name, n_candidates, pair_weight)
    return problem, exact_tree.run_tree(problem, min(root, len(problem.names) - 1))


def stereo_names():
    """Stereo pairs that are here, the rendered one first."""
    return [pictures.DOTS, *stereo_pairs.available(data_folder())]


@st.cache_resource(max_entries=24, show_spinner="Reading the picture three ways ...")
def picture_readings(name, seed, noise, weight):
    """A stereo pair or a spoiled picture read three ways; see `spcviz.experiments.pictures`."""
    if name in PICTURES:
        return pictures.clean_readings(name, seed, noise, weight)
    return pictures.stereo_readings(name, seed, noise, weight, folder=data_folder())


@st.cache_resource(max_entries=1, show_spinner="Valuing every test word ...")
def budget_model():
    """The stored models that spend budgets; see `spcviz.experiments.budget_models.load`."""
    return budget_models.load(CACHE / "models")


@st.cache_resource(max_entries=1, show_spinner=False)
def budget_words():
    """Test words of the budget pages; see `spcviz.experiments.trade_off.word_list`."""
    return spending.word_list(budget_model())


@st.cache_resource(max_entries=24, show_spinner="Spending, word by word ...")
def trade_off(n_words, seed, extractor):
    """A random batch under every method; see `spcviz.experiments.trade_off.compare`."""
    model = budget_model()
    return spending.compare(model, spending.draw(model, n_words, seed), extractor)


HAS_ARMS = pose_budget_models.NAME in _STORED


@st.cache_resource(max_entries=1, show_spinner=False)
def _arm_model():
    return pose_budget_models.load(CACHE / "models")


@st.cache_resource(max_entries=48, show_spinner=False)
def _arm_sheet(seed):
    return spending_arms.draw_sheet(seed)


@st.cache_resource(max_entries=12, show_spinner="Drawing the clips, spending frame by frame ...")
def trade_arms(n_clips, seed):
    """A random batch of clips under every method; see `spcviz.experiments.trade_arms.compare`."""
    model = _arm_model()
    chains = arm_batch.draw(model, n_clips, seed)
    return spending_arms.compare(model, chains, seed, sheet_of=_arm_sheet)


@st.cache_resource(max_entries=128, show_spinner=False)
def policy_word(word_id, q, extractor):
    """One word under several policies; see `spcviz.experiments.trade_off.trace_word`."""
    index = next(word["index"] for word in budget_words() if word["word_id"] == word_id)
    return spending.trace_word(budget_model(), index, q=q, extractor=extractor)


@st.cache_resource(max_entries=1, show_spinner=False)
def tagger():
    """The stored tagger, verified; see `spcviz.experiments.tagging_models.load_tagger`."""
    return tagging_models.load_tagger(CACHE / "models")


def tagging_words(text):
    """(words of a typed text, what is wrong with it or None): one of them is empty."""
    try:
        return tuple(tagging_trace.read_sentence(text)), None
    except ArgumentError as error:
        return (), str(error)


@st.cache_data(max_entries=128, show_spinner=False)
def tagging_trace_of(words, alphas=()):
    """A sentence through the cascade; see `spcviz.experiments.tagging_trace.trace_text`."""
    return tagging_trace.trace_text(tagger(), words, alphas=alphas)


@st.cache_data(max_entries=128, show_spinner=False)
def tagging_comparison(words, alphas=()):
    """SPC and CRF on one sentence; see `spcviz.experiments.tagging_trace.compare_text`."""
    return tagging_trace.compare_text(tagger(), words, alphas=alphas)


HAS_POSE = pose_models.NAME in _STORED


def has_buffy():
    """Whether the real clips are here."""
    folder = catalogue.data_folder()
    return folder is not None and (folder / pose_data.FOLDER).is_dir()


@st.cache_resource(max_entries=1, show_spinner=False)
def _pose_model():
    return pose_models.load_pose(CACHE / "models")


@st.cache_resource(max_entries=8, show_spinner="Making the clip ...")
def pose_scene(kind, number, n_frames):
    """A clip to look at; see `spcviz.experiments.pose_view`."""
    if kind == "strided":
        return pose_view.strided_scene(number, n_frames)
    if kind == "astronaut":
        return pose_view.astronaut_scene()
    if kind == "buffy":
        return pose_view.buffy_scene(catalogue.data_folder(), number)
    return pose_view.rendered_scene(number, n_frames)


@st.cache_resource(max_entries=4, show_spinner="Reading your file ...", ttl=1800)
def _upload(digest, _data):
    return uploads.read_upload(_data)


def upload_scene(data, x, y, size):
    """A visitor's file through a window; raises `UploadError`."""
    frames = _upload(hashlib.sha256(data).hexdigest(), data)
    return pose_view.upload_scene(frames, x, y, size)


@st.cache_resource(max_entries=120, show_spinner=False, ttl=1800)
def _pose_scores(digest, _image):
    return pose_view.scores_of(_pose_model(), _image)


def _watched(digests, method, alpha, images):
    scores = [_pose_scores(*one) for one in zip(digests, images)]
    return pose_view.watch(_pose_model(), scores, method, alpha)


@st.cache_resource(max_entries=40, show_spinner=False, ttl=1800)
def _pose_watched(digest, alpha, _image):
    return _watched([digest], "single", alpha, [_image])[0]


@st.cache_resource(max_entries=4, show_spinner=False, ttl=1800)
def _pose_clip_watched(digests, method, alpha, _images):
    return _watched(digests, method, alpha, _images)  # a megabyte a frame: few clips are kept


def pose_frame(images, at, method, alpha, progress=None):
    """One frame after the cascade, a `PoseFrame`; methods over time need all frames.

    Parameters
    ----------
    images : ndarray, shape (N, 240, 240, 3)
    at : int
    method : str
    alpha : float or None
    progress : callable, optional
        Called with the share of frames whose detectors have run.
    """
    own = range(len(images)) if method != "single" else [at]
    digests = []
    for done, i in enumerate(own):
        digests.append(hashlib.sha256(images[i].tobytes()).hexdigest())
        _pose_scores(digests[-1], images[i])
        if progress is not None:
            progress((done + 1) / len(own))
    if method == "single":
        return _pose_watched(digests[0], alpha, images[at])
    return _pose_clip_watched(tuple(digests), method, alpha, images)[at]


@st.cache_resource(max_entries=6, show_spinner=False, ttl=1800)
def _arm_slot(digest):
    return {"lock": threading.Lock(), "budget": None}


def pose_budget(scene, progress):
    """Both arms of a clip under a budget; see `spcviz.experiments.pose_budget_view.watch`.

    Features take half a second a frame, with progress, which a cached function could not replay: so what is
    cached is a place to put the answer in.

    Parameters
    ----------
    scene : PoseScene
    progress : callable
        Called with the share of frames done.
    """
    slot = _arm_slot(hashlib.sha256(scene.images.tobytes()).hexdigest())
    with slot["lock"]:
        if slot["budget"] is None:
            slot["budget"] = pose_budget_view.watch(_arm_model(), scene.images, scene.truth, progress)
    return slot["budget"]


def results_found():
    """Names of the reproduced results that are there."""
    return sorted(path.stem for path in (CACHE / "results").glob("*.json"))


__all__ = [
    "CROSSWORDS",
    "HAS_ARMS",
    "HAS_POSE",
    "LETTERS_FEATURES",
    "PICTURES",
    "StoreError",
    "UploadError",
    "budget_words",
    "decomposition",
    "exact_run",
    "filters_tuned",
    "grid_beliefs",
    "grid_pruned",
    "has_buffy",
    "letters_trace",
    "letters_words",
    "live_grid",
    "ocr_model",
    "picture_readings",
    "policy_word",
    "pose_budget",
    "pose_frame",
    "pose_scene",
    "result",
    "results_found",
    "stereo_names",
    "strength_sweep",
    "sweep_bound",
    "sweep_choice",
    "sweep_level",
    "tagger",
    "tagging_comparison",
    "tagging_trace_of",
    "tagging_words",
    "trade_arms",
    "trade_off",
    "tree_run",
    "upload_scene",
]
