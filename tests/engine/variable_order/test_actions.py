"""The lattice of a word whose orders and tiers differ, against a list of every labelling."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.engine.variable_order import actions as vo
from spcviz.engine.variable_order import start
from spcviz.engine.variable_order import weights as order_weights
from spcviz.engine.variable_order import word as order_word
from tests.oracles.variable_order import EveryWord

N_STATES, N_ORDERS, N_TIERS = 3, 4, 3
NO_FILTER = start.NO_FILTER
ALPHAS = (NO_FILTER, -0.5, 0.0, 0.5)


def world(rng, length):
    """Weights and scores of a random word, and both in the oracle's form."""
    grams = {}
    for n in range(2, N_ORDERS + 2):
        for _ in range(30):
            gram = tuple(rng.integers(0, N_STATES, n))
            if rng.random() < 0.3:
                gram = (*gram[:-1], N_STATES)
            grams[tuple(int(k) for k in gram)] = float(rng.normal())
    plain = {name: rng.normal(1.0, 0.2, (N_TIERS, N_ORDERS)) for name in ("ink", "text", "letter")}
    plain |= {name: rng.normal(size=N_STATES) for name in ("single", "first", "frequency")}
    keys = [encode(N_STATES, gram) for gram in grams]
    table = ngram_table(N_STATES, keys, list(grams.values()))
    unary = rng.normal(0, 2, (length, N_TIERS, N_STATES))
    weights = order_weights.checked_weights(
        order_weights.VariableOrderWeights(**plain, table=table), N_STATES
    )
    return weights, unary, EveryWord(unary, grams, plain)


def started(weights, unary, alpha=NO_FILTER, max_arcs=256):
    """A word after its first filter, its workspace, and its gap."""
    word, space = order_word.new_word(len(unary), max_arcs), order_word.new_workspace(max_arcs)
    pairs = start.pair_tables(weights)
    return word, space, start.begin(word, unary, weights, pairs, alpha, space)


def possible(word):
    return [
        (kind, i)
        for kind in (vo.RAISE, vo.BUY)
        for i in range(len(word.order))
        if vo.can_act(word, kind, i, N_ORDERS, N_TIERS)
    ]


def random_action(rng, word):
    actions = possible(word)
    return actions[rng.integers(len(actions))] if actions else None


def factors_of(word, i, bits, space):
    """{assignment: value} of the factor at i."""
    n = order_word.values_of(word, i, bits, space)
    out, order = {}, word.order[i]
    for a in range(word.n_arcs[i]):
        letters = [(int(word.code[i, a]) >> bits * j) % (1 << bits) - 1 for j in range(order)]
        out[tuple(letters[::-1])] = space.value[space.group[a]]
    assert len(out) == n
    return out


def check_exact(word, every, weights, space):
    """Every factor, the best word, and all messages, against the oracle's list."""
    bits, labels = weights.table.bits, np.empty(len(word.order), np.int64)
    assert word.order.tolist() == every.order
    assert word.tier.tolist() == every.tier
    for i in range(len(labels)):
        assert factors_of(word, i, bits, space) == pytest.approx(every.factor(i), abs=1e-9)
        codes = [int(code) for code in word.code[i, : word.n_arcs[i]]]
        assert len(set(codes)) == len(codes)
    best = max(every.score(labelling) for labelling in every.left)
    assert order_word.decode_word(word, bits, labels) == pytest.approx(best, abs=1e-9)
    assert tuple(labels) in every.left
    assert every.score(tuple(labels)) == pytest.approx(best, abs=1e-9)
    check_messages(word)


def check_messages(word):
    """A full pass leaves every message as it is, bit for bit."""
    before = [(word.forward[b, :n].copy(), word.backward[b, :n].copy()) for b, n in enumerate(word.n_nodes)]
    assert order_word.pass_fully(word) == 2 * word.n_arcs.sum()
    for b, (forward, backward) in enumerate(before):
        assert np.array_equal(forward, word.forward[b, : len(forward)])
        assert np.array_equal(backward, word.backward[b, : len(backward)])


@pytest.mark.parametrize("seed", range(20))
def test_a_word_begins_with_the_pairs_that_one_threshold_leaves(seed):
    rng = np.random.default_rng(30 + seed)
    weights, unary, every = world(rng, int(rng.integers(1, 6)))
    alpha = ALPHAS[seed % 4]
    word, space, gap = started(weights, unary, alpha)
    every.begin(alpha)
    assert gap == pytest.approx(every.gap, abs=1e-9)
    check_exact(word, every, weights, space)


@pytest.mark.parametrize("seed", range(25))
def test_every_factor_is_exact_after_every_action(seed):
    rng = np.random.default_rng(seed)
    weights, unary, every = world(rng, int(rng.integers(1, 6)))
    word, space, gap = started(weights, unary, -0.5)
    every.begin(-0.5)
    while action := random_action(rng, word):
        alpha = float(rng.choice(ALPHAS))
        done = vo.act(word, unary, weights, *action, alpha, gap, space)
        held, kept = every.act(*action, alpha)
        assert done.is_done
        assert (done.n_in, done.n_kept) == (len(held), len(kept))
        check_exact(word, every, weights, space)


@pytest.mark.parametrize("seed", range(25))
def test_every_factor_is_exact_after_actions_done_together(seed):
    rng = np.random.default_rng(60 + seed)
    length = int(rng.integers(1, 6))
    weights, unary, every = world(rng, length)
    word, space, gap = started(weights, unary, -0.5)
    every.begin(-0.5)
    while actions := possible(word):
        chosen = [action for action in actions if rng.random() < 0.4]
        marks, alphas = np.zeros((length, 2), dtype=bool), rng.choice(ALPHAS, (length, 2))
        by_factor = {}
        for kind, i in chosen:
            marks[i, kind] = True
            by_factor[i] = alphas[i, vo.BUY if marks[i, vo.BUY] else vo.RAISE]
        asked = marks.copy()
        done = vo.act_together(word, unary, weights, marks, alphas, gap, space)
        factors = every.act_together(chosen, by_factor).values()
        assert np.array_equal(marks, asked)
        assert done.is_done == bool(chosen)
        sizes = [sum(len(pair[n]) for pair in factors) for n in range(2)]
        assert [done.n_in, done.n_kept] == sizes
        check_exact(word, every, weights, space)


@pytest.mark.parametrize("seed", range(25))
def test_messages_passed_outward_are_those_of_a_full_pass_bit_for_bit(seed):
    rng = np.random.default_rng(1000 + seed)
    weights, unary, _ = world(rng, 9)
    word, space, gap = started(weights, unary, 0.0)
    assert word.n_arcs.sum() < 8 * N_STATES**2
    bits, passed, spared = weights.table.bits, 0, 0
    while action := random_action(rng, word):
        before = [factors_of(word, i, bits, space) for i in range(9)]
        done = vo.act(word, unary, weights, *action, float(rng.choice(ALPHAS)), gap, space)
        values = [factors_of(word, i, bits, space) for i in range(9)]
        assert all(before[i] == values[i] for i in range(9) if not done.first <= i <= done.last)
        check_messages(word)
        passed, spared = passed + done.n_passed, spared + 2 * word.n_arcs.sum() - done.n_passed
    assert spared > 0.2 * passed  # they do come to rest


def test_everything_raised_and_nothing_filtered_is_the_full_model():
    rng = np.random.default_rng(5)
    weights, unary, every = world(rng, 5)
    word, space, _ = started(weights, unary, max_arcs=4096)
    while action := random_action(rng, word):
        assert vo.act(word, unary, weights, *action, NO_FILTER, 1.0, space).is_done
    every.order, every.tier = [min(i + 1, N_ORDERS) for i in range(5)], [N_TIERS - 1] * 5
    labels = np.empty(5, np.int64)
    best = order_word.decode_word(word, weights.table.bits, labels)
    assert word.order.tolist() == every.order
    assert len(every.left) == 3**5
    assert best == pytest.approx(max(every.score(labelling) for labelling in every.left), abs=1e-9)


def test_what_needs_too_many_arcs_is_refused_and_nothing_changes():
    weights, unary, _ = world(np.random.default_rng(6), 5)
    word, space, _ = started(weights, unary, max_arcs=26)
    before = [array.copy() for array in word]
    assert not vo.act(word, unary, weights, vo.RAISE, 3, NO_FILTER, 1.0, space).is_done
    marks = np.array([[False, False]] * 3 + [[True, False]] * 2)
    assert not vo.act_together(word, unary, weights, marks, np.zeros((5, 2)), 1.0, space).is_done
    assert not marks.any()
    assert word.order.tolist() == [1, 2, 2, 2, 2]
    for old, array, name in zip(before, word, word._fields):
        assert name == "found" or np.array_equal(old, array, equal_nan=True)


def test_without_spread_nothing_is_filtered():
    weights, unary, _ = world(np.random.default_rng(9), 3)
    word, space, _ = started(weights, unary)
    done = vo.act(word, unary, weights, vo.RAISE, 2, 0.9, 0.0, space)
    assert (done.n_in, done.n_kept) == (27, 27)
    flat = weights._replace(**{name: np.zeros((N_TIERS, N_ORDERS)) for name in ("ink", "text", "letter")})
    word, _, gap = started(flat, unary, 0.9)
    assert gap == 0.0
    assert word.n_arcs.tolist() == [3, 9, 9]


def test_words_by_other_weights_are_read_off_the_same_lattice():
    rng = np.random.default_rng(12)
    weights, unary, every = world(rng, 5)
    word, space, gap = started(weights, unary, -0.5)
    every.begin(-0.5)
    for action in ((vo.RAISE, 3), (vo.BUY, 2), (vo.RAISE, 4)):
        vo.act(word, unary, weights, *action, 0.0, gap, space)
        every.act(*action, 0.0)
    other = weights._replace(ink=2 * weights.ink, text=-weights.text)
    every.weights |= {"ink": other.ink, "text": other.text}
    labels = np.empty(5, np.int64)
    best = order_word.decode_as(word, unary, other, labels)
    assert best == pytest.approx(max(every.score(labelling) for labelling in every.left), abs=1e-9)
    assert every.score(tuple(labels)) == pytest.approx(best, abs=1e-9)


def test_wrong_arguments_are_named():
    weights, _, _ = world(np.random.default_rng(8), 3)
    with pytest.raises(ShapeError, match="text has shape"):
        order_weights.checked_weights(weights._replace(text=np.ones((2, 2))), N_STATES)
    with pytest.raises(ArgumentError, match="single must be finite"):
        order_weights.checked_weights(weights._replace(single=np.array([0.0, -np.inf, 0.0])), N_STATES)
    with pytest.raises(ShapeError, match="states"):
        order_weights.checked_weights(weights, N_STATES + 1)
    with pytest.raises(ShapeError, match="first has shape"):
        order_weights.checked_weights(weights._replace(first=np.ones(4)), N_STATES)
