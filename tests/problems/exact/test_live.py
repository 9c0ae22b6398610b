"""Lecture 12's computations: both methods agree, messages add up, decompositions are counted.

Messages on two crossing words: against enumeration, for every root.
"""

import itertools

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, CycleError
from spcviz.engine.graphs import exhaustive
from spcviz.problems.exact.page.graphs import beliefs, waiting_for
from spcviz.problems.exact.page.live import (
    CROSSWORDS,
    crossword,
    decomposition,
    run_exact,
    run_tree,
    word_problem,
)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (3, 1), (4, 5)])
def test_against_enumeration(shape):
    problem = word_problem(6320, 2, *shape)
    run = run_exact(problem)
    table = np.full(problem.unary.shape, -np.inf)
    for labels in itertools.product(range(shape[1]), repeat=shape[0]):
        value = sum(problem.unary[i, k] for i, k in enumerate(labels))
        value += sum(problem.pairwise[i][a, b] for i, (a, b) in enumerate(itertools.pairwise(labels)))
        at = range(shape[0]), labels
        table[at] = np.maximum(table[at], value)
    np.testing.assert_allclose(run.max_marginals, table, atol=1e-9)
    assert run.score == pytest.approx(table.max(), abs=1e-9)
    assert run.score_search == pytest.approx(run.score, abs=1e-9)
    assert run.n_visited == run.n_configurations == shape[1] ** shape[0]


def test_forward_ink_and_backward_add_up_to_max_marginals():
    problem = word_problem(0, 0, 4, 6)
    run = run_exact(problem)
    zero = np.zeros((1, 6))
    forward = np.concatenate([zero, run.forward])
    backward = np.concatenate([zero, run.backward])[::-1]
    np.testing.assert_allclose(forward + problem.unary + backward, run.max_marginals)


def test_too_many_configurations_are_not_tried_but_projected():
    run = run_exact(word_problem(6320, 0, 6, 5), cap=600)
    assert (run.n_letters_searched, run.n_visited, run.n_configurations) == (3, 125, 5**6)
    assert np.isnan(run.score_search)
    assert run.seconds_projected == pytest.approx(run.seconds_search * 125)


def test_pairs_turn_qv_into_qu():
    def read(weight):
        problem = word_problem(6320, 2, 2, 26, weight)
        labels = run_exact(problem).labels
        return "".join(chr(97 + problem.candidates[i, k]) for i, k in enumerate(labels))

    assert (read(0.0), read(1.0)) == ("qv", "qu")


def test_a_word_is_cut_to_its_length():
    assert len(word_problem(0, 100, 20, 2).unary) == 1
    with pytest.raises(ArgumentError, match="n_candidates"):
        word_problem(0, 0, 3, 27)
    with pytest.raises(ArgumentError, match="word_id"):
        word_problem(-1, 0, 3, 3)


LECTURE = [(0,), (1,), (2,), (3,), (0, 1), (1, 2), (2, 3)]


def test_the_lecture_s_numbers():
    counted = decomposition([26] * 4, LECTURE)
    assert counted.sizes == (26,) * 4 + (676,) * 3
    assert (counted.n_stored, counted.n_configurations) == (2132, 456976)
    assert decomposition([26] * 4, [(0, 1, 2, 3)]).n_stored == 456976


@pytest.mark.parametrize(
    "scopes", [LECTURE, [(0,), (3,)], [(0, 1), (1, 2), (2, 3), (0, 3)], [(0, 1, 2), (1, 3)], [(0, 1, 2, 3)]]
)
def test_what_is_counted_without_tables_is_what_elimination_really_looks_at(scopes):
    """No elimination order explores fewer entries."""
    n_states = (2, 3, 4, 5)
    tables = [np.zeros([n_states[d] for d in scope]) for scope in scopes]
    graph = exhaustive.factor_graph(n_states, scopes, tables)
    counted = decomposition(n_states, scopes)
    orders = itertools.permutations(range(4))
    done = {order: exhaustive.eliminate(graph, order) for order in orders}
    assert done[counted.order].n_entries == counted.n_explored == min(e.n_entries for e in done.values())
    largest = max(done[counted.order].steps, key=lambda step: step.candidates.size)
    assert set(counted.widest) == {largest.variable, *largest.scope}


def test_too_many_variables_for_all_orders_are_refused():
    with pytest.raises(ArgumentError, match="number of variables must be a whole number from 1 to 7, got 8"):
        decomposition([2] * 8, [(0,)])


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
