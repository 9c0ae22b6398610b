"""What is promised of a visitor's file, against counting; and what is said of it."""

import numpy as np
import pytest

from spcviz.problems.own_data.model.promised import promises_of
from spcviz.problems.own_data.page import promise_text
from spcviz.problems.own_data.page.shown import Points, Swept


def half(rng, n):
    event = np.where(rng.random(n) < 0.7, np.inf, rng.normal(size=n) * 0.3)
    event[rng.random(n) < 0.02] = -np.inf
    starts = np.arange(n + 1) * 5
    return Points(event, event, np.minimum(rng.normal(size=5 * n), 1.0), starts, np.full(n, 2))


def swept(n, seed=0):
    rng = np.random.default_rng(seed)
    return Swept(0.0, half(rng, n), half(rng, n))


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
        sentence = promise_text.promise(told)
        assert promise_text.NAMES[told.key] in sentence or told.key == "tuned"
        assert str(told.n) in sentence


@pytest.mark.parametrize("n", [0, 1, 20])
def test_too_few_sentences_are_told(n):
    told = promises_of(swept(n), 0.01)
    assert told[0].allowed == 0
    for promise in told[1:]:
        assert promise.allowed == -1
        assert np.isnan(promise.alpha)
        assert f"takes {promise.needed:.0f} sentences" in promise_text.promise(promise)
    assert [promise.needed for promise in told] == [0, 99, 230]


def test_no_loss_at_all_cannot_be_promised():
    told = promises_of(swept(300), 0.0)
    assert "allow more than 0 %" in promise_text.promise(told[2])
