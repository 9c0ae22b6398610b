"""One word traced: everything a picture shows agrees with the cascade that runs on whole folds."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError, SpcvizError
from spcviz.engine.ngrams.dense import dense_model
from spcviz.engine.ngrams.table import encode
from spcviz.engine.thresholds import rule
from spcviz.learning.cascade.cascade import filter_examples, predict
from spcviz.learning.cascade.features import DenseRows
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.page import live


def word_of(words, w):
    start, stop = words.starts[w : w + 2]
    return words.pixels[start:stop], words.labels[start:stop]


def traces(model, words, **options):
    """(word, trace) of every word of the test fold."""
    for w in np.flatnonzero(words.folds == 0):
        pixels, truth = word_of(words, w)
        yield int(w), live.trace_word(model, pixels, truth=truth, word_id=int(w), **options)


def keep_of(level):
    """The keep mask as a browser computes it."""
    limit = level.best - (1 - level.alpha_used) * (level.best - level.mean)
    keep = level.max_marginal > limit if level.has_spread else level.max_marginal > -np.inf
    keep[level.map_arcs] = True
    return keep


def columns_of(level):
    return np.repeat(np.arange(len(level.col_start) - 1), np.diff(level.col_start))


def witness(level, arc):
    """The arcs that the pointers spell, first column first."""
    path = [arc]
    while level.previous[path[0]] >= 0:
        path.insert(0, int(level.previous[path[0]]))
    while level.following[path[-1]] >= 0:
        path.append(int(level.following[path[-1]]))
    return path


def spelled(level, path):
    """The word of a path, after checking that neighbours overlap."""
    grams = [tuple(level.symbols[a].tolist()) for a in path]
    assert all(a[1:] == b[:-1] for a, b in pairwise(grams))
    return grams[0] + tuple(g[-1] for g in grams[1:])


def naive_score(linear, pixels, y, order):
    """Score of a word: letters one by one, then every stored n-gram that it contains."""
    x = handwriting.raw_features(pixels).astype(float)
    weight = dict(zip(linear.keys.tolist(), linear.values.tolist()))
    total = sum(x[i] @ linear.weights[:, s] for i, s in enumerate(y))
    for i in range(len(y)):
        for j in range(2, min(order, i + 1) + 1):
            total += weight.get(encode(26, y[i - j + 1 : i + 1]), 0.0)
    return total


def test_a_trace_is_the_run_on_the_whole_fold(words, trained):
    """One word at a time and twelve in a batch give the same lattices, scores, masks and readings."""
    model = trained.model
    rows, lengths = handwriting.rows_of(words, np.flatnonzero(words.folds == 0))
    table = DenseRows(handwriting.raw_features(words.pixels[rows]))
    steps = list(filter_examples(model.cascade, table, lengths))
    readings = [predict(v, s.lattice, table).labels for v, s in zip(model.cascade.levels, steps)]
    for i, (w, trace) in enumerate(traces(model, words)):
        assert trace.word_id == w
        assert len(trace.levels) == 3
        for level, step, reading, stage in zip(trace.levels, steps, readings, model.cascade.levels):
            lattice, pruned = step.lattice, step.pruned
            mine = slice(*lattice.example_start[i : i + 2])
            first, last = lattice.col_start[i : i + 2]
            assert level.order == lattice.order[i]
            assert_array_equal(level.col_start, lattice.arc_start[first : last + 1] - mine.start)
            assert_allclose(level.score, step.arc_score[mine], rtol=1e-12)
            assert_allclose(level.max_marginal, pruned.passed.max_marginal[mine], rtol=1e-12)
            assert_array_equal(keep_of(level), pruned.keep[mine])
            assert_array_equal(level.map_arcs, pruned.best_path[first:last] - mine.start)
            assert_allclose([level.best, level.mean], [pruned.limits.best[i], pruned.limits.mean[i]])
            assert level.n_valid == (level.max_marginal > -np.inf).sum()
            assert level.alpha == level.tuned_alpha == stage.alpha
            assert level.was_capped == (pruned.alpha[i] > stage.alpha)
            assert level.alpha_used == min(pruned.alpha[i], rule.ALPHA_CAP)
            begin, end = lattice.row_start[i : i + 2]
            assert_array_equal(trace.predictions[level.order - 1], reading[begin:end])


def test_pointers_spell_the_witness(words, trained):
    """Its score is the max-marginal; forward and backward are its two parts."""
    for w, trace in list(traces(trained.model, words))[::3]:
        pixels, _ = word_of(words, w)
        for level, stage in zip(trace.levels, trained.model.cascade.levels):
            valid = np.flatnonzero(level.max_marginal > -np.inf)
            column = columns_of(level)
            for arc in valid[:: max(len(valid) // 60, 1)]:
                path = witness(level, int(arc))
                assert_array_equal(column[path], np.arange(len(level.col_start) - 1))
                value = level.max_marginal[arc]
                assert_allclose(level.score[path].sum(), value, rtol=1e-9, atol=1e-9)
                assert_allclose(naive_score(stage.filter, pixels, spelled(level, path), level.order), value)
                at = path.index(arc)
                assert_allclose(level.forward[arc], level.score[path[: at + 1]].sum(), atol=1e-9)
                assert_allclose(level.backward[arc], level.score[path[at + 1 :]].sum(), atol=1e-9)
            best = spelled(level, level.map_arcs.tolist())
            assert_allclose(naive_score(stage.filter, pixels, best, level.order), level.best)
            assert_allclose(level.max_marginal[valid].mean(), level.mean)
            assert level.max_marginal.max() == level.best


def test_the_next_level_joins_what_was_kept(words, trained):
    for _, trace in traces(trained.model, words):
        for level, after in zip(trace.levels, trace.levels[1:]):
            keep, column = keep_of(level), columns_of(level)
            kept = [
                [tuple(s) for s in level.symbols[keep & (column == c)].tolist()]
                for c in range(len(level.col_start) - 1)
            ]
            want = [
                (c, g + h[-1:])
                for c, (left, right) in enumerate(pairwise(kept))
                for g in left
                for h in right
                if g[1:] == h[:-1]
            ]
            got = [(int(c), tuple(s)) for c, s in zip(columns_of(after), after.symbols.tolist())]
            assert got == sorted(want)


def test_the_truth_is_marked_until_it_falls(words, trained):
    fell = 0
    for w, trace in traces(trained.model, words):
        pixels, truth = word_of(words, w)
        assert_array_equal(trace.truth, truth)
        assert_array_equal(trace.pixels, pixels)
        is_there = True
        for level, stage in zip(trace.levels, trained.model.cascade.levels):
            assert (len(level.truth_arcs) > 0) == is_there
            assert_allclose(level.truth_score, naive_score(stage.filter, pixels, truth.tolist(), level.order))
            if is_there:
                assert spelled(level, level.truth_arcs.tolist()) == tuple(truth.tolist())
                assert_allclose(level.score[level.truth_arcs].sum(), level.truth_score)
                assert (level.max_marginal[level.truth_arcs] >= level.truth_score - 1e-9).all()
                is_there = bool(keep_of(level)[level.truth_arcs].all())
        fell += not is_there
    assert 0 < fell < 12


def test_alphas_of_ones_own(words, trained):
    pixels, truth = word_of(words, 0)
    tuned = [level.alpha for level in trained.model.cascade.levels]
    by_default = live.trace_word(trained.model, pixels, truth=truth)
    chosen = live.trace_word(trained.model, pixels, truth=truth, alphas=(None, 0.95))
    assert [level.alpha for level in chosen.levels] == [tuned[0], 0.95, tuned[2]]
    assert [level.tuned_alpha for level in chosen.levels] == tuned
    assert_array_equal(chosen.levels[1].symbols, by_default.levels[1].symbols)
    assert keep_of(chosen.levels[1]).sum() < keep_of(by_default.levels[1]).sum()
    assert len(chosen.levels[2].score) < len(by_default.levels[2].score)
    only_best = live.trace_word(trained.model, pixels, alphas=(1.0, 1.0, 1.0))
    for level in only_best.levels[1:]:
        assert_array_equal(np.diff(level.col_start), 1)
    assert [level.alpha_used for level in only_best.levels] == [rule.ALPHA_CAP] * 3
    assert not any(level.was_capped for level in only_best.levels)
    too_many = live.trace_word(trained.model, pixels, n_levels=1, alphas=(0.3, 0.4, 0.5))
    assert [level.alpha for level in too_many.levels] == [0.3]


def test_a_lattice_that_would_be_too_large_is_capped_and_says_so(words, trained):
    model = trained.model._replace(cascade=trained.model.cascade._replace(max_arcs=300))
    capped = 0
    for _, trace in traces(model, words, alphas=(0.0, 0.0, 0.0)):
        for level, after in zip(trace.levels, trace.levels[1:]):
            capped += level.was_capped
            assert (level.alpha_used > level.alpha) == level.was_capped
            assert len(after.score) <= 300
    assert capped > 5


def test_fewer_levels_and_the_order_of_a_short_word(words, trained):
    pixels, truth = word_of(words, 0)
    whole = live.trace_word(trained.model, pixels, truth=truth)
    part = live.trace_word(trained.model, pixels, truth=truth, n_levels=2)
    assert [level.order for level in part.levels] == [1, 2]
    assert part.predictions.shape == (2, len(truth))
    assert_array_equal(part.predictions, whole.predictions[:2])
    assert len(live.trace_word(trained.model, pixels, n_levels=9).levels) == 3
    short = live.trace_word(trained.model, pixels[:2])
    assert [level.order for level in short.levels] == [1, 2, 2]
    assert short.predictions.shape == (3, 2)
    one = live.trace_word(trained.model, pixels[:1])
    assert [level.order for level in one.levels] == [1, 1, 1]


def test_a_word_without_truth(words, trained):
    pixels, truth = word_of(words, 3)
    for missing in (None, [], np.zeros(0, dtype=np.int64)):
        trace = live.trace_word(trained.model, pixels, truth=missing)
        assert trace.word_id == -1
        assert len(trace.truth) == 0
        assert all(len(level.truth_arcs) == 0 and np.isnan(level.truth_score) for level in trace.levels)
    known = live.trace_word(trained.model, pixels, truth=truth)
    assert_array_equal(known.predictions, trace.predictions)


def test_times(words, trained):
    pixels, _ = word_of(words, 0)
    model = dense_model(trained.model.cascade.levels[1].predictor.table, 2)
    trace = live.trace_word(trained.model, pixels, n_levels=2, dense=model)
    assert trace.microseconds_dense > 0
    assert trace.microseconds > trace.levels[0].microseconds > 0
    assert np.isnan(live.trace_word(trained.model, pixels).microseconds_dense)


@pytest.mark.parametrize(
    ("pixels", "message"),
    [
        (np.zeros((21, 16, 8)), r"pixels has shape \(21, 16, 8\); a word needs \(1 to 20, 16, 8\)"),
        (np.zeros((0, 16, 8)), r"pixels has shape \(0, 16, 8\)"),
        (np.zeros((3, 8, 16)), r"pixels has shape \(3, 8, 16\)"),
        (np.zeros((16, 8)), r"pixels has shape \(16, 8\)"),
        (None, "pixels must be an array of numbers"),
        ([[1], [1, 2]], "pixels must be an array of numbers"),
    ],
)
def test_bad_pixels(trained, pixels, message):
    with pytest.raises(ArgumentError, match=message):
        live.trace_word(trained.model, pixels)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_levels": 0}, ArgumentError, "n_levels must be a whole number from 1"),
        ({"n_levels": "2"}, ArgumentError, "n_levels must be a whole number from 1"),
        ({"alphas": (1.5,)}, SpcvizError, "alpha must be a number from -inf to 1, got 1.5"),
        ({"alphas": (np.nan,)}, ScoreError, "alpha.* got nan"),
        ({"truth": [0]}, ShapeError, r"labels has shape \(1,\); it needs \(3,\)"),
        ({"truth": [0, 1, 26]}, ArgumentError, r"labels\[2\] must be from 0 to 25, got 26"),
    ],
)
def test_bad_options(trained, options, error, message):
    with pytest.raises(error, match=message):
        live.trace_word(trained.model, np.zeros((3, 16, 8)), **options)


def test_pixels_that_are_no_numbers(trained):
    with pytest.raises(ScoreError, match="pixels must be finite, got nan"):
        live.trace_word(trained.model, np.full((2, 16, 8), np.nan))


def test_word_list_is_every_test_word_as_traced(words, trained):
    listed = live.word_list(trained.model)
    by_trace = list(traces(trained.model, words))
    assert [entry["word_id"] for entry in listed] == [w for w, _ in by_trace]
    for entry, (w, trace) in zip(listed, by_trace):
        assert entry["text"] == words.text(w)
        read = {
            n: "".join(handwriting.ALPHABET[k] for k in y) for n, y in enumerate(trace.predictions, start=1)
        }
        assert entry["predicted"] == read
        assert entry["is_correct"] == (read[3] == entry["text"])
    assert {entry["is_correct"] for entry in listed} == {True, False}
