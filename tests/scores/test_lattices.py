"""Lattices against enumeration: extended, rescored and written ones have the right labellings and scores."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.engine.ngrams import lattice as engine
from spcviz.engine.ngrams.table import encode, ngram_table
from spcviz.scores import from_emissions
from spcviz.scores.arc_scores import base_scores, gram_scores, grams_of
from spcviz.scores.names import Names
from spcviz.scores.packing import Packed
from tests.oracles import chain as oracle
from tests.scores.strategies import givens
from tests.strategies import FINITE, SMALL_INTEGERS


@st.composite
def gram_tables(draw, n, longest):
    """Scores of some n-grams, -inf among them."""
    gram = st.lists(st.integers(0, n - 1), min_size=1, max_size=longest).map(tuple)
    weight = st.one_of(FINITE, SMALL_INTEGERS, st.just(-np.inf))
    return draw(st.dictionaries(gram, weight, max_size=6))


def bonus(labels, grams):
    """The sum of the n-gram scores in a labelling."""
    labels = tuple(int(k) for k in labels)
    windows = (labels[i:j] for i in range(len(labels)) for j in range(i + 1, len(labels) + 1))
    return sum(grams.get(window, 0.0) for window in windows)


def left(unary, pairwise, kept, grams):
    """(labelling, score) of every labelling of kept labels with a finite score."""
    if not len(unary):
        return {(): 0.0}
    every = oracle.labellings(*unary.shape)
    scores = oracle.scores(unary, pairwise, every)
    total = [score + bonus(labels, grams) for labels, score in zip(every, scores)]
    rows = np.arange(len(unary))
    return {
        tuple(labels.tolist()): value
        for labels, value in zip(every, total)
        if kept[rows, labels].all() and value > -np.inf
    }


@given(data=st.data(), case=givens(), alpha=st.sampled_from([0.0, 0.4, 0.9]), order=st.integers(2, 4))
def test_paths_are_the_labellings_left(data, case, alpha, order):
    assume(case.is_feasible())
    sequences = case.sequences()
    lattices = sequences.prune(alpha)
    grams = data.draw(gram_tables(sequences.n_labels, 2))
    longer = data.draw(gram_tables(sequences.n_labels, order))
    together = {gram: grams.get(gram, 0.0) + longer.get(gram, 0.0) for gram in grams | longer}
    kept = lattices.states()
    wants = [left(*chain, mask, together) for chain, mask in zip(case.chains(), kept)]

    def made():
        grown = lattices.rescore(grams)
        for _ in range(order - 2):
            grown = grown.extend()
        return grown.rescore(longer)

    if not all(wants[i] for i, table in enumerate(case.emissions) if len(table)):
        with pytest.raises(InfeasibleError, match=r"^sequence \d: no labelling is left"):
            made().decode()
        return
    grown = made()
    assert grown.order == order
    best, labels, arcs = grown.best_scores(), grown.decode(), grown.arcs()
    for i, want in enumerate(wants):
        if not len(case.emissions[i]):
            assert best[i] == 0.0
            continue
        assert_allclose(best[i], max(want.values()), rtol=1e-9, atol=1e-9)
        assert_allclose(want[tuple(labels[i].tolist())], best[i], rtol=1e-9, atol=1e-9)
        paths = paths_of({key: values[arcs["sequence"] == i] for key, values in arcs.items()}, len(kept[i]))
        assert set(paths) == set(want)
        for path, score in paths.items():
            assert_allclose(score, want[path], rtol=1e-9, atol=1e-9)


def paths_of(arcs, length):
    """{labelling: score} of the complete paths through one sequence's arcs, by walking them."""
    first = arcs["position"].min()
    rows = list(zip(arcs["tail"].tolist(), arcs["head"].tolist(), arcs["ngram"].tolist(), arcs["score"]))
    begun = [
        ([k for k in gram if k >= 0], head, score)
        for (_, head, gram, score), position in zip(rows, arcs["position"])
        if position == first
    ]
    for position in range(first + 1, length):
        begun = [
            ([*labels, gram[-1]], head, score + more)
            for labels, node, score in begun
            for (tail, head, gram, more), at in zip(rows, arcs["position"])
            if at == position and tail == node
        ]
    return {tuple(labels): score for labels, _, score in begun}


@given(seed=st.integers(0, 10**6), n=st.integers(2, 4))
def test_arc_scores_are_the_engine_s(seed, n):
    """Where the engine can score too: one finite table for all steps."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, 3)
    unary, pairwise = rng.normal(size=(lengths.sum(), n)), rng.normal(size=(n, n))
    grams = {tuple(rng.integers(0, n, 3).tolist()): rng.normal() for _ in range(4)}
    pairs = {(j, k): pairwise[j, k] for j in range(n) for k in range(n)}
    codes = {encode(n, gram): weight for gram, weight in (pairs | grams).items()}
    table = ngram_table(n, list(codes), list(codes.values()))
    lattice = engine.unigrams(lengths, n)
    for _ in range(3):
        want = engine.score_arcs(lattice, unary, table)
        got = base_scores(lattice, Packed(unary, lengths, pairwise))
        got += gram_scores(lattice, grams_of(grams, Names(None, n), 3))
        assert_allclose(got, want, atol=1e-12)
        lattice = engine.extend(lattice, rng.random(lattice.n_arcs) < 2.0)


@given(case=givens(forms=("shared",)), alpha=st.sampled_from([0.0, 0.5, 0.9]))
def test_pruning_again_keeps_the_best_and_grows_no_lattice(case, alpha):
    assume(case.is_feasible())
    first = case.sequences().prune(0.0).extend()
    again = first.prune(alpha)
    assert again.n_arcs <= first.n_arcs
    assert_allclose(again.best_scores(), first.best_scores(), rtol=1e-9, atol=1e-9)
    assert [labels.tolist() for labels in again.decode()] == [labels.tolist() for labels in first.decode()]
    each = first.prune(np.full(len(first), alpha))
    assert each.n_arcs == again.n_arcs


def test_an_array_of_scores_is_a_dict_of_them():
    rng = np.random.default_rng(0)
    lattices = from_emissions([rng.normal(size=(5, 3))], labels=["a", "b", "c"]).prune(0.0).extend()
    table = np.where(rng.random((3, 3, 3)) < 0.5, rng.normal(size=(3, 3, 3)), 0.0)
    named = {tuple("abc"[k] for k in gram): table[tuple(gram)] for gram in np.ndindex(3, 3, 3)}
    assert lattices.rescore(table).best_scores() == pytest.approx(lattices.rescore(named).best_scores())
    assert lattices.rescore({}).n_arcs == lattices.n_arcs


def test_forbidden_transitions_have_no_arcs():
    rules = [[0.0, -np.inf], [0.0, 0.0]]
    sequences = from_emissions([np.zeros((3, 2))], rules)
    assert sequences.prune(0.0).n_arcs == 6  # of 2 x 4, none from 0 to 1


def test_npz_holds_all_arcs(tmp_path):
    lattices = from_emissions([np.eye(3), [], [[0.0, 1.0, 2.0]]], labels=["x", "y", "é"]).prune(0.0).extend()
    lattices.to_npz(tmp_path / "own.npz")
    with np.load(tmp_path / "own.npz", allow_pickle=False) as stored:
        for key, values in lattices.arcs().items():
            assert_array_equal(stored[key], values)
        assert stored["label_names"].tolist() == ["x", "y", "é"]
        assert stored["lengths"].tolist() == [3, 0, 1]
        assert int(stored["order"]) == 3


def read_openfst(path, symbols):
    """{labels: cost} of the paths of an acceptor in OpenFst's text format, read by its rules alone."""
    start, final, arcs = None, {}, {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        start = fields[0] if start is None else start
        if len(fields) <= 2:
            final[fields[0]] = float(fields[1]) if len(fields) == 2 else 0.0
        else:
            assert fields[2] in symbols
            arcs.setdefault(fields[0], []).append((fields[1], fields[2], float(fields[3])))
    out, open_ = {}, [(start, (), 0.0)]
    while open_:
        state, labels, cost = open_.pop()
        if state in final:
            out[labels] = min(cost + final[state], out.get(labels, np.inf))
        open_ += [(to, (*labels, label), cost + more) for to, label, more in arcs.get(state, [])]
    return out


@given(case=givens(max_length=4), alpha=st.sampled_from([0.0, 0.5]), order=st.integers(2, 4))
def test_openfst_has_the_same_paths(case, alpha, order, tmp_path_factory):
    assume(case.is_feasible())
    folder = tmp_path_factory.mktemp("fst")
    names = [f"l{k}" for k in range(case.emissions[0].shape[1])]
    lattices = case.sequences(labels=names).prune(alpha)
    for _ in range(order - 2):
        lattices = lattices.extend()
    files = lattices.to_openfst(folder)
    rows = [line.split("\t") for line in (folder / "labels.txt").read_text(encoding="utf-8").splitlines()]
    assert rows == [["<eps>", "0"], *([name, str(k + 1)] for k, name in enumerate(names))]
    assert len(files) == len(case.emissions)
    for path, chain, kept in zip(files, case.chains(), lattices.states()):
        want = left(*chain, kept, {})
        got = read_openfst(path, names)
        assert set(got) == {tuple(names[k] for k in labels) for labels in want}
        for labels, score in want.items():
            assert_allclose(got[tuple(names[k] for k in labels)], -score, rtol=1e-9, atol=1e-9)


def test_refusals(tmp_path):
    sequences = from_emissions([np.zeros((3, 2))], labels=["N", "a b"])
    lattices = sequences.prune(0.5)
    with pytest.raises(ArgumentError, match=r"labels\[1\] must have no white space to be a symbol"):
        lattices.to_openfst(tmp_path)
    with pytest.raises(ArgumentError, match=r"must have at most 2 labels, .* got 3: extend\(\) first"):
        lattices.rescore({("N", "N", "N"): 1.0})
    with pytest.raises(ArgumentError, match=r"ngram_scores must have at most 2 labels, .* got 3"):
        lattices.rescore(np.zeros((2, 2, 2)))
    with pytest.raises(ArgumentError, match=r"ngram_scores\[\('N', 'X'\)\] must be one of 'N', 'a b'"):
        lattices.rescore({("N", "X"): 1.0})
    with pytest.raises(ArgumentError, match="ngram_scores must have tuples of labels as keys, got 'NN'"):
        lattices.rescore({"NN": 1.0})
    with pytest.raises(ScoreError, match=r"ngram_scores\[\('N',\)\].* must be a finite score or -inf"):
        lattices.rescore({("N",): np.nan})
    with pytest.raises(ShapeError, match=r"ngram_scores has shape \(3, 3\); the labels need \(2, 2\)"):
        lattices.rescore(np.zeros((3, 3)))
    with pytest.raises(InfeasibleError, match="sequence 0: no labelling is left"):
        lattices.rescore({("N",): -np.inf, ("a b",): -np.inf})
    with pytest.raises(ArgumentError, match="max_arcs must be a whole number"):
        lattices.prune(0.5, max_arcs=0)
    assert "order 2, 8 arcs" in repr(lattices)
    assert len(lattices) == 1
