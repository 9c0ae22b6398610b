"""Pruning and tuning of any model's scores by every rule, against enumeration; promises by simulation."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError, InfeasibleError, ShapeError
from spcviz.scores import from_emissions
from tests.oracles import chain as oracle
from tests.scores.strategies import givens


@given(case=givens(), margin=st.floats(0.0, 30.0))
def test_a_margin_keeps_what_is_less_than_it_below_the_best(case, margin):
    assume(case.is_feasible())
    sequences = case.sequences()
    states, best_labels = sequences.prune(margin=margin).states(), sequences.decode()
    points = sequences.break_points("margin")
    for i, (unary, pairwise) in enumerate(case.chains()):
        if not len(unary):
            continue
        best, node, _ = oracle.tables(unary, pairwise, lambda v: v.max(initial=-np.inf))
        kept = node > best - margin
        kept[np.arange(len(unary)), best_labels[i]] = True
        clear = np.abs(node - (best - margin)) > 1e-9 * max(1.0, abs(best))
        # labels that no remaining best labelling joins are not in the lattice
        assert (states[i] <= kept)[clear].all()
        finite = (node > -np.inf) & (np.abs(points[i]) < np.inf)
        assert np.allclose(points[i][finite], (best - node)[finite], atol=1e-9 * max(1.0, abs(best)))
        assert (points[i][node == -np.inf] == np.inf).all()
        assert (points[i][np.arange(len(unary)), best_labels[i]] == -np.inf).all()


def drawn(rng, n=3000, k=5):
    """(emissions, transitions, labels drawn from the model itself, so that losses are rare and genuine)."""
    transitions = rng.normal(size=(k, k))
    emissions, labels = [], []
    for _ in range(n):
        unary = 2.5 * rng.normal(size=(int(rng.integers(1, 7)), k))
        noisy = unary + rng.gumbel(size=unary.shape)
        emissions.append(unary)
        labels.append(from_emissions([noisy], transitions).decode()[0])
    return emissions, transitions, labels


DATA = drawn(np.random.default_rng(0))


@pytest.mark.parametrize("rule", ["mean_max", "margin", "probability"])
def test_tuned_settings_lose_what_they_may_and_prune(rule):
    emissions, transitions, labels = DATA
    sequences = from_emissions(emissions, transitions)
    key = {"mean_max": "alpha", "margin": "margin", "probability": "probability"}[rule]
    left = []
    for guarantee in (None, "mean", 0.9):
        setting = sequences.tune(labels, 0.05, rule=rule, guarantee=guarantee)
        states = sequences.prune(**{key: setting}).states()
        lost = np.mean([not kept[np.arange(len(y)), y].all() for kept, y in zip(states, labels)])
        assert lost <= 0.05
        left.append(sum(kept.sum() for kept in states))
    n_labels = sum(map(len, labels))
    assert n_labels <= left[0] <= left[1] <= left[2] < 5 * n_labels
    assert left[0] < 0.8 * 5 * n_labels  # the default prunes
    whole = sequences.curves(labels, rule)
    event = whole.pruned.value[
        np.searchsorted(whole.pruned.alpha, -setting if rule == "margin" else setting) - 1
    ]
    assert abs(event - lost) < 1e-12
    assert (whole.filter_loss.value[-1] >= whole.pruned.value[-1] - 1e-12).all()


@pytest.mark.parametrize("rule", ["mean_max", "margin"])
def test_promises_hold_over_a_thousand_draws(rule):
    """The same emissions throughout, calibrated on each draw, counted on all others."""
    emissions, transitions, labels = DATA
    event = from_emissions(emissions, transitions)._truth_points(
        np.concatenate(labels), rule
    )[1]  # fmt: skip
    from spcviz.engine.thresholds import rules

    rng, n, tolerance = np.random.default_rng(1), 300, 0.03
    lost = {"mean": [], 0.9: []}
    for _ in range(1000):
        order = rng.permutation(len(event))
        for guarantee, shares in lost.items():
            setting = rules.tune_setting(rule, event[order[:n]], tolerance, guarantee)
            shares.append((event[order[n:]] <= setting).mean())
    assert np.mean(lost["mean"]) <= tolerance + 3 * np.std(lost["mean"]) / math.sqrt(1000)
    assert np.mean(np.array(lost[0.9]) > tolerance) <= 0.1 + 3 * 0.0095


def test_too_few_sequences_are_told_how_many_it_takes():
    emissions, transitions, labels = DATA
    few = from_emissions(emissions[:40], transitions)
    with pytest.raises(
        InfeasibleError, match="with 90 % certainty takes at least 114 calibration examples, got 40"
    ):
        few.tune(labels[:40], 0.02, guarantee=0.9)
    with pytest.raises(InfeasibleError, match="on average takes at least 49 calibration examples, got 40"):
        few.tune(labels[:40], 0.02, guarantee="mean")


def test_lattices_are_pruned_by_every_rule():
    emissions, transitions, _ = DATA
    sequences = from_emissions(emissions[:50], transitions)
    pairs = sequences.prune(margin=6.0)
    assert pairs.prune(margin=2.0).n_arcs < pairs.prune(margin=4.0).n_arcs <= pairs.n_arcs
    assert pairs.prune(probability=0.2).n_arcs < pairs.prune(probability=0.001).n_arcs
    later = pairs.extend()
    first = later.prune(0.5, rule="mean_max_first")
    assert 0 < first.n_arcs <= later.n_arcs
    assert first.n_arcs != later.prune(0.5).n_arcs  # the mean over what is left differs
    each = np.linspace(1.0, 3.0, 50)
    mixed = pairs.prune(margin=each).states()
    for i in (0, 20, 49):
        assert np.array_equal(mixed[i], pairs.prune(margin=each[i]).states()[i])


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({}, ArgumentError, "one of alpha, margin, probability must be given, got none"),
        ({"alpha": 0.1, "margin": 1.0}, ArgumentError, "must be given, got alpha and margin"),
        ({"margin": -1.0}, ArgumentError, "margin must be a number from 0.0 to inf, got -1"),
        ({"margin": np.inf}, ArgumentError, "margin"),
        ({"margin": "wide"}, ArgumentError, "margin must be an array of numbers"),
        ({"probability": 1.5}, ArgumentError, "probability must satisfy"),
        ({"margin": [1.0, 2.0]}, ShapeError, r"margin has shape \(2,\); it needs \(\) or \(50,\)"),
    ],
)
def test_bad_settings_are_named(asked, error, message):
    sequences = from_emissions(DATA[0][:50], DATA[1])
    with pytest.raises(error, match=message):
        sequences.prune(**asked)
    with pytest.raises(error, match=message):
        sequences.prune(0.0).prune(**asked)


def test_a_rule_of_another_number_is_refused():
    sequences = from_emissions(DATA[0][:5], DATA[1])
    with pytest.raises(ArgumentError, match="rule must be one that margin is a number of, got 'mean_max'"):
        sequences.prune(0.0).prune(margin=1.0, rule="mean_max")
    with pytest.raises(ArgumentError, match="rule must be one of"):
        sequences.tune(DATA[2][:5], 0.1, rule="best")
