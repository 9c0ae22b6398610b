"""Python side of the Policy view: one word under several policies, compared at one cursor (policy.js)."""

import numpy as np

from spcviz.problems.budgets import facts
from spcviz.problems.budgets.shown import PolicyWord
from spcviz.problems.budgets.task import short
from spcviz.problems.words.shown import TERMS
from spcviz.web.view.mount import Component, PackedPart, pack_ink, packed_of, viewer

VIEW_NAMES = ("spend", "panels")
"""The browser's state: `spend` as a share of buying everything, `panels` whether all policies are drawn."""

POLICY = Component(
    "spcviz_policy",
    ("web/view/bar.css", "web/view/more.css", "problems/words/view/policy.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/more.js",
        "problems/words/view/policy_core.js",
        "problems/words/view/policy.js",
    ),
    VIEW_NAMES,
)
show_policy = viewer(POLICY)


def trace_payload(trace):
    """A `PolicyTrace` for the browser: JSON values only; NaN becomes None."""
    values = [[None if np.isnan(v) else round(float(v), 5) for v in row] for row in trace.values]
    numbers = {name: np.round(getattr(trace, name), 3).tolist() for name in ("units", "us")}
    whole = ("tiers", "position", "forward", "backward", "messages", "full_messages")
    return {
        "name": trace.name,
        "label": short(trace.label, TERMS),
        "help": trace.help,
        "readings": list(trace.readings),
        "values": values,
        "most": most_of(trace),
        **numbers,
        **{name: np.asarray(getattr(trace, name)).tolist() for name in whole},
    }


def policy_payload(
    word: PolicyWord, identity: str, kind: str, *, most: float | None = None
) -> tuple[dict, dict[str, PackedPart]]:
    """The payload of every run, and the parts sent once; `kind` ("units", "us") is the cursor's unit.

    If a question hides everything after a share of the full cost, `most`, only what comes before is sent.
    """
    if most is None:
        return {"identity": identity, "kind": kind, "most": None}, {"word": packed_of(word, word_part)}
    before = packed_of(word, part_before, kind, most)
    return {"identity": f"{identity}|{most}", "kind": kind, "most": most}, {"word": before}


def most_of(trace):
    """The largest magnitude of a `PolicyTrace`'s values, the scale of its bars."""
    return float(np.nan_to_num(np.abs(trace.values)).max(initial=0.0))


def word_part(word):
    """A word and its purchases for the browser."""
    return {
        "word_id": int(word.word_id),
        "truth": word.truth,
        "pixels": pack_ink(word.pixels),
        "tier_names": list(word.tier_names),
        "full": {"units": float(word.full_units), "us": float(word.full_us)},
        "traces": [trace_payload(trace) for trace in word.traces],
    }


def part_before(word, kind, most):
    """`word_part` up to a share of the full cost; the bars keep the scale of all values."""
    before = word_part(facts.cut_off(word, kind, most))
    whole = {trace.name: most_of(trace) for trace in word.traces}
    return before | {"traces": [trace | {"most": whole[trace["name"]]} for trace in before["traces"]]}
