"""The parameter random_state of every estimator: accepted values, and a sentence for all others."""

import numpy as np
import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError
from spcviz.learning.estimators import generator
from tests.io.test_every_estimator import MADE, data  # noqa: F401


@pytest.mark.parametrize(
    "bad", ["a", -1, 1.5, True, [1, 2], {}, object()], ids=lambda bad: type(bad).__name__
)
def test_what_is_no_random_state_is_named(bad):
    with pytest.raises(
        ArgumentError, match="random_state must be None, a whole number from 0 or a numpy gen"
    ):
        generator(bad)


@pytest.mark.parametrize("name", [name for name in MADE if name != "ChainCRF"])
def test_every_estimator_refuses_by_a_sentence_and_takes_scikit_learn_s_older_kind(name, data):  # noqa: F811
    X, y = data
    with pytest.raises(ArgumentError, match="random_state must be None"):
        MADE[name]().set_params(random_state="a").fit(X, y)
    one, other = (
        MADE[name]().set_params(random_state=np.random.RandomState(3)).fit(X, y).predict(X) for _ in range(2)
    )
    assert [list(labels) for labels in one] == [list(labels) for labels in other]


def test_a_crf_that_goes_on_refuses_by_a_sentence():
    with pytest.raises(ArgumentError, match="random_state must be None"):
        sp.ChainCRF(random_state="a").partial_fit([[["a"]]], [["x"]], ["x"])
