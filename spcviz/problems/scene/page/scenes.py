"""Numbers of the page Scenes at any time, and of its batch on Trade-off, for `spcviz.scenes`.

Computing modules are imported when a function is called. At the end are the lines of Python that the Save
menu offers.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import MODELS, NEEDS, shipped_path

if TYPE_CHECKING:
    from spcviz.problems.budgets.shown import TradeOff

PICTURES = ("road", "rendered", "china", "camvid")


class SceneStep(NamedTuple):
    """A picture labelled by a predictor up to one step."""

    ms: float  # until the step is done
    percent_right: float | None  # of pixels with a known class; None if nobody has labelled it
    pixels: dict[str, int]  # pixels of each class that it found
    labels: np.ndarray  # (A,): class of each of the picture's atoms


class ScenePredictor(NamedTuple):
    """One predictor on a picture."""

    name: str
    label: str
    steps: tuple[SceneStep, ...]


def scene(kind: str = "road", *, seed: int = 0, number: int = 0) -> tuple[ScenePredictor, ...]:
    """Label one street picture step by step, by the anytime predictor and by all features at the end.

    Parameters
    ----------
    kind : {"road", "rendered", "china", "camvid"}
        A photograph, a street that the project renders, another photograph, or a test picture of CamVid below
        the folder that SPCVIZ_DATA names.
    seed : int
        Seed of the rendered street.
    number : int
        Number of CamVid's test picture, from 0.

    Returns
    -------
    tuple of ScenePredictor
        Each with its ``steps``: ``ms``, ``percent_right``, ``pixels`` of each class, ``labels``. Milliseconds
        are measured during the call.

    Raises
    ------
    ArgumentError
        For a picture that does not exist or is not installed.
    NoCacheError, StoreError
        If the stored models of a clone are missing, or if this one is.
    """
    from spcviz.problems.scene.data import camvid
    from spcviz.problems.scene.model import stored
    from spcviz.problems.scene.page import live
    from spcviz.problems.scene.shown import CLASSES

    if kind not in PICTURES:
        raise ArgumentError(f"kind must be one of {', '.join(PICTURES)}, got {kind!r:.60}")
    model = stored.load(shipped_path(MODELS))
    if kind == "camvid":
        names = camvid.names_of("test")
        picture = live.camvid(names[checks.integer("number", number, 0, len(names) - 1)])
    else:
        picture = live.picture(kind, checks.integer("seed", seed, 0, 999_999))
    labelled = live.label(model, picture, "")
    size = np.bincount(labelled.atoms.ravel())
    predictors = []
    for course in (labelled.sim, labelled.him):
        steps = []
        for k, (seconds, labels) in enumerate(zip(course.seconds, course.labels)):
            pixels = np.bincount(labels, size, len(CLASSES)).astype(int)
            found = {CLASSES[at]: int(pixels[at]) for at in np.flatnonzero(pixels)}
            right = None if course.accuracy is None else float(course.accuracy[k])
            steps.append(SceneStep(1000 * float(seconds), right, found, labels))
        predictors.append(ScenePredictor(course.name, course.label, tuple(steps)))
    return tuple(predictors)


def batch(vocabulary: str = "rendered", size: int = 12, seed: int = 0) -> "TradeOff":
    """A random batch of pictures under every method."""
    from spcviz.problems.scene.model import stored
    from spcviz.problems.scene.page import trade
    from spcviz.problems.scene.shown import KINDS

    if vocabulary not in KINDS:
        raise ArgumentError(f"vocabulary must be one of {', '.join(KINDS)}, got {vocabulary!r:.60}")
    return trade.compare(stored.load(shipped_path(MODELS)), trade.draw(vocabulary, size, seed), seed)


_LINES = """# Scenes at any time: one picture, labelled step by step, and all at the end.
{needs}
from spcviz import scenes

predictors = scenes.scene({call})
for predictor in predictors:
    for number, step in enumerate(predictor.steps, start=1):
        right = "" if step.percent_right is None else f"{{step.percent_right:.1f}} % right"
        print(predictor.label, "step", number, f"{{step.ms:.0f}} ms", right, step.pixels)
"""


def scene_lines(state: Mapping) -> str:
    """The lines for a state of the page; none for a visitor's own picture, which is not stored."""
    kind = state["kind"]
    if kind in ("upload", "camera"):
        return ""
    which = f", number={state['number']}" if kind == "camvid" else f", seed={state['seed']}"
    return _LINES.format(needs=NEEDS, call=repr(kind) + which)
