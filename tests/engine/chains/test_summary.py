"""Two best scores and entropies against enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from spcviz.engine.chains import chain
from spcviz.engine.chains.batch import summarise_chains
from spcviz.engine.errors import InfeasibleError, ShapeError


@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 3),
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    per_step=st.booleans(),
)
def test_against_enumeration(seed, n, lengths, per_step):
    rng = np.random.default_rng(seed)
    unary = rng.normal(size=(sum(lengths), n))
    tables = rng.normal(size=(sum(lengths), n, n) if per_step else (n, n))
    if per_step and n > 1:  # state 0 may follow only itself
        tables[:, 1:, 0] = -np.inf
    summary = summarise_chains(unary, lengths, tables)
    for w, first in enumerate(np.cumsum([0, *lengths[:-1]])):
        part = unary[first : first + lengths[w]]
        pairwise = tables[first + 1 : first + lengths[w]] if per_step else tables
        every = list(product(range(n), repeat=lengths[w]))
        scores = np.array([chain.score(part, pairwise, y) for y in every])
        assert_allclose(summary.best[w], scores.max(), rtol=1e-9, atol=1e-9)
        others = np.delete(scores, scores.argmax())
        assert_allclose(summary.second[w], others.max(initial=-np.inf), rtol=1e-9, atol=1e-9)
        p = np.exp(scores - scores.max())
        p /= p.sum()
        for i in range(lengths[w]):
            marginal = np.array([p[[y[i] == k for y in every]].sum() for k in range(n)])
            want = -(marginal * np.log(marginal)).sum()
            assert_allclose(summary.entropy[first + i], want, atol=1e-9)
        assert chain.score(part, pairwise, summary.labels[first : first + lengths[w]]) == pytest.approx(
            scores.max()
        )


def test_refusals():
    with pytest.raises(ShapeError, match="unary"):
        summarise_chains(np.zeros((3, 2)), [2], np.zeros((2, 2)))
    with pytest.raises(ShapeError, match="pairwise"):
        summarise_chains(np.zeros((2, 2)), [2], np.zeros((3, 3)))
    with pytest.raises(InfeasibleError, match="chain 0"):
        summarise_chains(np.full((2, 2), -np.inf), [2], np.zeros((2, 2)))
