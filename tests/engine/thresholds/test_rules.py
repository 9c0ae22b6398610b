"""Every rule against its definition, its break points against bisection, and the lemmas of the thesis."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.engine.graphs import ensemble
from spcviz.engine.ngrams.lattice import extend, log_marginals, path_of, unigrams
from spcviz.engine.ngrams.prune import points_of, prune, truth_points
from spcviz.engine.thresholds import filtering, rules
from tests.engine.ngrams.test_lattice import grown
from tests.engine.ngrams.test_prune import example_of
from tests.oracles import paths as oracle

SEEDS = st.integers(0, 2**31)

prune(unigrams([2], 2), np.arange(4.0), -1.0, rule="margin")  # loads kernels before examples are timed
prune(unigrams([2], 2), np.arange(4.0), 0.1, rule="probability")
SETTINGS = {
    "mean_max": [-2.0, 0.0, 0.4, 0.9],
    "mean_max_first": [-2.0, 0.0, 0.4, 0.9],
    "margin": [-20.0, -2.0, -0.3, 0.0],
    "probability": [0.0, 0.01, 0.2, 0.6],
}
CHOICES = st.sampled_from([(rule, setting) for rule, values in SETTINGS.items() for setting in values])


@st.composite
def cases(draw):
    """(lattice, arc scores, gaps of a first space) of three examples."""
    rng = np.random.default_rng(draw(SEEDS))
    n, order = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, 4)) for _ in range(3)]
    lat, _ = grown(n, order, [np.zeros((m, n)) for m in sizes], rng, draw(st.sampled_from([0.5, 1.1])))
    score = rng.normal(size=lat.n_arcs) * draw(st.sampled_from([1.0, 1e-7, 1e6]))
    return lat, score, np.abs(rng.normal(size=3)) * np.abs(score).max()


def enumerated(lat, score, w):
    """(scores of all labellings, the arcs of each) of one example."""
    start, tail, head, column = example_of(lat, w)
    every = [np.array(path) + start for path in oracle.all_paths(tail, head, column)]
    return np.array([score[path].sum() for path in every]), every


@given(case=cases(), choice=CHOICES)
def test_every_rule_keeps_what_its_definition_says(case, choice):
    lat, score, first_gap = case
    rule, setting = choice
    scale = np.abs(score).max() if rule == "margin" else 1.0
    setting = setting * scale
    pruned = prune(lat, score, setting, rule=rule, first_gap=first_gap)
    for w in range(3):
        totals, every = enumerated(lat, score, w)
        arcs = np.arange(lat.example_start[w], lat.example_start[w + 1])
        through = [np.array([arc in path for path in every]) for arc in arcs]
        best = totals.max()
        if rule == "probability":
            shares = np.exp(totals - best)
            value = np.array([shares[mask].sum() for mask in through]) / shares.sum()
            limit = setting
        else:
            value = np.array([totals[mask].max(initial=-np.inf) for mask in through])
            gap = best - value[np.isfinite(value)].mean()  # arcs on no path do not count
            reach = {"mean_max": (1 - setting) * gap, "mean_max_first": (1 - setting) * first_gap[w]}
            limit = best - reach.get(rule, -setting)
            if gap <= 1e-12 * abs(best):
                limit = -np.inf
        clear = np.abs(value - limit) > 1e-9 * max(1.0 if rule == "probability" else 0.0, np.abs(score).max())
        best_arcs = set(pruned.best_path[lat.col_start[w] : lat.col_start[w + 1]])
        for arc, one, is_clear in zip(arcs, value, clear):
            if arc in best_arcs:
                assert pruned.keep[arc]
            elif is_clear:
                assert pruned.keep[arc] == (one > limit)


@given(case=cases(), rule=st.sampled_from(list(SETTINGS)))
def test_break_points_are_where_bisection_finds_them(case, rule):
    lat, score, first_gap = case
    how = {"rule": rule, "first_gap": first_gap}
    points = points_of(prune(lat, score, 0.0, **how))
    low, high = (0.0, 1.0) if rule == "probability" else (-100 * np.abs(score).max() - 1, rules.hardest(rule))
    arc = int(np.argmin(points))
    if not low < points[arc] < high:
        return
    for _ in range(60):
        middle = (low + high) / 2
        kept = prune(lat, score, middle, **how).keep[arc]
        low, high = (middle, high) if kept else (low, middle)
    if arc in set(prune(lat, score, 0.0, **how).best_path):
        return
    assert abs(points[arc] - low) <= 1e-6 * max(abs(points[arc]), 1e-9 * np.abs(score).max())


@given(case=cases(), choice=CHOICES, seed=SEEDS)
def test_lemma_1_a_truth_over_the_threshold_loses_nothing(case, choice, seed):
    lat, score, first_gap = case
    rule, setting = choice
    if rule == "probability":
        return  # probabilities have no score of a whole labelling to compare with the threshold
    setting = setting * (np.abs(score).max() if rule == "margin" else 1.0)
    pruned = prune(lat, score, setting, rule=rule, first_gap=first_gap)
    rng = np.random.default_rng(seed)
    for w in range(3):
        totals, every = enumerated(lat, score, w)
        one = rng.integers(len(every))
        if totals[one] > pruned.limits.tau[w] + 1e-9 * np.abs(score).max():
            assert pruned.keep[every[one]].all()


@given(case=cases(), choice=CHOICES)
def test_lemma_2_some_labelling_always_stays(case, choice):
    lat, score, first_gap = case
    rule, setting = choice
    setting = setting * (np.abs(score).max() if rule == "margin" else 1.0)
    pruned = prune(lat, score, setting, rule=rule, first_gap=first_gap)
    for w in range(3):
        totals, every = enumerated(lat, score, w)
        assert any(pruned.keep[path].all() and totals[i] >= totals.max() - 1e-9 * np.abs(score).max()
                   for i, path in enumerate(every))  # fmt: skip
    extend(lat, pruned.keep)  # and so there is a next level


@given(case=cases(), rule=st.sampled_from(list(SETTINGS)), tolerance=st.sampled_from([0.0, 0.34, 0.67]))
def test_a_tuned_setting_loses_no_more_than_it_may(case, rule, tolerance):
    lat, score, first_gap = case
    if rule == "probability":
        score = score / np.abs(score).max()  # probabilities that round to 0 fall at every setting
    how = {"rule": rule, "first_gap": first_gap}
    labels = np.zeros(int(lat.row_start[-1]), dtype=np.int64)
    truth = path_of(lat, labels)
    has_truth = np.logical_and.reduceat(truth >= 0, lat.col_start[:-1])
    _, event = truth_points(lat, prune(lat, score, 0.0, **how), truth, np.where(has_truth, 0.0, -np.inf))
    setting = rules.tune_setting(rule, event, tolerance)
    kept = prune(lat, score, setting, **how).keep
    lost = ~np.logical_and.reduceat((truth >= 0) & kept[truth], lat.col_start[:-1])
    assert lost.sum() <= max(np.floor(3 * tolerance + 1e-9), (~has_truth).sum())


def test_a_margin_is_the_same_slack_whatever_is_left():
    """One rival left among N: the mean's break point is 1 - N whatever the rival scores."""
    for n in (2, 10, 50):
        for gap in (0.1, 5.0):
            values = np.r_[np.zeros(n - 1), -gap]
            assert np.isclose(filtering.break_points(values)[-1], 1 - n)
            assert filtering.margin_points_batch(values, [0, n])[-1] == -gap


def test_probabilities_become_margins_as_scores_grow():
    rng = np.random.default_rng(0)
    score = rng.normal(size=12)
    lat = unigrams([4], 3)
    wanted = prune(lat, 400 * score, -400 * 0.7, rule="margin").keep
    assert np.array_equal(prune(lat, 400 * score, np.exp(-400 * 0.7), rule="probability").keep, wanted)
    _, logs = log_marginals(lat, 400 * score)
    assert 0 < wanted.sum() < 12
    assert (logs[wanted] > -400 * 0.7).all()


def test_ensembles_hold_against_the_sum_of_margins():
    rng = np.random.default_rng(1)
    unary = rng.normal(size=(3, 5, 4))
    best = unary.max(axis=(1, 2))
    for margin in (0.0, 0.4, 3.0):
        filtered = ensemble.filter_states(best, unary, -margin, rule="margin")
        assert np.allclose(filtered.thresholds, best - margin)
        assert np.isclose(filtered.threshold, (best - margin).sum())
        kept = unary.sum(axis=0) > (best - margin).sum()
        kept[~kept.any(axis=1), unary.sum(axis=0)[~kept.any(axis=1)].argmax(axis=1)] = True
        assert np.array_equal(filtered.keep, kept)
    with pytest.raises(ArgumentError, match="rule must be one of max-marginals"):
        ensemble.filter_states(best, unary, 0.1, rule="probability")


@given(seed=SEEDS, margin=st.floats(0.0, 4.0))
def test_lemma_3_for_margins(seed, margin):
    """A labelling whose summed score is over the summed threshold keeps all its states."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(2, 3, 3, 3))  # two models over three variables of three states, by brute force
    others = [tuple(a for a in range(3) if a != v) for v in range(3)]
    tables = np.stack([np.stack([scores[p].max(axis=axes) for axes in others]) for p in range(2)])
    filtered = ensemble.filter_states(scores.reshape(2, -1).max(axis=1), tables, -margin, rule="margin")
    for y in np.ndindex(3, 3, 3):
        if scores[(slice(None), *y)].sum() > filtered.threshold + 1e-9:
            assert filtered.keep[np.arange(3), y].all()


@pytest.mark.parametrize(
    ("rule", "setting", "message"),
    [
        ("margin", 0.5, "margin must be a number from 0.0 to inf, got -0.5"),
        ("probability", 1.5, "probability must satisfy"),
        ("mean_max", 1.5, "alpha must be a number from -inf to 1"),
        ("best", 0.5, "rule must be one of mean_max, mean_max_first, margin, probability, got 'best'"),
        (None, 0.5, "rule must be one of"),
    ],
)
def test_bad_rules_and_settings_are_named(rule, setting, message):
    with pytest.raises(ArgumentError, match=message):
        rules.way_of(rule, setting)


def test_the_first_mean_has_to_be_given():
    with pytest.raises(ArgumentError, match="first_gap must be given where the rule is mean_max_first"):
        prune(unigrams([2], 3), np.arange(6.0), 0.5, rule="mean_max_first")
    with pytest.raises(InfeasibleError):
        filtering.threshold([-np.inf], 0.0, yardstick=1.0)
    with pytest.raises(ArgumentError, match="yardstick"):
        filtering.threshold([0.0, 1.0], 0.0, yardstick=-1.0)
