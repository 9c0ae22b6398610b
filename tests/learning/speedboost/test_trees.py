"""Trees that pay for columns: the splits of exhaustive search, prices paid once, errors with names."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.speedboost import trees
from tests.oracles.priced_split import best_split


def rows_of(rng, n=60, f=6, k=3):
    columns = rng.integers(0, 64, (f, n)).astype(np.uint8)
    target = rng.normal(size=(n, k)) * 0.3
    target[:, 0] += columns[2] > 30
    target[:, 1] += (columns[4] > 40) * 0.6
    return trees.Rows(columns, np.arange(10, 10 + f), target, rng.random(n) + 0.1)


def prices_of(rng, n=16):
    group, group_ms = (np.arange(n) % 3).astype(np.int32), np.array([3.0, 1.0, 2.0])
    return trees.Prices(group, group_ms, rng.random(n), 2 * rng.random(3))


@pytest.mark.parametrize("price_weight", [0.0, 0.02, 0.2, 5.0])
@pytest.mark.parametrize("seed", range(4))
def test_first_split_is_the_best_of_all(seed, price_weight):
    rng = np.random.default_rng(seed)
    rows, prices = rows_of(rng), prices_of(rng)
    bought = trees.nothing_bought(prices)
    bought.add(prices, [12 if seed % 2 else 14])
    price = np.array([bought.price(prices, [name]) for name in rows.names])
    _, column, cut = best_split(rows.columns, rows.target, rows.weight, price, price_weight)
    tree = trees.fit(rows, prices, bought, price_weight, 1)
    assert tree.feature[0] == (rows.names[column] if column >= 0 else -1)
    if column >= 0:
        assert tree.threshold[0] == cut
        left = rows.columns[column] <= cut
        mean = np.average(rows.target[left], axis=0, weights=rows.weight[left])
        np.testing.assert_allclose(tree.value[1], mean, atol=1e-6)


def test_the_second_depth_splits_each_side_and_pays_nothing_twice():
    rng = np.random.default_rng(7)
    rows = rows_of(rng, n=200)
    prices = trees.Prices(np.full(16, 0, np.int32), np.array([50.0]), np.zeros(16), np.zeros(1))
    bought = trees.nothing_bought(prices)
    gain = best_split(rows.columns, rows.target, rows.weight, np.zeros(6), 0)[0]
    tree = trees.fit(rows, prices, bought, gain / 51, 2)  # the group is just worth its price, once
    assert tree.feature[0] == 12
    assert (tree.feature[1:3] >= 0).all()
    left = rows.columns[2] <= tree.threshold[0]
    _, column, cut = best_split(rows.columns[:, left], rows.target[left], rows.weight[left], np.zeros(6), 0)
    assert (tree.feature[1], tree.threshold[1]) == (rows.names[column], cut)
    assert not bought.groups.any()
    dearer = trees.fit(rows, prices, bought, gain / 49, 2)
    assert (dearer.feature < 0).all()


def test_new_columns_of_a_group_are_called_for_once_a_tree():
    rng = np.random.default_rng(7)
    rows = rows_of(rng, n=200)
    prices = trees.Prices(np.full(16, 0, np.int32), np.zeros(1), np.zeros(16), np.array([50.0]))
    bought = trees.nothing_bought(prices)
    gain = best_split(rows.columns, rows.target, rows.weight, np.zeros(6), 0)[0]
    tree = trees.fit(rows, prices, bought, gain / 51, 2)  # the call is just worth its price, once
    assert len(tree.columns()) > 1
    assert bought.price(prices, tree.columns()) == 50
    assert (trees.fit(rows, prices, bought, gain / 49, 2).feature < 0).all()
    bought.add(prices, [12])  # columns already bought need no call, new ones do
    again = trees.fit(rows, prices, bought, gain / 49, 2)
    assert set(again.columns()) == {12}


def test_least_share_of_weight_holds():
    rng = np.random.default_rng(3)
    rows = rows_of(rng)
    tree = trees.fit(rows, prices_of(rng), trees.nothing_bought(prices_of(rng)), 0.0, 1, 0.45)
    left = rows.columns[tree.feature[0] - 10] <= tree.threshold[0]
    share = rows.weight[left].sum() / rows.weight.sum()
    assert 0.45 <= share <= 0.55


def test_rows_end_where_the_questions_lead():
    rng = np.random.default_rng(1)
    steps = rng.integers(0, 64, (50, 4)).astype(np.uint8)
    context = rng.integers(0, 64, (50, 3)).astype(np.uint8)
    both = np.concatenate([steps, context], axis=1)
    names = np.arange(7)
    rows = trees.Rows(np.ascontiguousarray(both.T), names, rng.normal(size=(50, 2)), np.ones(50))
    free = trees.Prices(np.full(7, -1, np.int32), np.zeros(0), np.zeros(7), np.zeros(0))
    tree = trees.fit(rows, free, trees.nothing_bought(free), 0.0, 3)
    rows = np.arange(len(steps))
    leaf = trees.leaves(tree.feature, tree.threshold, steps, context, rows)
    some = rows[::-3]
    np.testing.assert_array_equal(
        trees.leaves(tree.feature, tree.threshold, steps, context, some), leaf[some]
    )
    for r in range(50):
        at = 0
        while tree.feature[at] >= 0:
            at = 2 * at + (1 if both[r, tree.feature[at]] <= tree.threshold[at] else 2)
        assert leaf[r] == at
    answered = trees.answering(tree, leaf, np.ones((50, 2), np.float32) * 3, np.ones(50, np.float32))
    np.testing.assert_allclose(answered.value[np.unique(leaf)], 3)


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"columns": np.zeros((2, 3), np.uint8)}, ShapeError, "columns has shape"),
        ({"target": np.full((60, 3), np.nan)}, ArgumentError, "target must"),
        ({"weight": np.full(60, -1.0)}, ArgumentError, "weight must"),
        ({"weight": np.zeros(60)}, ArgumentError, "weight must"),
        (
            {"columns": np.full((6, 60), 64, np.uint8)},
            ArgumentError,
            "steps below 64, got 64",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused(change, error, match):
    rng = np.random.default_rng(0)
    rows, prices = rows_of(rng)._replace(**change), prices_of(rng)
    with pytest.raises(error, match=match):
        trees.fit(rows, prices, trees.nothing_bought(prices), 0.0, 1)


@pytest.mark.parametrize(("depth", "price_weight"), [(0, 0.0), (11, 0.0), (1, -1.0), (1, np.nan)])
def test_settings_out_of_range_are_refused(depth, price_weight):
    rng = np.random.default_rng(0)
    prices = prices_of(rng)
    with pytest.raises(ArgumentError, match="must be"):
        trees.fit(rows_of(rng), prices, trees.nothing_bought(prices), price_weight, depth)
