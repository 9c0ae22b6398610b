"""Train one method of Table 4.2 on one corpus and feature set, and keep its arrays in 32 bits."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.cascade.cascade import Cascade
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.shared.linear import narrow, with_models

LEVEL_FIGURES = ("tolerance", "lost_held_out", "lost_held_out_in_all", "train_alpha", "n_passes")


class Kept(NamedTuple):
    """A trained cascade."""

    cascade: Cascade  # its models as by `spcviz.shared.linear.narrow`
    # (levels,): figures of each level from training, by the names in `LEVEL_FIGURES`
    found: dict[str, np.ndarray]


def train_full_arrays(epochs, part):
    """Train the dense perceptron on a `Prepared`: a `Model` as by `narrow`."""
    return narrow(experiment.train_full(epochs, part))


def train_cascade_arrays(config, part, n_orders):
    """Train a cascade on a `Prepared`: a `Kept`."""
    trained = experiment.train(config, part, n_orders=n_orders)
    in_all = np.array([report.was_pruned for report in trained.reports])
    figures = {
        "tolerance": experiment.tolerances_of(config, n_orders),
        "lost_held_out": newly_lost(in_all),
        "lost_held_out_in_all": in_all,
        "train_alpha": [report.train_alpha for report in trained.reports],
        "n_passes": [report.n_passes for report in trained.reports],
    }
    figures = {name: np.array(figures[name], dtype=np.float64) for name in LEVEL_FIGURES}
    return Kept(with_models(trained.cascade, narrow), figures)


def newly_lost(in_all):
    """Share that each level loses of what reaches it, from the shares lost after each (rising).

    >>> newly_lost(np.array([0.2, 0.2, 0.6])).round(6)
    array([0.2, 0. , 0.5])
    """
    before = np.concatenate([[0.0], in_all[:-1]])
    return (in_all - before) / np.maximum(1.0 - before, 1e-12)


def levels_of(kept) -> list[dict]:
    """A row for each level of a kept cascade, losses and tolerances in percent of the sentences, held out.

    ``is_kept``: whether some alpha keeps the tolerance (if none does, alpha is 0); ``lost_held_out_in_all``:
    including those lost at earlier levels.
    """
    rows = []
    for t, level in enumerate(kept.cascade.levels):
        row = {"order": t + 1} | {name: float(kept.found[name][t]) for name in LEVEL_FIGURES}
        is_kept = row["lost_held_out"] <= row["tolerance"] + 1e-9
        row |= {name: 100 * row[name] for name in LEVEL_FIGURES[:3]}
        row["n_passes"] = int(row["n_passes"])
        rows.append(row | {"alpha": float(level.alpha), "is_kept": is_kept})
    return rows
