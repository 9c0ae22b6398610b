"""Save and load the shipped parser and its policies, with the treebank's attribution."""

from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.classifiers import Anytime, OneShot
from spcviz.problems.parsing.model import parser as parsers
from spcviz.problems.parsing.model.policies import Policies
from spcviz.problems.parsing.shown import ONE_SHOT
from spcviz.problems.tagging.data.corpora import EWT_ORIGIN
from spcviz.store import arrays_of, digest_of_arrays, load_model, save_model, stored_as

NAME, KIND, VERSION = "parsing-ewt", "dependency-parser", 2
LICENCE = (
    f"Trained on {EWT_ORIGIN} (Silveira et al. 2014, A Gold Standard Dependency Corpus for English); "
    "weights shared under CC BY-SA 4.0."
)


class ParseModel(NamedTuple):
    """A parser with the policies that buy for it."""

    parser: parsers.Parser
    policies: Policies
    us: dict  # microseconds of the arcs into a word with each template, as measured in training


Stored = NamedTuple(
    "Stored",
    [
        *((name, np.ndarray) for name in ("weights", "steps", "anytime", "beta", "greedy")),
        ("scale", float),
        *((key, OneShot) for key in ONE_SHOT),
    ],
)
"""What is stored; the length dictionary is left out: it forbids nothing here."""


def save(folder, model, *, settings, metrics, train):
    """Write a model; see `spcviz.store.save_model`."""
    used = {"tag_set": list(model.parser.tag_set), "policies": model.policies.about, "licence": LICENCE}
    digest = digest_of_arrays({"codes": train.codes, "heads": train.heads, "starts": train.starts})
    about = {
        "data_digest": digest,
        "random_state": parsers.RANDOM_STATE,
        "metrics": metrics | {"us": model.us},
    }
    about["settings"] = asdict(settings) | used
    return save_model(folder, NAME, arrays_of(_to_stored(model)), kind=KIND, version=VERSION, **about)


def load(folder):
    """Read the model; `StoreError` ends with the command that trains it."""
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    contents, settings = stored_as(Stored, stored), stored.manifest["settings"]
    parser = parsers.Parser(
        np.ascontiguousarray(contents.weights),
        contents.steps,
        parsers.no_limits(),
        tuple(settings["tag_set"]),
    )
    policies = Policies(
        {key: OneShot(*map(np.array, getattr(contents, key))) for key in ONE_SHOT},
        Anytime(np.array(contents.anytime)),
        np.array(contents.beta),
        np.array(contents.greedy),
        contents.scale,
        settings["policies"],
    )
    return ParseModel(parser, policies, stored.manifest["metrics"]["us"])


def _to_stored(model):
    parser, policies = model.parser, model.policies
    learned = policies.anytime.weights, policies.beta, policies.greedy, policies.scale
    return Stored(parser.weights, parser.steps, *learned, **policies.one_shot)
