"""Fans against lattices: the same n-grams at every level, the same path at the end, bit for bit."""

import numpy as np
import pytest

from spcviz.engine.ngrams import lattice, row_compressed, row_compressed_paths
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.ngrams.table import encode, lookup, ngram_table


def random_table(rng, n_states, order, *, has_end, is_whole):
    codes = {
        encode(n_states, [*rng.integers(0, n_states, m - 1), last])
        for m in range(2, order + 2)
        for last in rng.integers(0, n_states + has_end, 12)
    }
    weights = rng.normal(size=len(codes))
    return ngram_table(n_states, sorted(codes), np.round(weights) if is_whole else weights)


def random_case(seed, n_states=5):
    """(lengths, mask, tables and unaries of five levels); every other time whole numbers, for ties."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 8, 5)
    shape = lengths.sum(), n_states
    allowed = rng.random(shape) < 0.7
    allowed[np.arange(len(allowed)), rng.integers(0, n_states, len(allowed))] = True
    is_whole = seed % 2 == 0
    tables = [random_table(rng, n_states, 6, has_end=seed % 3 == 0, is_whole=is_whole) for _ in range(5)]
    unaries = [np.round(rng.normal(size=shape)) if is_whole else rng.normal(size=shape) for _ in range(5)]
    return lengths, allowed, tables, unaries


def arcs_of(fan, bits):
    """(tail, head, code of the n-gram) of every arc."""
    count = np.diff(fan.arc)
    tail = np.repeat(np.arange(len(count)), count)
    head = fan.head[tail] + np.arange(len(tail)) - fan.arc[tail]
    return tail, head, (fan.key[tail] << bits) + fan.symbol[head] + 1


def assert_same_space(fan, lat):
    tail, head, code = arcs_of(fan, lat.bits)
    assert np.array_equal(code, lat.arc_key)
    assert np.array_equal(fan.order, lat.order)
    assert np.array_equal(fan.col_start, lat.col_start)
    column = np.searchsorted(fan.node_start, [tail, head], side="right") - 1
    example = np.searchsorted(lat.example_start, np.arange(len(tail)), side="right") - 1
    want = np.searchsorted(lat.arc_start, np.arange(len(tail)), side="right") - 1
    assert np.array_equal(column, [want + example, want + example + 1])


@pytest.mark.parametrize("on_nodes", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_every_level_is_that_of_lattices(seed, on_nodes):
    lengths, allowed, tables, unaries = random_case(seed)
    alpha = (0.0, 0.3, 0.6, 1.0, -0.5)[seed % 5]
    lat, row_start = lattice.bigrams(lengths, 5, allowed), np.r_[0, np.cumsum(lengths)]
    fan = row_compressed.first_fan(row_start, allowed)
    assert_same_space(fan, lat)
    for table, unary in zip(tables[:-1], unaries):
        score = lattice.score_arcs(lat, unary, table)
        keep = prune(lat, score, alpha, max_arcs=10_000, on_nodes=on_nodes).keep
        left = np.zeros_like(allowed)
        rows = row_compressed.gram_rows(table)
        fan = row_compressed.advance(fan, unary, rows, alpha, 10_000, left, on_nodes=on_nodes)
        survivors = lattice.states_left(lattice.extend(lat, keep, grow=False))
        assert np.array_equal(left, survivors)
        lat = lattice.extend(lat, keep)
        assert_same_space(fan, lat)
        scores, labels = row_compressed.finish(fan, unaries[-1], row_compressed.gram_rows(tables[-1]))
        want = lattice.decode(lat, lattice.score_arcs(lat, unaries[-1], tables[-1]))
        assert np.array_equal(scores, want.scores)
        assert np.array_equal(labels, want.labels)


def test_rows_hold_every_sum():
    for has_end in (False, True):
        table = random_table(np.random.default_rng(1), 5, 6, has_end=has_end, is_whole=False)
        rows = row_compressed.gram_rows(table)
        for code in table.keys:
            n = -(-int(code).bit_length() // table.bits)
            prefix, last = code >> table.bits, code & (1 << table.bits) - 1
            for other in {last, 1, 2}:
                want = lookup(table, (prefix << table.bits) + other, n)
                assert rows.flat[row_compressed_paths.row_of(rows, prefix, n) + other] == want


@pytest.mark.parametrize("seed", range(20))
def test_a_cap_that_is_passed_raises_alpha_as_prune_does(seed):
    lengths, allowed, tables, unaries = random_case(seed)
    lat, row_start = lattice.bigrams(lengths, 5, allowed), np.r_[0, np.cumsum(lengths)]
    fan, rng, n_capped = row_compressed.first_fan(row_start, allowed), np.random.default_rng(seed), 0
    for table, unary in zip(tables[:3], unaries):
        cap = int(rng.integers(1, 40))
        score, rows = lattice.score_arcs(lat, unary, table), row_compressed.gram_rows(table)
        pruned = prune(lat, score, -0.5, max_arcs=cap)
        n_capped += int((pruned.alpha > -0.5).sum())
        left = np.zeros_like(allowed)
        fan = row_compressed.advance(fan, unary, rows, -0.5, cap, left)
        lat = lattice.extend(lat, pruned.keep)
        assert_same_space(fan, lat)
    assert n_capped


def test_an_example_without_a_path():
    lengths, allowed, tables, unaries = random_case(5)
    fan = row_compressed.first_fan(np.r_[0, np.cumsum(lengths)], allowed)
    unary, rows = unaries[0].copy(), row_compressed.gram_rows(tables[0])
    unary[lengths[0]] = -np.inf
    assert row_compressed.advance(fan, unary, rows, 0.5, 10_000, np.zeros_like(allowed)) is None
    scores, labels = row_compressed.finish(fan, unary, rows)
    assert np.isneginf(scores).tolist() == [False, True, False, False, False]
    is_second = np.repeat(np.arange(5), lengths) == 1
    assert np.array_equal(labels == -1, is_second)
