"""Numbers of the page Pose on video, for `spcviz.scenes`.

Computing modules are imported when a function is called. At the end are the lines of Python that the Save
menu offers.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.shared.folders import MODELS, NEEDS, data_folder, shipped_path

if TYPE_CHECKING:
    from spcviz.problems.pose.shown import PoseScene

KINDS = ("signs", "astronaut", "rendered", "strided", "buffy")


class PoseLevel(NamedTuple):
    """One level of the cascade on a clip of N frames."""

    columns: int  # columns, rows: of its grid of cells
    rows: int
    n_given: np.ndarray  # (N, parts): limbs to choose from


def pose(
    kind: str = "signs",
    name: str | int = "thanks",
    *,
    method: str = "single",
    alphas: Sequence[float | None] | None = None,
) -> tuple[PoseLevel, ...]:
    """Prune the limbs of a clip level by level, from a coarse grid to the finest.

    Parameters
    ----------
    kind : {"signs", "astronaut", "rendered", "strided", "buffy"}
        A signing clip, one photograph, a rendered clip (every frame, or every third), or a clip of Buffy
        below the folder that SPCVIZ_DATA names.
    name : str or int
        The clip's word, or its seed, or its number.
    method : {"single", "torso", "ensemble"}
        Single frames, or all frames together by one tree or several.
    alphas : sequence of float or None, optional
        The alpha at which each level prunes; None means the tuned one.

    Returns
    -------
    tuple of PoseLevel
        One for each level: ``columns``, ``rows``, ``n_given``.

    Raises
    ------
    ArgumentError
        For a clip, method or alpha that does not exist, or a clip that is not installed.
    NoCacheError, StoreError
        If the stored models of a clone are missing, or if this one is.
    """
    from spcviz.problems.pose.model import stored
    from spcviz.problems.pose.page import live, trace

    scene = clip_of(kind, name, method)
    model = stored.load_pose(shipped_path(MODELS))
    scores = [live.scores_of(model, image)[0] for image in scene.images]
    runs = [[one] for one in scores] if method == "single" else [scores]  # others use neighbouring frames
    levels = trace.join_levels([trace.run_levels(model, run, method, alphas)[0] for run in runs])
    return tuple(PoseLevel(level.columns, level.rows, level.n_given) for level in levels)


def clip_of(kind: str, name: str | int, method: str) -> "PoseScene":
    """The frames of a clip that the page shows under a method."""
    from spcviz.problems.pose.data import signs
    from spcviz.problems.pose.page import live, shelf

    for what, value, known in (("kind", kind, KINDS), ("method", method, shelf.METHODS)):
        if value not in known:
            raise ArgumentError(f"{what} must be one of {', '.join(known)}, got {value!r:.60}")
    if kind == "signs":
        shipped_path(signs.SHIPPED)
    elif kind != "astronaut":
        name = checks.integer("name", name, 0, 2**31)
    return live.thin_scene(
        live.scene_of(kind, name, shelf.N_FRAMES, data_folder()), shelf.MOST_FRAMES[method]
    )


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


def pose_lines(
    state: Mapping, scene: tuple[str, str | int], alphas: Sequence[float | None], method: str
) -> str:
    """The lines for a clip that everybody can choose: `scene` is its kind and name."""
    of = {"needs": NEEDS, "kind": scene[0], "name": scene[1], "method": method}
    if state["show"] in ("four", "bought"):
        return _ARMS.format(spend=state["spend"], **of)
    return _CLIP.format(alphas=list(alphas), frame=state["frame"], **of)
