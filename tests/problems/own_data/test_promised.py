"""Guarantees on a visitor's file against counting, and the sentences about them."""

from types import SimpleNamespace

import numpy as np
import pytest

from spcviz.problems.own_data.page import answers, live
from spcviz.problems.own_data.page import text as say
from spcviz.problems.own_data.shown import Points, Report, Swept
from spcviz.shared.verdict import filter_verdict


def half(rng, n):
    event = np.where(rng.random(n) < 0.7, np.inf, rng.normal(size=n) * 0.3)
    event[rng.random(n) < 0.02] = -np.inf
    starts = np.arange(n + 1) * 5
    return Points(event, event, np.minimum(rng.normal(size=5 * n), 1.0), starts, np.full(n, 2))


def swept(n, seed=0):
    rng = np.random.default_rng(seed)
    return Swept(0.0, half(rng, n), half(rng, n))


def promises_of(level, tolerance):
    dev, test = level.dev, level.test
    return filter_verdict.check_guarantees(
        dev.event, test.event, test.points, int(test.n_columns.sum()), tolerance
    )


def test_promises_allow_less_the_more_they_say():
    tuned, mean, certain = promises_of(swept(500), 0.05)
    alive = swept(500).dev.event
    alive = alive[alive > -np.inf]
    assert tuned.allowed == int(0.05 * len(alive)) >= mean.allowed > certain.allowed >= 0
    assert tuned.alpha >= mean.alpha >= certain.alpha
    assert tuned.kept <= mean.kept <= certain.kept
    for told in (tuned, mean, certain):
        assert (alive <= told.alpha).sum() <= told.allowed
        assert 0 <= told.lost < 0.15
        sentence = filter_verdict.promise(told)
        assert filter_verdict.NAMES[told.key] in sentence or told.key == "tuned"
        assert str(told.n) in sentence


@pytest.mark.parametrize("n", [0, 1, 20])
def test_too_few_sentences_are_told(n):
    told = promises_of(swept(n), 0.01)
    assert told[0].allowed == 0
    for promise in told[1:]:
        assert promise.allowed == -1
        assert np.isnan(promise.alpha)
        assert f"takes {promise.needed:.0f} sentences" in filter_verdict.promise(promise)
    assert [promise.needed for promise in told] == [0, 99, 230]


def test_no_loss_at_all_cannot_be_promised():
    told = promises_of(swept(300), 0.0)
    assert "allow more than 0 %" in filter_verdict.promise(told[2])


def report(n, level, n_unknown=0):
    """A report with a given first level; the first `n_unknown` development sequences hold unseen labels."""
    level.dev.event[:] = np.where(np.isneginf(level.dev.event), 0.5, level.dev.event)
    level.dev.event[:n_unknown] = -np.inf
    numbers, empty = np.arange(n), np.zeros(0, dtype=np.int64)
    trained = {"n_train": 9, "n_train_tokens": 9, "n_features": 9, "cpu_seconds": 1.0, "n_grown": 3.0}
    return Report(
        labels=("A", "B", "C", "D"),
        dev=numbers,
        test=n + numbers,
        starts=np.arange(2 * n + 1),
        truth=empty,
        guess=empty,
        sure=empty.astype(float),
        levels=(level, level),
        by_marginals=level,
        has_probabilities=True,
        **trained,
    )


def verdict(n, tolerance, n_unknown=0):
    of = report(n, swept(n, 3), n_unknown)
    return answers.verdict_of(of, tolerance, live.compare_rules(of, tolerance)[1], None)


def test_the_verdict_ends_with_what_is_guaranteed_of_other_sentences():
    told = verdict(500, 0.05)
    last = filter_verdict.describe_verdict(told).split("\n\n")[-1]
    assert last.startswith("**Guaranteed beyond this file:** nothing by the tuned threshold. ")
    for promise in told.promises[1:]:
        assert promise.allowed >= 0
        assert f"Promised {filter_verdict.NAMES[promise.key]}: other sentences lose at most 5 %" in last
        assert f"of which {promise.allowed} may be lost. α = {promise.alpha:.3f}" in last
    assert told.promises == live.promises(report(500, swept(500, 3)), 1, 0.05)
    assert "not seen" not in last


def test_the_verdict_says_how_many_sentences_a_guarantee_takes():
    last = filter_verdict.describe_verdict(verdict(60, 0.02)).split("\n\n")[-1]
    assert (
        "A loss of 2 % with 90 % certainty takes 114 sentences to choose thresholds on; here are 60." in last
    )
    assert "on average: other sentences lose at most 2 %" in last
    assert filter_verdict.describe_verdict(verdict(60, 0.0)).count("cannot be promised") == 2


def test_sentences_with_labels_not_seen_are_left_out_of_the_guarantee_and_told():
    told = verdict(200, 0.05, n_unknown=7)
    assert [promise.n for promise in told.promises] == [193] * 3
    assert (
        "Of the 200 sentences for choosing, 7 hold a label that training has not seen"
        in filter_verdict.describe_verdict(told)
    )


def test_a_level_says_which_sentences_it_does_not_count():
    at = SimpleNamespace(
        n_event=6, n_words=213, event=0.028, event_range=(0.01, 0.06), efficiency=0.6, n_grams_in=18.0,
        n_grams_kept=10.8,
    )  # fmt: skip
    choice = SimpleNamespace(dev=at, test=at, tolerance=0.05, alpha=-0.1)
    assert "Not counted" not in say.describe_sweep(1, "labels", choice, False, 213)
    assert say.describe_sweep(1, "labels", choice, False, 214).endswith(
        "Not counted: 1 sentence with a label missing or unknown to the model."
    )
    assert "2 sequences whose truth fell at a level before" in say.describe_sweep(
        2, "pairs", choice, True, 215
    )
