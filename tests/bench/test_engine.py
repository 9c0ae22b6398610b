"""The contenders of the benchmark compute the same thing, and its table says what was run."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from spcviz.bench import engine
from spcviz.engine import chain, dense
from spcviz.engine.errors import ArgumentError
from spcviz.engine.ngrams import encode, ngram_table

LOOPY = [{"name": "a tree", "size": "of 3", "median_us": 1.5}]  # test_bench_loopy has the real ones


@pytest.fixture(scope="module")
def measured():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "SIZES", engine.SIZES[:1])
        patch.setattr(engine, "bench_loopy", lambda **_: LOOPY)
        told = []
        yield engine.bench_engine(repeats=1, tick=told.append), told


def test_every_operation_is_told_and_timed(measured):
    result, told = measured[0], list(measured[1])
    assert result["name"] == "bench-engine"
    assert result["settings"]["repeats"] == 1
    *rows, last = result["rows"]
    assert last == {"operation": "a tree, of 3", "contender": "spcviz", "us": 1.5, "ratio": 1.0}
    assert told.pop() == "trees and grids"
    assert list(dict.fromkeys(row["operation"] for row in rows)) == told
    assert told[:3] == ["Viterbi 8 x 26", "max-marginals of states 8 x 26", "sum marginals 8 x 26"]
    for operation in told:
        rows = {row["contender"]: row for row in result["rows"] if row["operation"] == operation}
        assert {"spcviz", "numpy"} <= set(rows)
        assert rows["spcviz"]["ratio"] == 1
        for row in rows.values():
            assert row["us"] > 0
            assert_allclose(row["ratio"], row["us"] / rows["spcviz"]["us"])


def test_installed_peers_take_part_and_absent_ones_are_named(measured, monkeypatch):
    result, _ = measured
    contenders = {row["contender"] for row in result["rows"]}
    names = {"pycrfsuite": "python-crfsuite", "hmmlearn": "hmmlearn"}
    for module, contender in names.items():
        assert (contender in contenders) == (module not in result["absent"])
    monkeypatch.setattr(engine, "bench_loopy", lambda **_: LOOPY)
    monkeypatch.setattr(engine, "_operations", lambda rng: [("nothing", {"spcviz": int})])
    monkeypatch.setattr(engine, "_installed", lambda name: None)
    alone = engine.bench_engine(repeats=1)
    assert alone["absent"] == ["pycrfsuite", "hmmlearn"]
    text = engine.as_text(alone)
    assert "not installed: pycrfsuite, hmmlearn (python -m pip install ...)" in text


def test_the_text_has_a_line_for_every_row(measured):
    result, _ = measured
    lines = engine.as_text(result | {"absent": []}).splitlines()
    assert len(lines) == 1 + len(result["rows"])
    for line, row in zip(lines[1:], result["rows"]):
        assert line.startswith(row["operation"])
        assert row["contender"] in line
        assert line.endswith(f"{row['ratio']:.2f}")


def test_medians_are_in_microseconds_and_turn_by_turn(monkeypatch):
    clock, order = iter(np.cumsum([0, 1, 0, 10, 0, 3, 0, 30, 0, 2, 0, 20]) / 1e6), []
    monkeypatch.setattr(engine.time, "perf_counter", lambda: next(clock))
    medians = engine._interleaved({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert order == ["a", "b"] * 4  # once to warm up
    assert medians == pytest.approx({"a": 2.0, "b": 20.0})


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
