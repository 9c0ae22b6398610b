"""Hypothesis strategies for chains, graphs and n-gram models, with ties and forbidden states."""

import os

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

FINITE = st.floats(-20, 20, allow_nan=False, width=32)
LENGTHS = st.integers(1, 5)
SMALL_INTEGERS = st.integers(-2, 2).map(float)  # ties
PRUNED = st.one_of(FINITE, st.just(-np.inf))
ANY_SCORE = st.one_of(FINITE, SMALL_INTEGERS, st.just(-np.inf))


@st.composite
def chains(draw, max_length=5, max_states=4, elements=FINITE, shared=None):
    """(unary, pairwise) small enough to enumerate; pairwise shared or one per step."""
    length, n = draw(st.integers(1, max_length)), draw(st.integers(1, max_states))
    shared = draw(st.booleans()) if shared is None else shared
    shape = (n, n) if shared else (length - 1, n, n)
    return draw(arrays(np.float64, (length, n), elements=elements)), draw(
        arrays(np.float64, shape, elements=elements)
    )


@st.composite
def ngram_models(draw, max_states=3, max_order=4, lengths=LENGTHS, elements=FINITE, n_examples=1):
    """(n_states, order, [unary per example], {n-gram: weight}, {n-gram: end weight})."""
    n, order = draw(st.integers(1, max_states)), draw(st.integers(1, max_order))
    words = [draw(lengths) for _ in range(n_examples)]
    unaries = [draw(arrays(np.float64, (length, n), elements=elements)) for length in words]
    gram = st.lists(st.integers(0, n - 1), min_size=2, max_size=max(order, 2)).map(tuple)
    tail = st.lists(st.integers(0, n - 1), min_size=1, max_size=order).map(tuple)
    weights = draw(st.dictionaries(gram, FINITE, max_size=12))
    end = draw(st.dictionaries(tail, FINITE, max_size=4))
    return n, order, unaries, {g: w for g, w in weights.items() if len(g) <= order}, end


def cases(full, usual=None):
    """Number of generated cases to run: SPCVIZ_STRESS (1 = full strength) times `full`.

    Without SPCVIZ_STRESS it is `usual`, by default a twentieth of `full`.
    """
    stress = os.environ.get("SPCVIZ_STRESS")
    if stress is None and usual is not None:
        return usual
    return max(1, round(full * float(stress or "0.05")))


SCALES = (1e-6, 1e-3, 1.0, 1e3, 1e6)


def random_scores(rng, shape, *, ties=None, forbidden=None, scale=None):
    """Scores for a plain loop over seeds: floats or small integers, some -inf, at any scale."""
    ties = rng.random() < 0.3 if ties is None else ties
    values = rng.integers(-2, 3, shape) * 1.0 if ties else rng.normal(size=shape)
    share = rng.choice([0.0, 0.0, 0.2, 0.5]) if forbidden is None else forbidden
    values = values * (rng.choice(SCALES) if scale is None else scale)
    return np.where(rng.random(shape) < share, -np.inf, values)


def random_chain(rng, *, max_length=5, max_states=4, **options):
    """(unary, pairwise), pairwise shared or one per step, for a plain loop over seeds."""
    length, n = int(rng.integers(1, max_length + 1)), int(rng.integers(1, max_states + 1))
    options.setdefault("scale", rng.choice(SCALES))
    shape = (n, n) if rng.random() < 0.5 else (length - 1, n, n)
    return random_scores(rng, (length, n), **options), random_scores(rng, shape, **options)
