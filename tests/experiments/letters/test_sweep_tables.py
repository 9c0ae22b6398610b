"""The filters' trade-off on handwriting: curves against thresholding again, each loss, the result's rows."""

import json
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.letters import reproduce as tables
from spcviz.engine.ngrams.lattice import log_marginals, score_arcs, score_labels
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.thresholds.rule import ALPHA_CAP
from spcviz.learning.cascade.cascade import survives
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Perceptron
from spcviz.problems.letters import handwriting as ocr
from spcviz.problems.letters.model import cascade as experiment
from spcviz.registry.problem import Run
from tests.problems.conftest import SETTINGS, small_world


@lru_cache(maxsize=1)
def sweep_problem():
    """(cascade, {level: filters}, test table, labels, lengths) as `sweep_fold` has them for fold 0."""
    with small_world() as words:
        settings = experiment.settings_for("raw", 2)
        model = experiment.train(settings, 0, 7, skip_folds=(1,)).model
        every = ocr.raw_features(words.pixels)
        parts = []
        for chosen in (words.folds > 1, words.folds == 0):
            rows, lengths = ocr.rows_of(words, np.flatnonzero(chosen))
            parts.append((DenseRows(every[rows]), words.labels[rows], lengths))
        rng = np.random.default_rng(0)
        filters = {level: tables._level_filters(model, level, parts[0], settings, rng) for level in (1, 2)}
    return model.cascade, filters, parts[1]


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("method", ["spc", "perceptron", "crf"])
def test_curves_are_what_thresholding_again_gives(method, level):
    cascade, filters, (table, labels, lengths) = sweep_problem()
    linear = filters[level][method]
    curve = tables.curve_of(
        method, linear, tables._space(cascade, level, table, lengths), table, labels, 40_000
    )
    assert curve["method"] == method
    lattice = tables._space(cascade, level, table, lengths)
    assert int(lattice.order.max()) == level
    unary = unary_scores(table, linear.weights)
    scores = score_arcs(lattice, unary, linear.table)
    alive = survives(lattice, np.ones(lattice.n_arcs, dtype=bool), labels)
    assert curve["n_examples"] == alive.sum()
    truth_scores = score_labels(lattice, unary, linear.table, labels)
    starts = lattice.example_start[:-1]
    alphas = np.array(curve["alpha"])
    assert len(alphas) >= 15
    assert (np.diff(alphas) > 0).all()
    assert (alphas[0] >= 0) == (method == "crf")  # its alphas are probabilities; the mean is no bound
    assert alphas[-1] <= ALPHA_CAP
    # Every step is listed, so each value holds up to the next alpha: prune in between, away from rounding.
    ahead = np.append(alphas[1:], alphas[-1])
    jumps = 1 + np.flatnonzero(np.diff(curve["filter_loss"]))  # where a truth falls, and just before
    chosen = {*range(0, len(alphas), len(alphas) // 9), *jumps, *(jumps - 1), len(alphas) - 1}
    chosen = [at for at in chosen if ahead[at] - alphas[at] > 1e-9 or at == len(alphas) - 1]
    assert len(chosen) > 10
    for at in chosen:
        alpha = (alphas[at] + ahead[at]) / 2
        if method == "crf":
            keep = np.exp(log_marginals(lattice, scores)[1]) > alpha
            assert curve["filter_loss_definition"] is None
        else:
            pruned = prune(lattice, scores, alpha)
            keep = pruned.keep
            # The truth's own score is no step of the curve, and may round to either side of one.
            nearby = (alphas[at] - 1e-12, alphas[at] + 1e-12)
            limits = [prune(lattice, scores, min(a, 1.0)).limits.tau for a in nearby]
            low, high = (100 * np.mean((truth_scores <= tau)[alive]) for tau in limits)
            assert low - 1e-9 <= curve["filter_loss_definition"][at] <= high + 1e-9
        share = np.add.reduceat(keep, starts) / np.diff(lattice.example_start)
        assert_allclose(curve["efficiency_loss"][at], 100 * share.mean(), atol=1e-9)
        lost = ~survives(lattice, keep, labels)
        assert_allclose(curve["filter_loss"][at], 100 * lost[alive].mean(), atol=1e-9)


def test_each_method_is_trained_with_its_own_loss(words, monkeypatch):
    trained, real = [], tables.fit
    monkeypatch.setattr(
        tables, "fit", lambda p, loss, *a, **o: trained.append(loss) or real(p, loss, *a, **o)
    )
    tables.sweep_fold("raw", 0, False, 5)
    config = SETTINGS["raw"].config
    assert trained == 2 * [FilterHinge(config.train_alphas[0], config.margin), Perceptron(), LogLoss()]
    assert [type(loss) for loss in trained] == 2 * [FilterHinge, Perceptron, LogLoss]


def test_sweep(words, executor):
    result = tables.sweep(Run("ocr-sweep", executor=executor))
    assert result["name"] == "ocr-sweep"
    rows = result["rows"]
    assert {(r["level"], r["method"], r["split"]) for r in rows} == {
        (level, method, split)
        for level in (1, 2)
        for method in ("spc", "perceptron", "crf")
        for split in ("dev", "test")
    }
    for row in rows:
        assert (row["features"], row["fold"]) == ("raw", 0)
        alpha, loss, size = (np.array(row[k]) for k in ("alpha", "filter_loss", "efficiency_loss"))
        assert len(alpha) == len(loss) == len(size)
        assert (np.diff(alpha) > 0).all()
        assert (np.diff(loss) >= 0).all()
        assert (np.diff(size) <= 1e-9).all()
        assert loss.min() >= 0
        assert max(loss.max(), size.max()) <= 100
        if row["method"] == "crf":
            assert row["filter_loss_definition"] is None
        else:
            definition = np.array(row["filter_loss_definition"])
            assert (np.diff(definition) >= 0).all()
            # where an alpha is the truth's own break point, its score may round to either side of it
            assert (definition[1:] >= loss[:-1] - 1e-9).all()
        assert row["n_examples"] == 12 or row["level"] == 2
    assert json.loads(json.dumps(result))["rows"] == rows
    assert set(result["settings"]["features"]) == {"raw"}


def test_the_sweep_trains_on_neither_of_its_two_folds(words, monkeypatch):
    """Other ink in development and test words changes their curves and nothing else."""
    skipped = []
    real = experiment.train

    def train(*arguments, **options):
        skipped.append((arguments[1], options["skip_folds"]))
        return real(*arguments, **options)

    filters = []
    monkeypatch.setattr(experiment, "train", train)
    real_filters = tables._level_filters
    monkeypatch.setattr(tables, "_level_filters", lambda *a: filters.append(real_filters(*a)) or filters[-1])
    first = tables.sweep_fold("raw", 9, False)
    at = np.isin(np.repeat(words.folds, words.lengths), (9, 0))
    with small_world(words._replace(pixels=np.where(at[:, None, None], 1 - words.pixels, words.pixels))):
        other = tables.sweep_fold("raw", 9, False)
    assert skipped == [(9, (0,))] * 2
    assert first != other
    for one, two in zip(filters[:2], filters[2:]):
        for method in one:
            assert_array_equal(one[method].weights, two[method].weights)
            assert_array_equal(one[method].values, two[method].values)
