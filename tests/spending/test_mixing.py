"""Models of dear tiers, mixed with those before them by the share that reads unseen folds best."""

import numpy as np
import pytest
from scipy import sparse

from spcviz.learning.budgets.chains.tiered import Tiered, tier_scores
from spcviz.spending import FeatureTiers, ModelSelector
from spcviz.spending.estimator import Budgeted
from spcviz.spending.mixing import SHARES, mix_models, mix_pair
from spcviz.spending.tiers import check_tiers
from tests.oracles import chain as oracle
from tests.spending.sequences import TIERS, drawn


def models(X, y, tiers=TIERS, cv=3):
    """The models of `ModelSelector` before any mixing."""
    selector = ModelSelector(tiers, max_iter=2, cv=cv, random_state=0)
    return Budgeted._fit_models(selector, check_tiers(tiers), X, y, is_one=False)


def test_scores_of_a_mix_pair_are_the_mean_of_the_scores():
    rng = np.random.default_rng(0)
    dear = Tiered(np.array([5]), rng.normal(size=(5, 3)), rng.normal(size=(3, 3)))
    cheap = Tiered(np.array([2]), rng.normal(size=(2, 3)), rng.normal(size=(3, 3)))
    features = rng.normal(size=(7, 5)).astype(np.float32)
    for share in SHARES:
        mixed = mix_pair(dear, cheap, share)
        want = (1 - share) * tier_scores(dear, features) + share * tier_scores(cheap, features[:, :2])
        assert tier_scores(mixed, features) == pytest.approx(want, abs=2e-4)  # scores have four decimals
        assert mixed.pairwise == pytest.approx((1 - share) * dear.pairwise + share * cheap.pairwise)
        assert mixed.edges.tolist() == [5]
    assert mix_pair(dear, cheap, 0.0) is dear


def n_wrong(model, features, data):
    """Number of wrong labels, by enumeration."""
    scores, wrong = tier_scores(model, features[:, : model.edges[0]])[:, 0], 0
    for a, b in zip(data.starts, data.starts[1:]):
        wrong += int((oracle.ranked(scores[a:b], model.pairwise)[1][0] != data.labels[a:b]).sum())
    return wrong


def test_the_share_is_that_which_reads_unseen_folds_best():
    X, y = drawn(40, noise=(0.8, 0.9, 1.0), longest=6)
    before = models(X, y)
    after = mix_models(before)
    part = np.repeat(before.fold, before.data.lengths)
    cheap, chosen, errors = [each[0] for each in before.without], [], []
    for t in (1, 2):
        wrong = []
        for share in SHARES:
            total = 0
            for p, own in enumerate(before.without):
                held = type(before.data)(before.data.labels[part == p], before.data.lengths[before.fold == p])
                total += n_wrong(mix_pair(own[t], cheap[p], share), before.features[part == p], held)
            wrong.append(total)
        chosen.append(SHARES[wrong.index(min(wrong))])
        errors.append(min(wrong))
        cheap = [mix_pair(own[t], cheap[p], chosen[-1]) for p, own in enumerate(before.without)]
        for p, own in enumerate(after.without):
            assert np.array_equal(own[t].weights, cheap[p].weights)
    assert max(chosen) > 0
    selector = ModelSelector(TIERS, max_iter=2, cv=3, random_state=0).fit(X, y)
    assert selector.held_out_errors_.sum(axis=0)[1:].tolist() == errors
    assert len(selector.held_out_errors_) == len(before.fold)
    want = before.models[0]
    for t, share in zip((1, 2), chosen):
        want = mix_pair(before.models[t], want, share)
        assert np.array_equal(after.models[t].weights, want.weights)
        assert np.array_equal(after.models[t].pairwise, want.pairwise)


def test_a_model_that_is_better_by_itself_stays_as_it_is():
    X, y = drawn(60, noise=(4.0, 0.05, 0.05))
    before = models(X, y)
    after = mix_models(before)
    assert after.models[1] is before.models[1]
    assert after.models[0] is before.models[0]


def test_features_of_noise_no_longer_make_a_dear_tier_worse():
    """Sixty random columns for 60 sequences: on its own the dear tier loses to the cheap one."""
    tiers = FeatureTiers(("own", "noise"), (np.arange(3), np.arange(3, 63)), (0, 1))
    total = np.zeros(3, dtype=int)
    for seed in (0, 1, 3):
        rng, noise = np.random.default_rng(seed), (0.4,) * 3
        (X, y), (new, truth) = drawn(60, seed, noise), drawn(100, 10 + seed, noise, 5)
        X, new = ([np.hstack([x[:, :3], rng.normal(size=(len(x), 60))]) for x in some] for some in (X, new))
        before = models(X, y, tiers)
        cheap, dear = before.models
        features = before.reader.features(new)
        labels = np.array(["ABC".index(label) for row in truth for label in row])
        data = type(before.data)(labels, np.array([len(row) for row in truth if row]))
        mixed = mix_models(before).models[1]
        total += [n_wrong(model, features, data) for model in (cheap, dear, mixed)]
    assert total[2] <= total[0] < total[1]


def test_sparse_features_are_mixed_the_same():
    X, y = drawn(40, noise=(0.8, 0.9, 1.0))
    dense = ModelSelector(TIERS, max_iter=2, cv=3, random_state=0).fit(X, y)
    of_entries = ModelSelector(TIERS, max_iter=2, cv=3, random_state=0).fit(
        [sparse.csr_array(x) for x in X], y
    )
    for one, other in zip(dense.models_, of_entries.models_):
        assert np.array_equal(one.weights, other.weights)
