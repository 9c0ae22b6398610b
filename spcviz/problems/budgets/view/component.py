"""What a budget buys, over a batch of words or arms: a Streamlit component around trade_*.js.

The browser gets every purchase of every method, so the budget is dragged without a server.
"""

from collections.abc import Callable

import numpy as np

from spcviz.problems.budgets.shown import TradeOff
from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import PACKAGE, Component, Packed, by_theme, narrow, pack_ink, packed_of, show

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


def method_payload(method) -> dict:
    """A `Purchases` for the browser: arrays and JSON values.

    A purchase's reading is empty if it equals that chain's reading before.
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


def trade_off_payload(trade_off: TradeOff, identity: str) -> tuple[dict, dict[str, Packed]]:
    """All the browser needs: what is sent on every run, and the parts that are sent once.

    `identity` changes when the batch or the models do.
    """
    return {"identity": identity}, {"batch": packed_of(trade_off, batch_part)}


def batch_part(trade_off):
    """A batch under every method for the browser."""
    return {
        "task": trade_off.task,
        "tier_colours": TIER_COLOURS.get(trade_off.task, OTHERS),
        "chain_ids": [int(w) for w in trade_off.chain_ids],
        "truths": list(trade_off.truths),
        "texts": None if trade_off.texts is None else [list(own) for own in trade_off.texts],
        "alphabet": trade_off.alphabet,
        "faults": np.asarray(trade_off.faults, dtype=np.uint8),
        "pixels": None if trade_off.pixels is None else pack_ink(trade_off.pixels),
        "arms": None if trade_off.arms is None else _arms_payload(trade_off.arms),
        "pictures": None if trade_off.pictures is None else _pictures_payload(trade_off.pictures),
        "tier_names": list(trade_off.tier_names),
        "tier_short": list(trade_off.tier_short),
        "full": {"units": float(trade_off.full_units), "us": float(trade_off.full_us)},
        "hand": {
            "base": {"units": float(trade_off.hand_base_units), "us": float(trade_off.hand_base_us)},
            "units": np.round(trade_off.hand_units, 3).tolist(),
            "us": np.round(trade_off.hand_us, 3).tolist(),
            "readings": [list(row) for row in trade_off.hand_readings],
        },
        "methods": [method_payload(method) for method in trade_off.methods],
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


def show_trade_off(
    payload: tuple[dict, dict], *, key: str, view: dict, on_change: Callable, on_open: Callable
) -> dict:
    """Mount the component on a `trade_off_payload`.

    `view` has the names `VIEW_NAMES`; see `spcviz.web.view.mount.epoch` for whose view wins. `on_change` and
    `on_open` are called without arguments when the view changes, and when a word is opened (arms open
    nothing). Returns ``view`` and, for the run that a click on a word causes, ``open`` with its ``chain``.
    """
    sent, parts = payload
    callbacks = {"on_view_change": on_change, "on_open_change": on_open}
    return show(TRADE_OFF, sent, key=key, view=view, parts=parts, **callbacks)
