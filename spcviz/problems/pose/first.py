"""What the Pose page opens with, worked out beforehand: a signing clip, its pictures and all its levels.

`python -m spcviz train pose-first` writes it; the manifest names the model that it came from, and with
another model in its place it counts as missing.
"""

import base64

import numpy as np

from spcviz.problems.common.derived import check_made_with, model_digest
from spcviz.problems.pose import body, live, models, signs, trace
from spcviz.problems.pose.shown import ClipLevel, ClipTrace
from spcviz.store import load_model, save_model

NAME, KIND, VERSION = "pose-first", "pose-clip", 1
SIGN = "thanks"
"""A plain background, a hand to the face and away. Chosen by eye for what it shows, not by what is found."""
_SINGLE = ("rows", "columns", "alpha", "tuned")
_TEXTS = ("title", "credit", "method", "truth_name", "rate", "n_frames", "part")
_SECONDS = ("seconds_detect", "seconds_cascade")
_HEAD = "data:image/jpeg;base64,"


def train(run):
    """Work the first clip out; a command of `PROBLEM.trains`, yields a line."""
    model, scene = models.load_pose(run.models), live.sign_scene(SIGN)
    runs, seconds = [], np.zeros(2)
    for image in scene.images:
        scores, detecting = live.scores_of(model, image)
        levels, filtering = trace.run_levels(model, [scores])
        runs.append(levels)
        seconds += detecting, filtering
        run.tick(f"frame {len(runs)} of {len(scene.images)}")
    clip = trace.clip_trace(scene, "single", trace.joined(runs), tuple(seconds.tolist()))
    yield f"{save(run.models, clip)}: {clip.n_frames} frames of “{SIGN}”"


def save(folder, clip):
    """Store a clip beside the model that it came from; returns the manifest's path."""
    texts = texts_of(clip)
    seconds = {name: texts.pop(name) for name in _SECONDS}
    settings = texts | {"model": model_digest(folder, models.NAME)}
    return save_model(
        folder, NAME, arrays_of(clip), kind=KIND, version=VERSION, settings=settings, random_state=0,
        data_digest=signs.SHIPPED_SHA256, metrics=seconds,
    )  # fmt: skip


def arrays_of(clip):
    """The arrays of a clip and its pictures, by name; without a truth there is none among them."""
    pictures = [np.frombuffer(base64.b64decode(own.removeprefix(_HEAD)), np.uint8) for own in clip.pictures]
    arrays = {
        f"level{number}_{name}": np.asarray(value)
        for number, level in enumerate(clip.levels)
        for name, value in level._asdict().items()
    }
    arrays |= {"pictures": np.concatenate(pictures), "lengths": np.array([len(own) for own in pictures])}
    return arrays | {"reachable": clip.reachable} | ({} if clip.truth is None else {"truth": clip.truth})


def texts_of(clip):
    """What is left of a clip: plain JSON, by name."""
    return {name: getattr(clip, name) for name in (*_TEXTS, *_SECONDS)}


def clip_of(arrays, texts):
    """The clip of `arrays_of` and `texts_of`."""
    ends = np.cumsum(arrays["lengths"])
    pictures = [
        _HEAD + base64.b64encode(own.tobytes()).decode() for own in np.split(arrays["pictures"], ends[:-1])
    ]
    return ClipTrace(
        pictures=tuple(pictures), levels=tuple(_level(arrays, number) for number in range(body.N_LEVELS)),
        truth=arrays.get("truth"), reachable=arrays["reachable"],
        **{name: texts[name] for name in (*_TEXTS, *_SECONDS)} | {"part": tuple(texts["part"])},
    )  # fmt: skip


def load(folder):
    """The stored clip.

    Returns
    -------
    ClipTrace

    Raises
    ------
    StoreError
        It is missing, damaged, or of another model than the one stored.
    """
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    settings, arrays = stored.manifest["settings"], stored.arrays
    check_made_with(folder, NAME, settings["model"], models.NAME)
    return clip_of(arrays, settings | stored.manifest["metrics"])


def _level(arrays, number):
    own = {name: arrays[f"level{number}_{name}"] for name in ClipLevel._fields}
    return ClipLevel(**own | {name: own[name].item() for name in _SINGLE})
