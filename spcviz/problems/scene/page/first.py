"""What the page Scenes at any time opens with, computed beforehand: a rendered street, labelled.

`python -m spcviz train scene-first` writes it; the manifest names the model that it came from, and with
another model in its place it counts as missing.
"""

import numpy as np

from spcviz.problems.common.work.derived import made_with
from spcviz.problems.scene.data import render
from spcviz.problems.scene.model import stored
from spcviz.problems.scene.page import live
from spcviz.problems.scene.page.shown import FIRST_SEED, SceneCourse
from spcviz.store import digest_of_arrays, load_value, save_value

NAME = "scene-first"
N_RUNS = 5
"""Its times stay: a few more runs than a visitor waits for."""
CREDIT = f"{live.RENDERED_CREDIT} Chosen because the predictors do well here; they do not on every street."


def train(run):
    """Work the first picture out; a command of `PROBLEM.trains`, yields a line."""
    found = live.label(stored.load(run.models), live.rendered(FIRST_SEED), CREDIT, N_RUNS)
    yield f"{save(run.models, found)}: {len(found.sim.seconds)} steps"


def save(folder, found):
    """Store a trajectory beside its model, entropies in half floats; returns the manifest's path."""
    picture, truth = render.street(FIRST_SEED)
    return save_value(
        folder,
        NAME,
        _with_entropy(found, np.float16),
        SceneCourse,
        made_from=made_with(folder, stored.NAME),
        data_digest=digest_of_arrays({"picture": picture, "truth": truth}),
        random_state=FIRST_SEED,
    )


def load(folder) -> SceneCourse:
    """The stored trajectory.

    Raises `StoreError` if it is missing, damaged, or made with another model than the stored one.
    """
    return _with_entropy(
        load_value(folder, NAME, SceneCourse, made_from=made_with(folder, stored.NAME)), np.float32
    )


def _with_entropy(found, dtype):
    both = {name: getattr(found, name) for name in ("sim", "him")}
    return found._replace(**{n: own._replace(entropy=own.entropy.astype(dtype)) for n, own in both.items()})
