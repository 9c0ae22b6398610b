"""Hypothesis strategies of sequences with label scores, and their queries by enumeration."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spcviz.scores import from_emissions
from tests.oracles import chain as oracle
from tests.strategies import ANY_SCORE


class Given(NamedTuple):
    """Arguments of `from_emissions`."""

    emissions: list
    transitions: object  # None, (K, K), or a table for each step of each sequence
    start: np.ndarray | None
    end: np.ndarray | None

    def sequences(self, **more):
        return from_emissions(self.emissions, self.transitions, start=self.start, end=self.end, **more)

    def chains(self):
        """(unary, pairwise) of each sequence, with start and end in the scores of states."""
        for i, table in enumerate(self.emissions):
            unary = table.copy()
            if len(unary) and self.start is not None:
                unary[0] += self.start
            if len(unary) and self.end is not None:
                unary[-1] += self.end
            n = table.shape[1]
            if self.transitions is None:
                yield unary, np.zeros((n, n))
            else:
                yield unary, self.transitions[i] if isinstance(self.transitions, list) else self.transitions

    def is_feasible(self):
        ranked = (oracle.ranked(*chain)[0] for chain in self.chains() if len(chain[0]))
        return all(scores[0] > -np.inf for scores in ranked)


@st.composite
def givens(draw, max_states=3, max_length=4, elements=ANY_SCORE, forms=("none", "shared", "steps")):
    """At most four sequences, some of them without positions."""
    n = draw(st.integers(1, max_states))
    lengths = draw(st.lists(st.integers(0, max_length), min_size=1, max_size=4))
    emissions = [draw(arrays(np.float64, (length, n), elements=elements)) for length in lengths]
    form = draw(st.sampled_from(forms))
    transitions = None
    if form == "shared":
        transitions = draw(arrays(np.float64, (n, n), elements=elements))
    elif form == "steps":
        sizes = [max(length - 1, 0) for length in lengths]
        transitions = [draw(arrays(np.float64, (size, n, n), elements=elements)) for size in sizes]
    start, end = (draw(st.none() | arrays(np.float64, (n,), elements=elements)) for _ in range(2))
    return Given(emissions, transitions, start, end)
