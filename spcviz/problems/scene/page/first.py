"""What the page Scenes at any time opens with, and its first rendered street, computed beforehand.

`python -m spcviz train scene-first` writes them; the manifest names the model that they came from, and with
another model in its place they count as missing.
"""

import numpy as np

from spcviz.problems.common.work.derived import made_with
from spcviz.problems.scene.model import stored
from spcviz.problems.scene.page import live
from spcviz.problems.scene.page.shown import FIRST_SEED, SceneCourse
from spcviz.store import digest_of_arrays, load_value, save_value

NAMES = {("road", 0): "scene-first", ("rendered", FIRST_SEED): "scene-first-street"}
"""Pictures that are stored: what each is called in the store."""
N_RUNS = 25
"""Its times stay: more runs than a visitor waits for."""
CREDITS = {
    "road": f"{live.ROAD_CREDIT} Chosen of its six because the predictors get sky, road and the trees beside "
    "it right; the far hills they take for cars.",
    "rendered": f"{live.RENDERED_CREDIT} Chosen because the predictors do well here; they do not on every "
    "street.",
}


def train(run):
    """Work the pictures out; a command of `PROBLEM.trains`, yields a line for each."""
    model = stored.load(run.models)
    for kind, seed in NAMES:
        found = live.label(model, live.picture(kind, seed), CREDITS[kind], N_RUNS)
        yield f"{save(run.models, found, kind, seed)}: {len(found.sim.seconds)} steps"


def save(folder, found, kind, seed):
    """Store a trajectory beside its model, entropies in half floats; returns the manifest's path."""
    known = {"picture": found.picture} | ({} if found.truth is None else {"truth": found.truth})
    return save_value(
        folder,
        NAMES[kind, seed],
        _with_entropy(found, np.float16),
        SceneCourse,
        made_from=made_with(folder, stored.NAME),
        data_digest=digest_of_arrays(known),
        random_state=seed,
    )


def load(folder, kind="road", seed=0) -> SceneCourse:
    """A stored trajectory.

    Raises `StoreError` if it is missing, damaged, or made with another model than the stored one.
    """
    found = load_value(folder, NAMES[kind, seed], SceneCourse, made_from=made_with(folder, stored.NAME))
    return _with_entropy(found, np.float32)


def _with_entropy(found, dtype):
    both = {name: getattr(found, name) for name in ("sim", "him")}
    return found._replace(**{n: own._replace(entropy=own.entropy.astype(dtype)) for n, own in both.items()})
