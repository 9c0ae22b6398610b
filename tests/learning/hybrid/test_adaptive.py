"""Learning in random states: the step against enumeration, alphas that lose no more than allowed."""

import numpy as np
import pytest

from spcviz.engine.variable_order.start import NO_FILTER, pair_tables
from spcviz.engine.variable_order.word import new_word, new_workspace
from spcviz.learning.hybrid import adaptive, courses
from spcviz.learning.hybrid.adaptive import AdaptivePart, AdaptiveSettings
from tests.learning.hybrid import worlds


@pytest.fixture(scope="module")
def state():
    """A word after some actions with little filtered, and its weights."""
    rng = np.random.default_rng(5)
    model, batch = worlds.model(rng, alpha=-1.0), worlds.batch(rng, (4,))
    word, space = new_word(4, 2048), new_workspace(2048)
    nothing = np.empty((0, 2))
    noise = rng.random((4, len(model.alphas)))
    courses.random_rollout(
        word, batch.unary, model, pair_tables(model.filters), noise, 7, batch.labels, space, nothing
    )
    return model, batch, word


def score(word, batch, weights, labels):
    return adaptive.add_labels(word, batch.unary, weights, labels, 0.0, np.zeros((3, *weights.ink.shape)))


def survivors(word, bits):
    """Every labelling that the lattice holds."""
    paths = [((), 0)]
    for i in range(len(word.order)):
        arcs = [(word.tail[i, a], word.head[i, a], int(word.code[i, a]) % (1 << bits) - 1)
                for a in range(word.n_arcs[i])]  # fmt: skip
        paths = [((*labels, k), head) for labels, node in paths for tail, head, k in arcs if tail == node]
    return [np.array(labels) for labels, _ in paths]


def test_features_of_a_labelling_are_the_slope_of_its_score(state):
    model, batch, word = state
    weights, grad = model.filters, np.zeros((3, *model.filters.ink.shape))
    total = adaptive.add_labels(word, batch.unary, weights, batch.labels, 1.0, grad)
    theta = np.stack([weights.ink, weights.text, weights.letter])
    assert total == pytest.approx((theta * grad).sum(), abs=1e-5)  # scores lie on a grid


def test_the_mean_of_witnesses_is_that_of_enumeration(state):
    model, batch, word = state
    weights, bits = model.filters, model.filters.table.bits
    mean = np.zeros((3, *weights.ink.shape))
    space = np.empty((4, 2048)), np.empty((5, 2048))
    below = adaptive.mean_of_witnesses(word, batch.unary, weights, *space, mean)
    every = survivors(word, bits)
    scores = np.array([score(word, batch, weights, labels) for labels in every])
    wanted, values = np.zeros_like(mean), []
    for i in range(4):
        size = int(word.depth[i]) + 1
        for code in word.code[i, : word.n_arcs[i]]:
            gram = [(int(code) >> bits * j) % (1 << bits) - 1 for j in range(size - 1, -1, -1)]
            through = [s for s, labels in enumerate(every) if labels[i - size + 1 : i + 1].tolist() == gram]
            best = max(through, key=lambda s: scores[s])
            values.append(scores[best] - scores.max())
            adaptive.add_labels(word, batch.unary, weights, every[best], 1.0, wanted)
    assert below == pytest.approx(np.mean(values), abs=1e-9)
    assert mean == pytest.approx(wanted / len(values), abs=1e-9)


def test_learning_trusts_n_grams_less_that_say_nothing():
    rng = np.random.default_rng(6)
    batch, model = worlds.batch(rng, (6,) * 40), worlds.model(rng, alpha=-0.5)
    filters = model.filters  # the letters are independent of their n-grams: trusting those less is better
    model = adaptive.with_weights(model, filters.ink, 3 * filters.text, filters.letter)
    part = AdaptivePart(batch, model.filters)
    settings = AdaptiveSettings(epochs=6, rate=0.02)
    theta, again = (
        adaptive.fit([part], model, settings, np.random.default_rng(0), share=(0.0, 1.0)) for _ in range(2)
    )
    assert np.array_equal(theta, again)
    assert theta[1].mean() < model.filters.text.mean()


def test_alphas_lose_no_more_than_allowed():
    rng = np.random.default_rng(7)
    batch, model = worlds.batch(rng, (6,) * 60), adaptive.start_model(worlds.weights(rng))
    part, settings = AdaptivePart(batch, model.filters), AdaptiveSettings(tolerance=0.05, rounds=1, visits=1)
    tuned = adaptive.tune([part], model, settings, np.random.default_rng(0))
    first = adaptive.first_points(batch, tuned.filters)
    assert 0.03 < (first <= tuned.first_alpha).mean() <= 0.05
    assert np.isfinite(tuned.alphas[1:]).all()  # nothing is raised to order 2: words begin with it
    strict = adaptive.tune([part], model, AdaptiveSettings(tolerance=0.0, rounds=1, visits=1),
                           np.random.default_rng(0))  # fmt: skip
    assert (strict.alphas <= tuned.alphas).all()
    none = adaptive.tune([AdaptivePart(batch.some([0])[0], model.filters)], model, settings, rng)
    assert (none.alphas == NO_FILTER).all()
