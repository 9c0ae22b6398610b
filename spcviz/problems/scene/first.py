"""What the page Scenes at any time opens with, worked out beforehand: a rendered street and its whole course.

`python -m spcviz train scene-first` writes it; the manifest names the model that it came from, and with
another model in its place it counts as missing.
"""

import numpy as np

from spcviz.problems.common.derived import check_made_with, model_digest
from spcviz.problems.scene import live, models, render
from spcviz.problems.scene.shown import FIRST_SEED, Choices, Course, SceneCourse
from spcviz.store import digest_of_arrays, load_model, save_model

NAME, KIND, VERSION = "scene-first", "scene-course", 1
N_RUNS = 5
"""Its times stay: a few more runs than a visitor waits for."""
CREDIT = f"{live.RENDERED_CREDIT} Chosen because the predictors do well here; they do not on every street."
_COURSES = ("sim", "him")


def train(run):
    """Work the first picture out; a command of `PROBLEM.trains`, yields a line."""
    found = live.label(models.load(run.models), live.rendered(FIRST_SEED), CREDIT, N_RUNS)
    yield f"{save(run.models, found)}: {len(found.sim.seconds)} steps"


def save(folder, found):
    """Store a course beside the model that it came from; returns the manifest's path."""
    arrays = {"picture": found.picture, "atoms": found.atoms, "truth": found.truth}
    arrays |= {f"choices_{name}": np.asarray(own) for name, own in found.choices._asdict().items()}
    seconds = {"regions": float(found.regions_seconds)}
    settings = {"title": found.title, "credit": found.credit, "model": model_digest(folder, models.NAME)}
    for name in _COURSES:
        own = getattr(found, name)
        arrays |= {f"{name}_labels": own.labels, f"{name}_entropy": own.entropy.astype(np.float16)}
        arrays[f"{name}_accuracy"] = own.accuracy
        seconds[name] = [float(at) for at in own.seconds]
        settings[name] = own.label
    return save_model(
        folder,
        NAME,
        arrays,
        kind=KIND,
        version=VERSION,
        settings=settings,
        random_state=FIRST_SEED,
        data_digest=digest_of_arrays(dict(zip(("picture", "truth"), render.street(FIRST_SEED)))),
        metrics={"seconds": seconds},
    )


def load(folder):
    """The stored course.

    Returns
    -------
    SceneCourse

    Raises
    ------
    StoreError
        It is missing, damaged, or of another model than the one stored.
    """
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    settings, arrays = stored.manifest["settings"], stored.arrays
    seconds = stored.manifest["metrics"]["seconds"]
    check_made_with(folder, NAME, settings["model"], models.NAME)
    courses = {
        name: Course(
            name,
            settings[name],
            np.array(seconds[name]),
            arrays[f"{name}_labels"],
            arrays[f"{name}_entropy"].astype(np.float32),
            arrays[f"{name}_accuracy"],
        )
        for name in _COURSES
    }
    return SceneCourse(
        title=settings["title"],
        credit=settings["credit"],
        picture=arrays["picture"],
        atoms=arrays["atoms"],
        truth=arrays["truth"],
        regions_seconds=seconds["regions"],
        choices=Choices(**{name: arrays[f"choices_{name}"] for name in Choices._fields}),
        **courses,
    )
