"""Curves over alpha against pruning again at each alpha, on real words and a tiny cascade."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.engine.thresholds.rule import ALPHA_CAP
from spcviz.learning.cascade.bounds import theorem_1
from spcviz.learning.cascade.cascade import CascadeConfig, filter_examples, survives, train_cascade
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import sweep
from spcviz.problems.letters.model.cascade import OcrModel, OcrSettings, letter_features

CONFIG = CascadeConfig(tolerances=(0.05, 0.05, 0.05), filter_epochs=3, predictor_epochs=1, parts=2)
TRAIN, TEST = np.arange(0, 6000, 20), np.arange(6000, 6800, 20)


@pytest.fixture(scope="module")
def tiny():
    """A cascade of three levels from 300 words, and its levels over all alphas on 40 others."""
    words, settings = handwriting.load_words(), OcrSettings("raw", CONFIG)
    rows, lengths = handwriting.rows_of(words, TRAIN)
    features = DenseRows(letter_features(settings, None, words.pixels[rows]))
    trained = train_cascade(features, words.labels[rows], lengths, 26, CONFIG, np.random.default_rng(0))
    model = OcrModel(settings, trained.cascade, None, 0, trained.held_out)
    return model, sweep.sweep_levels(model, chosen=TEST)


def pruned_at(model, level, alpha):
    """The level's filter step at an alpha, by running the cascade; features and labels of the test words."""
    words = handwriting.load_words()
    rows, lengths = handwriting.rows_of(words, TEST)
    features = DenseRows(letter_features(model.settings, None, words.pixels[rows]))
    alphas = [lev.alpha for lev in model.cascade.levels[: level - 1]] + [alpha]
    *_, step = filter_examples(model.cascade, features, lengths, level, alphas)
    return step, features, words.labels[rows]


def value_at(curve, alpha):
    return curve.value[np.searchsorted(curve.alpha, alpha, side="right") - 1]


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.13, 0.5, 0.91, 1.0])
def test_losses_are_those_of_pruning_at_that_alpha(tiny, level, alpha):
    model, levels = tiny
    losses = sweep.losses_at(levels[level - 1], "test", alpha)
    step, _, labels = pruned_at(model, level, min(alpha, ALPHA_CAP))
    lattice, keep = step.lattice, step.pruned.keep
    before, after = survives(lattice, np.ones_like(keep), labels), survives(lattice, keep, labels)
    assert losses.n_words == before.sum()
    assert losses.n_event == (before & ~after).sum()
    assert losses.event == pytest.approx((before & ~after).sum() / before.sum())
    assert losses.cumulative_event == pytest.approx(1 - after.mean())
    shares = [
        keep[a:b].mean() for a, b in zip(lattice.example_start[:-1], lattice.example_start[1:], strict=True)
    ]
    assert losses.efficiency == pytest.approx(np.mean(shares), abs=1e-12)
    assert losses.n_grams_in == pytest.approx(lattice.n_arcs / lattice.col_start[-1])
    assert losses.n_grams_kept == pytest.approx(keep.sum() / lattice.col_start[-1])
    assert losses.by_definition >= losses.event
    low, high = losses.event_range
    assert low <= losses.event <= high


@pytest.mark.parametrize("level", [1, 2, 3])
def test_curves_agree_with_losses_everywhere(tiny, level):
    swept = tiny[1][level - 1]
    for curve, name in (
        (swept.curves.test.event, "event"),
        (swept.curves.test.by_definition, "by_definition"),
    ):
        assert curve.alpha[0] <= 0
        assert curve.value[0] == 0
        assert (np.diff(curve.value) >= 0).all()
        for alpha in [*curve.alpha[:-1], *(curve.alpha[1:] + curve.alpha[:-1]) / 2]:
            if alpha < ALPHA_CAP:
                expected = getattr(sweep.losses_at(swept, "test", float(alpha)), name)
                assert value_at(curve, alpha) == pytest.approx(expected)
    efficiency = swept.curves.test.efficiency
    assert (np.diff(efficiency.value) <= 1e-15).all()
    for alpha, value in zip(efficiency.alpha, efficiency.value, strict=True):
        if alpha < ALPHA_CAP:
            assert value == pytest.approx(sweep.losses_at(swept, "test", float(alpha)).efficiency)


def test_development_efficiency_is_read_off_the_stored_steps(tiny):
    for swept in tiny[1]:
        stored = swept.dev
        for step in range(len(stored.alpha) - 1):
            for alpha in (stored.alpha[step], np.mean(stored.alpha[step : step + 2])):
                if alpha < ALPHA_CAP:
                    assert sweep.losses_at(swept, "dev", float(alpha)).efficiency == stored.efficiency[step]


def test_long_curves_are_exact_where_losses_are_low():
    points = np.random.default_rng(0).random(5000)
    whole = sweep.step_curves.curve(points, np.full(5000, 1 / 5000))
    drawn = sweep._thin_drawn(whole)
    is_low = whole.value <= 0.05
    assert len(drawn.alpha) < 1000
    np.testing.assert_array_equal(drawn.alpha[: is_low.sum()], whole.alpha[is_low])
    assert (np.diff(drawn.alpha) > 0).all()
    for alpha, value in zip(drawn.alpha, drawn.value, strict=True):
        assert value_at(whole, alpha) == value


@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_alpha_of_training_is_the_one_of_its_tolerance(tiny, level):
    swept = tiny[1][level - 1]
    alpha = sweep.alpha_for(swept, swept.curves.tolerance)
    assert alpha == swept.curves.tuned_alpha
    assert sweep.losses_at(swept, "dev", alpha).event <= swept.curves.tolerance


@pytest.mark.parametrize("by_definition", [False, True])
def test_a_larger_alpha_would_break_the_tolerance(tiny, by_definition):
    for swept in tiny[1]:
        for tolerance in (0.0, 0.02, 0.1, 0.5):
            alpha = sweep.alpha_for(swept, tolerance, by_definition=by_definition)
            name = "by_definition" if by_definition else "event"
            assert getattr(sweep.losses_at(swept, "dev", alpha), name) <= tolerance
            more = sweep.losses_at(swept, "dev", min(alpha + 1e-6 * max(1.0, 1.0 - alpha), 1.0))
            assert getattr(more, name) > tolerance or alpha == ALPHA_CAP


def test_a_chosen_alpha_overrides_the_tolerance(tiny):
    choice = sweep.choose(tiny[1][1], 0.05, alpha=0.7)
    assert choice.alpha == 0.7
    assert choice.test == sweep.losses_at(tiny[1][1], "test", 0.7)
    with pytest.raises(ArgumentError, match="alpha must"):
        sweep.choose(tiny[1][1], 0.05, alpha=1.5)
    with pytest.raises(ArgumentError, match="tolerance must"):
        sweep.choose(tiny[1][1], -0.1)


def test_margin_losses_against_the_definition(tiny):
    """Equations (4.11) and (4.12) from max-marginals and scores, word by word."""
    model, levels = tiny
    for level, swept in enumerate(levels, start=1):
        alpha = 0.4
        terms = sweep.bound(swept, alpha, margin_share=0.5)
        step, features, labels = pruned_at(model, level, alpha)
        lattice, pruned = step.lattice, step.pruned
        linear = model.cascade.levels[level - 1].filter
        unary = unary_scores(features, linear.weights)
        truth = sweep.score_labels(lattice, unary, linear.table, labels)
        alive = survives(lattice, np.ones_like(pruned.keep), labels)
        filter_losses, efficiency_losses = [], []
        for w in range(len(TEST)):
            a, b = lattice.example_start[w : w + 2]
            values = pruned.values[a:b]
            tau = alpha * values.max() + (1 - alpha) * values.mean()
            if alive[w]:
                filter_losses.append(ramp(truth[w] - tau, terms.margin))
            efficiency_losses.append(np.mean([ramp(tau - value, terms.margin) for value in values]))
        assert terms.filter_loss.empirical == pytest.approx(np.mean(filter_losses), abs=1e-9)
        assert terms.efficiency_loss.empirical == pytest.approx(np.mean(efficiency_losses), abs=1e-9)
        assert terms.n_samples == alive.sum()
        assert terms.n_assignments == np.diff(lattice.example_start).max()


def ramp(gap, margin):
    return 1.0 if gap < 0 else max(0.0, 1.0 - gap / margin)


def test_the_bound_is_the_sum_of_its_terms_and_says_when_it_is_vacuous(tiny):
    for swept in tiny[1]:
        terms = sweep.bound(swept, 0.3)
        for loss in (terms.filter_loss, terms.efficiency_loss):
            assert loss.total == pytest.approx(loss.empirical + loss.complexity + loss.confidence)
            assert loss.empirical >= loss.measured - 1e-12
            assert loss.is_vacuous == (loss.total >= 1)
        again = theorem_1(
            terms.filter_loss.empirical,
            n_samples=terms.n_samples,
            n_assignments=terms.n_assignments,
            n_factors=terms.n_factors,
            norm=terms.norm,
            margin=terms.margin,
        )
        assert again.total == pytest.approx(terms.filter_loss.total)
        if np.isfinite(again.samples_needed):
            assert not theorem_1(
                terms.filter_loss.empirical,
                n_samples=int(again.samples_needed * 1.01),
                n_assignments=terms.n_assignments,
                n_factors=terms.n_factors,
                norm=terms.norm,
                margin=terms.margin,
            ).is_vacuous


def test_no_factor_is_longer_than_the_norm_says(tiny):
    """|w . f_c| <= B for every n-gram of every word, since f_c has norm at most 1 in the bound's scale."""
    model, levels = tiny
    for level, swept in enumerate(levels, start=1):
        step, _, _ = pruned_at(model, level, 0.3)
        norm = sweep.bound(swept, 0.3).norm
        assert np.abs(step.arc_score[np.isfinite(step.arc_score)]).max() <= norm


def test_exact_interval_covers():
    """At its ends the tails have exactly the required probability."""
    from scipy.stats import binom

    low, high = sweep.exact_interval(4, 615)
    assert binom.sf(3, 615, low) == pytest.approx(0.025)
    assert binom.cdf(4, 615, high) == pytest.approx(0.025)
    assert sweep.exact_interval(5, 5)[1] == 1


def test_filters_are_tuned_on_development_words():
    dev = {"method": "spc", "split": "dev", "alpha": [0.1, 0.2, 0.3], "filter_loss": [0.0, 1.0, 2.0]}
    test = {"method": "spc", "split": "test", "alpha": [0.15, 0.25], "filter_loss": [0.5, 3.0]}
    dev["efficiency_loss"], test["efficiency_loss"] = [50.0, 40.0, 30.0], [45.0, 35.0]
    (tuned,) = sweep.tuned_on_dev([dev, test], 1.0)
    assert tuned["alpha"] == 0.2
    assert (tuned["dev_filter_loss"], tuned["dev_efficiency_loss"]) == (1.0, 40.0)
    assert (tuned["test_filter_loss"], tuned["test_efficiency_loss"]) == (0.5, 45.0)
    (tuned,) = sweep.tuned_on_dev([dev | {"filter_loss": [3.0, 4.0, 5.0]}, test], 1.0)
    assert tuned["alpha"] is None
    assert sweep.tuned_on_dev([dev], 1.0) == []
