"""Whole sequences under a budget: Algorithm 3, values of a selector, what is computed and what is kept."""

import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.io import load, save
from spcviz.learning.budgets import batch_selection, expansion
from spcviz.learning.budgets import selector as dms
from spcviz.learning.budgets.chains.tiered import tier_scores
from spcviz.spending import ModelSelector
from spcviz.spending.selector import SELECTORS, _look
from tests.spending.sequences import LABELS, TIERS, drawn
from tests.spending.test_tagger import functions

X, Y = drawn(120)
NEW, TRUTH = drawn(60, seed=1)
COSTS = np.array([1.0, 4.0])


@cache
def fitted(policy="dms"):
    return ModelSelector(TIERS, policy=policy, max_iter=4, random_state=0).fit(X, Y)


@pytest.mark.parametrize("policy", SELECTORS)
def test_every_policy_keeps_to_its_budget(policy):
    selector = fitted(policy)
    everything = selector.cost_of_everything(NEW)
    for share in (0.0, 0.1, 0.5, 1.0):
        spent = selector.spend(NEW, share * everything)
        assert spent.cost <= share * everything + 1e-9
        assert all(len(set(tiers.tolist())) <= 1 for tiers in spent.tiers)
        assert spent.cost == sum(np.array([0, 1, 5])[tiers].sum() for tiers in spent.tiers)
    assert {t for tiers in selector.spend(NEW).tiers for t in tiers.tolist()} == {2}


@pytest.mark.parametrize("policy", ["dms_by_value", "dms_per_cost"])
def test_the_course_is_that_of_algorithm_3(policy):
    """With all sequences read by all models, values and purchases equal those of `learning.budgets`."""
    selector = fitted(policy)
    filled = [i for i, x in enumerate(NEW) if len(x)]
    lengths = np.array([len(NEW[i]) for i in filled])
    features = selector.reader_.features(NEW)
    reads = [
        _look(tier_scores(m, features[:, : m.edges[0]])[:, 0], lengths, m.pairwise, selector.seen_)
        for m in selector.models_
    ]
    meta = np.stack([meta_features for _, meta_features in reads], axis=1)
    values = dms.predict_values(selector.selector_, dms.with_differences(meta[:, :-1])) * lengths[:, None]
    costs = lengths[:, None] * COSTS
    if policy == "dms_per_cost":
        values = batch_selection.per_cost(values, costs)
    first = np.concatenate([[0], np.cumsum(lengths)])
    for budget in (10.0, 77.0, 400.0):
        bought = expansion.expand(values, costs, budget)
        tiers = np.zeros(len(filled), dtype=int)
        tiers[bought.example] = bought.tier  # the last one counts
        got = selector.spend(NEW, budget)
        assert [got.tiers[i][0] for i in filled] == tiers.tolist()
        for n, i in enumerate(filled):
            want = reads[tiers[n]][0][first[n] : first[n + 1]]
            assert got.labels[i].tolist() == selector.classes_[want].tolist()


def test_features_are_computed_when_they_are_bought():
    calls = []
    lazy = ModelSelector(functions(calls), max_iter=4, random_state=0).fit(X, Y)
    eager = fitted()
    for budget in (0.0, 20.0, 150.0):
        calls.clear()
        got, want = lazy.spend(NEW, budget), eager.spend(NEW, budget)
        assert [labels.tolist() for labels in got.labels] == [labels.tolist() for labels in want.labels]
        assert len(calls) == sum(map(len, NEW)) + sum(int(tiers.sum()) for tiers in got.tiers)


def test_learned_order_beats_chance():
    noise, error = (0.8, 0.5, 0.2), {}
    (many, labels), (new, truth) = drawn(300, noise=noise), drawn(150, seed=1, noise=noise)
    for policy in ("dms", "fixed", "uniform"):
        selector = ModelSelector(TIERS, policy=policy, max_iter=4, random_state=0).fit(many, labels)
        error[policy] = selector.curve(new, truth, [0.1 * selector.cost_of_everything(new)]).error[0]
    assert error["dms"] < min(error["fixed"], error["uniform"]) - 0.01


def test_a_curve_is_what_is_predicted():
    selector = fitted()
    budgets = [0.0, 40.0, np.inf]
    curve = selector.curve(NEW, TRUTH, budgets)
    for at, budget in enumerate(budgets):
        spent = selector.spend(NEW, budget)
        wrong = np.concatenate(spent.labels) != np.concatenate([np.array(y, dtype=object) for y in TRUTH])
        assert curve.error[at] == pytest.approx(wrong.mean())
        assert curve.cost[at] == spent.cost
    steps = selector.course(NEW[0])
    assert [step.tier for step in steps] == ["dear", "dearest"]
    assert steps[-1].labels.tolist() == selector.predict([NEW[0]])[0].tolist()
    assert selector.score(NEW, TRUTH) == pytest.approx(1 - curve.error[-1])


def test_it_is_an_estimator_and_can_be_saved(tmp_path):
    selector = fitted()
    want = [labels.tolist() for labels in selector.predict(NEW, 50.0)]
    assert [labels.tolist() for labels in pickle.loads(pickle.dumps(selector)).predict(NEW, 50.0)] == want
    assert [labels.tolist() for labels in clone(selector).fit(X, Y).predict(NEW, 50.0)] == want
    save(selector, tmp_path)
    loaded = load(tmp_path)
    assert [labels.tolist() for labels in loaded.predict(NEW, 50.0)] == want
    assert loaded.classes_.tolist() == list(LABELS)
    state = selector.to_state()
    with pytest.raises(ShapeError, match="models has 2 tiers; tiers has 3"):
        ModelSelector.from_state(state._replace(models=state.models[:2]))
    with pytest.raises(ShapeError, match="seen has shape"):
        ModelSelector.from_state(state._replace(seen=np.zeros(3, dtype=np.int64)))


def test_nothing_to_read_and_refusals():
    selector = fitted()
    assert selector.predict([]) == []
    assert selector.spend([X[0][:0]], 3.0).labels[0].tolist() == []
    with pytest.raises(ArgumentError, match=r"policy must be one of dms, .* got 'dms_pi'"):
        ModelSelector(TIERS, policy="dms_pi").fit(X, Y)
    with pytest.raises(ArgumentError, match="budget must be a number from 0 to inf, got -1"):
        selector.predict(NEW, -1)
    with pytest.raises(ArgumentError, match="X must have at least 3 sequences with positions, got 1"):
        ModelSelector(TIERS).fit(X[:1], Y[:1])
