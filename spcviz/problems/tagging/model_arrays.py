"""Train one method of one part of Table 4.2 and lay it out as plain arrays.

Weights that 32 bits hold, and what training found out about each level. A part is a corpus with a feature
set.
"""

import numpy as np

from spcviz.learning.cascade.cascade import Cascade, Level
from spcviz.learning.cascade.online import Model
from spcviz.problems.tagging import cascade as experiment

LEVEL_FIGURES = ("tolerance", "lost_held_out", "lost_held_out_in_all", "train_alpha", "n_passes")


def train_full(epochs, part):
    """Train the dense perceptron on a `Prepared`: arrays, see `model_of`."""
    return _arrays_of_model(experiment.train_full(epochs, part), "dense")


def train_cascade(config, part, n_orders):
    """Train a cascade on a `Prepared`: arrays, see `cascade_of` and `levels_of`."""
    trained = experiment.train(config, part, n_orders=n_orders)
    return arrays_of(trained.cascade) | _level_arrays(trained, experiment.tolerances_of(config, n_orders))


def _level_arrays(trained, tolerances):
    """What training found out about each level: arrays (levels,) by the names of `LEVEL_FIGURES`."""
    in_all = np.array([report.was_pruned for report in trained.reports])
    found = {
        "tolerance": tolerances,
        "lost_held_out": newly_lost(in_all),
        "lost_held_out_in_all": in_all,
        "train_alpha": [report.train_alpha for report in trained.reports],
        "n_passes": [report.n_passes for report in trained.reports],
    }
    return {f"level_{name}": np.array(found[name], dtype=np.float64) for name in LEVEL_FIGURES}


def newly_lost(in_all):
    """What each level loses of what it was given, from what is lost after each (shares, rising).

    Examples
    --------
    >>> newly_lost(np.array([0.2, 0.2, 0.6])).round(6)
    array([0.2, 0. , 0.5])
    """
    before = np.concatenate([[0.0], in_all[:-1]])
    return (in_all - before) / np.maximum(1.0 - before, 1e-12)


def levels_of(arrays):
    """A row for each level of a kept cascade.

    Returns
    -------
    list of dict
        ``order``; ``tolerance`` and ``lost_held_out``: percent of the sentences whose truth the level was
        given that it may lose, and that it loses, held out; ``lost_held_out_in_all``: with what levels
        before it lost; ``is_kept``: whether some alpha keeps the tolerance (if none does, alpha is 0);
        ``alpha``; ``train_alpha`` and ``n_passes`` of its learning.
    """
    rows = []
    for t, alpha in enumerate(arrays["alphas"].tolist()):
        row = {name: float(arrays[f"level_{name}"][t]) for name in LEVEL_FIGURES}
        is_kept = row["lost_held_out"] <= row["tolerance"] + 1e-9
        percent = {name: 100 * row[name] for name in LEVEL_FIGURES[:3]}
        counts = {"n_passes": int(row["n_passes"])}
        rows.append({"order": t + 1} | row | percent | counts | {"alpha": alpha, "is_kept": is_kept})
    return rows


def arrays_of(cascade):
    """A cascade as plain arrays; see `cascade_of`."""
    arrays = {}
    for t, level in enumerate(cascade.levels):
        arrays |= _arrays_of_model(level.filter, f"filter{t}")
        arrays |= _arrays_of_model(level.predictor, f"predictor{t}")
    arrays["alphas"] = np.array([level.alpha for level in cascade.levels])
    arrays["rules"] = np.array([cascade.on_nodes, cascade.max_arcs, cascade.by_marginals])
    return arrays


def cascade_of(arrays, n_states):
    """The cascade that `arrays_of` took apart."""
    levels = tuple(
        Level(model_of(arrays, f"filter{t}"), alpha, model_of(arrays, f"predictor{t}"))
        for t, alpha in enumerate(arrays["alphas"].tolist())
    )
    on_nodes, max_arcs, by_marginals = arrays["rules"].tolist()
    return Cascade(n_states, levels, bool(on_nodes), max_arcs, bool(by_marginals))


def _arrays_of_model(model, name):
    return {
        f"{name}_weights": model.weights.astype(np.float32),
        f"{name}_keys": model.keys,
        f"{name}_values": model.values.astype(np.float32),
    }


def model_of(arrays, name):
    """A linear model out of plain arrays."""
    weights, values = arrays[f"{name}_weights"], arrays[f"{name}_values"]
    return Model(weights.astype(np.float64), arrays[f"{name}_keys"], values.astype(np.float64))
