"""Python side of the Pose view: a clip that is pruned by dragging in the browser (pose*.js).

Codes are defined in `spcviz.problems.pose.page.trace` and in pose_core.js. Pictures and levels are parts that
are sent once (see `spcviz.web.view.mount`). Of the levels that are not in view, only the states that each
keeps are sent, from which the shown level is made.
"""

import base64
import zlib
from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np

from spcviz.problems.pose.shown import ClipLevel, ClipTrace
from spcviz.web.figures.palette import DARK, DARK_TIERS, LIGHT_TIERS
from spcviz.web.view.mount import Component, narrow, packed_of, viewer

VIEW_NAMES = ("show", "frame", "level", "alphas", "cell", "truth", "spend")
"""The state that the browser owns. `alphas` holds one float or None (= tuned) for each level."""

UNKNOWN = -32768
NEAR_PX = 20.0  # an elbow or wrist counts as right within this distance
_SHARED = ("elements", "view", "more", "rule")
_OWN = ("core", "draw", "raster", "brush", "words", "export", "pictures", "money", "arms")
POSE = Component(
    "spcviz_pose",
    ("problems/pose/view/pose.css", "web/view/narrow.css", "web/view/panel.css", "web/view/more.css"),
    (
        *(f"web/view/{name}.js" for name in _SHARED),
        *(f"problems/pose/view/pose_{name}.js" for name in _OWN),
        "problems/pose/view/pose.js",
    ),
    VIEW_NAMES,
)
show_pose = viewer(POSE)
COLOURS = (DARK.kept, DARK.threshold, DARK.map, DARK.lost, DARK.truth)
"""The limbs' colours. Pictures are darkened under them in either theme, so they are the dark theme's."""


def level_part(level: ClipLevel) -> dict:
    """A level without its alpha, which changes more often, and without `codes_part` and `scores_part`."""
    arrays = ("n_given", "first", "unary_range", "best", "mean", "low")
    out = {name: getattr(level, name) for name in arrays}
    out |= {name: np.round(getattr(level, name), 6).tolist() for name in ("reach", "gap", "weight", "turn")}
    out |= {name: int(getattr(level, name)) for name in ("rows", "columns")}
    return out | {"tuned": float(level.tuned), "n_each": len(level.each)}


def codes_part(level: ClipLevel) -> dict:
    """Max-marginals of a level's states, to draw it and to prune it."""
    return {"codes": level.codes}


def scores_part(level: ClipLevel) -> dict:
    """Scores from which witnesses and single sub-models are computed."""
    return {"unary": level.unary, "each": list(level.each)}


def kept_part(levels: Sequence[ClipLevel]) -> dict:
    """The states that each next level was made from: a bit each, or the gaps between them if they are few."""
    return {"kept": [_smaller(kept_of(*pair)) for pair in pairwise(levels)]}


def _smaller(kept):
    bits, gaps = np.packbits(kept), narrow(np.diff(np.flatnonzero(kept), prepend=-1))
    return {"gaps": gaps} if gaps.nbytes < bits.nbytes else {"bits": bits}


def kept_of(level: ClipLevel, after: ClipLevel) -> np.ndarray:
    """Whether `after` has children of each state (S,): the best states of each limb, at least its first."""
    sizes, first = level.n_given.ravel(), level.first.ravel()
    n_children = (after.rows // level.rows) * (after.columns // level.columns)
    kept, start = np.zeros(len(level.codes), dtype=bool), np.cumsum(sizes) - sizes
    for at, size, n, best in zip(start, sizes, after.n_given.ravel() // n_children, first):
        codes = level.codes[at : at + size]
        kept[at : at + size] = codes >= np.partition(codes, size - n)[size - n] if n > 1 else False
        kept[at + best] = True
    return kept


def _frames(pictures):
    """Data URIs of JPEG pictures as bytes, which take a quarter less."""
    frames = [np.frombuffer(base64.b64decode(uri.partition(",")[2]), np.uint8) for uri in pictures]
    return {"frames": frames}


def on_demand(parts: Collection[str], view: dict) -> list[str]:
    """Names of the parts that the picture of a view does not need."""
    level, show = view["level"], view["show"]
    needed = set() if show == "all" else {f"codes {level}"}
    if view["cell"] or show == "three":
        needed.add(f"scores {level}")
    optional = ("scores",) if show == "all" else ("codes", "scores")
    return [name for name in parts if name.startswith(optional) and name not in needed]


def tenths(joints):
    """Pixels as whole tenths; unknown values are `UNKNOWN`, the smallest int16.

    >>> tenths(np.array([1.26, np.nan])).tolist()
    [13, -32768]
    """
    known = np.isfinite(joints)
    return np.where(known, np.rint(10 * np.where(known, joints, 0)), UNKNOWN).astype(np.int16).ravel()


def arms_part(budget) -> dict:
    """Both arms of a clip under a budget, joints in tenths of a pixel, `truth` empty where unknown."""
    out = {name: tenths(getattr(budget, name)) for name in ("four", "arms")}
    out["truth"] = np.zeros(0, np.int16) if budget.truth is None else tenths(budget.truth)
    out |= {"tiers": budget.tiers.astype(np.uint8).ravel(), "n_frames": budget.four.shape[1]}
    out |= {"names": list(budget.tier_names), "colours": list(DARK_TIERS), "near_px": NEAR_PX}
    out |= {"ms": np.round(budget.ms, 3).tolist(), "four_ms": np.round(budget.four_ms, 3).tolist()}
    return out | {"free_ms": float(budget.free_ms), "seconds": float(budget.seconds)}


def pose_payload(
    trace: ClipTrace,
    *,
    names: Sequence[str],
    lengths: Sequence[float],
    controls: bool = True,
    arms=None,
    has_arms: bool = False,
) -> tuple[dict, dict]:
    """The payload of a clip, sent on every run, and the parts (pictures, levels) that are sent once."""
    n_frames, n_parts = trace.levels[0].n_given.shape
    truth = None
    if trace.truth is not None:
        flat = np.round(trace.truth.reshape(n_frames, n_parts, 4), 1)
        truth = [[None if np.isnan(limb).any() else limb.tolist() for limb in frame] for frame in flat]
    makers, parts = {"level": level_part, "codes": codes_part, "scores": scores_part}, {}
    for number, level in enumerate(trace.levels):
        parts |= {f"{name} {number}": packed_of(level, make) for name, make in makers.items()}
    parts["kept"] = packed_of(trace.levels, kept_part)
    parts["pictures"] = packed_of(trace.pictures, _frames)
    parts["truth"] = {"limbs": truth, "reachable": trace.reachable.reshape(-1).astype(np.uint8)}
    if arms is not None:
        parts["arms"] = packed_of(arms, arms_part)
    payload = {
        "identity": f"{trace.title}|{trace.method}|{trace.n_frames}|{zlib.crc32(trace.pictures[0].encode())}",
        "title": trace.title,
        "credit": trace.credit,
        "rate": float(trace.rate),
        "n_frames": int(trace.n_frames),
        "names": list(names[:n_parts]),
        "lengths": [float(length) for length in lengths[:n_parts]],
        "alphas": [float(level.alpha) for level in trace.levels],
        "truth_name": trace.truth_name,
        "seconds": [float(trace.seconds_detect), float(trace.seconds_cascade)],
        "colours": list(COLOURS[:n_parts]),
        "part": [float(edge) for edge in trace.part],
        "controls": bool(controls),
        "has_arms": bool(has_arms),
        "tier_colours": {"light": list(LIGHT_TIERS), "dark": list(DARK_TIERS)},
    }
    return payload, parts
