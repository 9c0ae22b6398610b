"""A clip of poses that one can drag: a Streamlit component (components v2) around pose*.js.

Arrays travel as base64 of their little-endian bytes; which type, and what a code is, stands in
`spcviz.problems.pose.trace` and in pose_core.js. A level's arrays are sent once: the browser says which
it has.
"""

import zlib

import numpy as np

from spcviz.components.common.mount import Component, live_view, pack, show
from spcviz.figures.common.palette import DARK

VIEW_NAMES = ("show", "frame", "level", "alphas", "cell", "truth")
"""What the browser owns. `alphas` holds one float or None (= tuned) for each level."""

POSE = Component(
    "spcviz_pose",
    "pose/pose.css",
    (
        "common/elements.js",
        "common/view.js",
        "pose/pose_core.js",
        "pose/pose_draw.js",
        "pose/pose_words.js",
        "pose/pose_export.js",
        "pose/pose.js",
    ),
    VIEW_NAMES,
)

COLOURS = (DARK.kept, DARK.threshold, DARK.map, DARK.lost, DARK.truth)
"""Of each limb. Pictures are darkened under them in either theme, so they are the dark theme's."""
_TYPES = {"n_given": "<i4", "first": "<i4", "codes": "<u2", "unary": "<u2", "unary_range": "<f8"}


def level_payload(level):
    """One `ClipLevel` for the browser.

    Parameters
    ----------
    level : spcviz.problems.pose.shown.ClipLevel

    Returns
    -------
    dict
        With a ``digest`` of all but `alpha`, which changes more than its own level's arrays.
    """
    packed = {name: pack(getattr(level, name), kind) for name, kind in _TYPES.items()}
    packed |= {name: pack(getattr(level, name), "<f8") for name in ("best", "mean", "low")}
    packed |= {
        name: np.round(getattr(level, name), 6).tolist() for name in ("reach", "gap", "weight", "turn")
    }
    packed |= {name: int(getattr(level, name)) for name in ("rows", "columns")}
    packed |= {"tuned": float(level.tuned), "each": [pack(own, "u1") for own in level.each]}
    return packed | {"digest": _digest(repr(packed)), "alpha": float(level.alpha)}


def _digest(text):
    data = text.encode()
    return f"{zlib.crc32(data):08x}{zlib.adler32(data):08x}"


def pose_payload(trace, *, names, lengths, controls=True):
    """All the browser needs to draw a clip.

    Parameters
    ----------
    trace : spcviz.problems.pose.shown.ClipTrace
    names : sequence of str
        Of the limbs.
    lengths : sequence of float
        Of the limbs, pixels of a 240 x 240 picture.
    controls : bool
        False hides everything but the picture and its sentence.

    Returns
    -------
    dict
        JSON values only.
    """
    n_frames, n_parts = trace.levels[0].n_given.shape
    truth = None
    if trace.truth is not None:
        flat = np.round(trace.truth.reshape(n_frames, n_parts, 4), 1)
        truth = [[None if np.isnan(limb).any() else limb.tolist() for limb in frame] for frame in flat]
    pictures = list(trace.pictures)
    return {
        "identity": f"{trace.title}|{trace.method}|{trace.n_frames}|{_digest(''.join(pictures[:1]))}",
        "title": trace.title,
        "credit": trace.credit,
        "method": trace.method,
        "rate": float(trace.rate),
        "n_frames": int(trace.n_frames),
        "pictures": {"digest": _digest("".join(pictures)), "frames": pictures},
        "names": list(names[:n_parts]),
        "lengths": [float(own) for own in lengths[:n_parts]],
        "levels": [level_payload(level) for level in trace.levels],
        "truth": truth,
        "truth_name": trace.truth_name,
        "reachable": pack(trace.reachable.reshape(-1).astype(np.uint8), "u1"),
        "seconds": [float(trace.seconds_detect), float(trace.seconds_cascade)],
        "colours": list(COLOURS[:n_parts]),
        "part": [float(own) for own in trace.part],
        "controls": bool(controls),
    }


def show_pose(payload, *, key, view, on_change):
    """Mount the component; what the browser says it has is not sent again.

    Parameters
    ----------
    payload : dict
        From `pose_payload`.
    key : str
    view : dict
        `VIEW_NAMES`; see `spcviz.components.common.mount.epoch` for whose view wins.
    on_change : callable
        Called without arguments before the rerun that a change of the view causes.
    """
    have = set((live_view(key) or {}).get("have", ()))
    news = {
        "levels": [
            {name: own[name] for name in ("digest", "alpha")} if own["digest"] in have else own
            for own in payload["levels"]
        ],
        "pictures": {"digest": payload["pictures"]["digest"]}
        if payload["pictures"]["digest"] in have
        else payload["pictures"],
    }
    show(POSE, payload | news, key=key, view=view, on_view_change=on_change)
