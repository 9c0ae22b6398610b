"""The Python of the page Pose on video: lines that compute what is shown."""

from collections.abc import Mapping, Sequence

_SCENE = """from spcviz.shared.folders import MODELS, data_folder
from spcviz.problems.pose.page import live, shelf

scene = live.scene_of({kind!r}, {name!r}, shelf.N_FRAMES, data_folder())
scene = live.thinned(scene, shelf.MOST_FRAMES[{method!r}])
"""
_CLIP = """# Pose: one clip, and the limbs that are left in a frame at every level. Run this in a clone.
{scene}
from spcviz.problems.pose.model import stored
from spcviz.problems.pose.page import trace

model, alphas = stored.load_pose(MODELS), {alphas}
scores = [live.scores_of(model, image)[0] for image in scene.images]
runs = [[one] for one in scores] if {method!r} == "single" else [scores]  # others ask the frames beside
levels = trace.joined([trace.run_levels(model, run, {method!r}, alphas)[0] for run in runs])
for number, level in enumerate(levels):
    given = int(level.n_given[{frame}].sum())
    print("level", number, level.columns, "x", level.rows, "cells:", f"{{given:,}}", "limbs to choose from")
"""
_ARMS = """# Pose: both arms of one clip, and what a budget buys for its frames. Run this in a clone.
{scene}
from spcviz.problems.arms.model import stored
from spcviz.problems.arms.page import clip, clip_text

watched = clip.watch(stored.load(MODELS), scene.images, scene.truth)
for name, number in clip_text.facts(watched, clip_text.step_of(watched, {spend})).items():
    print(name, number)
"""


def lines(state: Mapping, scene: tuple[str, str | int], alphas: Sequence[float | None], method: str) -> str:
    """The lines for a clip that everybody can choose: `scene` is its kind and name."""
    asked = _SCENE.format(kind=scene[0], name=scene[1], method=method)
    if state["show"] in ("four", "bought"):
        return _ARMS.format(scene=asked.rstrip(), spend=state["spend"])
    return _CLIP.format(scene=asked.rstrip(), alphas=list(alphas), method=method, frame=state["frame"])
