"""The contenders of the benchmark compute the same thing, and its table says what was run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks import engine, peers
from spcviz.engine.chains import chain
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams import dense
from spcviz.engine.ngrams.table import encode, ngram_table

SIZES, CHAINS = engine.SIZES, ("Viterbi", "node max-marginals", "sum marginals")
MACHINE = {"cpu": "one kind"}
LOOPY = [{"name": "a tree", "size": "of 3", "median_us": 1.5}]  # test_bench_loopy has the real ones


@pytest.fixture(scope="module")
def measured():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "SIZES", engine.SIZES[:1])
        patch.setattr(engine, "CASCADE", ("raw", (2,), 1))
        patch.setattr(engine, "bench_loopy", lambda **_: LOOPY)
        operations = []
        yield engine.bench_engine(repeats=1, tick=operations.append), operations


def test_every_operation_is_told_and_timed(measured):
    result, operations = measured[0], list(measured[1])
    assert result["name"] == "bench-engine"
    assert result["settings"]["repeats"] == 1
    *rows, last = result["rows"]
    cpu = result["machine"]["cpu"]
    assert {row["processor"] for row in result["rows"]} == {cpu}
    of_tree = {"operation": "a tree, of 3", "contender": "spcviz", "us": 1.5, "ratio": 1.0}
    assert last == {"processor": cpu, "us_quartiles": None} | of_tree
    assert operations.pop() == "trees and grids"
    assert list(dict.fromkeys(row["operation"] for row in rows)) == operations
    assert operations[:3] == ["Viterbi 8 x 26", "node max-marginals 8 x 26", "sum marginals 8 x 26"]
    assert operations[-1] == "cascade, handwriting of order 2"
    for operation in operations:
        rows = {row["contender"]: row for row in result["rows"] if row["operation"] == operation}
        assert rows["spcviz"]["ratio"] == 1
        for row in rows.values():
            low, high = row["us_quartiles"]
            assert 0 < low <= row["us"] <= high
            assert_allclose(row["ratio"], row["us"] / rows["spcviz"]["us"])
    assert {"dense Viterbi", "spcviz"} == set(rows)


def test_rows_of_other_processors_stay_beside_the_new_ones():
    row = {"operation": "Viterbi 8 x 26", "contender": "spcviz", "us": 1.0, "ratio": 1.0}
    new = {"machine": MACHINE, "rows": [{"processor": "one kind", **row}]}
    before = {"machine": {"cpu": "another kind"}, "rows": [row, {"processor": "one kind", **row, "us": 9.0}]}
    merged = engine.beside(new, before)
    assert merged["rows"] == [*new["rows"], {"processor": "another kind", **row}]
    assert engine.beside(new | {"rows": []}, merged)["rows"] == merged["rows"][1:]
    text = engine.as_text(merged | {"absent": [], "failed": {}, "settings": {"reach": {}}})
    assert text.count("Viterbi") == 1  # this machine's


def test_the_evidence_has_the_best_of_the_others_by_processor():
    def rows(processor, *ratios):
        who = [("spcviz", 1.0), ("spcviz, transitions ready", 0.5), *zip(("numpy", "peer"), ratios)]
        return [
            {
                "processor": processor,
                "operation": "Viterbi 8 x 26",
                "contender": name,
                "us": 1.0,
                "ratio": ratio,
            }
            for name, ratio in who
        ]

    result = {"rows": rows("one kind", 9.0, 1.4) + rows("another kind", 2.0, 3.0)}
    assert engine.section(result).splitlines()[-1] == "| Viterbi 8 x 26 | 1.40 (peer) | 2.00 (numpy) |"


def test_aims_are_of_operations_that_are_measured(measured):
    names = {row["operation"] for row in measured[0]["rows"]}
    others = {f"{what} {a} x {b}" for a, b in SIZES for what in CHAINS} | {
        f"cascade, handwriting of order {n}" for n in (2, 3, 4)
    }
    assert set(engine.REACH) <= names | others


def test_installed_peers_take_part_and_absent_ones_are_named(measured, monkeypatch):
    result, _ = measured
    contenders = {row["contender"] for row in result["rows"]}
    names = {"pycrfsuite": "python-crfsuite", "hmmlearn": "hmmlearn", "pgmax": "PGMax, 32 bits"}
    for module, contender in names.items():
        assert (contender in contenders) == (module not in {*result["absent"], *result["failed"]})
    monkeypatch.setattr(engine, "bench_loopy", lambda **_: LOOPY)
    monkeypatch.setattr(engine, "_operations", lambda rng: [("nothing", {"spcviz": int})])
    monkeypatch.setattr(peers, "import_if_there", lambda name: None)
    alone = engine.bench_engine(repeats=1)
    assert alone["absent"] == list(peers.NAMES)
    text = engine.as_text(alone)
    assert "not installed: pycrfsuite, hmmlearn, seqlearn, jax, pynini, pgmax (python -m pip install" in text


def test_a_peer_that_does_not_run_is_named_and_the_rest_goes_on(monkeypatch):
    class Broken:
        class CategoricalHMM:
            def __init__(self, n):
                raise AttributeError("this version has none\nmore")

    monkeypatch.setattr(peers, "FAILED", {})
    monkeypatch.setattr(peers, "import_if_there", lambda name: Broken if name == "hmmlearn.hmm" else None)
    assert peers.chains(np.zeros((2, 2)), np.zeros((2, 2))) == {}
    assert peers.FAILED == {"hmmlearn": "AttributeError: this version has none"}
    result = {"rows": [], "absent": [], "failed": peers.FAILED, "settings": {"reach": {}}, "machine": MACHINE}
    assert engine.as_text(result).endswith("does not run: hmmlearn (AttributeError: this version has none)")


def test_without_peers_there_is_nothing_of_theirs(monkeypatch):
    monkeypatch.setattr(peers, "import_if_there", lambda name: None)
    unary, arc = np.zeros((2, 2)), np.array([0])
    assert peers.chains(unary, unary) == peers.batches(unary, [2], unary) == {}
    assert peers.lattices(arc, arc + 1, np.zeros(1), 2, 1) == peers.grids(unary, None, None, 1) == {}


def test_the_text_compares_each_operation_with_the_best_of_the_others():
    rows = [("Viterbi 8 x 26", who, us, us / 2) for who, us in (("spcviz", 2.0), ("slow", 9.0), ("b", 5.0))]
    rows += [("Viterbi 8 x 26", "spcviz with pairs", 1.0, 0.5), ("alone", "spcviz", 3.0, 1.0)]
    keys = ("processor", "operation", "contender", "us", "ratio")
    rows = [dict(zip(keys, (MACHINE["cpu"], *row))) for row in rows]
    settings = {"reach": engine.REACH}
    result = {"rows": rows, "absent": [], "failed": {}, "settings": settings, "machine": MACHINE}
    lines = engine.as_text(result).splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["Viterbi", "8", "x", "26", "2.0", "b", "5.0", "2.50", "1.5"],
        ["alone", "3.0"],
    ]


def test_medians_and_quartiles_are_in_microseconds_and_turn_by_turn(monkeypatch):
    seconds = [2, 10, 1, 10, 3, 30, 2, 20]  # a round of one call each, then three rounds
    clock, order = iter(np.cumsum([t for s in seconds for t in (0, s)]) / 1e3), []
    monkeypatch.setattr(engine.time, "process_time", lambda: next(clock))
    turns = engine._interleave({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert "".join(order) == "aabb" + "ab" * 3
    assert turns["a"] == pytest.approx([1.5e3, 2e3, 2.5e3])
    assert turns["b"] == pytest.approx([15e3, 20e3, 25e3])


def test_short_operations_are_called_many_times_a_turn(monkeypatch):
    calls = []
    monkeypatch.setattr(engine.time, "process_time", lambda: len(calls) * 1e-5)
    assert engine._interleave({"a": lambda: calls.append(1)}, 2)["a"] == pytest.approx([10.0] * 3)
    assert len(calls) == 1 + (1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256) + 2 * 256


def test_the_numpy_contenders_compute_the_same():
    rng = np.random.default_rng(0)
    unary, pairwise = rng.normal(size=(6, 4)), rng.normal(size=(4, 4))
    assert engine._numpy_viterbi(unary, pairwise) == chain.decode(unary, pairwise).labels.tolist()
    want = chain.max_marginals(unary, pairwise)
    assert_allclose(engine._numpy_max_marginals(unary, pairwise), want.unary, rtol=1e-12)
    marginals = chain.marginals(unary, pairwise)
    node, edge = engine._numpy_marginals(unary, pairwise)
    assert_allclose(node, marginals.unary, rtol=1e-9)
    assert_allclose(edge, marginals.pairwise, rtol=1e-9)
    for order in (3, 4):
        grams = {encode(4, rng.integers(0, 4, order)): rng.normal() for _ in range(40)}
        model = dense.dense_model(ngram_table(4, list(grams), list(grams.values())), order)
        assert_allclose(engine._numpy_dense(model, unary), dense.dense_decode(model, unary).score)


@pytest.mark.parametrize("repeats", [0, -1, 1.5])
def test_bad_repeats(repeats):
    with pytest.raises(ArgumentError, match="repeats must be a whole number from 1"):
        engine.bench_engine(repeats=repeats)
