"""Measure one part of Table 4.2, a corpus with a feature set: every method, every order, every filter."""

from itertools import product

import numpy as np

from experiments.filter_curves import curve_of
from experiments.tagging import equal_loss
from spcviz.problems.tagging.data.corpora import allowed_tags, seen_tags
from spcviz.problems.tagging.model import cascade as experiment
from spcviz.problems.tagging.model import settings as chosen
from spcviz.problems.tagging.model.cascade import Kept, levels_of
from spcviz.shared.linear import wide, with_models


def measure_part(settings: chosen.TagSettings, models: dict[str, Kept]) -> dict:
    """The entries of a result for one part, without times, from models by method."""
    part = chosen.data_of(settings)
    about = {"data": settings.data, "features": settings.features}
    cascades = {name: with_models(models[name].cascade, wide) for name in chosen.cascades_of(settings.data)}
    figures = _figures(part, cascades)
    for row in figures.values():
        row["n_train"] = len(part.corpus["train"].lengths)
    for name in cascades:
        figures[name]["levels"] = levels_of(models[name])
        filtering = figures[name]["levels"][: experiment.ORDER - 1]  # the last level only predicts
        figures[name]["is_tolerance_kept"] = all(level["is_kept"] for level in filtering)
    orders = []
    for name, split in product(chosen.ORDERS_OF, ("dev", "test")):
        for row in experiment.evaluate(cascades[name], part, split):
            before = figures[name]["levels"][: row["order"] - 1]
            row["is_tolerance_kept"] = all(level["is_kept"] for level in before)
            orders.append(about | {"method": name, "split": split} | row)
    equal = equal_loss.compare(part, cascades, figures["tags"]["sentence_loss"])
    return about | {
        "figures": figures,
        "orders": orders,
        "curves": [about | row for row in _curves(part, cascades)],
        "equal": [about | row for row in equal],
    }


def learning_of(settings, configs):
    """``dropout``, ``warm`` (levels start from the previous one) and ``passes`` of each method's learning."""
    rows = {name: (c.dropout, c.warm_start, c.crf_epochs + c.filter_epochs) for name, c in configs.items()}
    rows |= dict.fromkeys(("full", "tags"), (0.0, False, settings.full_epochs))
    return {name: dict(zip(("dropout", "warm", "passes"), row)) for name, row in rows.items()}


def _figures(part, cascades):
    """Losses and sizes of each method's space, on the test part."""
    test = part.corpus["test"]
    mask = allowed_tags(test, *seen_tags(part.corpus["train"]))
    nothing = {"filter_loss_sentence": 0.0, "filter_loss_token": 0.0, "states": float(part.n_states**2)}
    known = np.maximum(test.tags, 0)
    figures = {"full": nothing}
    for name, cascade in cascades.items():
        used = experiment.first_orders(cascade, experiment.ORDER)
        figures[name] = experiment.evaluate(used, part, "test")[-1]
    figures["tags"] = experiment.losses_in(experiment.trigrams(test.lengths, part.n_states, mask), known)
    wanted = (*nothing, "tags")
    return {
        name: {"sentence_loss": row["filter_loss_sentence"]} | {k: v for k, v in row.items() if k in wanted}
        for name, row in figures.items()
    }


def _curves(part, cascades, n_points=60):
    """Curves of the bigram model on tags and the trigram model on bigrams, in the SPC's spaces for all."""
    rows = []
    for level, split in product((2, 3), ("dev", "test")):
        corpus, table = part.corpus[split], part.tables[split]
        space = experiment.space_of(cascades["spc"], level, table, corpus.lengths)
        labels = np.maximum(corpus.tags, 0)
        for name in chosen.COMPARED:
            rule = "crf" if cascades[name].by_marginals else "spc"
            linear = cascades[name].levels[level - 1].filter
            curve = curve_of(rule, linear, space, table, labels, n_points, on_nodes=True)
            rows.append({"filter": level - 1, "split": split} | curve | {"method": name})
    return rows
