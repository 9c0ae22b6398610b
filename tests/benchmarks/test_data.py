"""The benchmark of the page Your data: rows by contract, computed on the given sentences."""

import json

import pytest

from benchmarks import data
from spcviz.engine.errors import SpcvizError
from spcviz.problems.own_data.model.training import train

SENTENCES = [[("The", "DT"), ("dog", "NN"), ("barks", "VBZ")], [("A", "DT"), ("cat", "NN")]] * 20


@pytest.fixture
def few(tmp_path, monkeypatch):
    """A few sentences, and no worker processes."""
    monkeypatch.setattr(data, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(data, "read_splits", lambda name, folder: {"train": SENTENCES})
    monkeypatch.setattr(
        data, "_train", lambda brought, settings: (train(settings, brought.sentences, brought.labels), 0.5)
    )
    monkeypatch.setattr(data, "_wait_for", lambda jobs: [job.cancel() for job in jobs])


def test_rows_are_of_the_contract(few):
    ticks = []
    result = data.bench_data(tick=ticks.append)
    json.dumps(result, allow_nan=False)
    assert [row["what"] for row in result["rows"]] == list(data.GOALS)
    assert all(row["measured"] >= 0 for row in result["rows"][:6])
    assert result["rows"][1]["tokens_right"] == 1
    assert {name: result["settings"][name] for name in ("sentences", "tokens", "labels")} == {
        "sentences": 40, "tokens": 100, "labels": 3
    }  # fmt: skip
    assert ticks[2:] == ["a class, perceptron", "a class, cascade of order 3"]
    text = data.as_text(result)
    assert text.startswith("40 sentences, 100 tokens, 3 labels")
    assert "MB a visitor (goal 15)" in text


def test_without_data_it_says_what_it_wants(monkeypatch):
    monkeypatch.setattr(data, "data_folder", lambda: None)
    with pytest.raises(SpcvizError, match="SPCVIZ_DATA with text_ptb_sample"):
        data.bench_data()
