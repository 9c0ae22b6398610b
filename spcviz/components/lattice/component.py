"""The lattice as a picture one can drag: a Streamlit component (components v2) around lattice*.js.

A payload is a plain dict of JSON values. Arrays travel as base64 of their little-endian bytes, floats as
float64 and integers as int32, so that the browser computes with the very bits the engine computed: a
keep-mask drawn there equals the engine's, ties and -inf included.

======== ======================== ==========================================================
array    type                     meaning
======== ======================== ==========================================================
scalars  float64 (7,)             best, mean, truth_score, alpha, tuned_alpha, alpha_used, microseconds
others   as in `results.LevelTrace`
======== ======================== ==========================================================
"""

import math
import zlib
from functools import cache

import numpy as np
import streamlit as st

from spcviz.components.common.mount import HERE, epoch, live_view, pack, script

PARTS = (
    "common/view.js",
    "lattice/lattice_core.js",
    "lattice/lattice_draw.js",
    "lattice/lattice_words.js",
    "lattice/lattice_export.js",
    "lattice/lattice.js",
)

PALETTE = {
    "light": {
        "kept": "#0072B2",
        "pruned": "#667080",
        "truth": "#00704F",
        "threshold": "#B34E00",
        "map": "#8A4B9C",
        "lost": "#800700",
        "pinA": "#0B6E8F",
        "pinB": "#8F5A0B",
    },
    "dark": {
        "kept": "#56B4E9",
        "pruned": "#8A94A3",
        "truth": "#2FC79A",
        "threshold": "#FF8A4C",
        "map": "#D79BE8",
        "lost": "#FF7525",
        "pinA": "#8FD3F0",
        "pinB": "#F0C36A",
    },
}
"""Used for what the page's palette does not name; every state is told by its shape as well."""

VIEW_NAMES = ("alphas", "level", "step", "cell", "pin_a", "pin_b", "reveal")
"""What the browser owns. `alphas` holds one float or None (= tuned) for each level."""


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


def lattice_payload(trace, *, features="raw", order=None, pins=None, controls=True, palette=None):
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
    palette : dict, optional
        "light" and "dark", each with some of the names of `PALETTE`.

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
        "pixels": pack(np.packbits(np.asarray(trace.pixels, dtype=bool).reshape(-1, 128), axis=1), "u1"),
        "predictions": pack(trace.predictions, "<i4"),
        "microseconds": float(trace.microseconds),
        "microseconds_dense": None if math.isnan(trace.microseconds_dense) else trace.microseconds_dense,
        "levels": [level_payload(level) for level in trace.levels],
        "pins": {
            name: {"text": text, "levels": [level_payload(v, is_whole=False) for v in pinned.levels]}
            for name, (text, pinned) in (pins or {}).items()
        },
        "controls": bool(controls),
        "palette": {
            kind: colours | {n: v for n, v in (palette or {}).get(kind, {}).items() if n in colours}
            for kind, colours in PALETTE.items()
        },
    }


@cache
def _renderer():
    css = (HERE / "lattice/lattice.css").read_text(encoding="utf-8")
    return st.components.v2.component("spcviz_lattice", css=css, js=script(PARTS))


def show_lattice(payload, *, key, view, on_change=None):
    """Mount the lattice.

    Parameters
    ----------
    payload : dict
        From `lattice_payload`.
    key : str
    view : dict
        `VIEW_NAMES`. Used on the first run, for a new word or model, and whenever it is neither what
        the browser sent last nor what it was given last (back button, link); else the browser's own wins.
    on_change : callable, optional
        Called without arguments before the rerun that a change of the view causes.

    Returns
    -------
    dict
        The browser's present view, or `view` before it has sent one.
    """
    view = {name: view[name] for name in VIEW_NAMES}
    news, live = epoch(key, view), live_view(key)
    data = payload | {"view": view, "epoch": news, "seq": live["seq"] if live else 0}
    have = live.get("have", []) if live else []
    data["levels"] = [
        {"digest": level["digest"]} if level["digest"] in have else level for level in payload["levels"]
    ]
    result = _renderer()(key=key, data=data, on_view_change=on_change or (lambda: None))
    return result.get("view") or view
