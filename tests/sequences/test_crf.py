"""`ChainCRF` alone: regularisers, partial labels, constraints, interruption."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError
from spcviz.sequences import crf as module
from tests.sequences.data import TAGS, sentences

X, Y = sentences(80)
XT, YT = sentences(40, seed=1)


def test_l1_leaves_fewer_weights_and_c2_smaller_ones():
    plain, sparse, small = (
        sp.ChainCRF(**settings).fit(X, Y) for settings in ({"c2": 0.1}, {"c1": 2.0, "c2": 0.1}, {"c2": 10.0})
    )
    assert 0 < np.count_nonzero(sparse.state_weights_) < 0.8 * np.count_nonzero(plain.state_weights_)
    assert np.abs(small.state_weights_).sum() < 0.5 * np.abs(plain.state_weights_).sum()
    assert sparse.score(XT, YT) > 0.6


def test_partial_labels_are_learned_from():
    """With most labels hidden, and most tokens narrowed to a few labels, the tagger still learns."""
    rng = np.random.default_rng(0)
    hidden = [[None if rng.random() < 0.6 else tag for tag in tags] for tags in Y]
    allowed = [[[tag, TAGS[rng.integers(3)]] if rng.random() < 0.75 else None for tag in tags] for tags in Y]
    known = sp.ChainCRF(c2=0.1).fit(X, hidden)
    narrowed = sp.ChainCRF(c2=0.1).fit(X, hidden, allowed=allowed)
    assert narrowed.score(X, Y) > 0.6
    assert narrowed.score(X, Y) >= known.score(X, Y) - 0.05
    everything = sp.ChainCRF(c2=0.1).fit(X, Y)
    nothing_hidden = sp.ChainCRF(c2=0.1).fit(X, Y, allowed=[[[tag] for tag in tags] for tags in Y])
    assert_allclose(nothing_hidden.state_weights_, everything.state_weights_)


def test_labels_must_be_among_what_is_allowed():
    wrong = [[["DT"]] * len(tags) for tags in Y]
    i, j = next((i, j) for i, tags in enumerate(Y) for j, tag in enumerate(tags) if tag != "DT")
    with pytest.raises(ArgumentError, match=rf"y\[{i}\]\[{j}\] must be among what allowed says"):
        sp.ChainCRF().fit(X, Y, allowed=wrong)


SPANS = [["O", "B-A", "I-A", "O"], ["B-A", "B-B", "I-B", "I-B"], ["O", "O", "B-B", "O"]] * 5


def is_bio(labels):
    before = "O"
    for label in labels:
        if label[0] == "I" and before[1:] != label[1:]:
            return False
        before = label
    return True


@pytest.mark.parametrize("make", [sp.ChainCRF, sp.StructuredPerceptron])
def test_constraints_are_kept(make):
    rng = np.random.default_rng(0)
    items = [[[f"w{rng.integers(5)}"] for _ in tags] for tags in SPANS]
    free, bound = (
        make(random_state=0).fit(items, SPANS),
        make(random_state=0, constraints="bio").fit(items, SPANS),
    )
    new = [[[f"w{rng.integers(5)}"] for _ in range(6)] for _ in range(200)]
    assert not all(
        is_bio(labels)
        for labels in sp.StructuredPerceptron(max_iter=1, random_state=0).fit(items, SPANS).predict(new)
    )
    assert all(is_bio(labels) for labels in bound.predict(new))
    for best in bound.predict_k_best(new[:5], 5):
        assert all(is_bio(labels.tolist()) for labels in best.labels)
    begins = bound.classes_.tolist().index("I-A")
    assert all(shares[0, begins] == 0 for shares in bound.predict_marginals(new))
    assert free.get_params()["constraints"] is None
    with pytest.raises(
        ArgumentError, match=r"y\[1\]\[1\] must keep to constraints='bio', got 'I-B' behind 'O'"
    ):
        make(constraints="bio").fit(items, [SPANS[0], ["O", "I-B", "O", "O"], *SPANS[2:]])
    with pytest.raises(
        InfeasibleError, match=r"X\[1\] must have a labelling that constraints and allowed leave"
    ):
        bound.predict(new[:2], allowed=[None, [["I-A"]] + [None] * 5])
    with pytest.raises(InfeasibleError, match=r"X\[1\] must have a labelling"):
        bound.predict_marginals(new[:2], allowed=[None, [["I-A"]] + [None] * 5])
    with pytest.raises(InfeasibleError, match=r"X\[1\] must have a labelling"):
        bound.predict_k_best(new[:2], 2, allowed=[None, [["I-A"]] + [None] * 5])


@pytest.mark.parametrize(
    ("scheme", "good", "bad"),
    [
        ("bio", ["B-A", "I-A", "B-A", "O"], ["O", "I-A"]),
        ("bioes", ["B-A", "I-A", "E-A", "S-A", "O"], ["B-A", "O"]),
        ("bioes", ["S-A", "O"], ["O", "B-A"]),
        ("bilou", ["B-A", "I-A", "L-A", "U-A", "O"], ["B-A", "L-B"]),
    ],
)
def test_schemes_say_what_may_follow(scheme, good, bad):
    items = [[["x"]] * len(good)]
    sp.ChainCRF(constraints=scheme, max_iter=2).fit(items, [good])
    with pytest.raises(ArgumentError, match=rf"must keep to constraints='{scheme}'"):
        sp.ChainCRF(constraints=scheme, max_iter=2).fit([*items, [["x"]] * len(bad)], [good, bad])


def never_twice(before, after):
    return before != after


def test_a_rule_of_ones_own():
    tagger = sp.ChainCRF(constraints=never_twice).fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
    labels = tagger.predict([[["a"]] * 6])[0]
    assert all(a != b for a, b in itertools.pairwise(labels))


def test_an_interrupted_fit_is_a_fitted_model_with_a_warning(monkeypatch):
    def tick(self, text=""):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.Bar, "tick", tick)
    with pytest.warns(
        UserWarning, match="fit was interrupted after 1 iterations: the model is the best so far"
    ):
        tagger = sp.ChainCRF(c2=0.1).fit(X, Y)
    assert tagger.score(X, Y) > 0.4
    with pytest.warns(UserWarning, match="fit was interrupted: the model is fitted as far as it came"):
        assert sp.StructuredPerceptron(random_state=0).fit(X, Y).score(X, Y) > 0.4


def test_progress_is_shown_on_demand(capsys):
    sp.ChainCRF(verbose=1, max_iter=3).fit(X, Y)
    sp.StructuredPerceptron(verbose=1, max_iter=2).fit(X, Y)
    said = capsys.readouterr()
    assert "ChainCRF" in said.err
    assert "tokens wrong" in said.err
    assert not said.out
    sp.ChainCRF(max_iter=3).fit(X, Y)
    assert not capsys.readouterr().err
