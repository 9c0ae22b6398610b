"""The shipped parser and its policies to and from the store's plain arrays.

Trained on the English Web Treebank, whose licence asks for attribution: see `LICENCE`, in the manifest.
"""

from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.one_shot import OneShot
from spcviz.problems.parsing import parser as parsers
from spcviz.problems.parsing.policies import Policies, of_plain, plain
from spcviz.problems.parsing.shown import ONE_SHOT
from spcviz.problems.tagging.data import EWT_ORIGIN
from spcviz.store import digest_of_arrays, load_model, save_model

NAME, KIND, VERSION = "parsing-ewt", "dependency-parser", 1
LICENCE = (
    f"Trained on {EWT_ORIGIN} (Silveira et al. 2014, A Gold Standard Dependency Corpus for English); "
    "weights shared under CC BY-SA 4.0."
)


class ParseModel(NamedTuple):
    """A parser with what buys for it.

    Attributes
    ----------
    parser : Parser
    policies : Policies
    us : dict of str to float
        Microseconds of the arcs into a word with each template, as measured in training.
    """

    parser: parsers.Parser
    policies: Policies
    us: dict


def save(folder, model, *, settings, metrics, train):
    """Write a model; see `spcviz.store.save_model`."""
    return save_model(
        folder,
        NAME,
        to_arrays(model),
        kind=KIND,
        version=VERSION,
        settings=asdict(settings)
        | {"tag_set": list(model.parser.tag_set), "policies": model.policies.about, "licence": LICENCE},
        data_digest=digest_of_arrays({"codes": train.codes, "heads": train.heads, "starts": train.starts}),
        random_state=parsers.RANDOM_STATE,
        metrics=metrics | {"us": model.us},
    )


def load(folder):
    """Read the model; see `spcviz.store.load_model`.

    Raises
    ------
    StoreError
        If it is missing or damaged; the message ends with the command that trains it anew.
    """
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    settings = stored.manifest["settings"]
    return from_arrays(
        stored.arrays, tuple(settings["tag_set"]), settings["policies"], stored.manifest["metrics"]["us"]
    )


def to_arrays(model):
    """Arrays of a model; the length dictionary is left out: it forbids nothing here."""
    parser, policies = model.parser, plain(model.policies)
    arrays = {"weights": parser.weights, "steps": parser.steps}
    arrays |= {name: np.array(policies[name]) for name in ("anytime", "beta", "greedy", "scale")}
    for key, own in policies["one_shot"].items():
        arrays |= {f"{key}_{name}": value for name, value in own.items()}
    return arrays


def from_arrays(arrays, tag_set, about, us):
    """The model of what `to_arrays` returns."""
    longest = parsers.no_limits()
    parser = parsers.Parser(np.ascontiguousarray(arrays["weights"]), arrays["steps"], longest, tag_set)
    one_shot = {key: {name: arrays[f"{key}_{name}"] for name in OneShot._fields} for key in ONE_SHOT}
    return ParseModel(parser, of_plain(dict(arrays) | {"one_shot": one_shot, "about": about}), us)
