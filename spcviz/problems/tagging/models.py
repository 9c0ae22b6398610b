"""The shipped tagger to and from the store's plain arrays.

Weights are rounded to 8 bits a matrix (rounded before they are measured, so the stored model is the
measured model); a vocabulary is its rising codes. Trained on the English Web Treebank, whose licence asks
for attribution: see `LICENCE`, which goes into the manifest.
"""

from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, CascadeConfig, Level
from spcviz.learning.cascade.online import Model
from spcviz.problems.tagging.cascade import ORDER, first_orders
from spcviz.problems.tagging.data import EWT_ORIGIN
from spcviz.problems.tagging.features import vocabulary_of
from spcviz.problems.tagging.settings import TagSettings
from spcviz.store import digest_of_arrays, load_model, save_model

KIND, VERSION = "tagging-cascade", 1
NAME = "tagging-ewt"
LICENCE = (
    f"Trained on {EWT_ORIGIN} (Silveira et al. 2014, A Gold Standard Dependency Corpus for English); "
    "weights shared under CC BY-SA 4.0."
)


class TagModel(NamedTuple):
    """A tagger with what the page compares it with.

    Attributes
    ----------
    settings : TagSettings
    tag_set : tuple of str
    vocabulary : Vocabulary
    cascade : Cascade
        Three levels.
    crf : Model
        A CRF's bigram filter on the same first level's survivors.
    crf_alpha : float
    """

    settings: object
    tag_set: tuple
    vocabulary: object
    cascade: Cascade
    crf: Model
    crf_alpha: float


def shrunk(settings, data, spc, crf):
    """A trained cascade and CRF as the store will return them."""
    model = TagModel(
        settings,
        data.corpus["train"].tag_set,
        data.vocabulary,
        first_orders(spc, ORDER),
        crf.levels[1].filter,
        float(crf.levels[1].alpha),
    )
    return _from_arrays(_to_arrays(model), _about(model))


def save_tagger(folder, model, *, random_state, metrics, data):
    """Write a model; see `spcviz.store.save_model`."""
    train = data.corpus["train"]
    return save_model(
        folder,
        NAME,
        _to_arrays(model),
        kind=KIND,
        version=VERSION,
        settings=_about(model),
        data_digest=digest_of_arrays({"tags": train.tags, "lengths": train.lengths}),
        random_state=random_state,
        metrics=metrics,
    )


def load_tagger(folder):
    """Read the tagger; see `spcviz.store.load_model`.

    Raises
    ------
    StoreError
        If it is missing or damaged; the message ends with the command that trains it anew.
    """
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    return _from_arrays(stored.arrays, stored.manifest["settings"])


def _about(model):
    return {
        **asdict(model.settings),
        "alphas": [level.alpha for level in model.cascade.levels],
        "crf_alpha": model.crf_alpha,
        "tag_set": list(model.tag_set),
        "licence": LICENCE,
    }


def _linear(model):
    """The models worth keeping: what filters, and the last predictor; others are the same object."""
    out = {f"filter{t}": level.filter for t, level in enumerate(model.cascade.levels)}
    return out | {"predictor": model.cascade.levels[-1].predictor, "crf": model.crf}


def _to_arrays(model):
    arrays = {"codes": model.vocabulary.codes}
    for name, linear in _linear(model).items():
        step = max(float(np.abs(linear.weights).max()), 1e-9) / 127
        arrays[f"{name}_weights"] = np.rint(linear.weights / step).astype(np.int8)
        arrays[f"{name}_step"] = np.array([step], dtype=np.float32)
        values = linear.values.astype(np.float16)
        keys = linear.keys[values != 0]
        arrays[f"{name}_keys"] = np.diff(keys, prepend=0)
        arrays[f"{name}_values"] = values[values != 0]
    return arrays


def _from_arrays(arrays, about):
    linear = {}
    for name in ("filter0", "filter1", "filter2", "predictor", "crf"):
        linear[name] = Model(
            arrays[f"{name}_weights"].astype(np.float32) * arrays[f"{name}_step"][0],
            np.cumsum(arrays[f"{name}_keys"], dtype=np.int64),
            arrays[f"{name}_values"].astype(np.float64),
        )
    settings = TagSettings(
        about["data"],
        about["features"],
        about["least"],
        CascadeConfig(**about["config"]),
        about["full_epochs"],
    )
    levels = tuple(
        Level(linear[f"filter{t}"], float(alpha), linear["predictor" if t == 2 else f"filter{t}"])
        for t, alpha in enumerate(about["alphas"])
    )
    tag_set = tuple(about["tag_set"])
    cascade = Cascade(len(tag_set), levels, settings.config.on_nodes, settings.config.max_arcs)
    vocabulary = vocabulary_of(about["features"], arrays["codes"])
    return TagModel(settings, tag_set, vocabulary, cascade, linear["crf"], float(about["crf_alpha"]))
