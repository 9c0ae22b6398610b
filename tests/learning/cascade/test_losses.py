"""Arc gradients against every path of the lattice: witness counts, losses, finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError
from spcviz.engine.kernels.jit import kernel
from spcviz.engine.ngrams import lattice
from spcviz.learning.cascade import losses
from spcviz.learning.cascade.losses import FilterHinge, LogLoss, Perceptron, scratch
from tests.engine.ngrams.test_lattice import grown
from tests.engine.ngrams.test_prune import example_of
from tests.oracles import paths as oracle

LEVELS = pytest.mark.parametrize("on_nodes", [False, True], ids=["arcs", "nodes"])


@kernel
def _gradient(loss, lat, w, arc_score, truth, work):
    return losses.arc_gradient(loss, lat, w, arc_score, truth, work)


@st.composite
def problems(draw, forbidden=False):
    """(lattice, arc scores, truth arcs, the oracle's example and paths) of the second of three examples."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n, order, share = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.sampled_from([0.5, 1.1]))
    sizes = [draw(st.integers(1, 4)) for _ in range(3)]
    lat, _ = grown(n, order, [np.zeros((m, n)) for m in sizes], rng, share)
    score = rng.normal(size=lat.n_arcs)
    start, tail, head, column = example_of(lat, 1)
    every = oracle.all_paths(tail, head, column)
    truth = every[rng.integers(len(every))]
    if forbidden:
        dead = rng.random(len(tail)) < 0.3
        dead[list(truth)] = False
        score[start : start + len(tail)][dead] = -np.inf
    return lat, score, np.array(truth), (start, tail, head), every


def run(loss, lat, score, truth, start, gradient=_gradient):
    """(loss, gradient) on the example's arcs; other examples' gradients must not change."""
    work = scratch(lat)
    work.gradient[:] = 77.0
    full = np.full(int(lat.col_start[-1]), -5, dtype=np.int64)
    full[lat.col_start[1] : lat.col_start[2]] = truth + start
    value = gradient(loss, lat, 1, score, full, work)
    stop = lat.example_start[2]
    assert (work.gradient[:start] == 77.0).all()
    assert (work.gradient[stop:] == 77.0).all()
    return value, work.gradient[start:stop]


@LEVELS
@pytest.mark.parametrize("forbidden", [False, True])
@given(data=st.data())
def test_witness_sums_are_sums_over_witnesses(on_nodes, forbidden, data):
    """Q10."""
    lat, score, _, (start, tail, head), every = data.draw(problems(forbidden))
    work = scratch(lat)
    passed = lattice.messages(lat, score)
    work.forward[:], work.backward[:] = passed.forward, passed.backward
    losses.witness_sum(on_nodes, lat, 1, score, work)
    best = oracle.through(every, score[start:].tolist(), tail, head, on_nodes)
    assert_array_equal(work.gradient[start : start + len(tail)], oracle.witness_counts(best, len(tail)))


@LEVELS
@pytest.mark.parametrize("gradient", [_gradient, losses.arc_gradient], ids=["jit", "plain"])
@given(data=st.data(), alpha=st.sampled_from([0.0, 0.3, 0.9]), margin=st.sampled_from([0.0, 0.5, 1.0]))
def test_filter_hinge(on_nodes, gradient, data, alpha, margin):
    """(4.8), and (4.9) as truth minus alpha best minus the mean of all witnesses."""
    lat, score, truth, (start, tail, head), every = data.draw(problems(forbidden=True))
    scores = score[start : start + len(tail)].tolist()
    length = int(lat.row_start[2] - lat.row_start[1])
    value, step = run(FilterHinge(alpha, margin, on_nodes), lat, score, truth, start, gradient)
    on_nodes = on_nodes and lat.order[1] > 1  # single states have nothing smaller: they are filtered
    want = oracle.hinge(every, scores, tail, head, on_nodes, truth, alpha, margin * length)
    assert_allclose(value, want, rtol=1e-9, atol=1e-9)
    if want < 1e-9:
        return
    best = oracle.through(every, scores, tail, head, on_nodes)
    top = max(best.values())[1]
    counts = -(1 - alpha) * np.array(oracle.witness_counts(best, len(tail))) / len(best)
    counts[truth] += 1
    counts[list(top)] -= alpha
    assert_allclose(step, counts, rtol=1e-9, atol=1e-9)


# Pairs and not a dictionary: losses without settings are equal as tuples.
OBJECTIVES = [
    (
        FilterHinge(0.4, 1.0, False),
        lambda p, s, t, h, truth, m: oracle.hinge(p, s, t, h, False, truth, 0.4, m),
    ),
    (
        FilterHinge(0.0, 0.7, True),
        lambda p, s, t, h, truth, m: oracle.hinge(p, s, t, h, True, truth, 0.0, 0.7 * m),
    ),
    (Perceptron(), lambda p, s, t, h, truth, m: oracle.perceptron(p, s, truth)),
    (LogLoss(), lambda p, s, t, h, truth, m: oracle.log_loss(p, s, truth)),
]


@pytest.mark.parametrize(("loss", "of"), OBJECTIVES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("gradient", [_gradient, losses.arc_gradient], ids=["jit", "plain"])
@given(data=st.data())
def test_steps_go_down_the_finite_difference_gradient(loss, of, gradient, data):
    """Q9: the step is minus the gradient of the objective wherever that has one."""
    lat, score, truth, (start, tail, head), every = data.draw(problems())
    scores = score[start : start + len(tail)]
    length = int(lat.row_start[2] - lat.row_start[1])

    if isinstance(loss, FilterHinge) and loss.on_nodes and lat.order[1] == 1:
        return  # such an example is filtered on its arcs, as in the row above

    def objective(values):
        return of(every, values.tolist(), tail, head, truth.tolist(), length)

    value, step = run(loss, lat, score, truth, start, gradient)
    middle = objective(scores)
    assert_allclose(value, middle, rtol=1e-9, atol=1e-9)
    if value <= 1e-6:
        return
    h = 1e-5
    for a in range(len(scores)):
        shift = np.where(np.arange(len(scores)) == a, h, 0.0)
        above, below = objective(scores + shift), objective(scores - shift)
        if abs(above + below - 2 * middle) > 1e-9:
            continue  # a kink
        assert_allclose(step[a], -(above - below) / (2 * h), rtol=1e-5, atol=1e-6)


@given(data=st.data())
def test_no_step_where_there_is_no_loss(data):
    lat, score, truth, (start, _, _), every = data.draw(problems())
    score[truth + start] += 100.0
    chosen = [Perceptron()]
    if len(every) > 1 and len(set().union(*every) - set(truth)):  # else the mean cannot lie below the best
        chosen.append(FilterHinge(0.5, 1.0))
    for loss in chosen:
        value, step = run(loss, lat, score, truth, start)
        assert value == 0.0
        assert (step == 77.0).all()  # untouched


def test_a_filter_without_alternatives_has_the_margin_as_its_loss_and_no_direction():
    lat = lattice.unigrams([1, 2, 1], 1)
    value, step = run(FilterHinge(0.3, 1.0), lat, np.full(4, 0.5), np.array([0, 1]), 1)
    assert_allclose(value, 2.0)
    assert_allclose(step, 0.0, atol=1e-12)


def test_a_lost_tie_is_an_error_for_the_perceptron():
    lat = lattice.unigrams([1, 1, 1], 3)
    value, step = run(Perceptron(), lat, np.zeros(9), np.array([2]), 3)
    assert value > 0
    assert step.tolist() == [-1.0, 0.0, 1.0]
    assert run(Perceptron(), lat, np.zeros(9), np.array([0]), 3)[0] == 0.0


@given(data=st.data())
def test_the_hinge_bounds_the_loss(data):
    """Q5: hinge >= margin x length where the truth is filtered."""
    lat, score, truth, (start, tail, head), every = data.draw(problems())
    scores = score[start : start + len(tail)].tolist()
    length = int(lat.row_start[2] - lat.row_start[1])
    value, _ = run(FilterHinge(0.6, 1.0), lat, score, truth, start)
    threshold = oracle.hinge(every, scores, tail, head, False, truth, 0.6, 1e6) - 1e6  # minus truth
    if threshold >= 1e-6:
        assert value >= length - 1e-9


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (None, "loss must be one of Perceptron, FilterHinge, MarginHinge, LogLoss, got None"),
        ("hinge", "loss must be one of Perceptron, FilterHinge, MarginHinge, LogLoss, got 'hinge'"),
        (Perceptron, "loss must be one of Perceptron, FilterHinge, MarginHinge, LogLoss, got <class"),
        (FilterHinge(1.0), "alpha must satisfy 0 <= alpha < 1, got 1.0"),
        (FilterHinge(-0.1), "alpha must satisfy 0 <= alpha < 1, got -0.1"),
        (FilterHinge(np.nan), "alpha must satisfy 0 <= alpha < 1, got nan"),
        (FilterHinge("½"), "alpha must satisfy 0 <= alpha < 1, got '½'"),
        (FilterHinge(0.5, -1.0), r"margin must be a number from 0 to 1e\+15, got -1.0"),
        (FilterHinge(0.5, np.inf), r"margin must be a number from 0 to 1e\+15, got inf"),
    ],
)
def test_bad_losses_are_named(loss, message):
    with pytest.raises(ArgumentError, match=message):
        losses.checked_loss(loss)


def test_good_losses_pass():
    for loss in (Perceptron(), LogLoss(), FilterHinge(0.0, 0.0, True)):
        assert losses.checked_loss(loss) is loss
