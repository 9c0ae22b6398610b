"""Messages on two crossing words: against enumeration, for every root."""

import itertools

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, CycleError
from spcviz.problems.exact.page.graphs import beliefs, waiting_for
from spcviz.problems.exact.page.live import CROSSWORDS, crossword, run_tree


def enumerated(problem):
    """Max-marginals by enumeration of every reading."""
    n, k = problem.unary.shape
    table = np.full((n, k), -np.inf)
    for labels in itertools.product(range(k), repeat=n):
        value = problem.unary[range(n), labels].sum()
        value += sum(t[labels[a], labels[b]] for (a, b), t in zip(problem.edges, problem.pairwise))
        table[range(n), labels] = np.maximum(table[range(n), labels], value)
    return table


@pytest.mark.parametrize("name", CROSSWORDS)
def test_ink_and_all_messages_are_the_max_marginals_from_any_root(name):
    problem = crossword(name, 3)
    table = enumerated(problem)
    for root in range(len(problem.names)):
        run = run_tree(problem, root)
        np.testing.assert_allclose(run.max_marginals, table, atol=1e-9)
        np.testing.assert_allclose(beliefs(problem, run, len(run.messages)), table, atol=1e-9)
        assert run.score == pytest.approx(table.max(), abs=1e-9)
        assert len(run.messages) == 2 * len(problem.edges)


@pytest.mark.parametrize("name", CROSSWORDS)
def test_no_message_is_sent_before_what_it_needs_has_come(name):
    problem = crossword(name, 2)
    for root in range(len(problem.names)):
        run, sent = run_tree(problem, root), set()
        for message in run.messages:
            others = {int(a + b) - message.source for a, b in problem.edges if message.source in (a, b)} - {
                message.target
            }
            assert all((other, message.source) in sent for other in others)
            sent.add((message.source, message.target))
        assert (waiting_for(problem, run, len(run.messages)) == 0).all()


def test_the_choice_attains_the_message():
    problem = crossword("wab-axi", 4)
    run = run_tree(problem, 0)
    first = run.messages[0]
    (e,) = [i for i, edge in enumerate(problem.edges) if set(edge) == {first.source, first.target}]
    table = problem.pairwise[e] if problem.edges[e][0] == first.source else problem.pairwise[e].T
    candidates = problem.unary[first.source][:, None] + table
    np.testing.assert_allclose(first.values, candidates.max(axis=0))
    np.testing.assert_array_equal(first.choice, candidates.argmax(axis=0))


def test_words_share_the_letter_and_pairs_put_the_first_example_right():
    problem = crossword("qual-bul", 5)
    run = run_tree(problem)
    read = problem.candidates[range(6), run.labels]
    np.testing.assert_array_equal(read, problem.truth)
    assert (problem.candidates[range(6), run.separate] != problem.truth).any()
    assert problem.names.count("crossing") == 1


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ArgumentError, match=r"name must be one of qual-bul, .*, got 'x'"):
        crossword("x")
    with pytest.raises(ArgumentError, match="n_candidates"):
        crossword("wab-axi", 0)
    problem = crossword("wab-axi", 2)
    with pytest.raises(ArgumentError, match="root must be a whole number from 0 to 4, got 5"):
        run_tree(problem, 5)
    ring = problem._replace(edges=np.concatenate([problem.edges, [[0, 2]]]), pairwise=np.zeros((5, 2, 2)))
    with pytest.raises(CycleError, match="0 - 1 - 2 - 0"):
        run_tree(ring)
