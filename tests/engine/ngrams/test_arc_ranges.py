"""Runs against the arcs they represent: every arc once, in order, with its ends; no more runs than needed."""

import numpy as np
import pytest

from spcviz.engine.errors import ScoreError, ShapeError
from spcviz.engine.ngrams import lattice


def random_lattice(seed):
    """Several examples grown and pruned at random, from order 1 or 2; some shorter than the order."""
    rng = np.random.default_rng(seed)
    lengths, n = rng.integers(1, 7, 4), int(rng.integers(1, 11))
    allowed = rng.random((lengths.sum(), n)) < 0.8
    allowed[np.arange(len(allowed)), rng.integers(0, n, len(allowed))] = True
    lat = (lattice.unigrams if seed % 2 else lattice.bigrams)(lengths, n, allowed)
    for _ in range(seed % 3):
        keep = rng.random(lat.n_arcs) < 0.7
        keep[lattice.decode(lat, rng.normal(size=lat.n_arcs)).arcs] = True
        lat = lattice.extend(lat, keep, grow=seed % 5 > 0)
    return lat


@pytest.mark.parametrize("seed", range(20))
def test_runs_spell_every_arc(seed):
    lat = random_lattice(seed)
    col_start, column, run = lat.runs
    size = np.diff(run[:, 0])
    along = np.arange(lat.n_arcs) - np.repeat(run[:-1, 0], size)
    assert (size > 0).all()
    assert run[-1, 0] == lat.n_arcs
    assert np.array_equal(np.repeat(run[:-1, 1], size), lat.arc_tail)
    assert np.array_equal(np.repeat(run[:-1, 2], size) + along, lat.arc_head)
    assert np.array_equal(run[column[:, 0], 0], lat.arc_start)
    example = np.searchsorted(col_start, np.arange(len(column) - 1), side="right") - 1
    for i in range(3):
        nodes = lat.node_start[np.arange(len(column) - 1) + example + i]
        assert np.array_equal(column[:-1, 1 + i], nodes)
    assert column[-1].tolist() == [len(run) - 1] + [lat.node_start[-1]] * 3
    is_column = np.isin(np.arange(lat.n_arcs), lat.arc_start)
    goes_on = (np.diff(lat.arc_tail) == 0) & (np.diff(lat.arc_head) == 1) & ~is_column[1:]
    assert len(size) == lat.n_arcs - goes_on.sum()


def test_a_node_of_a_grown_lattice_is_one_run():
    lat = lattice.bigrams([6], 9, np.random.default_rng(0).random((6, 9)) < 0.9)
    lat = lattice.extend(lat, np.ones(lat.n_arcs, dtype=bool))
    assert len(lat.runs.run) - 1 == len(np.unique(lat.arc_tail))
    assert lat.runs is lat.runs


def test_bad_scores_are_found_on_the_way():
    lat = random_lattice(3)
    for bad in (np.nan, np.inf, 2e300):
        score = np.zeros(lat.n_arcs)
        score[-1] = bad
        for ask in (lattice.messages, lattice.decode, lattice.log_marginals):
            with pytest.raises(ScoreError, match=rf"arc_score\[{lat.n_arcs - 1}\]"):
                ask(lat, score)
            with pytest.raises(ShapeError):
                ask(lat, np.zeros(lat.n_arcs + 1))
