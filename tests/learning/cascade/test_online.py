"""The online learner against a naive one that moves every weight at every step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.ngrams import lattice
from spcviz.engine.ngrams.table import encode
from spcviz.learning.cascade.features import DenseRows, SparseRows, mean_squared_norm
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Perceptron
from spcviz.learning.cascade.online import Model, Rates, fit, passes
from spcviz.learning.cascade.problem import prepare
from tests.engine.ngrams.test_lattice import arcs_of, grown
from tests.oracles import ngram as spaces_oracle
from tests.oracles import online as oracle

LOSSES = [
    (Perceptron(), {"name": "perceptron"}),
    (LogLoss(), {"name": "log"}),
    (FilterHinge(0.4, 1.0, False), {"name": "hinge", "alpha": 0.4, "margin": 1.0, "on_nodes": False}),
    (FilterHinge(0.8, 0.5, True), {"name": "hinge", "alpha": 0.8, "margin": 0.5, "on_nodes": True}),
]


def tie_rank(y, order):
    """Smaller wins a tie: the last (n-1)-gram, then the states before it from the last to the first."""
    n = min(order, len(y))
    cut = len(y) - (n - 1)
    return (y[cut:], y[:cut][::-1])


def setting(seed, n_states, order, *, share, n_examples=4, sparse=False, has_end=True):
    """(problem, the oracle's examples, lengths): random lattices and features, truth inside or outside."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 5, size=n_examples)
    rows = int(lengths.sum())
    lat, _ = grown(n_states, order, [np.zeros((m, n_states)) for m in lengths], rng, share)
    labels = rng.integers(0, n_states, size=rows)
    if sparse:
        index = rng.integers(0, 4, size=rows).astype(np.int32)
        features, dense = SparseRows(np.arange(rows + 1), index, 4), np.eye(4)[index]
    else:
        dense = rng.normal(size=(rows, 3)).astype(np.float32)
        features, dense = DenseRows(dense), dense.astype(np.float64)
    examples = []
    for w, (a, b) in enumerate(zip(lat.row_start[:-1], lat.row_start[1:])):
        columns = [set() for _ in range(lat.col_start[w + 1] - lat.col_start[w])]
        for c, gram in arcs_of(lat, w):
            columns[c].add(gram)
        outputs = sorted(spaces_oracle.outputs(columns, b - a, n_states), key=lambda y: tie_rank(y, order))
        examples.append((dense[a:b], tuple(labels[a:b].tolist()), outputs))
    return prepare(lat, features, labels, has_end=has_end), examples, labels


def naive(
    problem,
    examples,
    seed,
    loss,
    epochs,
    rate,
    gram_rate,
    decay,
    initial,
    order,
    chosen,
    has_end=True,
    falling=False,
):
    norm = mean_squared_norm(problem.features)
    n_states = problem.lattice.n_states
    shuffle = np.random.default_rng(seed)
    inside = np.array([w for w in chosen if examples[w][1] in examples[w][2]], dtype=np.int64)
    if not len(inside):
        return None
    orders = [shuffle.permutation(inside) for _ in range(epochs)]
    return oracle.fit(
        examples,
        orders,
        loss,
        *initial,
        n_states=n_states,
        order=order,
        rate=rate / norm,
        gram_rate=gram_rate * norm,
        decay=decay,
        falling=falling,
        has_end=has_end,
    )


def compare(problem, got, want, initial, rtol=1e-9, atol=1e-9):
    if want is None:
        assert_array_equal(got.model.weights, initial[0])
        return
    weights, grams, means = want
    assert_allclose(got.model.weights, weights, rtol=rtol, atol=atol)
    assert_allclose(got.losses, means, rtol=rtol, atol=1e-8)
    n_states = problem.lattice.n_states
    codes = {encode(n_states, g): v for g, v in grams.items()}
    assert (np.diff(got.model.keys) > 0).all()
    learned = dict(zip(got.model.keys.tolist(), got.model.values.tolist()))
    for key in problem.keys.tolist():
        assert_allclose(learned.get(key, 0.0), codes.get(key, 0.0), rtol=rtol, atol=atol)
    assert set(learned) <= set(problem.keys.tolist())
    moved = {key for key, v in codes.items() if abs(v) > 1e-9}
    assert moved <= set(problem.keys.tolist())


def random_start(rng, problem, n_features):
    """Weights without ties, for every n-gram of the problem: (Model, (weights, grams) for the oracle)."""
    n_states = problem.lattice.n_states
    weights, values = rng.normal(size=(n_features, n_states)), rng.normal(size=len(problem.keys))
    order = np.argsort(problem.keys)
    codes = problem.keys.tolist()
    grams = {g: values[codes.index(encode(n_states, g))] for g in all_grams(n_states, codes)}
    return Model(weights, problem.keys[order], values[order]), (weights, grams)


def all_grams(n_states, codes):
    codes, longest = set(codes), 5
    for m in range(2, longest + 1):
        for g in np.ndindex(*(n_states + 1,) * m):
            if encode(n_states, g) in codes:
                yield g


@pytest.mark.parametrize(("loss", "plain"), LOSSES, ids=["perceptron", "log", "arcs", "nodes"])
@given(
    seed=st.integers(0, 2**31),
    n_states=st.integers(1, 3),
    order=st.integers(1, 3),
    share=st.sampled_from([0.7, 1.1]),
    decay=st.sampled_from([0.0, 0.0, 0.02, 0.5]),
    has_end=st.booleans(),
    falling=st.booleans(),
)
def test_averaged_weights_are_the_average_of_all_weights(
    loss, plain, seed, n_states, order, share, decay, has_end, falling
):
    problem, examples, _ = setting(seed, n_states, order, share=share, has_end=has_end)
    model, start = random_start(np.random.default_rng(seed), problem, 3)
    norm = mean_squared_norm(problem.features)
    rate, chosen = 0.7, np.array([3, 0, 1])
    decay *= norm / rate  # as a share of a step: 0.5 halves the weights at each example
    got = fit(
        problem,
        loss,
        chosen,
        np.random.default_rng(seed),
        epochs=3,
        rates=Rates(rate, 0.3, decay, falling),
        initial=model,
    )
    want = naive(problem, examples, seed, plain, 3, rate, 0.3, decay, start, order, chosen, has_end, falling)
    compare(problem, got, want, start)


@given(seed=st.integers(0, 2**31), n_states=st.integers(1, 3), order=st.integers(1, 3), sparse=st.booleans())
def test_perceptron_from_zero_ties_included(seed, n_states, order, sparse):
    """One-hot features keep every number whole, so both sides meet the same ties."""
    problem, examples, _ = setting(seed, n_states, order, share=1.1, sparse=True)
    if not sparse:
        dense = np.zeros((len(problem.features.index), 4), dtype=np.float32)
        dense[np.arange(len(dense)), problem.features.index] = 1.0
        problem = problem._replace(features=DenseRows(dense))
    got = fit(problem, Perceptron(), np.arange(4), np.random.default_rng(seed), epochs=4)
    start = np.zeros((4, n_states)), {}
    want = naive(problem, examples, seed, {"name": "perceptron"}, 4, 1.0, 1.0, 0.0, start, order, range(4))
    compare(problem, got, want, start)


def test_after_each_pass_stands_what_so_many_passes_find():
    problem, _, _ = setting(7, 3, 2, share=1.1, n_examples=6)
    more = {"rates": Rates(0.7, decay=0.01, falling=True)}
    fits = list(passes(problem, LogLoss(), np.arange(6), np.random.default_rng(3), epochs=4, **more))
    for n, each in enumerate(fits):
        alone = fit(problem, LogLoss(), np.arange(6), np.random.default_rng(3), epochs=n, **more)
        assert_array_equal(each.model.weights, alone.model.weights)
        assert_array_equal(each.model.values, alone.model.values)
        assert_array_equal(each.losses, alone.losses)
        assert len(each.losses) == n
    assert len(fits) == 5


@pytest.mark.parametrize("share", [1e-4, 1e-2, 0.2, 0.9])
def test_decay_over_many_steps_keeps_its_digits(share):
    """400 steps in a pass: 0.1^400 and its reciprocal are far outside what a double can hold."""
    problem, examples, _ = setting(5, 2, 2, share=1.1, n_examples=400)
    model, start = random_start(np.random.default_rng(5), problem, 3)
    decay = share * mean_squared_norm(problem.features)
    loss, plain = LOSSES[2]
    got = fit(
        problem,
        loss,
        np.arange(400),
        np.random.default_rng(5),
        epochs=2,
        rates=Rates(gram_rate=0.3, decay=decay),
        initial=model,
    )
    want = naive(problem, examples, 5, plain, 2, 1.0, 0.3, decay, start, 2, range(400))
    compare(problem, got, want, start, rtol=1e-7, atol=1e-8)


@given(seed=st.integers(0, 2**31), n_states=st.integers(1, 3), order=st.integers(1, 4), has_end=st.booleans())
def test_every_arc_knows_the_ngrams_it_completes(seed, n_states, order, has_end):
    problem, _, labels = setting(seed, n_states, order, share=0.8, has_end=has_end)
    lat = problem.lattice
    assert len(set(problem.keys.tolist())) == len(problem.keys)
    arc = 0
    for w in range(4):
        n, n_columns = int(lat.order[w]), lat.col_start[w + 1] - lat.col_start[w]
        for c, gram in arcs_of(lat, w):
            want = [gram[i - j : i] for i in range(n if c else 2, n + 1) for j in range(2, i + 1)]
            if c == n_columns - 1 and has_end:
                want += [(*gram[n - j :], n_states) for j in range(1, n + 1)]
            index = problem.gram_index[problem.gram_start[arc] : problem.gram_start[arc + 1]]
            got = sorted(problem.keys[index].tolist())
            assert got == sorted(encode(n_states, g) for g in want)
            arc += 1
        path = lattice.path_of(lat, labels)[lat.col_start[w] : lat.col_start[w + 1]]
        assert problem.has_truth[w] == (path >= 0).all()
    assert arc == lat.n_arcs == len(problem.gram_start) - 1
    assert set(problem.gram_index.tolist()) == set(range(len(problem.keys)))  # every number is used


def test_the_end_mark_follows_the_last_position_only():
    lat = lattice.unigrams([2], 2, [[True, False], [False, True]])
    problem = prepare(lat, DenseRows(np.ones((2, 1), dtype=np.float32)), [0, 1], has_end=True)
    assert problem.keys.tolist() == [encode(2, "b#")]
    assert problem.gram_start.tolist() == [0, 0, 1]


def test_numbering_grows_past_its_first_tables():
    lat = lattice.unigrams([3] * 2, 60)
    lat = lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))
    lat = lattice.extend(lat, np.arange(lat.n_arcs) % 7 < 2)
    problem = prepare(lat, DenseRows(np.ones((6, 1), dtype=np.float32)), np.zeros(6, dtype=int), has_end=True)
    assert len(problem.keys) > 5000
    assert len(set(problem.keys.tolist())) == len(problem.keys)
    states = [tuple(map(int, s)) for w in range(2) for s in lattice.symbols(lat, w)]
    for arc in np.random.default_rng(0).permutation(lat.n_arcs)[:2000]:
        a, b, c = states[arc]  # words of three letters: one arc is a whole word
        want = [(a, b), (b, c), (a, b, c), (c, 60), (b, c, 60), (a, b, c, 60)]
        index = problem.gram_index[problem.gram_start[arc] : problem.gram_start[arc + 1]]
        assert sorted(problem.keys[index].tolist()) == sorted(encode(60, g) for g in want)


def test_a_warm_start_carries_over_what_the_lattice_knows():
    problem, _, _ = setting(1, 3, 2, share=1.1)
    model, _ = random_start(np.random.default_rng(0), problem, 3)
    same = fit(problem, Perceptron(), np.arange(4), np.random.default_rng(0), epochs=0, initial=model).model
    assert_array_equal(same.weights, model.weights)
    assert_array_equal(same.keys, model.keys)
    assert_array_equal(same.values, model.values)
    half = Model(model.weights, model.keys[::2], model.values[::2])
    same = fit(problem, Perceptron(), np.arange(4), np.random.default_rng(0), epochs=0, initial=half).model
    assert_array_equal(same.keys, half.keys)
    none = Model(model.weights, model.keys[:0], model.values[:0])
    assert (
        fit(problem, Perceptron(), [], np.random.default_rng(0), epochs=1, initial=none).model.keys.size == 0
    )


def test_the_table_of_a_model():
    model = Model(np.zeros((1, 26)), np.array([encode(26, "ab"), encode(26, "b#")]), np.array([1.0, 2.0]))
    assert model.table.has_end
    assert model.table.n_states == 26


def test_training_learns_something_reproducibly_and_ticks():
    rng = np.random.default_rng(0)
    lengths = rng.integers(2, 6, size=60)
    labels = rng.integers(0, 3, size=lengths.sum())
    x = (np.eye(3)[labels] + 0.3 * rng.normal(size=(len(labels), 3))).astype(np.float32)
    lat = lattice.unigrams(lengths, 3)
    problem, ticks = prepare(lat, DenseRows(x), labels), []
    for loss in (Perceptron(), FilterHinge(0.5), LogLoss()):
        runs = [
            fit(
                problem, loss, np.arange(60), np.random.default_rng(1), epochs=8, tick=lambda: ticks.append(1)
            )
            for _ in range(2)
        ]
        assert runs[0].model.weights.tobytes() == runs[1].model.weights.tobytes()
        assert runs[0].losses[-1] < runs[0].losses[0]
        paths = lattice.decode(lat, lattice.score_arcs(lat, x @ runs[0].model.weights, runs[0].model.table))
        assert (paths.labels == labels).mean() > 0.9
    assert len(ticks) == 48


def test_examples_without_their_truth_are_left_out():
    lat = lattice.unigrams([1, 1], 2, [[True, False], [True, True]])
    problem = prepare(lat, DenseRows(np.ones((2, 1), dtype=np.float32)), np.array([1, 1]))
    assert problem.has_truth.tolist() == [False, True]
    rng = np.random.default_rng(0)
    assert not fit(problem, Perceptron(), [0], rng, epochs=2).model.weights.any()
    assert fit(problem, Perceptron(), [0, 1], rng, epochs=2).model.weights.tolist() == [[-1.0, 1.0]]


def test_features_of_nothing_but_zeros_do_not_divide_by_zero():
    lat = lattice.unigrams([2], 2)
    problem = prepare(lat, DenseRows(np.zeros((2, 1), dtype=np.float32)), np.array([1, 1]))
    got = fit(problem, Perceptron(), [0], np.random.default_rng(0), epochs=2)
    assert_array_equal(got.model.weights, 0.0)


PROBLEM = prepare(lattice.unigrams([2, 1], 2), DenseRows(np.ones((3, 1), dtype=np.float32)), [0, 1, 0])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"loss": "perceptron"},
            ArgumentError,
            "loss must be one of Perceptron, FilterHinge, MarginHinge, LogLoss, got 'perc",
        ),
        ({"loss": FilterHinge(1.5)}, ArgumentError, "alpha must satisfy 0 <= alpha < 1, got 1.5"),
        ({"examples": [2]}, ArgumentError, r"examples\[0\] must be from 0 to 1, got 2"),
        ({"examples": [-1]}, ArgumentError, r"examples\[0\] must be from 0 to 1, got -1"),
        ({"examples": [0.0]}, ArgumentError, "examples must be an array of whole numbers, got dtype float64"),
        ({"examples": "all"}, ArgumentError, "examples must be an array of whole numbers, got 'all'"),
        ({"epochs": -1}, ArgumentError, "epochs must be a whole number from 0 to 1000000, got -1"),
        ({"epochs": 1.0}, ArgumentError, "epochs must be a whole number from 0 to 1000000, got 1.0"),
        ({"rates": Rates(np.nan)}, ArgumentError, r"rate must be a number from 0 to 1e\+15, got nan"),
        ({"rates": Rates(-1)}, ArgumentError, r"rate must be a number from 0 to 1e\+15, got -1"),
        (
            {"rates": Rates("schnell")},
            ArgumentError,
            r"rate must be a number from 0 to 1e\+15, got 'schnell'",
        ),
        (
            {"rates": Rates(gram_rate=np.inf)},
            ArgumentError,
            r"gram_rate must be a number from 0 to 1e\+15, got inf",
        ),
        ({"rates": Rates(decay=-0.1)}, ArgumentError, r"decay must be a number from 0 to 1e\+15, got -0.1"),
        ({"rates": Rates(decay=1.0)}, ArgumentError, r"decay must be below 1 \(1 / eta\), got 1.0"),
        (
            {"initial": Model(np.zeros((2, 2)), np.zeros(0, int), np.zeros(0))},
            ShapeError,
            r"initial has weights \(2, 2",
        ),
    ],
)
def test_bad_settings_are_named(change, error, message):
    given_ = {"loss": Perceptron(), "examples": [0, 1], "epochs": 1} | change
    loss, examples = given_.pop("loss"), given_.pop("examples")
    with pytest.raises(error, match=message):
        fit(PROBLEM, loss, examples, np.random.default_rng(0), **given_)


@pytest.mark.parametrize(
    ("features", "labels", "error", "message"),
    [
        (DenseRows(np.ones((2, 1))), [0, 1, 0], ShapeError, "features has 2 rows; the lattice needs 3"),
        (DenseRows(np.full((3, 1), np.nan)), [0, 1, 0], ScoreError, "features must be finite, got nan"),
        (SparseRows([0, 1, 1, 2], [0, 5], 2), [0, 1, 0], ArgumentError, r"index\[1\] must be below 2, got 5"),
        (np.ones((3, 1)), [0, 1, 0], ArgumentError, "features must be DenseRows or SparseRows, got array"),
        (DenseRows(np.ones((3, 1))), [0, 1], ShapeError, r"labels has shape \(2,\); it needs \(3,\)"),
        (DenseRows(np.ones((3, 1))), [0, 1, 2], ArgumentError, r"labels\[2\] must be from 0 to 1, got 2"),
        (
            DenseRows(np.ones((3, 1))),
            "abc",
            ArgumentError,
            "labels must be an array of whole numbers, got 'abc'",
        ),
    ],
)
def test_bad_data_are_named(features, labels, error, message):
    with pytest.raises(error, match=message):
        prepare(lattice.unigrams([2, 1], 2), features, labels)
