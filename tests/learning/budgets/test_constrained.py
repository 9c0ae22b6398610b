"""One-shot policies word by word: undominated pairs of price and threshold, chosen on other words."""

import numpy as np
import pytest

from spcviz.learning.budgets import constrained
from spcviz.learning.budgets.classifiers import OneShot, odds
from tests.learning.budgets.chains.test_parts import N_TIERS, batch


def policies(seed, width=5):
    rng = np.random.default_rng(seed)
    return {
        price: OneShot(rng.normal(size=(N_TIERS - 1, width)), rng.normal(size=N_TIERS - 1), np.zeros(width),
                       np.ones(width))
        for price in (0.1, 0.3)
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_points_are_words_decided_one_by_one(seed):
    dev, test = batch(seed, n_chains=30), batch(seed + 50, n_chains=20)
    by_price = policies(seed)
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=(len(world.scores), 5)) for world in (dev, test)]
    row, alone = constrained.buy_streaming(by_price, (dev, test), inputs)
    assert (np.diff(row["share"]) >= 0).all()
    assert row["share"][0] == 0
    assert row["share"][-1] == 1
    for price, point in zip(by_price, alone, strict=True):
        is_bought = odds(by_price[price], inputs[1]) > 0
        assert point["price"] == price
        assert point["share"] == pytest.approx(100 * is_bought.mean())
        # Every word on its own: the same purchases, whatever else is in the batch.
        one, rows = test.some([3])
        tiers = is_bought[rows].sum(axis=1)
        whole = test.losses_if(is_bought.sum(axis=1), is_bought.sum(axis=1))[0]
        assert one.losses_if(tiers, tiers)[0][0] == whole[3]
    np.testing.assert_allclose(row["tiers"].mean(axis=1), row["share"], atol=1e-12)
    assert {0.0, 1.0} >= {row["chosen"]["final_error"]} or row["chosen"]["final_error"] in row["share"]


def test_thresholds_come_from_development_words_alone():
    dev, test = batch(1, n_chains=30), batch(2, n_chains=20)
    by_price = policies(0)
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=(len(world.scores), 5)) for world in (dev, test)]
    worse = test._replace(loss=1 - test.loss)
    first, second = (constrained.buy_streaming(by_price, (dev, world), inputs)[0] for world in (test, worse))
    np.testing.assert_array_equal(first["share"], second["share"])
    assert first["chosen"] == second["chosen"]
