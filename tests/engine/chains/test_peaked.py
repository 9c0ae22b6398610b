"""Steps among many states: equal to full steps to the last bit, whatever the scores are like."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from spcviz.engine.chains import chain
from spcviz.engine.chains.peaked import PAUSE, WORTH, combine_best, tops_of
from spcviz.engine.chains.prepared import Transitions
from spcviz.engine.errors import InfeasibleError, ScoreError, ShapeError
from spcviz.engine.kernels.jit import kernel


@kernel
def steps(vectors, table, tops, out, waits):
    """One step after the other from given vectors, and the wait that each passes on to the next."""
    wait = (0, PAUSE)
    for i in range(len(vectors)):
        wait = combine_best(vectors[i], table, tops, out[i], wait)
        waits[i, 0], waits[i, 1] = wait


def stepped(vectors, table):
    out, waits = np.empty_like(vectors), np.empty((len(vectors), 2), np.int64)
    steps(vectors, table, tops_of(table), out, waits)
    return out, waits


def scores(rng, kind, shape):
    """Scores that are peaked, flat, have many ties, or have forbidden entries."""
    table = {"peaked": 20 * rng.normal(size=shape), "equal": rng.integers(0, 3, shape).astype(float)}.get(
        kind
    )
    table = rng.normal(size=shape) if table is None else table
    if kind == "forbidden":
        table[rng.random(shape) < 0.2] = -np.inf
    return table


KINDS = ("peaked", "flat", "equal", "forbidden")


@given(
    seed=st.integers(0, 2**31), n=st.integers(1, 60), kind=st.sampled_from(KINDS), of=st.sampled_from(KINDS)
)
def test_a_step_is_the_largest_sum_whatever_is_left_out(seed, n, kind, of):
    rng = np.random.default_rng(seed)
    vectors, table = scores(rng, kind, (9, n)), scores(rng, of, (n, n))
    out, waits = stepped(vectors, table)
    assert_array_equal(out, (vectors[:, :, None] + table).max(axis=1))
    assert (waits[:, 1] >= PAUSE).all()


def test_where_one_state_stands_out_the_others_rows_are_not_read():
    table = np.zeros((40, 40))
    vector = np.full((1, 40), -1.0)
    vector[0, 7] = 0.0
    tops = tops_of(table)
    table[np.arange(40) != 7] = np.nan  # would show if read
    out, waits = np.empty((1, 40)), np.empty((1, 2), np.int64)
    steps(vector, table, tops, out, waits)
    assert not out.any()
    assert waits.tolist() == [[0, PAUSE]]


def test_steps_in_full_are_tried_anew_less_and_less_often():
    flat = np.zeros((20, 40)) + 1e-9 * np.arange(40)
    table = np.random.default_rng(0).normal(size=(40, 40))
    _, waits = stepped(flat, table)
    first, second = waits[0], waits[PAUSE]
    assert first.tolist() == [PAUSE - 1, 2 * PAUSE]
    assert second.tolist() == [2 * PAUSE - 1, 4 * PAUSE]
    peak = np.zeros((1, 40))
    peak[0, 3] = 100.0
    assert stepped(np.concatenate([flat[:PAUSE], peak]), table)[1][-1].tolist() == [0, PAUSE]


def reference(unary, table):
    """(score, labels, max-marginals of states) by whole tables, ties to the smallest state."""
    left, right = [np.zeros_like(unary[0])], [np.zeros_like(unary[0])]
    for row in unary[:-1]:
        left.append(((left[-1] + row)[:, None] + table).max(axis=0))
    for row in unary[:0:-1]:
        right.append(((right[-1] + row)[None, :] + table).max(axis=1))
    labels = [int((left[-1] + unary[-1]).argmax())]
    for i in range(len(unary) - 2, -1, -1):
        labels.append(int(((left[i] + unary[i]) + table[:, labels[-1]]).argmax()))
    last = left[-1] + unary[-1]
    return last.max(), labels[::-1], np.array(left) + unary + np.array(right[::-1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [WORTH - 1, WORTH, WORTH + 11])
def test_chains_of_many_states(n, kind, dtype):
    rng = np.random.default_rng(n)
    lengths = np.array([1, 25, 40, 2])
    unary, table = scores(rng, kind, (lengths.sum(), n)), rng.integers(-2, 3, (n, n)) / 4
    unary, table = unary.astype(dtype), table.astype(dtype)
    batch, nodes = chain.decode_batch(unary, lengths, table), chain.max_marginals_batch(unary, lengths, table)
    letters, first = Transitions(table), 0
    for w, length in enumerate(lengths):
        part = unary[first : first + length]
        score, labels, values = reference(part, table)
        for decoded in (chain.decode(part, table), letters.decode(part)):
            assert decoded.score == score
            assert decoded.labels.tolist() == labels
        assert batch.scores[w] == score
        assert batch.labels[first : first + length].tolist() == labels
        close = {"rtol": 0, "atol": (1e-12 if dtype is np.float64 else 1e-4) * max(abs(score), 1)}
        several = (
            nodes.unary[first : first + length],
            letters.max_marginals(part).unary,
            chain.max_marginals(part, table, edges=False).unary,
            chain.max_marginals(part, table).unary,
        )
        for node in several:
            np.testing.assert_allclose(node, values, **close)
        first += length


def test_tables_of_another_shape_are_refused():
    unary, table = np.zeros((20, WORTH)), np.zeros((WORTH, 3))
    for function in (chain.decode_batch, chain.max_marginals_batch):
        for wrong in (table, np.ascontiguousarray(table.T), np.zeros((WORTH + 1, WORTH + 1))):
            with pytest.raises(ShapeError, match="pairwise has shape"):
                function(unary, [20], wrong)
            with pytest.raises(ShapeError, match="pairwise has shape"):
                chain.max_marginals(unary, wrong, edges=False)
    with pytest.raises(ScoreError, match="pairwise"):
        chain.decode(unary, np.full((WORTH, WORTH), np.nan))
    with pytest.raises(InfeasibleError, match="every labelling has score -inf"):
        chain.decode(unary, np.full((WORTH, WORTH), -np.inf))
