"""One step of a cascade: safe on every lattice, equal to thresholding by hand, never over its cap."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.engine.ngrams import lattice
from spcviz.engine.ngrams.prune import prune, truth_points
from spcviz.engine.thresholds import filtering
from tests.engine.ngrams.test_lattice import grown
from tests.oracles import paths as oracle
from tests.oracles import threshold
from tests.strategies import SCALES, cases, random_scores

LEVELS = pytest.mark.parametrize("on_nodes", [False, True], ids=["arcs", "nodes"])


def columns_of(lat, w):
    """Per column of one example, its (arc, tail, head)s."""
    edges = lat.arc_start[lat.col_start[w] : lat.col_start[w + 1] + 1].tolist()
    arcs = list(zip(range(lat.n_arcs), lat.arc_tail.tolist(), lat.arc_head.tolist()))
    return [arcs[a:b] for a, b in pairwise(edges)]


def example_of(lat, w):
    """(first arc, tail, head, column) of one example for the oracle; arcs count from 0."""
    start, stop = lat.example_start[w : w + 2]
    column = np.repeat(
        np.arange(lat.col_start[w + 1] - lat.col_start[w]),
        np.diff(lat.arc_start[lat.col_start[w] : lat.col_start[w + 1] + 1]),
    )
    return int(start), *(f.tolist() for f in (lat.arc_tail[start:stop], lat.arc_head[start:stop], column))


def check_safe(lat, score, pruned, max_arcs=None):
    """Every feasible example keeps a complete path and its best one; an infeasible one keeps nothing."""
    on_path = np.zeros(lat.n_arcs, dtype=bool)
    on_path[pruned.best_path[pruned.best_path >= 0]] = True
    assert pruned.keep[on_path].all()
    sizes = lattice.extended_size(lat, pruned.keep)
    for w in range(len(lat.order)):
        first, last = lat.col_start[w], lat.col_start[w + 1]
        start, stop = lat.example_start[w], lat.example_start[w + 1]
        path, best = pruned.best_path[first:last], pruned.passed.best[w]
        if best == -np.inf:
            assert (path == -1).all()
            assert not pruned.keep[start:stop].any()
            continue
        assert (lat.arc_head[path[:-1]] == lat.arc_tail[path[1:]]).all()
        size = max(1.0, np.abs(score[path]).max() * len(path), abs(best))
        assert abs(score[path].sum() - best) <= 1e-9 * size
        assert pruned.passed.max_marginal[start:stop].max() <= best + 1e-9 * size
        assert oracle.joined(columns_of(lat, w), pruned.keep)
        if max_arcs is not None:
            assert sizes[w] <= max_arcs or sizes[w] == max(last - first - 1, 1)


def random_lattices(rng, n_examples):
    n_states = int(rng.integers(1, 5))
    lengths = rng.integers(1, 7, size=n_examples)
    allowed = rng.random((lengths.sum(), n_states)) < rng.choice([0.4, 0.8, 1.0])
    allowed[np.arange(len(allowed)), rng.integers(0, n_states, len(allowed))] = True
    return lattice.unigrams(lengths, n_states, allowed)


def random_alphas(rng, n_examples):
    return rng.choice([0.0, 1.0, 1 - 1e-15, 1 - 1e-9, *rng.random(3)], size=n_examples)


def check_pruning(seed):
    """(lattices, infeasible ones, capped ones): a batch of 25, pruned and grown up to three times."""
    rng = np.random.default_rng(seed)
    lat, done, infeasible, capped = random_lattices(rng, 25), 0, 0, 0
    for _ in range(3):
        n = len(lat.order)
        scale = np.repeat(rng.choice(SCALES, size=n), np.diff(lat.example_start))
        score = random_scores(rng, lat.n_arcs, scale=1.0, forbidden=rng.choice([0.0, 0.0, 0.1])) * scale
        max_arcs = int(rng.integers(1, 60)) if rng.random() < 0.5 else None
        alphas, on_nodes = random_alphas(rng, n), bool(rng.random() < 0.3)
        pruned = prune(lat, score, alphas, on_nodes=on_nodes, max_arcs=max_arcs)
        check_safe(lat, score, pruned, max_arcs)
        assert (pruned.alpha >= alphas).all()
        done += n
        infeasible += int(np.isneginf(pruned.passed.best).sum())
        capped += int((pruned.alpha > alphas).sum())
        if np.isneginf(pruned.passed.best).any():
            break  # cannot grow
        lat = lattice.extend(lat, pruned.keep)
    return done, infeasible, capped


def test_a_complete_path_survives_and_the_best_is_never_pruned():
    """100,000 lattices at full strength: ties, one state, alpha 0 and 1, -inf, scales 1e-6 to 1e6."""
    wanted, seed, total = cases(100_000), 0, np.zeros(3, dtype=int)
    while total[0] < wanted:
        total += check_pruning(seed)
        seed += 1
    done, infeasible, capped = total
    print(f"{done} lattices ({infeasible} infeasible, {capped} capped): a path and the best survive in all")


@LEVELS
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 3),
    order=st.integers(1, 3),
    length=st.integers(1, 5),
    alpha=st.floats(0, 1),
    share=st.sampled_from([0.5, 1.1]),
)
def test_what_is_kept_is_what_enumeration_puts_over_the_threshold(
    on_nodes, seed, n, order, length, alpha, share
):
    rng = np.random.default_rng(seed)
    lat, _ = grown(n, order, [np.zeros((length, n)), np.zeros((2, n))], rng, share)
    score = rng.normal(size=lat.n_arcs)
    pruned = prune(lat, score, alpha, on_nodes=on_nodes)
    assert_array_equal(pruned.alpha, alpha)
    for w in range(2):
        start, tail, head, column = example_of(lat, w)
        scores = score[start : start + len(tail)].tolist()
        nodes = on_nodes and lat.order[w] > 1  # at order 1 the only smaller gram is empty
        best = oracle.through(oracle.all_paths(tail, head, column), scores, tail, head, nodes)
        values = {at: s for at, (s, _) in best.items()}
        limit = threshold.tau(values.values(), alpha)
        top, mean = threshold.spread(values.values())
        assert pruned.limits.n_valid[w] == len(values)
        assert_allclose([pruned.limits.best[w], pruned.limits.mean[w]], [top, mean], rtol=1e-9, atol=1e-9)
        on_path = set(pruned.best_path[lat.col_start[w] : lat.col_start[w + 1]].tolist())
        for a, (t, h) in enumerate(zip(tail, head)):
            parts = [values.get(at, -np.inf) for at in ((t, h) if nodes else (a,))]
            if abs(min(parts) - limit) < 1e-9:
                continue
            over = min(parts) > limit or (top - mean < 1e-11 and min(parts) > -np.inf)
            assert pruned.keep[start + a] == (over or start + a in on_path)


@LEVELS
@given(seed=st.integers(0, 2**31), order=st.integers(1, 3))
def test_truth_points_are_where_the_truth_falls(on_nodes, seed, order):
    """Against pruning again just above and below; Definition 1 never falls later than the event."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, size=4)
    lat, _ = grown(3, order, [np.zeros((m, 3)) for m in lengths], rng, 0.8)
    score = rng.normal(size=lat.n_arcs)
    truth = lattice.path_of(lat, rng.integers(0, 3, size=lengths.sum()))
    first = lat.col_start[:-1]
    inside = np.logical_and.reduceat(truth >= 0, first)
    truth_scores = np.where(inside, np.add.reduceat(score[truth], first), -np.inf)
    pruned = prune(lat, score, 0.0, on_nodes=on_nodes)
    by_definition, event = truth_points(lat, pruned, truth, truth_scores)
    assert np.isneginf(by_definition[~inside]).all()
    assert np.isneginf(event[~inside]).all()
    # A truth that is the best output never falls: inf, or 1 where its score rounds below the best.
    assert (np.minimum(by_definition, 1) <= event + 1e-9).all()

    def is_kept(alphas):
        keep = prune(lat, score, alphas, on_nodes=on_nodes).keep
        return np.logical_and.reduceat((truth >= 0) & keep[truth], first)

    spread = pruned.limits.has_spread & inside
    assert np.isposinf(event[inside & ~spread]).all()
    below, above = np.clip(event - 1e-7, 0, 1), np.clip(event + 1e-7, 0, 1)
    assert is_kept(below)[spread & (event > 1e-7)].all()
    on_best = np.logical_and.reduceat(np.isin(truth, pruned.best_path), first)
    assert np.isposinf(event[on_best]).all() or np.allclose(event[on_best & np.isfinite(event)], 1)
    assert not is_kept(above)[spread & (event < 1 - 1e-6) & ~on_best].any()
    tau = filtering.threshold_batch(pruned.values, pruned.starts, np.clip(by_definition + 1e-7, 0, 1)).tau
    assert (truth_scores <= tau)[spread & (by_definition < 1 - 1e-6)].all()
    tau = filtering.threshold_batch(pruned.values, pruned.starts, np.clip(by_definition - 1e-7, 0, 1)).tau
    assert (truth_scores > tau)[spread & (by_definition > 1e-7)].all()


def test_a_larger_alpha_keeps_a_part_of_what_a_smaller_one_keeps():
    rng = np.random.default_rng(0)
    lat, _ = grown(4, 2, [np.zeros((6, 4))] * 3, rng, 0.9)
    score = rng.normal(size=lat.n_arcs)
    keeps = [prune(lat, score, alpha).keep for alpha in np.linspace(0, 1, 30)]
    assert all((small <= large).all() for large, small in pairwise(keeps))
    assert keeps[-1].sum() == 15  # five columns per word: at 1 the best path alone


def test_the_cap_raises_alpha_only_where_it_must_and_only_as_far():
    rng = np.random.default_rng(0)
    lat = lattice.unigrams([8, 2, 8], 5)
    score = rng.normal(size=lat.n_arcs)
    free, capped = prune(lat, score, 0.1), prune(lat, score, 0.1, max_arcs=30)
    sizes = lattice.extended_size(lat, free.keep)
    assert (sizes > 30).tolist() == [True, False, True]
    assert capped.alpha[1] == 0.1
    for w in (0, 2):
        assert lattice.extended_size(lat, capped.keep)[w] <= 30
        assert capped.alpha[w] > 0.1
        less = capped.alpha.copy()
        less[w] -= 1e-9
        assert lattice.extended_size(lat, prune(lat, score, less).keep)[w] > 30
    assert_array_equal(prune(lat, score, capped.alpha).keep, capped.keep)


@LEVELS
@pytest.mark.parametrize("value", [0.0, 0.1])
def test_the_cap_holds_where_all_scores_are_equal(on_nodes, value):
    lat = lattice.unigrams([5, 1], 26)
    pruned = prune(lat, np.full(lat.n_arcs, value), 0.5, on_nodes=on_nodes, max_arcs=100)
    assert lattice.extended_size(lat, pruned.keep).tolist() == [4, 26]
    assert pruned.alpha.tolist() == [1.0, 0.5]
    check_safe(lat, np.full(lat.n_arcs, value), pruned, 100)


def test_what_equals_the_threshold_goes():
    assert prune(lattice.unigrams([1], 3), [4.0, 2.0, 0.0], 0.0).keep.tolist() == [True, False, False]


def test_the_best_path_is_kept_where_rounding_would_part_it():
    """P2: a small gap on large scores; under the bare rule the best path's own arcs would be pruned."""
    rng = np.random.default_rng(0)
    lat = lattice.unigrams([8] * 50, 4)
    pruned = prune(lat, 1e6 + 1e-3 * rng.normal(size=lat.n_arcs), 1.0)
    assert pruned.limits.has_spread.all()
    tau = np.repeat(pruned.limits.tau, 8)
    assert (pruned.values[pruned.best_path] <= tau).any()
    assert pruned.keep[pruned.best_path].all()


def test_no_examples_and_infeasible_ones():
    assert prune(lattice.unigrams([], 3), np.zeros(0), 0.5, max_arcs=9).keep.size == 0
    assert truth_points(lattice.unigrams([], 3), prune(lattice.unigrams([], 3), [], 0.5), [], [])[0].size == 0
    lat = lattice.unigrams([2, 1], 2)
    pruned = prune(lat, [0.0, 0.0, -np.inf, -np.inf, 1.0, 0.0], 0.0, max_arcs=1)
    assert pruned.keep.tolist() == [False] * 4 + [True, False]


LAT = lattice.unigrams([2], 2)


@pytest.mark.parametrize(
    ("args", "options", "error", "message"),
    [
        (([0.0] * 3, 0.5), {}, ShapeError, r"arc_score has shape \(3,\); the lattice needs \(4,\)"),
        (([0.0, np.nan, 0.0, 0.0], 0.5), {}, ScoreError, r"arc_score\[1\] must be a finite .* got nan"),
        (([0.0, np.inf, 0.0, 0.0], 0.5), {}, ScoreError, r"arc_score\[1\] must be a finite .* got inf"),
        (("šcor", 0.5), {}, ArgumentError, "arc_score must be an array of numbers, got 'šcor'"),
        (([0.0] * 4, 1.5), {}, ArgumentError, "alpha must be a number from -inf to 1, got 1.5"),
        (
            ([0.0] * 4, -0.5),
            {"rule": "probability"},
            ArgumentError,
            "probability must satisfy 0 <= probability <= 1, got -0.5",
        ),
        (([0.0] * 4, np.nan), {}, ScoreError, "alpha.* got nan"),
        (([0.0] * 4, "0.5"), {}, ArgumentError, "alpha must be an array of numbers, got '0.5'"),
        (([0.0] * 4, [0.5, 0.5]), {}, ShapeError, r"alpha has shape \(2,\); it needs \(\) or \(1,\)"),
        (
            ([0.0] * 4, 0.5),
            {"max_arcs": 0},
            ArgumentError,
            "max_arcs must be a whole number from 1 to .* got 0",
        ),
        (([0.0] * 4, 0.5), {"max_arcs": 1.5}, ArgumentError, "max_arcs must be a whole number .* got 1.5"),
        (([0.0] * 4, 0.5), {"max_arcs": "9"}, ArgumentError, "max_arcs must be a whole number .* got '9'"),
    ],
)
def test_bad_arguments_are_named(args, options, error, message):
    with pytest.raises(error, match=message):
        prune(LAT, *args, **options)


@pytest.mark.parametrize(
    ("truth", "scores", "error", "message"),
    [
        ([0], [0.0], ShapeError, r"truth has shape \(1,\); the lattice needs \(2,\)"),
        ([0, 4], [0.0], ArgumentError, r"truth\[1\] must be from -1 to 3, got 4"),
        ([0.0, 2.0], [0.0], ArgumentError, "truth must be an array of whole numbers, got dtype float64"),
        ([0, 2], [0.0, 0.0], ShapeError, r"truth_scores has shape \(2,\); starts needs \(1,\)"),
        ([0, 2], [np.nan], ScoreError, r"truth_scores\[0\] must be a finite score or -inf, got nan"),
    ],
)
def test_bad_truths_are_named(truth, scores, error, message):
    with pytest.raises(error, match=message):
        truth_points(LAT, prune(LAT, [1.0, 0.0, 0.0, 0.0], 0.5), truth, scores)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: lattice.extended_size(LAT, [True]),
            ShapeError,
            r"keep has shape \(1,\), dtype bool; it needs",
        ),
        (
            lambda: lattice.extended_size(LAT, [1, 1, 1, 1]),
            ShapeError,
            "keep has shape .* dtype int64; it needs",
        ),
        (lambda: lattice.symbols(LAT, 1), ArgumentError, "example must be a whole number from 0 to 0, got 1"),
        (lambda: lattice.labels_of(LAT, [0]), ShapeError, r"arcs has shape \(1,\); the lattice needs \(2,\)"),
        (lambda: lattice.labels_of(LAT, [0, 9]), ArgumentError, r"arcs\[1\] must be from -1 to 3, got 9"),
        (
            lambda: lattice.best_path(LAT, np.zeros(4), [0.0]),
            ShapeError,
            r"message has shape \(1,\); the lat",
        ),
        (
            lambda: lattice.pointers(LAT, np.zeros(4), np.zeros(3), np.zeros(2)),
            ShapeError,
            r"message has shape \(2,\); the lattice's nodes need \(3,\)",
        ),
        (
            lambda: lattice.unigrams([2**40], 26),
            ArgumentError,
            r"lengths\[0\] must be at most 8\d+, got 10995",
        ),
        (
            lambda: lattice.unigrams([2**26] * 2, 26),
            ArgumentError,
            "lengths must add up to at most 8.* got 134",
        ),
        (
            lambda: lattice.unigrams(["2"], 26),
            ArgumentError,
            r"lengths must be an array of whole numbers, got \['2",
        ),
    ],
)
def test_bad_arguments_to_the_lattice_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
