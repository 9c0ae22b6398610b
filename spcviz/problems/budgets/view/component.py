"""Python side of the Trade-off view: a component that replays purchases entirely in the browser."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.budgets.task import Drawn, TradeTask
from spcviz.web.view.mount import PACKAGE, Component, PackedPart, narrow, packed_of, show


def _of_tasks(suffix):
    """Files of the problems that provide a task: ``view/trade_task.js`` and its style sheet."""
    return sorted(
        path.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob(f"problems/*/view/trade_task.{suffix}")
    )


TRADE_OFF = Component(
    "spcviz_trade_off",
    ("problems/budgets/view/trade_off.css", *_of_tasks("css"), "web/view/pins.css", "web/view/more.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/pins.js",
        "web/view/more.js",
        "problems/budgets/view/trade_core.js",
        "problems/budgets/view/trade_sentences.js",
        "problems/budgets/view/game.js",
        *_of_tasks("js"),
        "problems/budgets/view/trade_chart.js",
        "problems/budgets/view/trade_off.js",
    ),
)
"""Without `view_names`, which depend on the available tasks."""


def method_payload(method) -> dict:
    """A `Purchases` for the browser; a reading that equals the chain's reading before is sent as ""."""
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


def trade_off_payload(
    trade_off: TradeOff,
    identity: str,
    task: TradeTask | Drawn,
    evidence: str = "",
    game: dict[str, Any] | None = None,
    only: tuple[str, ...] = (),
) -> tuple[dict, dict[str, PackedPart]]:
    """Data sent on every run, and parts sent once; `identity` changes with the batch and the models.

    `game`: the day and the shares of the budgets of a game. `only`: names of the methods to send, all
    if empty.
    """
    sent: dict[str, Any] = {"identity": identity, "tier_colours": task.colours, "evidence": evidence}
    if game is not None:
        sent["game"] = game
    parts = {"batch": packed_of(trade_off, alone_part(only) if only else batch_part)}
    if task.pack:
        parts["drawn"] = packed_of(trade_off.drawn, task.pack)
    return sent, parts


@cache
def alone_part(names: tuple[str, ...]) -> Callable[[TradeOff], dict]:
    """`batch_part` with some methods; the same function for the same names, as `packed_of` requires."""

    def part(trade_off):
        return batch_part(trade_off._replace(methods=tuple(m for m in trade_off.methods if m.name in names)))

    return part


def batch_part(trade_off):
    """A batch under every method for the browser."""
    return {
        "task": trade_off.task,
        "chain_ids": [int(w) for w in trade_off.chain_ids],
        "truths": list(trade_off.truths),
        "alphabet": trade_off.alphabet,
        "faults": np.asarray(trade_off.faults, dtype=np.uint8),
        "n_faults": int(trade_off.n_faults),
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


def show_trade_off(
    payload: tuple[dict, dict], *, key: str, view: dict, on_change: Callable, on_open: Callable
) -> dict:
    """Mount the component; returns ``view`` and, after a click on an example, ``open`` with its ``chain``."""
    sent, parts = payload
    callbacks = {"on_view_change": on_change, "on_open_change": on_open}
    component = TRADE_OFF._replace(view_names=tuple(view))
    return show(component, sent, key=key, view=view, parts=parts, **callbacks)
