"""Python side of the lattice view: packs a traced cascade for lattice*.js, which prunes it during a drag.

A level's arrays are a part, sent once; its alphas and time are sent with every run. Floats are sent as
float64, so that a keep-mask drawn in the browser equals the engine's, ties and -inf included. Messages and
max-marginals are sums of scores along witness paths: they are omitted if the browser's sums, in the same
order, give the same bits.

======== ======================== =====================================================================
name     type                     meaning
======== ======================== =====================================================================
facts    float64 (3,)             best, mean, truth_score
previous uint (A,)                place in the column before, counted from 1; 0 = none; so is `following`
settings float64 (4 n_levels,)    alpha, tuned_alpha, alpha_used, microseconds of each level
others   as in `LevelTrace`
======== ======================== =====================================================================
"""

import math
from collections.abc import Callable, Collection, Sequence

import numpy as np

from spcviz.web.figures.palette import by_theme
from spcviz.web.view.mount import Component, live_view, narrow, pack_ink, packed_of, show

VIEW_NAMES = ("alphas", "level", "step", "cell", "pin_a", "pin_b", "reveal")
"""Settings owned by the browser. `alphas` holds one float or None (= tuned) for each level."""

LATTICE = Component(
    "spcviz_lattice",
    (
        "web/lattice/lattice.css",
        "web/view/narrow.css",
        "web/view/panel.css",
        "web/view/pins.css",
        "web/view/more.css",
    ),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/pins.js",
        "web/view/more.js",
        "web/view/moments.js",
        "web/view/rule.js",
        "web/view/funnel.js",
        "web/lattice/lattice_core.js",
        "web/lattice/lattice_pens.js",
        "web/lattice/lattice_marks.js",
        "web/lattice/lattice_draw.js",
        "web/lattice/lattice_words.js",
        "web/lattice/lattice_export.js",
        "web/lattice/lattice_input.js",
        "web/lattice/lattice.js",
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
"""The colour of every state, by theme; its shape tells it as well."""


UNREAD = "reading"
ENDS_HERE = frozenset({"threshold", "kept", UNREAD})
"""Parts that a question may hide, by the page's names, and that later levels would give away."""


def level_part(level) -> dict:
    """A `LevelTrace` as arrays and JSON values for the browser, without the values that a run may change."""
    column = np.repeat(np.arange(len(level.col_start) - 1), np.diff(level.col_start))
    before, after = level.col_start[column - 1], level.col_start[column + 1]
    part = {
        "order": int(level.order),
        "n_valid": int(level.n_valid),
        "has_spread": bool(level.has_spread),
        "facts": np.array([level.best, level.mean, level.truth_score]),
        "col_start": level.col_start.astype(np.int32),
        "symbols": narrow(level.symbols),
        "score": level.score,
        "previous": narrow(np.where(level.previous < 0, 0, level.previous - before + 1)),
        "following": narrow(np.where(level.following < 0, 0, level.following - after + 1)),
        "map_arcs": level.map_arcs.astype(np.int32),
        "truth_arcs": level.truth_arcs.astype(np.int32),
    }
    if not _is_sum_of_scores(level):
        part |= {name: getattr(level, name) for name in ("forward", "backward", "max_marginal")}
    return part


def unread_part(level) -> dict:
    """`level_part` without the data that tell which word is best, and which is true."""
    part = level_part(level)
    none = np.zeros(0, dtype=np.int32)
    return part | {"facts": np.array([level.best, level.mean, np.nan]), "map_arcs": none, "truth_arcs": none}


def _is_sum_of_scores(level):
    """Whether sums along witness paths give a level's messages and max-marginals to the last bit."""
    previous, following = level.previous, level.following
    at_first, at_last = slice(0, level.col_start[1]), slice(level.col_start[-2], None)
    if (previous[level.col_start[1] :] < 0).any() or (following[: level.col_start[-2]] < 0).any():
        return False
    forward = level.forward[previous] + level.score
    backward = level.score[following] + level.backward[following]
    forward[at_first], backward[at_last] = level.score[at_first], 0.0
    return (
        np.array_equal(forward, level.forward)
        and np.array_equal(backward, level.backward)
        and np.array_equal(forward + backward, level.max_marginal)
    )


def settings_of(levels):
    """The values of levels that a run may change: a dict of an array and JSON values."""
    changes = [(v.alpha, v.tuned_alpha, v.alpha_used, v.microseconds) for v in levels]
    return {
        "settings": np.array(changes, dtype=np.float64).ravel(),
        "was_capped": [bool(level.was_capped) for level in levels],
    }


def lattice_payload(
    trace,
    *,
    features: str = "raw",
    order: int | None = None,
    pins=None,
    controls: bool = True,
    right: Sequence[int] = (),
    why: str = "",
    hidden: Collection[str] = (),
    level: int = 1,
) -> tuple[dict, dict[str, dict]]:
    """Data for the browser to draw a `WordTrace`: (sent on every run, parts that are sent once).

    `features` names the model, also that of a pin, and `order` is the requested n (by default the last
    level's). `pins` are those of `callbacks.traces_of_pins`. Without `controls` only picture, levels and
    sentence are shown. `right` are the true states if the trace has no truth, and `why` says what a wrong
    reading has missed. The parts that a question asks about are `hidden`, by name
    (`questions.hidden_parts`): if these include the threshold, the kept states or the reading, nothing after
    the shown `level` is sent.
    """
    identity = f"{trace.word_id}|{features}|{order or trace.levels[-1].order}"
    if trace.words:
        identity += "|" + " ".join(trace.words)
    elif trace.word_id < 0:
        identity += f"|{hash(trace.pixels.tobytes())}"
    n_levels, part_of = len(trace.levels), level_part
    if ENDS_HERE.intersection(hidden):
        n_sent = min(level, n_levels)
        trace = trace._replace(levels=trace.levels[:n_sent], predictions=trace.predictions[:n_sent])
        pins = {}
    if UNREAD in hidden:
        nobody = trace.truth[:0]
        trace, part_of = trace._replace(truth=nobody, predictions=0 * trace.predictions), unread_part
    parts = {f"level {i}": packed_of(one, part_of) for i, one in enumerate(trace.levels)}
    sent_pins = {}
    for name, (text, pinned) in (pins or {}).items():
        parts |= {f"pin {name} {i}": packed_of(one, level_part) for i, one in enumerate(pinned.levels)}
        sent_pins[name] = {"text": text, **settings_of(pinned.levels)}
    payload = {
        "identity": identity,
        "word_id": int(trace.word_id),
        "features": features,
        "n_positions": len(trace.words or trace.pixels),
        "words": list(trace.words),
        "level_names": list(trace.level_names),
        "truth": narrow(trace.truth),
        "right": narrow(np.array(right, dtype=np.int32)),
        "why": why,
        "pixels": pack_ink(trace.pixels),
        "predictions": narrow(trace.predictions),
        "microseconds": float(trace.microseconds),
        "microseconds_dense": None if math.isnan(trace.microseconds_dense) else trace.microseconds_dense,
        "pins": sent_pins,
        "controls": bool(controls),
        "n_levels": n_levels,
        "hidden": sorted(hidden),
        **settings_of(trace.levels),
    }
    alphabet, meanings = list(trace.alphabet), list(trace.meanings)
    parts["names"] = {"alphabet": alphabet, "meanings": meanings, "palette": PALETTE}
    return payload, parts


def show_lattice(payload: tuple[dict, dict], *, key: str, view: dict, on_change: Callable):
    """Mount the lattice with a `lattice_payload` and a `view` of `VIEW_NAMES`."""
    sent, parts = payload
    seq = (live_view(key) or {"seq": 0})["seq"]
    show(LATTICE, sent | {"seq": seq}, key=key, view=view, parts=parts, on_view_change=on_change)
