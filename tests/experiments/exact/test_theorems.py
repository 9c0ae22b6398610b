"""Bolukbasi's theorems on real words: the costs, the searches and the form of the result."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.exact import theorems
from spcviz.engine.chains import chain
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.page import landing


@pytest.fixture(scope="module")
def words():
    return handwriting.load_words()


@pytest.fixture(scope="module")
def tables(words):
    return theorems.letter_tables(words, words.folds != 0)


def test_costs_of_states_by_hand(words, tables):
    on, off, pairs = (table.reshape(26, *shape) for table, shape in zip(tables, ((16, 8), (16, 8), (26,))))
    for word in np.flatnonzero((words.folds == 0) & (words.lengths >= 5))[:60]:
        costs = theorems.state_costs(words, int(word), 3, tables)
        first = words.starts[word]
        ink, truth = words.pixels[first : first + 3], words.labels[first : first + 3]
        for state, bought in enumerate(itertools.product((0, 1), repeat=3)):
            unary = np.zeros((3, 26))
            for i, whole in enumerate(bought[::-1]):  # letter 0 is the lowest bit
                rows = 16 if whole else 8
                seen = np.where(ink[i] > 0, on, off)[:, :rows]
                unary[i] = landing.PIXEL_WEIGHT * seen.sum(axis=(1, 2))
            wrong = (chain.decode(unary, pairs).labels != truth).sum()
            assert costs[state] == 4 * wrong + sum(bought)


def test_the_whole_ink_scores_as_the_page_does(words, tables):
    from spcviz.problems.exact.page.live import letter_scores

    word = int(np.flatnonzero(words.folds == 0)[0])
    ink = words.pixels[words.starts[word] : words.starts[word] + 2].reshape(2, -1)
    is_training = np.repeat(words.folds != 0, words.lengths)
    unary, pairs = letter_scores(ink, is_training)
    np.testing.assert_allclose(landing.PIXEL_WEIGHT * (ink @ tables[0].T + (1 - ink) @ tables[1].T), unary)
    np.testing.assert_allclose(tables[2], pairs)


def test_searches_against_all_states():
    """Word 0: buying letter 1 alone helps. Word 1: only both together help, which single steps cannot see."""
    costs = np.array([[8, 9, 5, 10], [8, 9, 9, 2]])
    trajectory = theorems._search(costs, "trajectory")
    assert (trajectory["astray"], trajectory["excess"]) == (0.0, 0.0)
    parsimonious = theorems._search(costs, "parsimonious")
    assert parsimonious["astray"] == 0.5
    assert parsimonious["excess"] == pytest.approx((0 + 6) / 2 / 4)


def test_a_fold_and_the_result(words):
    ticks = []
    run = SimpleNamespace(quick=False, folds=2, tick=ticks.append)
    result = theorems.make(run)
    assert len(ticks) == 2
    assert [fold["fold"] for fold in result["fold_rows"]] == ["0", "1"]
    names = [(row["theorem"], row["policies"]) for row in result["rows"]]
    assert len(set(names)) == len(names) == 9
    assert sum(row["violations"] for row in result["rows"]) == 0
    for row, *folds in zip(result["rows"], *(f["rows"] for f in result["fold_rows"])):
        assert row["n_policies"] == sum(r["n_policies"] for r in folds)
        assert row["astray"] == pytest.approx(np.mean([r["astray"] for r in folds]))
    by_name = dict(zip(names, result["rows"]))
    assert by_name["2.1", "all"]["astray"] == by_name["2.2", "word"]["astray"] == 0
    assert by_name["2.2", "word"]["n_policies"] == 2 * theorems.N_PROBLEMS * 8**3
    assert by_name["2.3", "word"]["n_policies"] == 2 * theorems.N_PROBLEMS * (3**3 + 2**3 + 1)
