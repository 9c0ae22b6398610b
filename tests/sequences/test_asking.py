"""Probabilities, entropies and samples of taggers, against every possible labelling."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

import spcviz as sp
from spcviz.engine.errors import ArgumentError, InfeasibleError
from tests.sequences.data import TAGS, sentences

X, Y = sentences(40)
SHORT = [item[:4] for item in X[:5]]
TAGGERS = {
    "crf": sp.ChainCRF(c2=0.1),
    "ruled": sp.ChainCRF(c2=0.1, constraints=lambda before, after: (before, after) != ("VB", "VB")),
    "perceptron": sp.StructuredPerceptron(random_state=0),
}


@pytest.fixture(scope="module", params=TAGGERS)
def tagger(request):
    kept = [(x, y) for x, y in zip(X, Y) if ("VB", "VB") not in itertools.pairwise(y)]
    return TAGGERS[request.param].fit(*map(list, zip(*kept)))


def every_labelling(tagger, item):
    """({labelling: score}) of one sequence, by adding up the tagger's weights."""
    names = {name: f for f, name in enumerate(tagger.feature_names_in_)}
    unary = np.array(
        [sum(tagger.state_weights_[names[name]] for name in token if name in names) for token in item]
    )
    forbidden = tagger._forbidden()
    scores = {}
    for states in itertools.product(range(3), repeat=len(item)):
        steps = list(itertools.pairwise(states))
        score = unary[range(len(item)), states].sum() + sum(tagger.transition_weights_[s] for s in steps)
        if forbidden is not None and any(forbidden[1][s] for s in steps):
            score = -np.inf
        scores[tuple(TAGS[k] for k in states)] = score
    return scores


def test_questions_are_answered_as_by_enumeration(tagger):
    partition, entropy = tagger.log_partition(SHORT), tagger.entropy(SHORT)
    for i, item in enumerate(SHORT):
        scores = every_labelling(tagger, item)
        log_z = logsumexp(list(scores.values()))
        assert partition[i] == pytest.approx(log_z, abs=1e-9)
        logs = np.array(list(scores.values())) - log_z
        shares = np.exp(logs)
        assert entropy[i] == pytest.approx(-(shares * np.where(shares > 0, logs, 0.0)).sum(), abs=1e-8)
        for labelling, score in itertools.islice(scores.items(), 12):
            assert tagger.log_probability([item], [list(labelling)])[0] == pytest.approx(
                score - log_z, abs=1e-9
            )
        some = [None, *next(iter(scores))[1:]]
        agreeing = [score for labelling, score in scores.items() if labelling[1:] == tuple(some[1:])]
        want = logsumexp(agreeing) - log_z
        assert tagger.log_probability([item], [some])[0] == pytest.approx(want, abs=1e-9)


def test_samples_come_as_often_as_they_are_probable(tagger):
    item, n = SHORT[0][:3], 20_000
    drawn = tagger.sample([item], n, random_state=0)[0]
    scores = every_labelling(tagger, item)
    shares = {labelling: np.exp(s - logsumexp(list(scores.values()))) for labelling, s in scores.items()}
    counts = dict.fromkeys(shares, 0)
    for labels in drawn:
        counts[tuple(labels)] += 1
    for labelling, share in shares.items():
        assert abs(counts[labelling] / n - share) <= 5 * np.sqrt(share * (1 - share) / n) + 1e-12
    assert tagger.sample([item], 5, random_state=1) == tagger.sample([item], 5, random_state=1)


def test_emissions_are_what_scores_are_made_of(tagger):
    scores = tagger.to_scores(X[:6])
    assert [labels.tolist() for labels in scores.decode()] == tagger.predict(X[:6])
    assert scores.tune(Y[:6], 0.5) <= 1
    emissions = tagger.emissions(X[:6])
    assert [array.shape for array in emissions] == [(len(item), 3) for item in X[:6]]
    for one, other in zip(scores.marginals(), tagger.predict_marginals(X[:6])):
        assert np.allclose(one, other, atol=1e-12)


def test_sequences_without_tokens(tagger):
    assert tagger.log_partition([[], X[0]])[0] == 0
    assert tagger.entropy([[]]).tolist() == [0.0]
    assert tagger.log_probability([[]], [[]]).tolist() == [0.0]
    assert tagger.sample([[]], 2) == [[[], []]]
    assert tagger.emissions([[]])[0].shape == (0, 3)


def test_weights_are_readable(tagger):
    top = tagger.top_features(4)
    assert [abs(one.weight) for one in top] == sorted((abs(one.weight) for one in top), reverse=True)
    assert top[0].weight == tagger.state_features_[top[0].feature, top[0].label]
    assert {one.label for one in tagger.top_features(3, "VB")} == {"VB"}
    assert tagger.transition_features_["DT", "NN"] == tagger.transition_weights_[0, 1]
    with pytest.raises(ArgumentError, match="label must be one of classes_, got 'XX'"):
        tagger.top_features(3, "XX")


def test_what_has_no_labelling_is_named():
    tagger = TAGGERS["ruled"].fit([[["a"], ["b"]]] * 2, [["VB", "NN"]] * 2)
    only = [[["VB"], ["VB"]]]
    for ask in (tagger.log_partition, tagger.entropy, tagger.sample):
        with pytest.raises(InfeasibleError, match=r"X\[0\] must have a labelling"):
            ask([[["a"], ["b"]]], allowed=only)
    assert tagger.log_probability([[["a"], ["b"]]], [["VB", "VB"]])[0] == -np.inf


def test_marginals_as_dicts(tagger):
    tables, dicts = tagger.predict_marginals(X[:3]), tagger.predict_marginals(X[:3], as_dicts=True)
    for table, tokens in zip(tables, dicts):
        assert [list(token.values()) for token in tokens] == table.tolist()
        assert all(list(token) == TAGS for token in tokens)


def test_sequences_set_aside_end_training_where_they_are_read_best():
    flat = sp.ChainCRF(c2=1e-4, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole = flat.fit(X[:10], Y[:10])
        n_whole, loss = whole.n_iter_, -whole.log_probability(X[20:], Y[20:]).sum()
    watched = flat.fit(X[:10], Y[:10], X_dev=X[20:], y_dev=Y[20:])
    n_tokens = sum(map(len, Y[20:]))
    assert watched.n_iter_ < n_whole
    assert watched.has_converged_
    kept = -watched.log_probability(X[20:], Y[20:]).sum()
    assert kept < loss
    assert kept / n_tokens == pytest.approx(watched.dev_losses_.min(), rel=1e-6)
    with pytest.raises(ArgumentError, match="X_dev and y_dev must be given both"):
        flat.fit(X, Y, X_dev=X)
    with pytest.raises(ArgumentError, match=r"of X_dev and y_dev: y\[0\]\[0\] must be one of the 3 labels"):
        flat.fit(X, Y, X_dev=X[:1], y_dev=[["XX"] * len(X[0])])


@pytest.mark.parametrize("settings", [{"c1": 0.1}, {"c2": 0.1}])
def test_a_fit_that_stops_too_soon_says_so(settings):
    with pytest.warns(ConvergenceWarning, match="fit stopped at max_iter=1 before the loss"):
        sp.ChainCRF(max_iter=1, **settings).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sp.ChainCRF(**settings).fit(X, Y).has_converged_
