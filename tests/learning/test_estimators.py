"""Parameters under scikit-learn's names: old names work, warn, and are read from stored models.

Threads of a tagger alongside those of the library that multiplies matrices.
"""

import json
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_info

import spcviz as sp
from spcviz.engine.errors import ArgumentError
from spcviz.learning.estimators import current_names, in_threads
from spcviz.spending import BudgetedTagger, EnvelopeTagger, FeatureTiers, ModelSelector

TIERS = FeatureTiers(("free", "dear"), [[0], [1]], (0.0, 1.0))
OLD = {
    "perceptron": (sp.StructuredPerceptron, {"passes": ("max_iter", 3)}),
    "svm": (sp.StructuredSVM, {"passes": ("max_iter", 3), "rate": ("learning_rate", 0.25)}),
    "crf": (sp.ChainCRF, {"rate": ("learning_rate", 0.25)}),
    "cascade": (
        sp.CascadeTagger,
        {"passes": ("max_iter", 3), "rate": ("learning_rate", 2.0), "hold_out": ("cv", 2)},
    ),
    "budgeted": (BudgetedTagger, {"passes": ("max_iter", 3), "folds": ("cv", 2)}),
    "selector": (ModelSelector, {"passes": ("max_iter", 3), "folds": ("cv", 2)}),
    "envelope": (EnvelopeTagger, {"passes": ("max_iter", 3), "folds": ("cv", 2)}),
}
CASES = [(kind, old, *new) for kind, names in OLD.values() for old, new in names.items()]


def made(kind, **more):
    return kind(TIERS, **more) if hasattr(kind, "spend") else kind(**more)


@pytest.mark.parametrize(("kind", "old", "new", "value"), CASES)
def test_an_old_name_warns_and_is_the_new_one(kind, old, new, value):
    says = f"{old} is called {new} now"
    with pytest.warns(FutureWarning, match=says) as caught:
        estimator = made(kind, **{old: value})
    assert caught[0].filename == __file__, "the warning points at who wrote the old name"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert estimator.get_params()[new] == value
        assert old not in estimator.get_params()
        assert clone(estimator).get_params()[new] == value
        assert repr(made(kind, **{new: value})) == repr(estimator)
    with pytest.warns(FutureWarning, match=says):
        assert getattr(estimator, old) == value
    with pytest.warns(FutureWarning, match=says):
        estimator.set_params(**{old: 4})
    assert estimator.get_params()[new] == 4
    with pytest.warns(FutureWarning, match=says):
        setattr(estimator, old, 5)
    assert getattr(estimator, new) == 5
    with pytest.raises(TypeError, match=f"{kind.__name__} has {new}, which {old} was called before"):
        made(kind, **{old: 1, new: 2})
    with pytest.raises(TypeError, match="epochs"):
        made(kind, epochs=3)


def test_searches_take_old_names_too():
    X, y = [[["a"], ["b"]]] * 8, [["A", "B"]] * 8
    with pytest.warns(FutureWarning, match="passes is called max_iter"):
        search = GridSearchCV(sp.StructuredPerceptron(random_state=0), {"passes": [1, 2]}, cv=2).fit(X, y)
    assert search.best_params_["passes"] == 1


def test_models_that_were_stored_with_old_names_are_read_without_a_word():
    X, y = [[["a"], ["b"]]] * 8, [["A", "B"]] * 8
    tagger = sp.StructuredSVM(max_iter=3, learning_rate=0.25, random_state=0).fit(X, y)
    state = tagger.to_state()
    params = json.loads(state.params)["dict"]
    old = {"max_iter": "passes", "learning_rate": "rate"}
    older = {"dict": [[old.get(name, name), value] for name, value in params if name != "fit_intercept"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = sp.StructuredSVM.from_state(state._replace(params=json.dumps(older)))
    assert again.get_params() == tagger.get_params()
    assert np.array_equal(again.state_weights_, tagger.state_weights_)
    with pytest.raises(ArgumentError, match="params must be some of"):
        sp.StructuredSVM.from_state(state._replace(params=json.dumps({"dict": [["epochs", 3]]})))
    assert current_names(dict, {"passes": 1}) == {"passes": 1}


def _blas_threads(*_):
    np.ones((2, 2)) @ np.ones((2, 2))
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_each_thread_multiplies_matrices_alone_and_afterwards_all_is_as_before():
    before = _blas_threads()
    inside = in_threads(_blas_threads, [(0,), (1,)], 2)
    assert inside == [[1] * len(before)] * 2
    assert _blas_threads() == before


def test_alone_it_leaves_the_library_as_it_was():
    assert in_threads(_blas_threads, [(0,), (1,)], 1) == [_blas_threads()] * 2
