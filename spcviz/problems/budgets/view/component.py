"""What a budget buys, over a batch of words or arms: a Streamlit component around trade_*.js.

The browser gets every purchase of every method, so the budget is dragged without a server.
"""

import numpy as np

from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import PACKAGE, Component, by_theme, narrow, pack_ink, packed_of, show

VIEW_NAMES = ("budget", "method", "kind", "mode", "picks", "scored", "chain", "frame", "pin_a", "pin_b")
"""What the browser owns: `budget` as a share of buying everything, `picks` chains bought by hand (base 36),
`chain` and `frame` of the picture looked at, `pin_a` and `pin_b` a method and a budget each, to compare."""

TRADE_OFF = Component(
    "spcviz_trade_off",
    ("problems/budgets/view/trade_off.css", "web/view/pins.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/pins.js",
        "problems/budgets/view/trade_core.js",
        *sorted(
            path.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("problems/*/view/trade_task.js")
        ),
        "problems/budgets/view/trade_off.js",
    ),
    VIEW_NAMES,
)

TIER_COLOURS = {
    "words": by_theme(lambda palette: [palette.pruned, palette.kept, palette.map]),
    "arms": by_theme(tiers),
}
"""Of each task: of every tier, by theme."""
OTHERS = by_theme(tiers)
"""Of tasks that have no colours of their own."""


def method_payload(method):
    """A `Purchases` for the browser.

    Returns
    -------
    dict
        Arrays and JSON values. A purchase's reading is empty if it is what that chain was read as before.
    """
    before, readings = list(method.start_readings), []
    for chain, reading in zip(method.chain, method.readings):
        readings.append("" if reading == before[chain] else reading)
        before[chain] = reading
    return {
        "name": method.name,
        "label": method.label,
        "help": method.help,
        "start_readings": list(method.start_readings),
        "base": {"units": float(method.base_units), "us": float(method.base_us)},
        "chain": narrow(method.chain),
        "position": np.asarray(method.position).astype(np.int16),
        "tier": narrow(method.tier),
        **{name: np.round(np.asarray(getattr(method, name), float), 3) for name in ("units", "us")},
        "readings": readings,
    }


def trade_off_payload(found, identity):
    """All the browser needs.

    Parameters
    ----------
    found : spcviz.problems.budgets.shown.TradeOff
    identity : str
        Changes when the batch or the models do.

    Returns
    -------
    (dict, dict of str to Packed)
        What is sent on every run, and the parts that are sent once.
    """
    return {"identity": identity}, {"batch": packed_of(found, batch_part)}


def batch_part(found):
    """A batch under every method for the browser."""
    return {
        "task": found.task,
        "tier_colours": TIER_COLOURS.get(found.task, OTHERS),
        "chain_ids": [int(w) for w in found.chain_ids],
        "truths": list(found.truths),
        "texts": None if found.texts is None else [list(own) for own in found.texts],
        "alphabet": found.alphabet,
        "faults": np.asarray(found.faults, dtype=np.uint8),
        "pixels": None if found.pixels is None else pack_ink(found.pixels),
        "arms": None if found.arms is None else _arms_payload(found.arms),
        "pictures": None if found.pictures is None else _pictures_payload(found.pictures),
        "tier_names": list(found.tier_names),
        "tier_short": list(found.tier_short),
        "full": {"units": float(found.full_units), "us": float(found.full_us)},
        "hand": {
            "base": {"units": float(found.hand_base_units), "us": float(found.hand_base_us)},
            "units": np.round(found.hand_units, 3).tolist(),
            "us": np.round(found.hand_us, 3).tolist(),
            "readings": [list(row) for row in found.hand_readings],
        },
        "methods": [method_payload(method) for method in found.methods],
    }


def _arms_payload(arms):
    return {
        "clip": narrow(arms.clip),
        "side": narrow(arms.side),
        "sheets": list(arms.sheets),
        "joints": np.rint(arms.joints).astype(np.int16),
        "truth": np.rint(arms.truth).astype(np.int16),
    }


def _pictures_payload(pictures):
    plain = {name: list(getattr(pictures, name)) for name in ("sources", "titles", "names", "colours")}
    return plain | {"places": np.asarray(pictures.places).astype(np.int16), "step": int(pictures.step)}


def show_trade_off(payload, *, key, view, on_change, on_open):
    """Mount the component.

    Parameters
    ----------
    payload : (dict, dict)
        From `trade_off_payload`.
    key : str
    view : dict
        `VIEW_NAMES`; see `spcviz.web.view.mount.epoch` for whose view wins.
    on_change, on_open : callable
        Called without arguments when the view changes, and when a word is opened (arms open nothing).

    Returns
    -------
    dict
        ``view`` and, for the run that a click on a word causes, ``open`` with its ``chain``.
    """
    sent, parts = payload
    told = {"on_view_change": on_change, "on_open_change": on_open}
    return show(TRADE_OFF, sent, key=key, view=view, parts=parts, **told)
