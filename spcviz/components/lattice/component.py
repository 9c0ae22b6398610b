"""The lattice as a picture one can drag: a Streamlit component (components v2) around lattice*.js.

A payload is a plain dict of JSON values. Arrays travel as base64 of their little-endian bytes, floats as
float64 and integers as int32, so that the browser computes with the very bits the engine computed: a
keep-mask drawn there equals the engine's, ties and -inf included.

======== ======================== ==========================================================
array    type                     meaning
======== ======================== ==========================================================
scalars  float64 (7,)             best, mean, truth_score, alpha, tuned_alpha, alpha_used, microseconds
others   as in `LevelTrace`
======== ======================== ==========================================================
"""

import math
import zlib

from spcviz.components.common.mount import Component, by_theme, live_view, pack, pack_ink, show

VIEW_NAMES = ("alphas", "level", "step", "cell", "pin_a", "pin_b", "reveal")
"""What the browser owns. `alphas` holds one float or None (= tuned) for each level."""

LATTICE = Component(
    "spcviz_lattice",
    "lattice/lattice.css",
    (
        "common/elements.js",
        "common/view.js",
        "lattice/lattice_core.js",
        "lattice/lattice_draw.js",
        "lattice/lattice_words.js",
        "lattice/lattice_export.js",
        "lattice/lattice.js",
    ),
    VIEW_NAMES,
)

ROLES = ("kept", "pruned", "truth", "threshold", "map", "lost")
PINS = {
    "light": {"pinA": "#0B6E8F", "pinB": "#8F5A0B"},
    "dark": {"pinA": "#8FD3F0", "pinB": "#F0C36A"},
}
COLOURS = by_theme(lambda palette: {role: getattr(palette, role) for role in ROLES})
PALETTE = {theme: colours | PINS[theme] for theme, colours in COLOURS.items()}
"""By theme, the colour of every state; each is told by its shape as well."""


def level_payload(level, *, is_whole=True):
    """One `LevelTrace` for the browser; without messages and witnesses where only its mask is shown.

    Parameters
    ----------
    level : spcviz.problems.common.shown.LevelTrace
    is_whole : bool
        False leaves out score, forward, backward, previous and following.

    Returns
    -------
    dict
    """
    scalars = (
        level.best,
        level.mean,
        level.truth_score,
        level.alpha,
        level.tuned_alpha,
        level.alpha_used,
        level.microseconds,
    )
    packed = {
        "order": int(level.order),
        "n_valid": int(level.n_valid),
        "has_spread": bool(level.has_spread),
        "was_capped": bool(level.was_capped),
        "scalars": pack(scalars, "<f8"),
        "col_start": pack(level.col_start, "<i4"),
        "symbols": pack(level.symbols, "<i4"),
        "max_marginal": pack(level.max_marginal, "<f8"),
        "map_arcs": pack(level.map_arcs, "<i4"),
        "truth_arcs": pack(level.truth_arcs, "<i4"),
    }
    if is_whole:
        packed |= {name: pack(getattr(level, name), "<f8") for name in ("score", "forward", "backward")}
        packed |= {name: pack(getattr(level, name), "<i4") for name in ("previous", "following")}
    digest = zlib.crc32("".join(v for v in packed.values() if isinstance(v, str)).encode("ascii"))
    return packed | {"digest": f"{digest:08x}{len(packed['symbols'])}"}


def lattice_payload(trace, *, features="raw", order=None, pins=None, controls=True):
    """All the browser needs to draw a cascade on one word.

    Parameters
    ----------
    trace : spcviz.problems.common.shown.WordTrace
    features : str
        Name of the model; part of the identity of what is shown, and of a pin.
    order : int, optional
        The n asked for, also part of the identity. Default: that of the last level.
    pins : dict of str to (str, WordTrace), optional
        Under "A" and "B": the pin's text and the same word's trace under its model and alphas.
    controls : bool
        False hides everything but the picture, its levels and its sentence.

    Returns
    -------
    dict
        JSON values only.
    """
    identity = f"{trace.word_id}|{features}|{order or trace.levels[-1].order}"
    if trace.words:
        identity += "|" + " ".join(trace.words)
    elif trace.word_id < 0:
        identity += f"|{hash(trace.pixels.tobytes())}"
    return {
        "identity": identity,
        "word_id": int(trace.word_id),
        "features": features,
        "n_positions": len(trace.words or trace.pixels),
        "words": list(trace.words),
        "meanings": list(trace.meanings),
        "level_names": list(trace.level_names),
        "alphabet": list(trace.alphabet),
        "truth": pack(trace.truth, "<i4"),
        "pixels": pack_ink(trace.pixels),
        "predictions": pack(trace.predictions, "<i4"),
        "microseconds": float(trace.microseconds),
        "microseconds_dense": None if math.isnan(trace.microseconds_dense) else trace.microseconds_dense,
        "levels": [level_payload(level) for level in trace.levels],
        "pins": {
            name: {"text": text, "levels": [level_payload(v, is_whole=False) for v in pinned.levels]}
            for name, (text, pinned) in (pins or {}).items()
        },
        "controls": bool(controls),
        "palette": PALETTE,
    }


def show_lattice(payload, *, key, view, on_change):
    """Mount the lattice.

    Parameters
    ----------
    payload : dict
        From `lattice_payload`.
    key : str
    view : dict
        `VIEW_NAMES`; see `spcviz.components.common.mount.epoch` for whose view wins.
    on_change : callable
        Called without arguments before the rerun that a change of the view causes.
    """
    live = live_view(key) or {"seq": 0}
    have = live.get("have", [])
    levels = [
        {"digest": level["digest"]} if level["digest"] in have else level for level in payload["levels"]
    ]
    news = {"seq": live["seq"], "levels": levels}
    show(LATTICE, payload | news, key=key, view=view, on_view_change=on_change)
