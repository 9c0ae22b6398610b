"""Threshold rules on the open vocabulary: rows of cascades trained for each rule, by hand."""

import numpy as np
import pytest

from experiments.open_words import rules

SETS = rules.SETS
W = dict(zip(SETS, (3, 2)))


def figures(n_grams, hinges, tolerances):
    """The form that `trained_figures` returns, with equally many n-grams for every word at a tolerance."""
    out = {"hinges": np.array(hinges, dtype=float)}
    for share in tolerances:
        out[f"{share:g} settings"] = np.array([-1.0, -2.0]) * share
        for name, n in W.items():
            shape = len(hinges), n
            out[f"{share:g} {name}_n_grams"] = np.full(shape, n_grams * share)
            out[f"{share:g} {name}_positions"] = np.ones(shape)
            out[f"{share:g} {name}_lost"] = np.zeros(shape, dtype=bool)
            out[f"{share:g} {name}_right"] = np.ones(shape, dtype=bool)
    return out


@pytest.fixture
def few_words(monkeypatch):
    """Test sets of a few words; only their lengths are read."""
    sets = {
        name: type("Set", (), {"words": type("Words", (), {"lengths": np.ones(n)})}) for name, n in W.items()
    }
    monkeypatch.setattr(rules.data, "load_set", sets.__getitem__)


def test_each_tolerance_has_its_own_figures_settings_and_hinges(few_words):
    tolerances = rules.TOLERANCES["raw"]
    own = {
        ("raw", "mean_max"): figures(100, [[0.2, np.nan], [0.95, np.nan]], tolerances),
        ("raw", "margin"): figures(25, [[np.nan, 0.0], [0.5, np.nan]], tolerances),
    }
    rows = list(rules._trained_rows(own, "raw", quick=False))
    assert len(rows) == len(tolerances) * len(SETS) * 2 * 2
    assert {row["tolerance"] for row in rows} == {100 * share for share in tolerances}
    for row in rows:
        share = row["tolerance"] / 100
        assert row["settings"] == pytest.approx([-share, -2 * share])
        assert row["n_grams_in"] == pytest.approx(share * (25 if row["rule"] == "margin" else 100))
        assert row["n_grams_in_ratio"] == pytest.approx([0.25 if row["rule"] == "margin" else 1.0] * 3)
        assert row["words"] == W[row["data"]]
        hinge = {("mean_max", 1): (0.2, None), ("mean_max", 2): (0.95, None)}
        hinge |= {("margin", 1): (None, 0.0), ("margin", 2): (0.5, None)}
        assert (row["train_alpha"], row["train_margin"]) == hinge[row["rule"], row["order"]]
    assert len(list(rules._trained_rows(own, "raw", quick=True))) == len(rows) / len(tolerances)


def test_both_rules_learn_with_the_same_candidates_and_passes():
    thesis, margin = (rules.rule_settings("fourier", rule) for rule in rules.TRAINED)
    assert thesis.config.rule == "mean_max"
    assert margin.config.rule == "margin"
    assert rules.replace(margin, config=rules.replace(margin.config, rule="mean_max")) == thesis
    shipped = rules.experiment.settings_for("fourier")
    alike = {"rule": "mean_max", "train_alphas": shipped.config.train_alphas, "train_margins": ()}
    assert rules.replace(thesis, config=rules.replace(thesis.config, **alike)) == shipped
