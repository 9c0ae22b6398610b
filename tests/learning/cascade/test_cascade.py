"""Cascades on a few hundred real words: what training promises, checked by running what it returns."""

import json
from dataclasses import FrozenInstanceError, asdict, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.engine.ngrams import lattice
from spcviz.engine.ngrams.prune import prune
from spcviz.engine.thresholds import rule
from spcviz.learning.cascade.cascade import (
    CascadeConfig,
    accuracies,
    filter_examples,
    held_out_scores,
    predict,
    survives,
    train_cascade,
)
from spcviz.learning.cascade.features import DenseRows, unary_scores
from spcviz.learning.cascade.online import Model
from spcviz.learning.cascade.problem import prepare
from spcviz.problems.letters.handwriting import load_words, raw_features, rows_of

QUICK = CascadeConfig(
    tolerances=(0.2, 0.05, 0.05), filter_epochs=3, predictor_epochs=3, parts=3, has_end=True, max_arcs=20_000
)


def words(first, stop):
    """(features, labels, lengths) of some shipped words, shuffled: they are stored text by text."""
    data = load_words()
    rows, lengths = rows_of(data, np.random.default_rng(0).permutation(len(data.lengths))[first:stop])
    return DenseRows(raw_features(data.pixels[rows])), data.labels[rows], lengths


TRAIN, TEST = words(0, 400), words(3000, 3080)


def train(config, seed=0, data=TRAIN, **options):
    return train_cascade(*data, 26, config, np.random.default_rng(seed), **options)


@pytest.fixture(scope="module")
def trained():
    return train(QUICK, held_out_accuracy=True)


def test_the_same_seed_gives_the_same_bits(trained):
    again = train(QUICK, held_out_accuracy=True)
    assert again.reports == trained.reports
    for one, other in zip(trained.cascade.levels, again.cascade.levels):
        assert one.alpha == other.alpha
        for mine, theirs in zip(one[::2], other[::2]):
            for name in ("weights", "keys", "values"):
                assert getattr(mine, name).tobytes() == getattr(theirs, name).tobytes()
    other = train(replace(QUICK, tolerances=(0.05,)), seed=1).cascade.levels[0]
    assert other.filter.weights.tobytes() != trained.cascade.levels[0].filter.weights.tobytes()


def test_reports_hold_to_the_tolerance_and_add_up(trained):
    """Each level may lose its tolerance of what was left; Definition 1 never counts fewer than are lost."""
    before = 0.0
    for t, (report, tolerance) in enumerate(zip(trained.reports, QUICK.tolerances)):
        assert report.order == t + 1
        assert before <= report.was_pruned <= before + tolerance * (1 - before) + 1e-9
        assert report.filter_loss >= report.was_pruned
        assert 0 <= report.alpha < 1
        assert_allclose(report.arcs_kept / report.arcs_in, report.efficiency_loss)
        assert 0 < report.efficiency_loss < 1
        assert report.arcs_kept >= 1
        assert report.optimism <= 0.02
        assert report.filter_hinge > 0
        before = report.was_pruned
    assert trained.reports[0].arcs_in == 26
    assert trained.reports[-1].accuracy > trained.reports[0].accuracy > 0.5
    assert trained.reports[-1].example_accuracy > trained.reports[0].example_accuracy


def test_filters_stop_when_passes_no_longer_help():
    """One level, one alpha: passes over all parts, then over everything, then the predictor's three."""
    kept = {}
    for patience in (1, 8):
        ticks = []
        config = replace(
            QUICK, tolerances=(0.2,), filter_epochs=8, patience=patience, decay=1e-3, falling=True
        )
        report = train(config, tick=ticks.append).reports[0]
        run = ticks.count("order 1: filter") - report.n_passes
        assert 1 <= report.n_passes <= run <= 8
        assert run == 8 or run == report.n_passes + patience
        kept[patience] = report.arcs_kept
    assert run == 8
    assert kept[8] <= kept[1]
    fixed = train(replace(config, patience=None)).reports[0]
    assert fixed.n_passes == 8
    assert kept[8] <= 1.1 * fixed.arcs_kept


def test_alpha_is_the_largest_within_the_tolerance(trained):
    """Level 1 by hand: filters that did not see a part, pruned at alpha and just above it."""
    config = replace(QUICK, tolerances=(0.2,))
    alone = train(config)
    assert alone.cascade.levels[0].alpha == trained.cascade.levels[0].alpha
    report = alone.reports[0]
    assert_allclose(report.was_pruned, 0.2, atol=1 / 400 + 1e-9)
    strict = train(replace(config, by_definition=True, tolerances=(0.5,))).reports[0]
    assert 0.49 <= strict.filter_loss <= 0.5
    assert strict.was_pruned < train(replace(config, tolerances=(0.5,))).reports[0].was_pruned


def test_held_out_scores_are_each_parts_own():
    features, labels, lengths = words(0, 30)
    problem = prepare(lattice.unigrams(lengths, 26), features, labels)
    part = np.arange(30) % 3
    cascade = train(replace(QUICK, tolerances=(0.1,)), data=words(0, 60)).cascade
    model = cascade.levels[0].filter
    models = [Model(model.weights * m, model.keys[:0], model.values[:0]) for m in (1, 2, 3)]
    scores, unary = held_out_scores(problem, part, models)
    whole = unary_scores(features, models[0].weights)
    row = np.repeat(part, lengths)
    assert_allclose(unary, whole * (row + 1)[:, None])
    assert_allclose(scores, (whole * (row + 1)[:, None]).ravel())


def test_running_a_cascade_narrows_level_by_level(trained):
    features, labels, lengths = TEST
    steps = list(filter_examples(trained.cascade, features, lengths))
    assert [s.lattice.order.max() for s in steps] == [1, 2, 3]
    letters = None
    for t, step in enumerate(steps):
        pruned = prune(step.lattice, step.arc_score, trained.cascade.levels[t].alpha, max_arcs=QUICK.max_arcs)
        assert (pruned.keep == step.pruned.keep).all()
        allowed = allowed_letters(step.lattice, step.pruned.keep, len(labels))
        assert letters is None or not (allowed & ~letters).any()
        letters = allowed
        alive = survives(step.lattice, step.pruned.keep, labels)
        assert alive.mean() > 0.6
        if t + 1 < len(steps):
            follower = steps[t + 1].lattice
            assert follower.n_arcs == lattice.extend(step.lattice, step.pruned.keep).n_arcs
            inside = survives(follower, np.ones(follower.n_arcs, dtype=bool), labels)
            assert (inside == alive).all()
    assert letters.sum(axis=1).mean() < 12
    for t, level in enumerate(trained.cascade.levels):
        paths = predict(level, steps[t].lattice, features)
        assert accuracies(paths.labels, labels, steps[t].lattice.row_start)[0] > 0.5


def allowed_letters(lat, keep, rows):
    out = np.zeros((rows, 26), dtype=bool)
    for w in range(len(lat.order)):
        start, stop = lat.example_start[w : w + 2]
        column = np.repeat(
            np.arange(lat.col_start[w + 1] - lat.col_start[w]),
            np.diff(lat.arc_start[lat.col_start[w] : lat.col_start[w + 1] + 1]),
        )
        for j, states in enumerate(lattice.symbols(lat, w).T):
            chosen = keep[start:stop]
            out[lat.row_start[w] + column[chosen] + j, states[chosen]] = True
    return out


def test_alphas_and_levels_can_be_chosen(trained):
    features, _, lengths = TEST
    assert len(list(filter_examples(trained.cascade, features, lengths, 2))) == 2
    assert not list(filter_examples(trained.cascade, features, lengths, 0))
    loose, tight = (
        next(filter_examples(trained.cascade, features, lengths, alphas=[a] * 3)).pruned.keep
        for a in (0.1, 0.9)
    )
    assert tight.sum() < loose.sum()
    allowed = np.zeros((len(TEST[1]), 26), dtype=bool)
    allowed[:, :3] = True
    step = next(filter_examples(trained.cascade, features, lengths, allowed=allowed))
    assert step.lattice.n_arcs == allowed.sum()


def test_the_cap_holds_in_training_and_running():
    capped = train(replace(QUICK, tolerances=(0.0, 0.0), max_arcs=150))
    assert capped.reports[0].n_capped > 0
    assert capped.cascade.max_arcs == 150
    features, _, lengths = TEST
    for step in filter_examples(capped.cascade, features, lengths):
        sizes = np.diff(step.lattice.example_start)
        assert step.lattice.order.max() == 1 or (sizes <= np.maximum(150, lengths - 1)).all()
    assert capped.reports[1].arcs_in * (TRAIN[2] - 1).sum() <= 150 * 400


def test_nodes_can_be_filtered_instead():
    tolerances = (0.2, 0.1)  # alpha = 0 loses 14 % of these few words already
    result = train(replace(QUICK, on_nodes=True, tolerances=tolerances))
    assert result.cascade.on_nodes
    steps = list(filter_examples(result.cascade, *TEST[::2]))
    assert 0 < steps[0].pruned.keep.mean() < 1  # order 1 has no smaller grams: its states are filtered
    assert len(steps[0].pruned.values) == steps[0].lattice.n_arcs
    assert 0 < steps[1].pruned.keep.mean() < 0.8
    assert len(steps[1].pruned.values) == steps[1].lattice.node_start[-1]
    before = 0.0
    for report, tolerance in zip(result.reports, tolerances, strict=True):
        assert report.was_pruned <= before + tolerance + 1e-9
        before = report.was_pruned


def test_the_smallest_of_several_hinges_is_taken():
    one = [train(replace(QUICK, tolerances=(0.2,), train_alphas=(a,))).reports[0] for a in (0.0, 0.8)]
    both = train(replace(QUICK, tolerances=(0.2,), train_alphas=(0.0, 0.8))).reports[0]
    assert both.arcs_kept <= one[0].arcs_kept
    assert both.train_alpha in (0.0, 0.8)


def test_progress_is_told_after_each_pass():
    labels = []
    train(
        replace(QUICK, tolerances=(0.1, 0.1), train_alphas=(0.2, 0.8)), data=words(0, 30), tick=labels.append
    )
    filters, predictor = 2 * (3 + 1) * 3, 3
    assert labels == [
        text
        for order in (1, 2)
        for text in [f"order {order}: filter"] * filters + [f"order {order}: predictor"] * predictor
    ]


def test_cold_starts_work_too():
    config = replace(QUICK, tolerances=(0.1, 0.1), warm_start=False, warm_predictor=False, decay=1e-4)
    assert np.isfinite(train(config, data=words(0, 60)).cascade.levels[1].filter.weights).all()


def test_words_of_one_letter_stay_at_order_one():
    features, labels, _ = words(0, 12)
    result = train_cascade(
        features, labels, np.ones(len(labels), dtype=int), 26, QUICK, np.random.default_rng(0)
    )
    assert [r.order for r in result.reports] == [1, 2, 3]
    steps = list(filter_examples(result.cascade, features, np.ones(len(labels), dtype=int)))
    assert (steps[-1].lattice.order == 1).all()


def test_the_shares_of_right_answers():
    assert accuracies(np.array([1, 2, 3, 4]), np.array([1, 2, 3, 5]), np.array([0, 2, 4])) == (0.75, 0.5)


def test_a_tolerance_of_everything_prunes_to_the_best_path():
    result = train(replace(QUICK, tolerances=(1.0,)), data=words(0, 30))
    assert result.cascade.levels[0].alpha == rule.ALPHA_CAP
    assert_allclose(result.reports[0].arcs_kept, 1.0, atol=0.05)


HINGES = (("alpha", 0.2), ("margin", 0.0), ("alpha", 0.95))


def test_each_level_learns_with_the_hinge_that_is_its_own():
    config = replace(QUICK, train_alphas=(0.8,), hinges=HINGES)
    trained = train(config)
    learned = [(report.train_alpha, report.train_margin) for report in trained.reports]
    assert learned == [(0.2, None), (None, 0.0), (0.95, None)]
    # a level's hinge changes that level and none before it
    other = train(replace(config, hinges=(*HINGES[:2], ("alpha", 0.2))))
    for t, (mine, theirs) in enumerate(zip(trained.cascade.levels, other.cascade.levels)):
        assert (mine.filter.weights.tobytes() == theirs.filter.weights.tobytes()) == (t < 2)
    # it is what a single candidate learns
    alone = train(replace(QUICK, tolerances=QUICK.tolerances[:1], train_alphas=(0.2,)))
    first = [result.cascade.levels[0].filter.weights.tobytes() for result in (alone, trained)]
    assert first[0] == first[1]


def test_hinges_go_through_a_file_of_settings():
    config = replace(QUICK, hinges=HINGES)
    assert CascadeConfig(**json.loads(json.dumps(asdict(config)))) == config


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tolerances": ()}, "tolerances and train_alphas must not be empty, got"),
        ({"train_alphas": ()}, "tolerances and train_alphas must not be empty, got"),
        ({"tolerances": (0.1, 2.0)}, "tolerances must satisfy 0 <= tolerances <= 1, got 2.0"),
        ({"tolerances": (np.nan,)}, "tolerances must satisfy 0 <= tolerances <= 1, got nan"),
        ({"tolerances": "viel"}, "tolerances must satisfy 0 <= tolerances <= 1, got 'v'"),
        ({"train_alphas": (1.0,)}, "train_alphas must satisfy 0 <= train_alphas < 1, got 1.0"),
        ({"filter_epochs": 0}, "filter_epochs must be a whole number from 1 to .*, got 0"),
        ({"predictor_epochs": 1.5}, "predictor_epochs must be a whole number from 1 to .*, got 1.5"),
        ({"max_arcs": 0}, "max_arcs must be a whole number from 1 to .*, got 0"),
        ({"margin": -1.0}, r"margin must be a number from 0 to 1e\+15, got -1.0"),
        ({"filter_rate": np.nan}, r"filter_rate must be a number from 0 to 1e\+15, got nan"),
        ({"predictor_rate": "1"}, r"predictor_rate must be a number from 0 to 1e\+15, got '1'"),
        ({"gram_rate": np.inf}, r"gram_rate must be a number from 0 to 1e\+15, got inf"),
        ({"decay": -1e-9}, r"decay must be a number from 0 to 1e\+15, got -1e-09"),
        ({"parts": 1}, "parts must be a whole number from 2 to 1000, got 1"),
        ({"hinges": HINGES[:2]}, "hinges must be one for each of 3 levels of an SPC, got 2 and 'spc'"),
        ({"hinges": HINGES, "method": "crf"}, "hinges must be one for each of 3 levels of an SPC, got 3 and"),
        ({"hinges": ("alpha", 0.5, 1)}, 'hinges must be pairs of "alpha" or "margin" and a number, got'),
        ({"hinges": [("delta", 0.5)] * 3}, 'hinges must be pairs of "alpha" or "margin" and a number, got'),
        ({"hinges": [("alpha", 1.0)] * 3}, "hinges must satisfy 0 <= hinges < 1, got 1.0"),
        ({"hinges": [("margin", -1)] * 3}, r"hinges must be a number from 0 to 1e\+15, got -1"),
    ],
)
def test_bad_settings_are_named(change, message):
    with pytest.raises(ArgumentError, match=message):
        replace(QUICK, **change)


def test_settings_are_frozen():
    with pytest.raises(FrozenInstanceError):
        QUICK.parts = 5


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ((*TRAIN[:2], TRAIN[2][:2]), ShapeError, "features has .* rows; the lattice needs"),
        ((TRAIN[0], TRAIN[1][:5], TRAIN[2]), ShapeError, r"labels has shape \(5,\); it needs"),
        ((TRAIN[0], TRAIN[1] + 20, TRAIN[2]), ArgumentError, r"labels\[0\] must be from 0 to 25, got"),
        ((TRAIN[0], TRAIN[1], ["x"]), ArgumentError, r"lengths must be an array of whole numbers, got \['x'"),
        ((TRAIN[0].values, *TRAIN[1:]), ArgumentError, "features must be DenseRows or SparseRows, got array"),
    ],
)
def test_bad_data_are_named(data, error, message):
    with pytest.raises(error, match=message):
        train(replace(QUICK, parts=2), data=data)


def test_fewer_examples_than_parts_are_refused():
    with pytest.raises(ArgumentError, match=r"parts must be from 2 to 2 \(the examples\), got 3"):
        train(QUICK, data=words(0, 2))


def test_bad_runs_are_named(trained):
    features, _, lengths = TEST
    for options, message in [
        ({"n_levels": 4}, "n_levels must be a whole number from 0 to 3, got 4"),
        ({"n_levels": -1}, "n_levels must be a whole number from 0 to 3, got -1"),
        ({"alphas": [0.5]}, r"alphas must hold one number for each of 3 levels, got \[0.5\]"),
        ({"alphas": [0.5, 2.0, 0.5]}, "alpha must be a number from -inf to 1, got 2.0"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            list(filter_examples(trained.cascade, features, lengths, **options))
    with pytest.raises(ShapeError, match=r"unary has shape .*; the lattice needs"):
        list(filter_examples(trained.cascade, features, lengths[:3]))
