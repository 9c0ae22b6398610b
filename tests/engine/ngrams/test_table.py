"""Tables of n-gram weights against sums over suffixes; whole n-gram lattices against enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.ngrams import lattice
from spcviz.engine.ngrams.table import empty_table, encode, lookup, ngram_table, slot_of
from tests.engine.ngrams.test_lattice import arcs_of, grown, table_of
from tests.oracles import ngram as oracle
from tests.strategies import cases, random_scores


def suffix_sum(weights, gram):
    """The expected result of a look-up: the summed weights of all suffixes of at least two symbols."""
    return sum(weights.get(gram[at:], 0.0) for at in range(len(gram) - 1))


@pytest.mark.parametrize(("n_states", "longest"), [(1, 9), (2, 9), (5, 7), (26, 6), (100, 5)])
def test_lookup_sums_the_suffixes(n_states, longest):
    rng = np.random.default_rng(n_states)
    for size in (0, 1, 5, 2000):
        grams = {tuple(rng.integers(0, n_states, rng.integers(2, longest + 1)).tolist()) for _ in range(size)}
        ends = {
            (*tuple(rng.integers(0, n_states, rng.integers(1, longest)).tolist()), n_states) for _ in grams
        }
        extended = {(int(rng.integers(n_states)), *g) for g in grams if len(g) < longest}  # hits and misses
        weights = {g: float(rng.normal()) for g in sorted(grams | ends)}
        table = ngram_table(n_states, [encode(n_states, g) for g in weights], list(weights.values()))
        assert table.has_end == bool(ends)
        probes = sorted(grams | ends | extended)[:: 1 + size // 500]
        probes += [tuple(rng.integers(0, n_states, m).tolist()) for m in range(2, longest + 1)]
        for gram in probes:
            got = lookup(table, encode(n_states, gram), len(gram))
            assert_allclose(got, suffix_sum(weights, gram), rtol=1e-9, atol=1e-9)


def test_lookup_of_a_suffix_that_is_there_under_a_longer_one_that_is_not():
    table = ngram_table(3, [encode(3, "bc"), encode(3, "abca"), encode(3, "ca")], [1.0, 2.0, 4.0])
    assert lookup(table, encode(3, "abca"), 4) == 6.0
    assert lookup(table, encode(3, "cabca"), 5) == 6.0
    assert lookup(table, encode(3, "bbca"), 4) == 4.0
    assert lookup(table, encode(3, "bc"), 2) == lookup(table, encode(3, "abc"), 3) == 1.0
    assert lookup(empty_table(3), encode(3, "abcabc"), 6) == 0.0


def long_codes(n_states, count):
    """Codes of n-grams too long for the dense part."""
    m = empty_table(n_states).n_dense + 1
    return [encode(n_states, (i // 600, i // 25 % 25, *[0] * (m - 3), i % 25)) for i in range(count)]


def test_codes_of_one_bucket_are_told_apart():
    n_states, n_buckets, codes = 26, 8, long_codes(26, 2000)
    same = [code for code in codes if slot_of(code, n_buckets) == n_buckets - 1]
    stored = same[:6] + [code for code in codes if slot_of(code, n_buckets) in (0, 1, 2)][:11]
    table = ngram_table(n_states, stored, np.arange(1.0, len(stored) + 1))
    assert np.diff(table.first).tolist()[3:] == [0, 0, 0, 0, 6]
    m = table.n_dense + 1
    for code in codes:
        assert lookup(table, code, m) == (stored.index(code) + 1.0 if code in stored else 0.0)


def test_a_table_has_no_free_slots_and_few_codes_a_bucket():
    for g in (0, 1, 2, 7, 8, 100, 2000):
        table = ngram_table(26, long_codes(26, g), np.ones(g))
        assert len(table.keys) == len(table.values) == g == table.first[-1]
        n_buckets = len(table.first) - 1
        assert n_buckets & (n_buckets - 1) == 0
        assert g == 0 or g < 4 * n_buckets <= 2 * max(g, 2)
        assert len(set(table.keys.tolist())) == g


@given(n_states=st.integers(1, 200), data=st.data())
def test_codes_tell_ngrams_apart_and_keep_their_order(n_states, data):
    grams = st.lists(st.integers(0, n_states), min_size=1, max_size=6)
    one, other = data.draw(grams), data.draw(grams)
    codes = encode(n_states, one), encode(n_states, other)
    assert (codes[0] == codes[1]) == (one == other)
    assert (codes[0] < codes[1]) == ((len(one), one) < (len(other), other))
    assert encode(n_states, one + other) > max(codes)


def test_letters_are_states():
    assert encode(26, "az#") == encode(26, [0, 25, 26]) == encode(26, np.array([0, 25, 26]))


def check_lattice(seed):
    """Largest relative difference of all max-plus functions on one n-gram lattice, pruned at random."""
    rng = np.random.default_rng(seed)
    n_states, order, scale = int(rng.integers(1, 4)), int(rng.integers(1, 5)), rng.choice([1e-6, 1.0, 1e6])
    unary = random_scores(rng, (int(rng.integers(1, 5)), n_states), scale=scale)
    grams = [
        tuple(rng.integers(0, n_states, rng.integers(2, order + 1)).tolist()) for _ in range(8 * (order > 1))
    ]
    weights = {g: scale * float(rng.normal()) for g in grams}
    end = {g[1:]: scale * float(rng.normal()) for g in grams[:3]}
    lat, spaces = grown(n_states, order, [unary], rng, rng.choice([0.4, 0.8, 1.1]))
    score = lattice.score_arcs(lat, unary, table_of(n_states, weights, end))
    got, path = lattice.messages(lat, score), lattice.decode(lat, score)
    args = (spaces[0], len(unary), n_states, unary, weights, end, order, max)
    best, through = oracle.tables(*args)
    if best is None or best == -np.inf:
        assert got.best[0] == path.scores[0] == -np.inf
        return 0.0
    want = np.array([through.get(at, -np.inf) for at in arcs_of(lat, 0)])
    assert (np.isneginf(want) == np.isneginf(got.max_marginal)).all()
    alive = np.isfinite(want)
    worst = np.abs(got.max_marginal[alive] - want[alive]).max() / scale
    worst = max(worst, abs(path.scores[0] - best) / scale, abs(got.best[0] - best) / scale)
    arc = int(rng.choice(np.flatnonzero(alive)))
    value, witness = lattice.witness(lat, score, arc)
    return max(worst, abs(value - want[arc]) / scale, abs(score[witness].sum() - want[arc]) / scale)


def test_enumerated_lattices_at_every_scale():
    """Viterbi, max-marginals and witnesses of n-gram lattices pruned at random."""
    n = cases(10_000)
    worst = max(check_lattice(seed) for seed in range(n))
    print(f"{n} n-gram lattices, largest relative difference {worst:.2g}")
    assert worst < 1e-9


@given(seed=st.integers(0, 2**31), order=st.integers(1, 5))
def test_real_alphabets_reach_past_the_dense_part(seed, order):
    """26 letters, so that four symbols and more, end mark included, come from the hash table."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 8, size=3)
    labels = rng.choice([0, 3, 25], size=lengths.sum())
    unary = rng.normal(size=(len(labels), 26))
    words = [tuple(y.tolist()) for y in np.split(labels, np.cumsum(lengths)[:-1])]
    seen = [y[i:j] for y in words for i in range(len(y)) for j in range(i + 1, min(i + order, len(y)) + 1)]
    weights = {g: float(rng.normal()) for g in seen if len(g) > 1 and rng.random() < 0.7}
    end = {g: float(rng.normal()) for g in seen if rng.random() < 0.7}
    allowed = rng.random(unary.shape) < 0.05
    allowed[np.arange(len(labels)), labels] = True
    lat, table = lattice.unigrams(lengths, 26, allowed), table_of(26, weights, end)
    for n in range(1, order + 1):
        score = lattice.score_arcs(lat, unary, table)
        got = lattice.score_labels(lat, unary, table, labels)
        path = lattice.path_of(lat, labels)
        assert lattice.labels_of(lat, path).tolist() == labels.tolist()
        totals = np.add.reduceat(score[path], lat.col_start[:-1])
        for w, (y, u) in enumerate(zip(words, np.split(unary, np.cumsum(lengths)[:-1]))):
            want = oracle.score(y, u, weights, end, n)
            assert_allclose([got[w], totals[w]], want, rtol=1e-9, atol=1e-9)
        lat = lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))


@given(seed=st.integers(0, 2**31), order=st.integers(1, 3))
def test_paths_spell_their_labels_if_every_part_is_there(seed, order):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 5, size=3)
    lat, spaces = grown(2, order, [np.zeros((m, 2)) for m in lengths], rng, 0.7)
    labels = rng.integers(0, 2, size=lengths.sum())
    path = lattice.path_of(lat, labels)
    for w, space in enumerate(spaces):
        y = tuple(labels[lat.row_start[w] : lat.row_start[w + 1]].tolist())
        n = int(lat.order[w])
        arcs = path[lat.col_start[w] : lat.col_start[w + 1]]
        assert [a >= 0 for a in arcs] == [y[c : c + n] in grams for c, grams in enumerate(space)]
        held = arcs_of(lat, w)
        assert all(held[a - lat.example_start[w]] == (c, y[c : c + n]) for c, a in enumerate(arcs) if a >= 0)


def test_pointers_take_the_first_of_equals_and_leave_dead_nodes_alone():
    lat = lattice.unigrams([3], 2)
    lat = lattice.extend(lat, np.ones(6, dtype=bool))
    score = np.zeros(8)
    passed = lattice.messages(lat, score)
    into, out_of = lattice.pointers(lat, score, passed.forward, passed.backward)
    assert into.tolist() == [-1, -1, 0, 1, 4, 5]
    assert out_of.tolist() == [0, 2, 4, 6, -1, -1]
    assert lattice.witness(lat, score, 3)[1].tolist() == [3, 6]
    score[[0, 2, 6, 7]] = -np.inf  # nothing enters the first middle node, nothing leaves the second
    passed = lattice.messages(lat, score)
    into, out_of = lattice.pointers(lat, score, passed.forward, passed.backward)
    assert into.tolist() == [-1, -1, -1, 1, -1, -1]
    assert out_of.tolist() == [-1, -1, 4, -1, -1, -1]


@given(seed=st.integers(0, 2**31), length=st.integers(1, 5), n=st.integers(1, 3), order=st.integers(2, 4))
def test_an_unpruned_lattice_is_exact_viterbi_on_joint_states(seed, length, n, order):
    """Q20: a chain over (n-1)-grams, written out densely with -inf where they do not overlap."""
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(length, n))
    weights = {
        g: float(rng.normal())
        for j in range(2, order + 1)
        for g in np.ndindex(*(n,) * j)
        if rng.random() < 0.6
    }
    lat, _ = grown(n, order, [unary], rng, 2.0)
    got = lattice.decode(lat, lattice.score_arcs(lat, unary, table_of(n, weights, {})))
    m = order - 1  # joint states: the last m symbols, begin symbol n
    joint = list(np.ndindex(*(n + 1,) * m))
    start = (n,) * m
    score = np.full((length + 1, len(joint)), -np.inf)
    score[0, joint.index(start)] = 0.0
    step = np.full((length, len(joint), len(joint)), -np.inf)
    for a, before in enumerate(joint):
        for y in range(n):
            b = joint.index((*before[1:], y))
            step[:, a, b] = sum(weights.get((*before, y)[at:], 0.0) for at in range(m))
    for i in range(length):
        for b, after in enumerate(joint):
            if after[-1] < n:
                score[i + 1, b] = unary[i, after[-1]]
    assert_allclose(got.scores[0], chain.decode(score, step).score, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("args", "error", "message"),
    [
        ((0, [], []), ArgumentError, "n_states must be a whole number from 1 to 1000, got 0"),
        ((1001, [], []), ArgumentError, "n_states must be a whole number from 1 to 1000, got 1001"),
        (("26", [], []), ArgumentError, "n_states must be a whole number from 1 to 1000, got '26'"),
        ((26, [59], [1.0, 2.0]), ShapeError, r"keys has shape \(1,\); weights needs \(2,\)"),
        ((26, [59, 59], [1.0, 2.0]), ArgumentError, "keys must be distinct, got 59 twice"),
        ((26, [5], [1.0]), ArgumentError, r"keys\[0\] must be from \d+ to \d+, got 5"),
        ((26, [2**62], [1.0]), ArgumentError, r"keys\[0\] must be from \d+ to \d+, got 4611686018427387904"),
        ((26, [2**80], [1.0]), ArgumentError, "keys must be an array of whole numbers, got"),
        ((26, [59.0], [1.0]), ArgumentError, "keys must be an array of whole numbers, got dtype float64"),
        ((26, ["th"], [1.0]), ArgumentError, "keys must be an array of whole numbers, got"),
        ((26, [[59]], [1.0]), ShapeError, r"keys has shape \(1, 1\); it needs 1 dimension"),
        ((26, [59], [np.nan]), ScoreError, r"weights\[0\] must be a finite score or -inf, got nan"),
        (
            (26, [59], [-np.inf]),
            ArgumentError,
            "weights must be finite, got -inf: forbid assignments in the lat",
        ),
    ],
)
def test_bad_tables_are_named(args, error, message):
    with pytest.raises(error, match=message):
        ngram_table(*args)


@pytest.mark.parametrize(
    ("n_states", "gram", "message"),
    [
        (26, "aB", "states must be a whole number from 0 to 26, got -31"),
        (26, "é", "states must be a whole number from 0 to 26, got 136"),
        (2, "c#c", None),
        (26, [27], "states must be a whole number from 0 to 26, got 27"),
        (26, [0.5], "states must be a whole number from 0 to 26, got 0.5"),
        (26, ["ab"], "states must be a whole number from 0 to 26, got 'ab'"),
        (0, [0], "n_states must be a whole number from 1 to 10000, got 0"),
    ],
)
def test_bad_grams_are_named(n_states, gram, message):
    if message is None:  # the end mark is one more state here
        assert encode(n_states, gram) == encode(n_states, [2, 2, 2])
        return
    with pytest.raises(ArgumentError, match=message):
        encode(n_states, gram)
