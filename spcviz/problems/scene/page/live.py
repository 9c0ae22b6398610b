"""Label one picture step by step, for the page Scenes at any time."""

import contextlib
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.learning.speedboost.structure import entropies
from spcviz.problems.scene.data import camvid as camvid_data
from spcviz.problems.scene.data import render
from spcviz.problems.scene.model import features, run, segments
from spcviz.problems.scene.model import stored as models
from spcviz.problems.scene.shown import Choices, Course, SceneCourse
from spcviz.store import StoreError

N_RUNS = 2  # a step's time is the fastest of this many runs: a server has other visitors too
N_RUNS_STORED = 8  # for the stored pictures, whose times everybody sees
CREDITS = {
    "road": "udacity/CarND-LaneLines-P1, (c) 2016-2019 Udacity, Inc., MIT licence; nobody has labelled it.",
    "china": "china.jpg of scikit-learn, by Zhu Lin, CC BY 2.0; nobody has labelled it.",
    "rendered": "Rendered by this project; every pixel's class is known exactly.",
    "camvid": "A test picture of CamVid (Brostow et al. 2009), new to the predictors.",
    "own": "Your picture; nobody has labelled it, and it is kept nowhere.",
}


def fit_picture(picture: np.ndarray) -> np.ndarray:
    """A picture scaled to about 43,200 pixels, sides multiples of 4; a readable error if it is too small.

    >>> fit_picture(np.zeros((427, 640, 3), np.uint8)).shape
    (168, 256, 3)
    """
    from PIL import Image

    picture = np.asarray(picture)
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise ArgumentError(f"picture must have shape (H, W, 3) of bytes, got {picture.shape}")
    tall, wide = picture.shape[:2]
    least = segments.LEAST_SIDE
    if min(tall, wide) < least:
        raise ArgumentError(
            f"The picture has {wide} x {tall} pixels; a scene needs at least {least} on each side."
        )
    scale = np.sqrt(segments.N_PIXELS / (tall * wide))
    sides = [max(least, 4 * round(side * scale / 4)) for side in (wide, tall)]
    if tuple(sides) == (wide, tall):
        return np.ascontiguousarray(picture)
    return np.asarray(Image.fromarray(picture).resize(sides, Image.Resampling.LANCZOS))


def road():
    """The photograph of a road that ships: a `StreetScene` without truth."""
    return camvid_data.StreetScene("A road in California", fit_picture(camvid_data.photograph()), None)


def china():
    """scikit-learn's photograph of a temple: a `StreetScene` without truth."""
    from PIL import Image

    # By its file: importing scikit-learn would take a second and 60 MB.
    path = Path(find_spec("sklearn").origin).parent / "datasets" / "images" / "china.jpg"
    return camvid_data.StreetScene(
        "A temple in China", fit_picture(np.asarray(Image.open(path).convert("RGB"))), None
    )


def render_scene(seed):
    """A street that the project renders: a `StreetScene`."""
    return camvid_data.StreetScene(f"Rendered street {seed}", *render.street(seed))


def camvid(name):
    """A test picture of CamVid: a `StreetScene`."""
    return camvid_data.load("test", name)


def own(frames):
    """A visitor's picture: the first frame of what `uploads.read_upload` returns."""
    return camvid_data.StreetScene("Your picture", fit_picture(frames[0]), None)


def label(
    model: models.SceneModel, scene: camvid_data.StreetScene, credit: str, n_runs: int = N_RUNS
) -> SceneCourse:
    """The whole trajectory of the predictors on a picture."""
    picture, truth = scene.picture, scene.truth
    seen, regions, sim, choices = _sim(model, picture, truth, n_runs)
    him, atoms = _him(model, picture, truth, n_runs), seen.hierarchy.atoms.astype(np.uint16)
    return SceneCourse(scene.name, credit, picture, atoms, truth, regions, sim, him, choices)


def _sim(model, picture, truth, n_runs):
    """(LazyPicture, seconds of the regions, Course, Choices)."""
    timed = run.sim(picture, model.vocabulary, model.steps, n_runs)
    start = time.perf_counter()
    seen = features.LazyPicture(picture, model.vocabulary)
    regions = min(time.perf_counter() - start, float(timed.seconds[0]))
    entropy, updated, counts = [], [], []
    for update in run.sim_updates(model.steps, seen):
        level = update.step.level
        entropy.append(update.state.entropy.copy())
        is_updated = np.zeros(seen.hierarchy.n_regions(level), dtype=bool)
        is_updated[update.regions] = True
        updated.append(is_updated[seen.hierarchy.member[level]])
        counts.append((len(update.regions), len(is_updated)))
    right = _accuracy(timed.labels, seen, truth)
    course = Course("sim", "SIM, anytime", timed.seconds, timed.labels, np.array(entropy), right)
    n_updated, n_regions = np.array(counts).T
    level, theta = np.array([(step.level, step.theta) for step in model.steps]).T
    bought = run.bought_after(model.steps)
    which = level.astype(int), theta, np.array(updated)
    choices = Choices(*which, n_updated, n_regions, bought, bought > 0)
    return seen, regions, course, choices


def _him(model, picture, truth, n_runs):
    columns = np.arange(features.N_COLUMNS)
    timed = run.him(picture, model.vocabulary, model.stages, columns, n_runs)
    seen = features.LazyPicture(picture, model.vocabulary)
    last = run.last_share(model.stages, seen)
    labels = timed.labels[-1:]
    right = _accuracy(labels, seen, truth)
    return Course("him", "HIM, all at the end", timed.seconds[-1:], labels, entropies(last)[None], right)


def _accuracy(labels, seen, truth):
    """Percent of pixels right after each step, None without truth."""
    if truth is None or not (truth < camvid_data.N_CLASSES).any():
        return None
    counts = camvid_data.counts_of(truth, seen.hierarchy.atoms, len(seen.size))
    atoms = np.arange(len(seen.size))
    return np.array([100 * counts[atoms, answer].sum() / counts.sum() for answer in labels])


def picture(kind: str, seed: int = 0) -> camvid_data.StreetScene:
    """The picture of a kind that comes with the app: "road", "rendered" (with a seed) or "china"."""
    if kind == "rendered":
        return render_scene(seed)
    return road() if kind == "road" else china()


def warmup(stored):
    """Compile what the page calls, with the stored model, if there is one."""
    with contextlib.suppress(StoreError):
        label(models.load(stored), render_scene(0), "", 1)
