"""The Python of the page Pose on video: lines that compute what is shown."""

from collections.abc import Mapping, Sequence

from spcviz.shared.folders import NEEDS

_CLIP = """# Pose: one clip, and the limbs that are left in a frame at every level.
{needs}
from spcviz import scenes

for number, level in enumerate(scenes.pose({kind!r}, {name!r}, method={method!r}, alphas={alphas})):
    given = int(level.n_given[{frame}].sum())
    print("level", number, level.columns, "x", level.rows, "cells:", f"{{given:,}}", "limbs to choose from")
"""
_ARMS = """# Pose: both arms of one clip, and what a budget buys for its frames.
{needs}
from spcviz import scenes

for name, number in scenes.arms({kind!r}, {name!r}, method={method!r}, spend={spend}).items():
    print(name, number)
"""


def lines(state: Mapping, scene: tuple[str, str | int], alphas: Sequence[float | None], method: str) -> str:
    """The lines for a clip that everybody can choose: `scene` is its kind and name."""
    of = {"needs": NEEDS, "kind": scene[0], "name": scene[1], "method": method}
    if state["show"] in ("four", "bought"):
        return _ARMS.format(spend=state["spend"], **of)
    return _CLIP.format(alphas=list(alphas), frame=state["frame"], **of)
