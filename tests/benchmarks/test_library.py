"""The benchmark of taggers: rows by contract, the same sentences for all, settings from development data."""

import json
import sys
import types

import pytest

from benchmarks import library, peers, serving
from spcviz.engine.errors import ArgumentError, SpcvizError

LINES = ("The", "DET"), ("dog", "NOUN"), ("barks", "VERB")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with a tiny treebank."""
    folder = tmp_path / "text_ud_ewt"
    folder.mkdir()
    one = "".join(f"{i}\t{word}\t_\t{tag}\t_\t_\n" for i, (word, tag) in enumerate(LINES, start=1))
    two = "1\tA\t_\tDET\t_\t_\n2\tcat\t_\tNOUN\t_\t_\n\n"
    for split in ("train", "dev", "test"):
        (folder / f"en_ewt-ud-{split}.conllu").write_text((one + "\n" + two) * 8, encoding="utf-8")
    monkeypatch.setattr(library, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(library, "FOLDERS", {"ewt": "text_ud_ewt"})
    mine = [contender for contender in library.CONTENDERS if contender.data is library.UPOS]
    monkeypatch.setattr(library, "CONTENDERS", mine)
    return tmp_path


def test_rows_are_of_the_contract(data, monkeypatch):
    monkeypatch.setattr(library, "_on_its_own", lambda function, *of: function(*of))  # no processes
    ticks = []
    result = library.bench_library(repeats=1, tick=ticks.append)
    json.dumps(result, allow_nan=False)
    expected = {
        "data",
        "what",
        "contender",
        "tokens_right",
        "sentences_right",
        "train_s",
        "tokens_per_s",
        "peak_mb",
    }
    names = [(row["what"], row["contender"]) for row in result["rows"]]
    assert result["name"] == "bench-library"
    assert {("perceptron", "spcviz"), ("CRF", "spcviz"), ("cascade of order 3", "spcviz")} <= set(names)
    assert (("CRF", "python-crfsuite") in names) == (peers.import_if_there("pycrfsuite") is not None)
    for row in result["rows"]:
        assert expected <= set(row)
        assert row["tokens_right"] == row["sentences_right"] == 1.0
        for field in ("train_s", "tokens_per_s"):
            low, high = row[f"{field}_range"]
            assert 0 < low <= row[field] <= high
        assert row["peak_mb"] > 10
    assert len(ticks) == len(names) * 4 + 2  # three tries and one round each, threads, one sentence per call
    threads = [(row["what"], row["input"]) for row in result["threads"]]
    assert threads == [
        (w, of) for w in ("perceptron", "cascade of order 3") for of in ("names", "sparse matrices")
    ]
    assert all(abs(row["ratio"] - row["one_s"] / row["two_s"]) < 1e-9 for row in result["threads"])
    assert library.section(result).count("| 100.00 | 100.00 |") == len(names)
    text = library.as_text(result)
    served = [(row["input"], row["contender"]) for row in result["serving"]]
    who = ("spcviz", "python-crfsuite")[: 1 + (peers.import_if_there("pycrfsuite") is not None)]
    assert served == [(form, name) for form in serving.EXTRACTORS for name in who]
    assert all(row["tokens_per_s"] > 0 < row["sentence_us"] for row in result["serving"])
    assert text.count("\n") == len(names) + 1 + len(threads) + len(served)  # the data's name
    assert "dicts of flags, spcviz: " in library.section(result)
    del result["serving"]  # as in a result of an earlier version
    assert "a sentence a call" not in library.section(result) + library.as_text(result)
    assert "100.00" in text


def test_a_process_of_its_own_measures_the_same(data, monkeypatch):
    # A new process first runs this one's main script, which a page run in a test may have replaced.
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    contender = library.CONTENDERS[1]
    here = library.measure(contender, {"max_iter": 2}, data, 1.0, "test", 0)
    there = library._alone(contender, {"max_iter": 2}, data, 1.0, "test", 0)
    assert there.tokens_right == here.tokens_right
    assert there.peak_mb > 0


def test_many_tags_are_tags_and_features_together(data, monkeypatch):
    _, y = library._read(library.MORPHOLOGY, data, "train", 1.0)
    assert y[0] == ["DET|_|_", "NOUN|_|_", "VERB|_|_"]
    few = library.Contender("cascade of order 2", "spcviz", (library.FEW,), library.MORPHOLOGY)
    monkeypatch.setattr(library, "CONTENDERS", (few,))
    monkeypatch.setattr(library, "_on_its_own", lambda function, *of: function(*of))
    ticks = []
    (row,) = library.bench_library(repeats=1, tick=ticks.append)["rows"]
    assert row["data"].startswith("UD English EWT, UPOS + XPOS + features")
    assert row["tokens_right"] == 1.0
    assert len(ticks) == 3  # no tuning with a single setting; threads, one sentence per call


def test_bad_arguments_and_missing_data_are_said(monkeypatch):
    with pytest.raises(ArgumentError, match=r"scale must be a number from 0\.001 to 1"):
        library.bench_library(scale=2)
    with pytest.raises(ArgumentError, match="repeats must be a whole number from 1"):
        library.bench_library(repeats=0)
    monkeypatch.setattr(library, "data_folder", lambda: None)
    with pytest.raises(SpcvizError, match="needs SPCVIZ_DATA with text_ud_ewt, text_ptb_sample"):
        library.bench_library()
