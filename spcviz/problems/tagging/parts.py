"""One part of Table 4.2, a corpus with a feature set: train three models, measure them, keep them.

Models are kept as plain arrays, with what tagging and timing need of them: weights that 32 bits hold.
"""

import time
from typing import NamedTuple

import numpy as np

from spcviz.engine.lattice import extend, unigrams
from spcviz.learning.cascade.cascade import Cascade, Level, filter_examples
from spcviz.learning.cascade.online import Model
from spcviz.problems.common.filter_curves import curve_of
from spcviz.problems.tagging import cascade as experiment
from spcviz.problems.tagging.data import allowed_tags, seen_tags
from spcviz.store import digest_of_arrays


class TrainedPart(NamedTuple):
    """What one part is measured with.

    Attributes
    ----------
    dense : Model
    spc, crf : Cascade
        Of three levels; the SPC of four with the full features.
    seconds : float
        That training took.
    """

    dense: Model
    spc: Cascade
    crf: Cascade
    seconds: float


def train_part(settings):
    """Train the dense perceptron, the SPC and the CRF of one part: a `TrainedPart`."""
    start = time.perf_counter()
    part = experiment.prepared(settings.data, settings.features, settings.least)
    dense = experiment.train_full(settings, part)
    spc = experiment.train(settings, "spc", part, n_orders=4 if settings.features == "full" else 3).cascade
    crf = experiment.train(settings, "crf", part).cascade
    return TrainedPart(dense, spc, crf, time.perf_counter() - start)


def measure_part(settings, trained):
    """What a result reports of one part, without times.

    Parameters
    ----------
    settings : TagSettings
    trained : TrainedPart

    Returns
    -------
    dict
        ``data``, ``features``; ``figures`` by method, ``curves``, ``orders``; ``digest`` of the tags;
        ``seconds`` of training and measuring.
    """
    start = time.perf_counter()
    part = experiment.prepared(settings.data, settings.features, settings.least)
    about = {"data": settings.data, "features": settings.features}
    orders = [
        about | {"split": split} | row
        for split in ("dev", "test")
        for row in experiment.evaluate(trained.spc, part, split)
    ]
    spc = experiment.first_orders(trained.spc, experiment.ORDER)
    return about | {
        "figures": _figures(part, spc, trained.crf),
        "orders": orders,
        "curves": _curves(settings, part, spc, trained.crf),
        "digest": digest_of_arrays({"tags": part.corpus["train"].tags, "test": part.corpus["test"].tags}),
        "seconds": trained.seconds + time.perf_counter() - start,
    }


def arrays_of(trained):
    """What `spcviz.problems.tagging.times.time_methods` needs of a `TrainedPart`; see `models_of`."""
    arrays = {}
    cascades = {"spc": experiment.first_orders(trained.spc, experiment.ORDER), "crf": trained.crf}
    for name, model in _models(trained.dense, cascades).items():
        arrays[f"{name}_weights"] = model.weights.astype(np.float32)
        arrays[f"{name}_keys"], arrays[f"{name}_values"] = model.keys, model.values.astype(np.float32)
    for name, cascade in cascades.items():
        arrays[f"{name}_alphas"] = np.array([level.alpha for level in cascade.levels])
        arrays[f"{name}_rules"] = np.array([cascade.on_nodes, cascade.max_arcs, cascade.by_marginals])
    return arrays


def models_of(arrays, n_states):
    """(dense, spc, crf), the cascades of three levels, from what `arrays_of` returns."""

    def model(name):
        weights, values = arrays[f"{name}_weights"], arrays[f"{name}_values"]
        return Model(weights.astype(np.float64), arrays[f"{name}_keys"], values.astype(np.float64))

    def cascade(name):
        alphas = [float(alpha) for alpha in arrays[f"{name}_alphas"]]
        filters = [model(f"{name}{t}") for t in range(len(alphas) - 1)]
        last = model(f"{name}_predictor")  # the last level only predicts, the others only filter
        levels = [Level(linear, alpha, linear) for linear, alpha in zip([*filters, last], alphas)]
        on_nodes, max_arcs, by_marginals = arrays[f"{name}_rules"].tolist()
        return Cascade(n_states, tuple(levels), bool(on_nodes), max_arcs, bool(by_marginals))

    return model("dense"), cascade("spc"), cascade("crf")


def _models(dense, cascades):
    """Models by name: those that filter before the last level, and its predictor."""
    out = {"dense": dense}
    for name, cascade in cascades.items():
        out |= {f"{name}{t}": level.filter for t, level in enumerate(cascade.levels[:-1])}
        out[f"{name}_predictor"] = cascade.levels[-1].predictor
    return out


def _figures(part, spc, crf):
    """What each method's space has lost and holds, on the test part."""
    test = part.corpus["test"]
    mask = allowed_tags(test, *seen_tags(part.corpus["train"]))
    nothing = {"filter_loss_sentence": 0.0, "filter_loss_token": 0.0, "states": float(part.n_states**2)}
    known = np.maximum(test.tags, 0)
    found = {
        "full": nothing,
        "spc": experiment.evaluate(spc, part, "test")[-1],
        "crf": experiment.evaluate(crf, part, "test")[-1],
        "tags": experiment.losses_in(experiment.trigrams(test.lengths, part.n_states, mask), known),
    }
    wanted = (*nothing, "tags")
    return {name: {k: v for k, v in row.items() if k in wanted} for name, row in found.items()}


def _space(cascade, level, table, lengths):
    lattice = unigrams(lengths, cascade.n_states)
    for step in filter_examples(cascade, table, lengths, level - 1):
        lattice = extend(step.lattice, step.pruned.keep)
    return lattice


def _curves(settings, part, spc, crf, n_points=60):
    """First filter: the bigram model on tags; second: the trigram model on bigrams; three ways each.

    The second stands in the space that the SPC's first leaves, the same for all three.
    """
    rows = []
    train, train_table = part.corpus["train"], part.tables["train"]
    for level in (2, 3):
        methods = {"spc": spc.levels[level - 1].filter, "crf": crf.levels[level - 1].filter}
        space = _space(spc, level, train_table, train.lengths)
        methods["perceptron"] = experiment.train_filter(settings, "perceptron", part, space)
        for split in ("dev", "test"):
            corpus, table = part.corpus[split], part.tables[split]
            space = _space(spc, level, table, corpus.lengths)
            for name, linear in methods.items():
                labels = np.maximum(corpus.tags, 0)
                curve = curve_of(name, linear, space, table, labels, n_points, on_nodes=True)
                about = {"data": settings.data, "features": settings.features}
                rows.append(about | {"filter": level - 1, "split": split} | curve)
    return rows
