"""A wrong value of any parameter, and wrong data for any method, is refused by a sentence that names it."""

import copy
import inspect
import warnings
from functools import cache

import numpy as np
import pytest
from scipy import sparse

import spcviz as sp
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.spending import FeatureTiers

NAMED = ArgumentError, ScoreError, ShapeError
Y = [["a", "b", "c", "a", "b"]] * 12
X = [np.eye(4)[["abc".index(label) for label in y]] for y in Y]
TIERS = FeatureTiers(("cheap", "dear"), ([0, 1], [2, 3]), (0, 1))
BUDGET = {"tiers": TIERS, "max_iter": 1, "cv": 2}
ESTIMATORS = {
    "perceptron": (sp.StructuredPerceptron, {"max_iter": 1}),
    "svm": (sp.StructuredSVM, {"max_iter": 1}),
    "crf": (sp.ChainCRF, {"max_iter": 2}),
    "cascade": (sp.CascadeTagger, {"max_iter": 1, "cv": 2, "random_state": 0}),
    "promising": (
        sp.CascadeTagger,
        {"max_iter": 1, "cv": 2, "random_state": 0, "guarantee": "mean", "tolerance": 0.4},
    ),
    "budgeted": (sp.BudgetedTagger, BUDGET),
    "selector": (sp.ModelSelector, BUDGET),
    "envelope": (sp.EnvelopeTagger, BUDGET),
}
WRONG = {
    "an object": object(),
    "an array": np.ones(3),
    "NaN": float("nan"),
    "a text": "x",
    "a list": [],
    "bytes": b"x",
    "complex": 1j,
}  # none of them is valid for any parameter


PARAMETERS = [
    pytest.param(key, name, id=f"{key}-{name}")
    for key, (kind, _) in ESTIMATORS.items()
    for name in inspect.signature(kind.__init__).parameters
    if name != "self"
]


@pytest.mark.parametrize(("key", "name"), PARAMETERS)
@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_a_wrong_value_is_refused_by_the_name_of_its_parameter(key, name, value):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match=name):
        kind(**{**settings, name: value}).fit(X, Y)


BAD_X = {
    "a number": 3,
    "None": None,
    "a text": "the dog",
    "bytes": b"x",
    "a dict": {"a": 1},
    "numbers": [1.0, 2.0],
    "None in it": [*X[:11], None],
    "an object in it": [*X[:11], object()],
    "a text in it": [*X[:11], "abcde"],
    "a number in it": [*X[:11], np.array(3.0)],
    "other columns": [*X[:11], np.ones((5, 3))],
    "NaN in it": [*X[:11], np.full((5, 4), np.nan)],
    "complex in it": [*X[:11], np.ones((5, 4), complex)],
}
BAD_Y = {
    "a number": 3,
    "None": None,
    "a text": "abcab",
    "too few": Y[:3],
    "a short one": [*Y[:11], ["a"]],
    "a set": [*Y[:11], set("abcde")],
    "a dict": [*Y[:11], dict.fromkeys("abcde", 1)],
    "floats": [[0.5] * 5] * 12,
    "one table": [np.ones((5, 2), int)] * 12,
}


@pytest.mark.parametrize("key", ESTIMATORS)
@pytest.mark.parametrize("bad", BAD_X.values(), ids=BAD_X)
def test_wrong_sequences_are_refused_in_training(key, bad):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match="X"):
        kind(**settings).fit(bad, Y)


@pytest.mark.parametrize("key", ESTIMATORS)
@pytest.mark.parametrize("bad", BAD_Y.values(), ids=BAD_Y)
def test_wrong_labels_are_refused_in_training(key, bad):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match="y"):
        kind(**settings).fit(X, bad)


TAGGERS = [key for key, (kind, _) in ESTIMATORS.items() if hasattr(kind, "predict_marginals")]
SPENDERS = [key for key in ESTIMATORS if key not in TAGGERS]


@cache
def fitted(key):
    kind, settings = ESTIMATORS[key]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(**settings).fit(X, Y)


@pytest.mark.parametrize("key", ESTIMATORS)
@pytest.mark.parametrize("bad", BAD_X.values(), ids=BAD_X)
def test_wrong_sequences_are_refused_in_use(key, bad):
    if bad is BAD_X["other columns"] and key == "envelope":
        pytest.skip("the tier that lacks a column is never bought: cheap features make no mistake here")
    model = fitted(key)
    for call in (model.predict, lambda x: model.score(x, Y)):
        with pytest.raises(NAMED, match="X"):
            call(bad)


@pytest.mark.parametrize("key", ESTIMATORS)
@pytest.mark.parametrize("bad", BAD_Y.values(), ids=BAD_Y)
def test_wrong_labels_are_refused_in_use(key, bad):
    model = fitted(key)
    for call in [model.score, *([model.tune] if hasattr(model, "tune") else [])]:
        with pytest.raises(NAMED, match="y"):
            call(X, bad)


WEIGHTS = ["x", 3, [1.0], [-1.0] * 12, [np.nan] * 12, np.ones((12, 2)), [object()] * 12, {1: 2}]


@pytest.mark.parametrize("key", TAGGERS)
@pytest.mark.parametrize("bad", WEIGHTS, ids=map(str, range(len(WEIGHTS))))
def test_wrong_weights_of_sequences_are_refused(key, bad):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match="sample_weight"):
        kind(**settings).fit(X, Y, bad)
    with pytest.raises(NAMED, match="sample_weight"):
        fitted(key).score(X, Y, bad)


GROUPS = [
    "x" * 12,
    3,
    [1],
    [float("nan")] * 12,
    [[1]] * 12,
    set(range(12)),
    dict.fromkeys(range(12)),
    [1] * 12,
]


@pytest.mark.parametrize("key", ["cascade", "promising"])
@pytest.mark.parametrize("bad", GROUPS, ids=map(str, range(len(GROUPS))))
def test_wrong_groups_are_refused(key, bad):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match="groups"):
        kind(**settings).fit(X, Y, groups=bad)


ALLOWED = {
    "a text": "x",
    "a number": 3,
    "too few": [None],
    "a set": set(range(12)),
    "unknown": [[["z"]] * 5] * 12,
    "nothing": [[[]] * 5] * 12,
    "a small mask": [np.ones((2, 2), bool)] * 12,
    "numbers": [np.ones((5, 3))] * 12,
    "texts": [["a"] * 5] * 12,
    "a dict": [dict.fromkeys("abcde", "a")] * 12,
    "dicts": [[{"a": 0.5}] * 5] * 12,
    "booleans": [[[True, False, False]] * 5] * 12,
    "lists": [[[["a"]]] * 5] * 12,
}


@pytest.mark.parametrize("key", TAGGERS)
@pytest.mark.parametrize("bad", ALLOWED.values(), ids=ALLOWED)
def test_labels_that_are_wrongly_allowed_are_refused(key, bad):
    model = fitted(key)
    for call in (model.predict, model.predict_marginals):
        with pytest.raises(NAMED, match="allowed"):
            call(X, allowed=bad)


def test_yes_and_no_are_not_read_as_the_labels_1_and_0():
    tagger = sp.StructuredPerceptron(random_state=0).fit(X, [[int(label == "a") for label in y] for y in Y])
    for bad in ([[[True, False]] * 5] * 12, [np.ones((5, 2), int)] * 12):
        with pytest.raises(NAMED, match=r"allowed\[0\]"):
            tagger.predict(X, allowed=bad)


COUNTS = [0, -1, 1.5, "x", None, True, [1], np.ones(2)]


@pytest.mark.parametrize("key", TAGGERS)
@pytest.mark.parametrize("bad", COUNTS, ids=str)
def test_wrong_counts_are_refused(key, bad):
    model = fitted(key)
    with pytest.raises(NAMED, match="k must"):
        model.predict_k_best(X, bad)
    with pytest.raises(NAMED, match="n_at_a_time must"):
        model.predict_each(X, n_at_a_time=bad)


AMOUNTS = [-1, "x", float("nan"), [1], object(), True, "3", np.ones(2), None]


@pytest.mark.parametrize("key", SPENDERS)
@pytest.mark.parametrize("bad", AMOUNTS, ids=map(str, range(len(AMOUNTS))))
def test_wrong_budgets_are_refused(key, bad):
    model = fitted(key)
    if bad is not None:  # None means no limit, but not in a list of budgets
        for call in (model.predict, model.spend, lambda x, budget: model.score(x, Y, budget)):
            with pytest.raises(NAMED, match="budget must"):
                call(X, bad)
        with pytest.raises(NAMED, match="rate must"):
            model.predict(X, rate=bad)
    with pytest.raises(NAMED, match=r"budgets\[1\] must"):
        model.curve(X, Y, [3, bad])
    if not isinstance(bad, list | np.ndarray):
        with pytest.raises(NAMED, match="budgets must"):
            model.curve(X, Y, bad)


@pytest.mark.parametrize("key", SPENDERS)
def test_a_tier_or_function_that_is_none_is_refused(key):
    for tier, function, said in (
        ("z", len, "tier"),
        (3, len, "tier"),
        ([], len, "tier"),
        ("dear", 3, "function|columns of X"),
    ):
        with pytest.raises(NAMED, match=said):
            fitted(key).attach(tier, function)


SETTINGS = ["x", float("nan"), object(), [0.1] * 5, 2.0, np.ones((2, 2))]


@pytest.mark.parametrize("bad", SETTINGS, ids=map(str, range(len(SETTINGS))))
def test_wrong_settings_of_a_cascade_s_filters_are_refused_and_change_nothing(bad):
    model = fitted("cascade")
    before, filters = model.get_params(), model.cascade_
    with pytest.raises(NAMED, match="alpha"):
        model.filter(X, alpha=bad)
    with pytest.raises(NAMED, match="level must"):
        model.filter(X, level=bad)
    with pytest.raises(NAMED, match="tolerance"):
        model.tune(X, Y, bad)
    if not isinstance(bad, np.ndarray):
        with pytest.raises(NAMED, match="guarantee"):
            model.tune(X, Y, guarantee=bad)
    assert model.get_params() == before
    assert model.cascade_ is filters


def test_labels_that_can_be_read_once_tune_as_lists_do():
    model = fitted("cascade")
    lists = copy.deepcopy(model).tune(X, Y)
    once = copy.deepcopy(model).tune(iter([iter(x) for x in X]), iter([iter(y) for y in Y]))
    assert once.worth_ == lists.worth_
    assert once.levels_ == lists.levels_


def test_a_promise_is_made_of_sparse_matrices_too():
    kind, settings = ESTIMATORS["promising"]
    tables = [sparse.csr_array(x) for x in X]
    of_tables, of_arrays = kind(**settings).fit(tables, Y), fitted("promising")
    assert of_tables.predict(tables) == of_arrays.predict(X)


@pytest.mark.parametrize(
    "bad", [3, "abc", {"a": 1}, [["a"]], [1.5], [None], [True, False], np.array(3)], ids=str
)
def test_wrong_classes_are_refused(bad):
    with pytest.raises(NAMED, match="classes"):
        sp.StructuredPerceptron().partial_fit(X, Y, classes=bad)


@pytest.mark.parametrize("bad", [None, 3, "", [], object(), b"x"], ids=lambda bad: type(bad).__name__)
def test_a_folder_that_is_no_path_is_refused(bad):
    with pytest.raises(ArgumentError, match="folder must be a path"):
        sp.save(fitted("perceptron"), bad)
    with pytest.raises(ArgumentError, match="folder must be a path"):
        sp.load(bad)
