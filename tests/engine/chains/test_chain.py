"""Chains against enumeration at every scale, with ties and forbidden states; identities of facts.md Q."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.chains import best, chain, inputs, sums
from spcviz.engine.chains.prepared import Transitions
from spcviz.engine.errors import InfeasibleError
from spcviz.engine.kernels import vectors
from tests.oracles import chain as oracle
from tests.strategies import SMALL_INTEGERS, cases, chains, random_chain, random_scores

ZERO = np.zeros((2, 2))


def size_of(*arrays):
    """Largest finite score: differences are relative to it."""
    finite = [np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in map(np.asarray, arrays)]
    return max(*finite, 1e-300)


def gap(got, want, size):
    """Largest difference relative to `size`; -inf only where it belongs."""
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    assert got.shape == want.shape
    assert_array_equal(np.isneginf(got), np.isneginf(want))
    finite = np.isfinite(want)
    assert np.isfinite(got[finite]).all()
    return float(np.abs(got[finite] - want[finite]).max(initial=0.0)) / size


def check_max_plus(unary, pairwise, rng):
    """Largest relative difference of all max-plus functions on one chain."""
    best, node, edge = oracle.tables(unary, pairwise, lambda v: v.max(initial=-np.inf))
    size = size_of(unary, pairwise)
    if best == -np.inf:
        for call in (chain.decode, chain.max_marginals, chain.marginals):
            with pytest.raises(InfeasibleError, match="every labelling has score -inf"):
                call(unary, pairwise)
        with pytest.raises(InfeasibleError, match="every labelling has score -inf"):
            chain.k_best(unary, pairwise, 2)
        return 0.0
    decoded, tables = chain.decode(unary, pairwise), chain.max_marginals(unary, pairwise)
    worst = gap(decoded.score, best, size)
    worst = max(worst, gap(chain.score(unary, pairwise, decoded.labels), best, size))
    worst = max(worst, gap(tables.best, best, size), gap(tables.unary, node, size))
    worst = max(worst, gap(tables.pairwise, edge, size))
    i, k = rng.integers(len(unary)), rng.integers(unary.shape[1])
    if node[i, k] == -np.inf:
        with pytest.raises(InfeasibleError, match=f"state {k} at position {i}"):
            chain.witness(unary, pairwise, i, k)
    else:
        witness = chain.witness(unary, pairwise, i, k)
        assert witness.labels[i] == k
        worst = max(worst, gap(witness.score, node[i, k], size))
        worst = max(worst, gap(chain.score(unary, pairwise, witness.labels), node[i, k], size))
    values, _ = oracle.ranked(unary, pairwise)
    for m in (2, 5):
        top = chain.k_best(unary, pairwise, m)
        want = values[:m][np.isfinite(values[:m])]
        worst = max(worst, gap(top.scores, want, size))
        assert len({tuple(y) for y in top.labels}) == len(want)
        for s, y in zip(top.scores, top.labels):
            worst = max(worst, gap(chain.score(unary, pairwise, y), s, size))
    return worst


def test_max_plus_matches_enumeration_at_every_scale():
    worst, n = 0.0, cases(10_000)
    for seed in range(n):
        rng = np.random.default_rng(seed)
        worst = max(worst, check_max_plus(*random_chain(rng), rng))
    print(f"{n} chains, largest relative difference {worst:.2g}")
    assert worst < 1e-9


def check_sum(unary, pairwise):
    total, node, edge = oracle.tables(unary, pairwise, oracle.log_sum)
    if total == -np.inf:
        return 0.0
    got = chain.marginals(unary, pairwise)
    worst = abs(got.log_partition - total) / max(1.0, abs(total))
    worst = max(worst, np.abs(got.unary - np.exp(node - total)).max())
    worst = max(worst, np.abs(got.pairwise - np.exp(edge - total)).max(initial=0.0))
    assert_allclose(got.unary.sum(axis=1), 1, rtol=1e-9)  # Q21
    assert_allclose(got.pairwise.sum(axis=2), got.unary[:-1], atol=1e-9)
    assert_allclose(got.pairwise.sum(axis=1), got.unary[1:], atol=1e-9)
    return float(worst)


def test_marginals_match_enumeration_at_every_scale():
    worst, n = 0.0, cases(10_000)
    for seed in range(n):
        rng = np.random.default_rng(seed)
        scale = rng.choice([1e-6, 1.0, 1.0, 30.0, 100.0, 1e3, 1e5])
        worst = max(worst, check_sum(*random_chain(rng, scale=scale)))
    print(f"{n} chains, largest difference {worst:.2g}")
    assert worst < 1e-9


def is_tame(unary, pairwise):
    return sums.is_tame(unary, sums.spread_of(pairwise))


@pytest.mark.parametrize("n", [8, 26, 45])
@pytest.mark.parametrize("length", [1, 5, 400])
def test_sums_over_many_states_are_those_of_the_logs(length, n):
    """Chains so long that the factors taken out by rescaling leave a float's range; some steps stand out."""
    rng = np.random.default_rng(n)
    unary, pairwise = 3 * rng.normal(size=(length, n)), rng.normal(size=(length - 1, n, n))
    pairwise[::7] *= 15
    for table in (pairwise, rng.normal(size=(n, n))):
        if length == 1 and table is pairwise:
            continue
        got = chain.marginals(unary, table)
        want = chain._tables(unary, True)
        log_partition = sums.log_tables(unary, table.reshape(-1, n, n), *want)
        assert is_tame(unary, table.reshape(-1, n, n))
        assert_allclose(got.log_partition, log_partition, rtol=1e-13)
        for one, other in zip(got[1:], want):
            assert_allclose(one, other, rtol=1e-10, atol=1e-14)
        assert_array_equal(got.unary, chain.marginals(unary, table, edges=False).unary)


@given(model=chains(), factor=st.sampled_from([1.0, 10.0, 25.0]))
def test_both_ways_to_sum_agree(model, factor):
    unary, pairwise = (factor * np.asarray(a) for a in model)
    pairwise = pairwise[None] if pairwise.ndim == 2 else pairwise
    if not is_tame(unary, pairwise):
        return
    fast, safe = (chain._tables(unary, True) for _ in range(2))
    log_partition = sums.scaled_tables(unary, pairwise, *fast)
    assert_allclose(log_partition, sums.log_tables(unary, pairwise, *safe), rtol=1e-9, atol=1e-9)
    for one, other in zip(fast, safe):
        assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [sums.BOTH_WAYS_FROM, 71, 96])
@pytest.mark.parametrize("length", [1, 2, 3, 8, 301])
def test_messages_from_both_ends_meet_in_the_middle(length, n):
    rng = np.random.default_rng(length + n)
    unary, pairwise = 8 * rng.normal(size=(length, n)), 8 * rng.normal(size=(n, n))
    assert is_tame(unary, pairwise[None])
    node, no_edge = chain._tables(unary, False)
    assert sums.goes_both_ways(pairwise[None], no_edge) is vectors.ARE_COMPILED
    log_partition = sums.scaled_tables(unary, pairwise[None], node, no_edge)
    wanted = chain._tables(unary, False)
    assert_allclose(log_partition, sums.log_tables(unary, pairwise[None], *wanted), rtol=1e-12)
    assert_allclose(node, wanted[0], rtol=1e-9, atol=1e-14)
    assert_allclose(node.sum(axis=1), 1.0, rtol=1e-12)
    ready = Transitions(pairwise).marginals(unary)
    assert_allclose(ready.unary, node, rtol=1e-9, atol=1e-14)
    assert_allclose(ready.log_partition, log_partition, rtol=1e-12)


@pytest.mark.parametrize("spread", [199.9, 200.1, 299.9, 300.1, 599, 601, 5000])
def test_marginals_near_the_border_of_what_can_be_summed_directly(spread):
    """Low tables on both sides of an edge: its products go through three of them."""
    pairwise = np.zeros((5, 2, 2))
    pairwise[:3] = -spread
    pairwise[4, 0, 1] = -1.0
    assert check_sum(np.zeros((6, 2)), pairwise) < 1e-9
    assert check_sum(np.array([[0.0, -spread]] * 4), np.zeros((2, 2))) < 1e-9
    assert check_sum(np.zeros((4, 2)), np.array([[0.0, -spread], [-spread, 0.5]])) < 1e-9


def test_the_direct_sum_is_used_where_it_may():
    assert is_tame(np.zeros((3, 2)), np.zeros((1, 2, 2)))
    assert is_tame(np.array([[0.0, 599.0]]), np.zeros((0, 2, 2)))
    assert not is_tame(np.array([[0.0, 601.0]]), np.zeros((0, 2, 2)))
    assert not is_tame(np.zeros((2, 2)), np.array([[[0.0, 0.0], [0.0, 201.0]]]))
    assert not is_tame(np.array([[0.0, -np.inf]]), np.zeros((1, 2, 2)))
    assert not is_tame(np.full((2, 2), -np.inf), np.zeros((1, 2, 2)))


@given(model=chains(elements=SMALL_INTEGERS))
def test_ties_go_to_the_smallest_states_from_the_end(model):
    unary, pairwise = model
    values, ranked = oracle.ranked(unary, pairwise)
    assert chain.decode(unary, pairwise).labels.tolist() == ranked[0].tolist()
    for m in (1, 2, 3, 12):
        top = chain.k_best(unary, pairwise, m)
        assert top.labels.tolist() == ranked[:m].tolist()
        assert top.scores.tolist() == values[:m].tolist()
    for i in range(len(unary)):
        for k in range(unary.shape[1]):
            first = next(y for y in ranked if y[i] == k)
            assert chain.witness(unary, pairwise, i, k).labels.tolist() == first.tolist()


def test_k_best_of_equals_is_in_order():
    top = chain.k_best(np.zeros((3, 4)), np.zeros((4, 4)), 7)
    assert top.labels.tolist() == [[a, b, 0] for b in (0, 1) for a in range(4)][:7]


@given(model=chains(), m=st.integers(1, 300))
def test_k_best_stops_when_there_are_no_more(model, m):
    values, _ = oracle.ranked(*model)
    got = chain.k_best(*model, m)
    assert len(got.scores) == len(got.labels) == min(m, len(values))
    assert_allclose(got.scores, values[:m], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("forbidden", [0.0, 0.5])
def test_batches_are_the_single_calls(forbidden):
    for seed in range(cases(1000)):
        rng = np.random.default_rng(seed)
        n, lengths = rng.integers(1, 5), rng.integers(1, 7, size=rng.integers(0, 6))
        unary = random_scores(rng, (lengths.sum(), n), scale=1.0, forbidden=forbidden)
        pairwise = random_scores(rng, (n, n), scale=1.0, forbidden=forbidden)
        decoded = chain.decode_batch(unary, lengths, pairwise)
        tables = chain.max_marginals_batch(unary, lengths, pairwise)
        assert len(decoded.scores) == len(tables.best) == len(lengths)
        for w, (stop, length) in enumerate(zip(np.cumsum(lengths), lengths)):
            rows = slice(stop - length, stop)
            try:
                want = chain.decode(unary[rows], pairwise)
            except InfeasibleError:
                assert decoded.scores[w] == tables.best[w] == -np.inf
                assert not decoded.labels[rows].any()
                assert np.isneginf(tables.unary[rows]).all()
                continue
            assert decoded.scores[w] == want.score
            assert decoded.labels[rows].tolist() == want.labels.tolist()
            single = chain.max_marginals(unary[rows], pairwise)
            assert gap(tables.unary[rows], single.unary, size_of(unary, pairwise)) < 1e-9
            assert gap(tables.best[w], single.best, size_of(unary, pairwise)) < 1e-9


def test_a_dead_chain_in_a_batch_has_labels_0():
    unary = [[0.0, 1.0], [-np.inf, -np.inf], [0.0, 1.0], [0.0, 2.0]]
    got = chain.decode_batch(unary, [3, 1], ZERO)
    assert got.scores.tolist() == [-np.inf, 2.0]
    assert got.labels.tolist() == [0, 0, 0, 1]
    assert chain.max_marginals_batch(unary, [3, 1], ZERO).best.tolist() == [-np.inf, 2.0]


@given(model=chains(), seed=st.integers(0, 1000))
def test_identities(model, seed):
    """Q1, Q7 (a constant at one position shifts everything), Q8 (relabelling, reversal)."""
    unary, pairwise = model
    rng = np.random.default_rng(seed)
    got = chain.max_marginals(unary, pairwise)
    assert_allclose(got.unary.max(axis=1), got.best, rtol=1e-9, atol=1e-9)
    if len(unary) > 1:
        assert_allclose(got.pairwise.max(axis=(1, 2)), got.best, rtol=1e-9, atol=1e-9)
        assert_allclose(got.pairwise.max(axis=2), got.unary[:-1], rtol=1e-9, atol=1e-9)
    shifted = unary.copy()
    shifted[rng.integers(len(unary))] += 7.0
    assert_allclose(chain.max_marginals(shifted, pairwise).unary, got.unary + 7.0, rtol=1e-9, atol=1e-9)
    p = rng.permutation(unary.shape[1])
    relabelled = chain.max_marginals(unary[:, p], pairwise[..., p, :][..., p])
    assert_allclose(relabelled.unary, got.unary[:, p], rtol=1e-9, atol=1e-9)
    back = pairwise.T if pairwise.ndim == 2 else pairwise[::-1].transpose(0, 2, 1)
    reversed_ = chain.max_marginals(unary[::-1], back)
    assert_allclose(reversed_.unary, got.unary[::-1], rtol=1e-9, atol=1e-9)
    assert_allclose(reversed_.pairwise, got.pairwise[::-1].transpose(0, 2, 1), rtol=1e-9, atol=1e-9)


def test_a_shared_table_is_the_table_at_every_step():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(5, 3)), rng.normal(size=(3, 3))
    stacked = np.repeat(pairwise[None], 4, axis=0)
    assert chain.decode(unary, pairwise).score == chain.decode(unary, stacked).score
    assert_array_equal(chain.max_marginals(unary, pairwise)[2], chain.max_marginals(unary, stacked)[2])
    assert_array_equal(chain.marginals(unary, pairwise)[2], chain.marginals(unary, stacked)[2])


def test_one_position_and_one_state():
    assert chain.decode([[3.0]], np.zeros((0, 1, 1))) == chain.decode([[3.0]], [[9.0]])
    assert chain.marginals([[3.0]], [[9.0]]).log_partition == 3.0
    assert chain.max_marginals([[3.0]] * 3, [[2.0]]).best == 13.0
    assert chain.marginals([[3.0]] * 3, [[2.0]]).pairwise.ravel().tolist() == [1.0, 1.0]
    assert chain.max_marginals([[1.0, 2.0]], np.zeros((2, 2))).pairwise.shape == (0, 2, 2)


def test_arguments_are_left_alone_and_any_layout_will_do():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(4, 6))[:, ::2], rng.normal(size=(3, 3)).T
    before = unary.copy(), pairwise.copy()
    want = chain.decode(unary.copy(), pairwise.copy())
    assert chain.decode(unary, pairwise).labels.tolist() == want.labels.tolist()
    assert chain.decode(unary.tolist(), pairwise.tolist()).score == want.score
    chain.max_marginals(unary, pairwise), chain.marginals(unary, pairwise), chain.k_best(unary, pairwise, 3)
    chain.witness(unary, pairwise, 1, 2)
    assert_array_equal(unary, before[0])
    assert_array_equal(pairwise, before[1])
    assert chain.decode(np.ones((2, 2), dtype=np.float32), np.zeros((2, 2), dtype=np.int8)).score == 2.0


@pytest.mark.parametrize("scale", [1.0, 1e4], ids=["scaled", "by logs"])
def test_without_edges_nodes_are_the_same(scale):
    rng = np.random.default_rng(3)
    unary, pairwise = scale * rng.normal(size=(6, 17)), scale * rng.normal(size=(5, 17, 17))
    for function in (chain.max_marginals, chain.marginals):
        full, nodes = function(unary, pairwise), function(unary, pairwise, edges=False)
        assert nodes[0] == full[0]
        assert nodes.pairwise is None
        assert np.array_equal(nodes.unary, full.unary)


@pytest.mark.parametrize("n", [1, 5, 8, 26])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_transitions_begin_a_cache_line_and_are_filled_up(n, dtype):
    pairwise = np.random.default_rng(n).normal(size=(2, n, n)).astype(dtype)
    for is_back in (False, True):
        rows = inputs.table_rows(pairwise, -np.inf, is_back)
        assert rows.dtype == dtype
        assert rows.ctypes.data % 64 == 0
        assert rows.shape[2] == (n if n < 8 else -(-n // 8) * 8)
        assert np.array_equal(rows[:, :, :n], pairwise.transpose(0, 2, 1) if is_back else pairwise)
        assert np.isneginf(rows[:, :, n:]).all()


@pytest.mark.parametrize("n_states", [5, 8, 26])
@pytest.mark.parametrize("length", [best.LONG - 1, best.LONG, 40])
def test_one_table_is_the_same_as_one_for_each_step(length, n_states):
    """A long chain's only table is copied into other rows; several tables are used as they are."""
    rng = np.random.default_rng(length)
    unary, table = rng.normal(size=(length, n_states)), rng.normal(size=(n_states, n_states))
    table[0, 1:3] = -np.inf
    each = np.stack([table] * (length - 1))
    one, many = chain.decode(unary, table), chain.decode(unary, each)
    assert one.score == many.score
    assert_array_equal(one.labels, many.labels)
    for edges in (False, True):
        one, many = (chain.max_marginals(unary, p, edges=edges) for p in (table, each))
        assert one.best == many.best
        assert_array_equal(one.unary, many.unary)
        assert_array_equal(one.pairwise, many.pairwise)
