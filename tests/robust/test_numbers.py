"""True in place of a number, and numbers that training cannot take: refused by the parameter's name."""

import inspect
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import spcviz as sp
from spcviz.engine import checks
from spcviz.spending import FeatureTiers
from tests.robust.test_parameters import BUDGET, ESTIMATORS, NAMED, TAGGERS, X, Y, fitted

NO_NUMBERS = {"random_state", "verbose"}  # a seed may be any size; True is common for `verbose`
SWITCHES = {"fit_intercept"} | {
    name
    for kind, _ in ESTIMATORS.values()
    for name, parameter in inspect.signature(kind).parameters.items()
    if isinstance(parameter.default, bool)
}
ABSURD = {"1e300": 1e300, "-1e300": -1e300, "inf": np.inf, "more than a float": 10**400, "2e15": 2e15}
YES = {"True": True, "np.True_": np.True_, "False": False}
IN_TRAINING = [
    pytest.param(key, name, value, id=f"{key}-{name}-{what}")
    for key, (kind, _) in ESTIMATORS.items()
    for name in inspect.signature(kind).parameters
    for what, value in {**ABSURD, **({} if name in SWITCHES else YES)}.items()
    if name not in NO_NUMBERS
]


@pytest.mark.parametrize(("key", "name", "value"), IN_TRAINING)
def test_absurd_numbers_and_switches_are_refused_in_training(key, name, value):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match=name):
        kind(**{**settings, name: value}).fit(X, Y)


@pytest.mark.parametrize("key", TAGGERS)
@pytest.mark.parametrize("weight", [1e300, 2e15, True], ids=str)
def test_a_label_s_weight_is_a_number_that_training_can_take(key, weight):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match=r"class_weight\['a'\] must be a number from 0 to 1e\+15, got"):
        kind(**{**settings, "class_weight": {"a": weight}}).fit(X, Y)


@pytest.mark.parametrize("key", TAGGERS)
@pytest.mark.parametrize("weight", [1e300, 2e15])
def test_a_sequence_s_weight_is_a_number_that_training_can_take(key, weight):
    kind, settings = ESTIMATORS[key]
    with pytest.raises(NAMED, match=r"sample_weight\[3\] must be at most 1e\+15, got"):
        kind(**settings).fit(X, Y, [1.0] * 3 + [weight] + [1.0] * 8)


@pytest.mark.parametrize("key", ["perceptron", "crf"])
def test_a_token_s_weight_is_a_number_that_training_can_take(key):
    kind, settings = ESTIMATORS[key]
    heavy = [[1.0] * 5 for _ in Y]
    heavy[2][4] = 1e300
    with pytest.raises(NAMED, match=r"token_weight\[2\]\[4\] must be at most 1e\+15, got 1e\+300"):
        kind(**settings).fit(X, Y, token_weight=heavy)


@pytest.mark.parametrize("key", ["perceptron", "svm", "crf", "cascade"])
def test_what_is_taken_at_its_most_trains_to_finite_scores(key):
    kind, settings = ESTIMATORS[key]
    most = checks.MAX_STRENGTH
    given = {"class_weight": {"a": most}} | ({"margin": most} if key == "svm" else {})
    with np.errstate(over="raise", invalid="raise"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # two iterations are not enough, as usual
        tagger = kind(**{**settings, **given}).fit(X, Y, [most] * 12)
    assert np.isfinite(tagger.score(X, Y))
    assert all(np.isfinite(scores).all() for scores in tagger.predict_marginals(X))


SEQUENCES = sp.from_emissions(
    [np.random.default_rng(i).normal(size=(4, 3)) for i in range(6)], np.zeros((3, 3))
)
LATTICES = SEQUENCES.prune(0.0)
TRUTH = [[0, 1, 2, 0]] * 6
WRONG = {
    **YES,
    "a list with True": [True, 0.5, 0.5, 0.5, 0.5, 0.5],
    "an array of bool": np.ones(6, bool),
    "NaN": np.nan,
    "inf": np.inf,
    "1e301": 1e301,
    "more than a float": 10**400,
    "a text": "x",
}
DOORS = {
    "prune, alpha": ("alpha", lambda value: SEQUENCES.prune(value)),
    "prune, margin": ("margin", lambda value: SEQUENCES.prune(margin=value)),
    "prune, probability": ("probability", lambda value: SEQUENCES.prune(probability=value)),
    "lattices, alpha": ("alpha", lambda value: LATTICES.prune(value)),
    "lattices, margin": ("margin", lambda value: LATTICES.prune(margin=value)),
    "lattices, probability": ("probability", lambda value: LATTICES.prune(probability=value)),
    "lattices, max_arcs": ("max_arcs", lambda value: LATTICES.prune(0.0, max_arcs=value)),
    "lattices, rescore": ("ngram_scores", lambda value: LATTICES.rescore({(0, 1): value})),
    "tune, tolerance": ("tolerance", lambda value: SEQUENCES.tune(TRUTH, value)),
    "tune, guarantee": ("guarantee", lambda value: SEQUENCES.tune(TRUTH, 0.1, guarantee=value)),
    "verdict, tolerance": ("tolerance", lambda value: SEQUENCES.verdict(TRUTH, value)),
    "verdict, seed": ("seed", lambda value: SEQUENCES.verdict(TRUTH, seed=value)),
    "k_best": ("k must", lambda value: SEQUENCES.k_best(value)),
    "witness, i": ("i must", lambda value: SEQUENCES.witness(value, 0, 0)),
    "witness, position": ("position", lambda value: SEQUENCES.witness(0, value, 0)),
    "take": ("numbers", lambda value: SEQUENCES.take([value])),
    "show, alpha": ("alpha", lambda value: SEQUENCES.show(0, alpha=value)),
    "from_emissions, lengths": (
        "lengths",
        lambda value: sp.from_emissions(
            np.zeros((6, 3)), lengths=value if np.ndim(value) else [value, 1, 1, 1, 1, 1]
        ),
    ),
    "filter, alpha": ("alpha", lambda value: fitted("cascade").filter(X, alpha=value)),
    "filter, level": ("level", lambda value: fitted("cascade").filter(X, level=value)),
    "cascade, tolerance": ("tolerance", lambda value: fitted("cascade").tune(X, Y, value)),
    "cascade, guarantee": ("guarantee", lambda value: fitted("cascade").tune(X, Y, guarantee=value)),
    "tiers, costs": ("tiers.costs", lambda value: buy((0, value))),
    "tiers, columns": ("tiers.columns", lambda value: buy((0, 1), [2, value])),
}


def buy(costs, columns=(2, 3)):
    tiers = FeatureTiers(("cheap", "dear"), ([0, 1], columns), costs)
    return sp.BudgetedTagger(**{**BUDGET, "tiers": tiers}).fit(X, Y)


@pytest.mark.parametrize(("name", "call"), DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_what_is_no_number_is_refused_by_name(name, call, value):
    with pytest.raises(NAMED, match=name):
        call(value)


@pytest.mark.parametrize("key", ["budgeted", "selector", "envelope"])
def test_a_budget_beyond_all_floats_is_refused_and_infinity_buys_everything(key):
    model = fitted(key)
    with pytest.raises(NAMED, match="budget must be a number from 0 to inf"):
        model.predict(X, 10**400)
    for all_bought, without_limit in zip(model.predict(X, np.inf), model.predict(X), strict=True):
        assert np.array_equal(all_bought, without_limit)


@pytest.mark.parametrize("value", ["no", 2, np.nan, np.ones(2)], ids=str)
def test_whether_it_is_by_definition_is_yes_or_no(value):
    with pytest.raises(NAMED, match="by_definition must be True or False"):
        SEQUENCES.tune(TRUTH, 0.1, by_definition=value)


def test_one_sentence_names_the_parameter_the_value_and_what_it_can_be():
    with pytest.raises(NAMED, match=r"^margin must be a number from 0 to 1e\+15, got 1e\+300$"):
        sp.StructuredSVM(margin=1e300).fit(X, Y)
    with pytest.raises(NAMED, match=r"^alpha must be a number, or an array of numbers, got True$"):
        fitted("cascade").filter(X, alpha=True)
    with pytest.raises(NAMED, match=r"^lengths must be an array of whole numbers, got \[True, 5\]$"):
        sp.from_emissions(np.zeros((6, 3)), lengths=[True, 5])
