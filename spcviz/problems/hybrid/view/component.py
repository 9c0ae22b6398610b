"""Python side of the view of Orders and features: one word whose factor graph grows action by action."""

import numpy as np

from spcviz.problems.hybrid.shown import TIERS, HybridWord
from spcviz.web.view.mount import Component, pack_ink, packed_of, viewer

VIEW_NAMES = ("step", "course", "hand")
"""What the browser owns: the number of actions done, whose trajectory (0 the controller's, 1 the visitor's),
and the actions by hand as text."""

HYBRID = Component(
    "spcviz_hybrid",
    ("web/view/bar.css", "web/view/more.css", "problems/hybrid/view/hybrid.css"),
    (
        "web/view/elements.js",
        "web/view/view.js",
        "web/view/more.js",
        "problems/hybrid/view/hybrid_core.js",
        "problems/hybrid/view/hybrid.js",
    ),
    VIEW_NAMES,
)
show_hybrid = viewer(HYBRID)


def step_payload(step):
    """A `Step` for the browser; NaN becomes None."""
    return {
        "order": np.asarray(step.order).tolist(),
        "tier": np.asarray(step.tier).tolist(),
        "reading": step.reading,
        "grams": [list(gram) for gram in step.grams],
        "marginals": [[round(float(v), 3) for v in row] for row in step.gram_values],
        "counts": np.asarray(step.counts).tolist(),
        "values": [[None if np.isnan(v) else round(float(v), 6) for v in row] for row in step.values],
        "action": list(step.action),
        "filtered": list(step.filtered),
        "us": round(step.us, 2),
    }


def hybrid_payload(word: HybridWord, identity: str) -> tuple[dict, dict[str, dict]]:
    """Data sent on every run, and parts sent once; `identity` changes with word, models and hand."""
    return {"identity": identity}, {"word": packed_of(word, word_part)}


def word_part(word):
    """A word and its trajectories for the browser."""
    return {
        "word_id": word.word_id,
        "truth": word.truth,
        "pixels": pack_ink(word.pixels),
        "tiers": list(TIERS),
        "courses": [[step_payload(step) for step in course.steps] for course in word.courses],
        "taken_at": word.taken_at,
        "n_hand": word.n_hand,
        "opening": word.opening,
    }
