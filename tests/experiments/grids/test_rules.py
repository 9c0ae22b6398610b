"""Grids under every rule: when states fall, against the engine's filter; curves and ratios by hand."""

import numpy as np
import pytest

from experiments.grids import rules
from spcviz.engine.graphs import grid as combs
from spcviz.engine.graphs.ensemble import filter_summed
from spcviz.engine.thresholds.rule import mean_of
from spcviz.problems.grids import fields


@pytest.mark.parametrize("rule", ["mean_max", "margin"])
def test_states_fall_where_the_engine_prunes_them(rule):
    rng = np.random.default_rng(1)
    by_comb = combs.comb_max_marginals(*fields.random_grid(rng, 4, 3, 5, 6.0))
    tables = by_comb.unary.reshape(len(by_comb.best), 12, 5)
    means = [mean_of(float(best), table.ravel()) for best, table in zip(by_comb.best, tables, strict=True)]
    points = rules.points_of(tables, by_comb.best)[rule]
    finite = np.sort(points[np.isfinite(points)])
    for setting in (finite[:-1] + finite[1:]) / 2:
        kept = filter_summed(by_comb.best, means, tables.sum(axis=0), float(setting), rule).keep
        assert np.array_equal(points > setting, kept)


def test_the_top_k_of_each_variable_stay():
    tables = np.random.default_rng(2).normal(size=(2, 6, 4))
    points = rules.points_of(tables, tables.max(axis=(1, 2)))["top_k"]
    for k in (1, 2, 3):
        kept = points > -k
        assert (kept.sum(axis=1) == k).all()
        assert (
            np.where(kept, tables.sum(axis=0), -np.inf).max(axis=1) == tables.sum(axis=0).max(axis=1)
        ).all()


def grids(n, seed=0):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        tables = rng.normal(size=(3, 10, 5)) * rng.uniform(1, 4)
        frequencies = rng.dirichlet(np.ones(5), 10)
        out.append(rules.Grid(rules.points_of(tables, tables.max(axis=(1, 2))), frequencies))
    return out


@pytest.mark.parametrize("rule", rules.RULES)
def test_curves_count_what_a_setting_leaves(rule):
    some = grids(3)
    settings = np.quantile(
        np.concatenate([g.points[rule][np.isfinite(g.points[rule])] for g in some]), [0, 0.4, 1]
    )
    lost, left = rules.curves(some, rule, settings)
    for i, grid in enumerate(some):
        for g, setting in enumerate(settings):
            kept = grid.points[rule] > setting
            assert left[i, g] == pytest.approx(kept.sum() / 10)
            assert lost[i, g] == pytest.approx(100 * (grid.frequencies * ~kept).sum() / 10)


def test_rows_hold_a_rule_against_the_first_where_equally_much_is_lost():
    rows = rules.rows_of(grids(20), grids(20, 1))
    assert [(row["target"], row["rule"]) for row in rows] == [
        (t, r) for t in rules.TARGETS for r in rules.RULES
    ]
    base = {row["target"]: row["states_equal"] for row in rows if row["rule"] == rules.AGAINST}
    for row in rows:
        value, low, high = row["ratio"]
        assert value == pytest.approx(row["states_equal"] / base[row["target"]])
        assert low <= value <= high
        assert row["tuned_loss"] <= row["target"]
        assert 1 <= row["states"] <= 5
