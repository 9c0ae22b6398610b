"""The lattice of a word whose orders and tiers differ, against every labelling written down."""

import numpy as np
import pytest

from spcviz.engine import variable_order as vo
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.ngrams import encode, ngram_table
from tests.oracles.variable_order import EveryWord

N_STATES, N_ORDERS, N_TIERS = 3, 4, 3
ALPHAS = (vo.NO_FILTER, -0.5, 0.0, 0.5)


def world(rng, length):
    """A word, its weights, and the same as the oracle wants them."""
    grams = {}
    for n in range(2, N_ORDERS + 2):
        for _ in range(30):
            own = tuple(rng.integers(0, N_STATES, n))
            if rng.random() < 0.3:
                own = (*own[:-1], N_STATES)
            grams[tuple(int(k) for k in own)] = float(rng.normal())
    plain = {name: rng.normal(1.0, 0.2, (N_TIERS, N_ORDERS)) for name in ("ink", "text", "letter")}
    plain |= {name: rng.normal(size=N_STATES) for name in ("single", "first", "frequency")}
    keys = [encode(N_STATES, own) for own in grams]
    table = ngram_table(N_STATES, keys, list(grams.values()))
    unary = rng.normal(0, 2, (length, N_TIERS, N_STATES))
    weights = vo.checked_weights(vo.Weights(**plain, table=table), N_STATES)
    return weights, unary, EveryWord(unary, grams, plain)


def started(weights, unary, max_arcs=256):
    word, room = vo.new_word(len(unary), max_arcs), vo.new_room(max_arcs)
    vo.start(word, unary, weights, 0)
    return word, room


def random_action(rng, word):
    actions = [
        (kind, i)
        for kind in (vo.RAISE, vo.BUY)
        for i in range(len(word.order))
        if vo.can_act(word, kind, i, N_ORDERS, N_TIERS)
    ]
    return actions[rng.integers(len(actions))] if actions else None


def factors_of(word, i, bits, room):
    """{assignment: value} of the factor at i."""
    n = vo.values_of(word, i, bits, room)
    out, order = {}, word.order[i]
    for a in range(word.n_arcs[i]):
        letters = [(int(word.code[i, a]) >> bits * j) % (1 << bits) - 1 for j in range(order)]
        out[tuple(letters[::-1])] = room.value[room.group[a]]
    assert len(out) == n
    return out


@pytest.mark.parametrize("seed", range(25))
def test_every_factor_and_letter_is_exact_after_every_action(seed):
    rng = np.random.default_rng(seed)
    length = int(rng.integers(1, 6))
    weights, unary, every = world(rng, length)
    word, room = started(weights, unary)
    gap = vo.gap_of(word)
    assert gap == pytest.approx(every.first_gap(), abs=1e-9)
    bits, letters, labels = weights.table.bits, np.empty(N_STATES), np.empty(length, np.int64)
    while action := random_action(rng, word):
        alpha = float(rng.choice(ALPHAS))
        done = vo.act(word, unary, weights, *action, alpha, gap, room)
        held, kept = every.act(*action, alpha)
        assert done.is_done
        assert (done.n_in, done.n_kept) == (len(held), len(kept))
        for i in range(length):
            wanted = every.factor(i)
            assert factors_of(word, i, bits, room) == pytest.approx(wanted, abs=1e-9)
            vo.letter_values(word, i, bits, letters)
            own = every.values(i, i)
            assert letters == pytest.approx([own.get((k,), -np.inf) for k in range(N_STATES)], abs=1e-9)
        best = max(every.score(found) for found in every.left)
        assert vo.decode_word(word, bits, labels) == pytest.approx(best, abs=1e-9)
        assert tuple(labels) in every.left
        assert every.score(tuple(labels)) == pytest.approx(best, abs=1e-9)


def letters_of(word, weights):
    out = np.empty((len(word.order), N_STATES))
    for i in range(len(out)):
        vo.letter_values(word, i, weights.table.bits, out[i])
    return out


@pytest.mark.parametrize("seed", range(25))
def test_messages_passed_outward_are_those_of_a_full_pass_bit_for_bit(seed):
    rng = np.random.default_rng(1000 + seed)
    weights, unary, _ = world(rng, 9)
    word, room = started(weights, unary)
    gap = vo.gap_of(word)
    assert vo.filter_start(word, 0.0, gap) < 9 * N_STATES
    passed = spared = 0
    while action := random_action(rng, word):
        before = letters_of(word, weights)
        done = vo.act(word, unary, weights, *action, float(rng.choice(ALPHAS)), gap, room)
        values = letters_of(word, weights)
        outside = [i for i in range(9) if not done.first <= i <= done.last]
        assert np.array_equal(before[outside], values[outside])
        found = [
            (word.forward[b, :n].copy(), word.backward[b, :n].copy()) for b, n in enumerate(word.n_nodes)
        ]
        vo.pass_fully(word)
        for b, (forward, backward) in enumerate(found):
            n = word.n_nodes[b]
            assert np.array_equal(forward, word.forward[b, :n])
            assert np.array_equal(backward, word.backward[b, :n])
        passed, spared = passed + done.n_passed, spared + 2 * word.n_arcs.sum() - done.n_passed
    assert spared > 0.2 * passed  # they do come to rest


def test_everything_raised_and_nothing_filtered_is_the_full_model():
    rng = np.random.default_rng(5)
    weights, unary, every = world(rng, 5)
    word, room = started(weights, unary, 4096)
    while action := random_action(rng, word):
        assert vo.act(word, unary, weights, *action, vo.NO_FILTER, 1.0, room).is_done
    every.order, every.tier = [min(i + 1, N_ORDERS) for i in range(5)], [N_TIERS - 1] * 5
    labels = np.empty(5, np.int64)
    found = vo.decode_word(word, weights.table.bits, labels)
    assert word.order.tolist() == every.order
    assert len(every.left) == 3**5
    assert found == pytest.approx(max(every.score(own) for own in every.left), abs=1e-9)


def test_what_needs_too_many_arcs_is_refused_and_nothing_changes():
    weights, unary, _ = world(np.random.default_rng(6), 5)
    word, room = started(weights, unary, 26)
    vo.act(word, unary, weights, vo.RAISE, 3, vo.NO_FILTER, 1.0, room)
    vo.act(word, unary, weights, vo.RAISE, 2, vo.NO_FILTER, 1.0, room)
    before = [array.copy() for array in word]
    assert not vo.act(word, unary, weights, vo.RAISE, 3, vo.NO_FILTER, 1.0, room).is_done
    assert word.order.tolist() == [1, 1, 2, 2, 1]
    for own, array in zip(before, word):
        assert np.array_equal(own, array, equal_nan=True)


def test_the_first_filter_is_that_of_a_cascades_first_level():
    weights, unary, every = world(np.random.default_rng(7), 5)
    word, _ = started(weights, unary)
    values = [every.values(i, i) for i in range(5)]
    limit = 0.8 * np.mean([v for own in values for v in own.values()])  # alpha 0.2: 0.2 * 0 + 0.8 * mean
    n_kept = vo.filter_start(word, 0.2, vo.gap_of(word))
    assert n_kept == word.n_arcs.sum()
    for i, own in enumerate(values):
        left = {k for (k,), v in own.items() if v > limit or v == 0.0}
        assert left == {int(code) - 1 for code in word.code[i, : word.n_arcs[i]]}


def test_without_spread_nothing_is_filtered():
    weights, unary, _ = world(np.random.default_rng(9), 3)
    word, room = started(weights, unary)
    assert vo.filter_start(word, 0.9, 0.0) == 9
    done = vo.act(word, unary, weights, vo.RAISE, 1, 0.9, 0.0, room)
    assert (done.n_in, done.n_kept) == (9, 9)


def test_wrong_arguments_are_named():
    weights, unary, _ = world(np.random.default_rng(8), 3)
    with pytest.raises(ShapeError, match="text has shape"):
        vo.checked_weights(weights._replace(text=np.ones((2, 2))), N_STATES)
    with pytest.raises(ArgumentError, match="single must be finite"):
        vo.checked_weights(weights._replace(single=np.array([0.0, -np.inf, 0.0])), N_STATES)
    with pytest.raises(ScoreError, match=r"unary\[0, 0, 0\]"):
        vo.checked_unary(np.full((3, N_TIERS, N_STATES), np.nan), weights)
    with pytest.raises(ShapeError, match="tiers"):
        vo.checked_unary(unary[:, :2], weights)
    with pytest.raises(ArgumentError, match="unary must be finite"):
        vo.checked_unary(np.full((3, N_TIERS, N_STATES), -np.inf), weights)
    with pytest.raises(ShapeError, match="states"):
        vo.checked_weights(weights, N_STATES + 1)
    with pytest.raises(ShapeError, match="first has shape"):
        vo.checked_weights(weights._replace(first=np.ones(4)), N_STATES)
