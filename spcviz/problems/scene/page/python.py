"""The Python of the pages Scenes at any time and Trade-off, of pictures: lines that compute what is shown."""

from collections.abc import Mapping

BATCH = """from spcviz.problems.scene.model import stored
from spcviz.problems.scene.page import trade

batch = trade.compare(stored.load(MODELS), trade.draw({vocabulary!r}, {size}, {seed}), {seed})"""
_LINES = """# Scenes at any time: one picture, labelled step by step, and all at the end. Run this in a clone.
import numpy as np

from spcviz.shared.folders import MODELS
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import stored
from spcviz.problems.scene.page import live
from spcviz.problems.scene.page.shown import CLASSES

labelled = live.label(stored.load(MODELS), {scene}, "")
size = np.bincount(labelled.atoms.ravel())
for course in (labelled.sim, labelled.him):
    for step, (seconds, labels) in enumerate(zip(course.seconds, course.labels), start=1):
        pixels = np.bincount(labels, size, len(CLASSES)).astype(int)
        right = "" if course.accuracy is None else f"{{course.accuracy[step - 1]:.1f}} % right"
        named = {{CLASSES[k]: int(pixels[k]) for k in np.flatnonzero(pixels)}}
        print(course.label, "step", step, f"{{1000 * seconds:.0f}} ms", right, named)
"""


def lines(state: Mapping) -> str:
    """The lines for a state of the page; none for a visitor's own picture, which is kept nowhere."""
    kind = state["kind"]
    if kind in ("upload", "camera"):
        return ""
    scene = f"live.picture({kind!r}, {state['seed']})"
    if kind == "camvid":
        scene = f"live.camvid(camvid.names_of('test')[{state['number']}])"
    return _LINES.format(scene=scene)
