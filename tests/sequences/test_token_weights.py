"""`token_weight` and `class_weight`: how much a token counts, in which taggers, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

import spcviz as sp
from spcviz.engine.errors import ArgumentError, ShapeError
from tests.sequences.data import sentences

X, Y = sentences(60)
XT, YT = sentences(60, seed=1)
MAKERS = {
    "perceptron": lambda **more: sp.StructuredPerceptron(random_state=0, **more),
    "crf": lambda **more: sp.ChainCRF(c2=0.1, random_state=0, **more),
}
both = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def of_tags(weights):
    return [[weights.get(tag, 1.0) for tag in y] for y in Y]


def same(one, other):
    for a, b in zip(one.predict_marginals(XT), other.predict_marginals(XT)):
        assert_allclose(a, b, atol=1e-3)


def test_sequences_of_one_token_are_scikit_learns_logistic_regression():
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=(300, 3)), rng.choice([0.0, 0.3, 5.0], 300)
    y = (x @ [1.0, -1.0, 0.5] + rng.normal(size=300) > 1).astype(int)
    theirs = LogisticRegression(C=1.0, tol=1e-9, max_iter=1000).fit(x, y, sample_weight=weights)
    # a weight per label, +w/2 and -w/2, whose squares sum to half of w's; their intercept is not pulled to 0
    tagger = sp.ChainCRF(c2=1.0, tol=1e-12, fit_intercept=False)
    tagger.fit(list(x[:, None]), y[:, None], token_weight=weights[:, None])
    ours = tagger.state_weights_[:, 1] - tagger.state_weights_[:, 0]
    without = LogisticRegression(C=1.0, tol=1e-9, max_iter=1000, fit_intercept=False)
    assert_allclose(ours, without.fit(x, y, sample_weight=weights).coef_[0], atol=1e-3)
    assert theirs.intercept_[0] < 0


@both
def test_equal_weights_change_nothing_and_a_class_weight_is_its_tokens(make):
    plain = make().fit(X, Y)
    same(plain, make().fit(X, Y, token_weight=of_tags({})))
    same(make(class_weight={"NN": 4.0}).fit(X, Y), make().fit(X, Y, token_weight=of_tags({"NN": 4.0})))
    half = [w[: len(y)] for w, y in zip(of_tags({}), Y)]
    twice = make(class_weight={"NN": 2.0}).fit(X, Y, token_weight=[2 * np.array(w) for w in half])
    same(twice, make().fit(X, Y, token_weight=of_tags({"DT": 2.0, "VB": 2.0, "NN": 4.0})))


@both
def test_a_heavy_label_is_said_more_often(make):
    counts = []
    for weight in (1.0, 50.0):
        predicted = make(class_weight={"VB": weight}).fit(X, Y).predict(XT)
        counts.append(sum(tag == "VB" for labels in predicted for tag in labels))
    assert counts[1] > counts[0]


def test_a_rare_tag_moves_by_tokens_and_not_by_sentences():
    """One of 20 tokens is rare and looks like the rest: it counts for its weight times its share."""
    rng = np.random.default_rng(0)
    y = [["r" if i == at else "o" for i in range(20)] for at in rng.integers(0, 20, 200)]
    X_ = [[["x"]] * 20 for _ in y]
    plain, heavy = (
        np.mean(
            np.concatenate(sp.ChainCRF(c2=1e-3, class_weight=how).fit(X_, y).predict_marginals(X_[:1]))[:, 1]
        )
        for how in (None, {"r": 20.0})
    )
    assert_allclose(plain, 0.05, atol=0.02)
    assert heavy > 0.3


def test_partial_labels_count_with_the_mean_and_refuse_weights_of_tokens():
    hidden = [[None, *y[1:]] if len(y) > 1 else y for y in Y]
    assert sp.ChainCRF(c2=0.1, class_weight="balanced").fit(X, hidden).score(XT, YT) > 0.5
    with pytest.raises(
        ArgumentError, match=r"y\[\d+\]\[0\] must be known where tokens have weights, got None"
    ):
        sp.ChainCRF().fit(X, hidden, token_weight=of_tags({}))


@both
def test_going_on_takes_them(make):
    light, heavy = (
        make().partial_fit(X, Y, ["DT", "NN", "VB"], token_weight=of_tags({"VB": w})) for w in (1.0, 30.0)
    )
    n = [sum(tag == "VB" for labels in tagger.predict(XT) for tag in labels) for tagger in (light, heavy)]
    assert n[1] >= n[0]
    assert light.predict_marginals(XT)[0].tolist() != heavy.predict_marginals(XT)[0].tolist()


BAD = [
    (3, ArgumentError, "token_weight must be a list with weights for each sequence, got 3"),
    ([[1.0]], ShapeError, "token_weight has 1 sequences; X has 2"),
    ([[1.0], [1.0]], ShapeError, r"token_weight\[0\] has 1 entries; X\[0\] has 2 tokens"),
    ([[1.0, -2.0], [1.0]], ArgumentError, r"token_weight\[0\]\[1\] must be at least 0, got -2"),
    ([[0, 0], [0]], ArgumentError, "token_weight must be above 0 for a token"),
    ([[1.0, np.nan], [1.0]], ValueError, r"token_weight\[0\]"),
    ([["a", "b"], [1.0]], ArgumentError, r"token_weight\[0\]"),
]


@both
@pytest.mark.parametrize(("weights", "error", "message"), BAD)
def test_refusals(make, weights, error, message):
    with pytest.raises(error, match=message):
        make().fit([[["a"], ["b"]], [["a"]]], [["X", "Y"], ["X"]], token_weight=weights)
