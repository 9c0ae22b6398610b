"""One word under several policies with one cursor: a Streamlit component around policy.js."""

from functools import cache

import numpy as np
import streamlit as st

from spcviz.components.common.mount import HERE, epoch, pack, script

PARTS = ("common/view.js", "policy/policy_core.js", "policy/policy.js")
VIEW_NAMES = ("spend",)
"""What the browser owns: `spend` as a share of buying everything."""


def trace_payload(trace):
    """A `PolicyTrace` for the browser: JSON values only; what is NaN becomes None."""
    values = [[None if np.isnan(v) else round(float(v), 5) for v in row] for row in trace.values]
    numbers = {name: np.round(getattr(trace, name), 3).tolist() for name in ("units", "us")}
    whole = ("tiers", "position", "forward", "backward", "messages", "full_messages")
    return {
        "name": trace.name,
        "label": trace.label,
        "help": trace.help,
        "readings": list(trace.readings),
        "values": values,
        **numbers,
        **{name: np.asarray(getattr(trace, name)).tolist() for name in whole},
    }


def policy_payload(word, identity, kind):
    """All the browser needs.

    Parameters
    ----------
    word : spcviz.problems.budgets.shown.PolicyWord
    identity : str
        Changes when the word or the models do.
    kind : {"units", "us"}
        What the cursor counts.

    Returns
    -------
    dict
        JSON values only.
    """
    return {
        "identity": identity,
        "kind": kind,
        "word_id": int(word.word_id),
        "truth": word.truth,
        "pixels": pack(np.packbits(np.asarray(word.pixels, dtype=bool).reshape(-1, 128), axis=1), "u1"),
        "tier_names": list(word.tier_names),
        "full": {"units": float(word.full_units), "us": float(word.full_us)},
        "traces": [trace_payload(trace) for trace in word.traces],
    }


@cache
def _renderer():
    css = (HERE / "policy/policy.css").read_text(encoding="utf-8")
    return st.components.v2.component("spcviz_policy", css=css, js=script(PARTS))


def show_policy(payload, *, key, view, on_change):
    """Mount the component.

    Parameters
    ----------
    payload : dict
        From `policy_payload`.
    key : str
    view : dict
        `VIEW_NAMES`; see `spcviz.components.common.mount.epoch` for whose view wins.
    on_change : callable
        Called without arguments when the view changes.
    """
    view = {name: view[name] for name in VIEW_NAMES}
    return _renderer()(
        key=key, data=payload | {"view": view, "epoch": epoch(key, view)}, on_view_change=on_change
    )
