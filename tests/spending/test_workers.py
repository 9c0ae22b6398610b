"""Folds and budgets by several workers, threads or a Dask cluster's: the same models, bit for bit."""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.spending import BudgetedTagger, ModelSelector
from spcviz.spending.label_folds import Labelled, TierTraining
from tests.spending.sequences import TIERS, drawn

X, Y = drawn(40)
XT, YT = drawn(20, seed=1)
BUDGETS = [0, 20, 60.0, np.inf]
MAKERS = {
    "tagger": lambda **more: BudgetedTagger(TIERS, max_iter=2, cv=3, random_state=0, **more),
    "selector": lambda **more: ModelSelector(TIERS, max_iter=2, cv=3, random_state=0, **more),
}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def weights(fitted):
    return [
        model.weights for model in (fitted.models_ if isinstance(fitted, ModelSelector) else [fitted.model_])
    ]


def check_same(one, other):
    for a, b in zip(weights(one), weights(other), strict=True):
        assert_array_equal(a, b)
    assert_array_equal(one.curve(XT, YT, BUDGETS).error, other.curve(XT, YT, BUDGETS).error)
    assert [labels.tolist() for labels in one.predict(XT, 50)] == [
        labels.tolist() for labels in other.predict(XT, 50)
    ]


@every
def test_threads_change_nothing(make):
    alone = make().fit(X, Y)
    check_same(alone, make(n_jobs=2).fit(X, Y))
    with parallel_config("threading", n_jobs=3):
        check_same(alone, make().fit(X, Y))


@every
def test_a_dask_cluster_changes_nothing(make):
    distributed = pytest.importorskip("distributed")
    alone = make().fit(X, Y)
    wanted = alone.curve(XT, YT, BUDGETS)
    local = {"processes": False, "n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster), parallel_config("dask"):
        there = make().fit(X, Y)
        for name, values in wanted._asdict().items():
            assert_array_equal(there.curve(XT, YT, BUDGETS)._asdict()[name], values)
    check_same(alone, there)


@pytest.mark.parametrize("is_one", [True, False])
def test_numbers_drawn_ahead_are_those_that_training_takes(is_one):
    rng = np.random.default_rng(4)
    data = Labelled(rng.integers(0, 2, 12), np.array([3, 1, 4, 4]))
    features = rng.normal(size=(12, 4)).astype(np.float32)
    how = TierTraining(np.array([2, 4]), 2, 3, is_one)
    one, other = np.random.default_rng(9), np.random.default_rng(9)
    models = how.train(features, data, one)
    again = how.train(features, data, how.ahead(data, other))
    assert len(models) == (1 if is_one else 2)
    for a, b in zip(models, again):
        assert_array_equal(a.weights, b.weights)
    assert one.random() == other.random()


@every
def test_a_bad_number_of_workers_is_named(make):
    with pytest.raises(ArgumentError, match="n_jobs must be None, a number of threads"):
        make(n_jobs=0).fit(X, Y)
