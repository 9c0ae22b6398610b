"""One promise for a whole cascade: by simulation with losses that are not monotone, and on real words."""

import itertools
import math

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.learning.cascade import retuning
from spcviz.learning.cascade.cascade import filter_examples, survives
from spcviz.learning.cascade.config import CascadeConfig
from spcviz.learning.cascade.features import DenseRows
from spcviz.learning.cascade.retuning import check_guarantees, retune, with_rule
from tests.learning.cascade.test_cascade import TEST, TRAIN, train

FACTORS = retuning.FACTORS


def population(rng, n=5000):
    """Whether each example is lost at each factor: three levels, the last of which may lose fewer again."""
    size = rng.gamma(0.6, 0.4, (n, 3, 1))
    lost = size > np.array(FACTORS)
    again = rng.random((n, 1)) < 0.3  # after harder filters the last level may keep what it lost before
    lost[:, 2] &= ~(again & (np.array(FACTORS) < 0.5))
    return lost.any(axis=1)


@pytest.mark.parametrize(("n", "tolerance"), [(80, 0.1), (300, 0.05)])
def test_promises_of_whole_cascades_hold_over_a_thousand_draws(n, tolerance):
    rng = np.random.default_rng(5)
    lost = population(rng)
    assert (np.diff(lost.astype(int), axis=1) < 0).any()  # losses are not monotone
    shares = {"mean": [], 0.9: []}
    at = {retuning.settings_at("margin", (-1.0,), factor): j for j, factor in enumerate(FACTORS)}
    for _ in range(1000):
        order = rng.permutation(len(lost))
        drawn, rest = lost[order[:n]], lost[order[n:]]
        for guarantee, losses in shares.items():
            chosen = retuning.choose(
                "margin", (-1.0,), n, lambda s, some, drawn=drawn: drawn[some, at[s]], tolerance, guarantee
            )
            losses.append(rest[:, FACTORS.index(chosen.factor)].mean())
    assert np.mean(shares["mean"]) <= tolerance + 3 * np.std(shares["mean"]) / math.sqrt(1000)
    assert np.mean(np.array(shares[0.9]) > tolerance) <= 0.1 + 3 * 0.0095
    assert np.mean(shares["mean"]) > 0.2 * tolerance  # not by pruning nothing


def test_what_no_factor_keeps_is_told():
    with pytest.raises(InfeasibleError, match="20 of 20 calibration examples are lost at thresholds 8 times"):
        retuning.choose("margin", (-1.0,), 20, lambda s, some: np.ones(len(some), bool), 0.5, "mean")
    with pytest.raises(ArgumentError, match="factors must fall"):
        retuning.choose(
            "margin", (-1.0,), 20, lambda s, some: np.zeros(len(some), bool), 0.5, None, (1.0, 2.0)
        )


CONFIG = CascadeConfig(
    tolerances=(0.1, 0.05, 0.05), filter_epochs=3, predictor_epochs=2, parts=3, max_arcs=20_000
)


@pytest.fixture(scope="module", params=["mean_max", "margin", "mean_max_first", "probability"])
def cascade(request):
    from dataclasses import replace

    return train(replace(CONFIG, rule=request.param)).cascade


def lost_of(cascade, data):
    features, labels, lengths = data
    out = np.zeros(len(lengths), dtype=bool)
    for step in filter_examples(cascade, features, lengths):
        out |= ~survives(step.lattice, step.pruned.keep, labels)
    return out


def test_cascades_are_trained_and_tuned_by_every_rule(cascade):
    assert lost_of(cascade, TEST).mean() < 0.5
    again = retune(cascade, cascade.pruned_by, *TEST, (0.05, 0.05, 0.05))
    assert lost_of(again, TEST).sum() <= 3 * np.ceil(0.05 * len(TEST[2]))
    mild = with_rule(
        again,
        cascade.pruned_by,
        retuning.settings_at(cascade.pruned_by, [x.alpha for x in again.levels], 2.0),
    )
    assert lost_of(mild, TEST).sum() <= lost_of(again, TEST).sum()


def test_a_promise_holds_on_the_words_that_it_was_chosen_on(cascade):
    features, labels, lengths = TEST
    starts = np.concatenate([[0], np.cumsum(lengths)])
    each = [DenseRows(features.values[a:b]) for a, b in itertools.pairwise(starts)]
    tuned, chosen = check_guarantees(cascade, each, labels, lengths, 0.3, "mean")
    assert lost_of(tuned, TEST).sum() <= chosen.allowed
    with pytest.raises(InfeasibleError, match="takes at least"):
        check_guarantees(cascade, each, labels, lengths, 0.001, 0.9)
    assert len(TRAIN[2]) == 400
