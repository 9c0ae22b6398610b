"""Hypothesis strategies for the objects of the field."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

FINITE = st.floats(-20, 20, allow_nan=False, width=32)
SMALL_INTEGERS = st.integers(-2, 2).map(float)  # ties
PRUNED = st.one_of(FINITE, st.just(-np.inf))
ANY_SCORE = st.one_of(FINITE, SMALL_INTEGERS, st.just(-np.inf))


@st.composite
def chains(draw, max_length=5, max_states=4, elements=FINITE, shared=None):
    """(unary, pairwise) small enough to enumerate; pairwise shared or one a step."""
    length, n = draw(st.integers(1, max_length)), draw(st.integers(1, max_states))
    shared = draw(st.booleans()) if shared is None else shared
    shape = (n, n) if shared else (length - 1, n, n)
    return draw(arrays(np.float64, (length, n), elements=elements)), draw(
        arrays(np.float64, shape, elements=elements)
    )


@st.composite
def ngram_models(draw, max_states=3, max_order=4, lengths=st.integers(1, 5), elements=FINITE, n_examples=1):
    """(n_states, order, [unary per example], {n-gram: weight}, {n-gram: end weight})."""
    n, order = draw(st.integers(1, max_states)), draw(st.integers(1, max_order))
    words = [draw(lengths) for _ in range(n_examples)]
    unaries = [draw(arrays(np.float64, (length, n), elements=elements)) for length in words]
    gram = st.lists(st.integers(0, n - 1), min_size=2, max_size=max(order, 2)).map(tuple)
    tail = st.lists(st.integers(0, n - 1), min_size=1, max_size=order).map(tuple)
    weights = draw(st.dictionaries(gram, FINITE, max_size=12))
    end = draw(st.dictionaries(tail, FINITE, max_size=4))
    return n, order, unaries, {g: w for g, w in weights.items() if len(g) <= order}, end
