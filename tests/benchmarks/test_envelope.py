"""`bench envelope`: one row per draw by contract, for the requested tasks."""

import json

import pytest

from benchmarks import envelope
from spcviz import cli
from spcviz.engine.errors import ArgumentError, SpcvizError
from tests.spending.sequences import TIERS, drawn


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Two tasks with a few random sequences, in place of corpora."""
    asked = []

    def read(folder, split, chosen):
        asked.append((folder, split))
        X, y = drawn(40)
        return [x for x in X if len(x)], [labels for labels in y if labels]

    task = envelope.Task(read, TIERS)
    monkeypatch.setattr(envelope, "N", 15)
    monkeypatch.setattr(envelope, "TASKS", {"tags": task, "chunks": task})
    monkeypatch.setattr(envelope, "data_folder", lambda: tmp_path)
    return asked


def test_rows_are_of_the_contract(small, tmp_path):
    ticks = []
    result = envelope.bench_envelope(task="tags", draws=2, tick=ticks.append)
    assert json.loads(json.dumps(result, allow_nan=False))["settings"] == {
        "tasks": ["tags"], "draws": 2, "sequences": 15
    }  # fmt: skip
    assert ticks == ["tags 0", "tags 1"]
    assert small == [(tmp_path, "train")] * 2
    assert [(row["task"], row["draw"]) for row in result["rows"]] == [("tags", 0), ("tags", 1)]
    for row in result["rows"]:
        assert len(row["fixed"]) == len(TIERS.costs)
        assert all(0 <= wrong <= 100 for wrong in [*row["fixed"], *row["envelope"]])
    head, first, second = envelope.as_text(result).splitlines()
    assert head == "percent of labels wrong; 15 sequences to learn from"
    assert first.startswith(f"tags 0: tiers {result['rows'][0]['fixed'][0]:.2f} ")
    assert second.startswith("tags 1: tiers ")


def test_the_command_chooses_tasks_and_keeps_the_result(small, tmp_path, capsys):
    path = tmp_path / "envelope.json"
    wanted = ["bench", "envelope", "--task", "chunks,tags", "--draws", "1", "--json", str(path)]
    assert cli.main(wanted) == 0
    out, err = capsys.readouterr()
    result = json.loads(path.read_text())
    assert result["name"] == "bench-envelope"
    assert [row["task"] for row in result["rows"]] == ["chunks", "tags"]
    assert result["command"] == "python -m spcviz bench envelope --task chunks,tags --draws 1"
    assert err.startswith("chunks 0\ntags 0\n")
    assert len(out.splitlines()) == 3


def test_all_tasks_are_judged_by_default_and_others_refused(small, monkeypatch):
    alike = envelope.Draw([1.0], [1.0], 0.0, 0.0, 0.0)
    monkeypatch.setattr(envelope, "draw", lambda task, folder, seed: alike)
    assert [row["task"] for row in envelope.bench_envelope(draws=2)["rows"]] == ["tags"] * 2 + ["chunks"] * 2
    with pytest.raises(ArgumentError, match="task must be some of tags, chunks, got 'verbs'"):
        envelope.bench_envelope(task="tags,verbs")
    with pytest.raises(ArgumentError, match="draws must be a whole number from 1"):
        envelope.bench_envelope(draws=0)


def test_without_data_it_says_what_it_wants(monkeypatch):
    monkeypatch.setattr(envelope, "data_folder", lambda: None)
    with pytest.raises(SpcvizError, match="bench envelope needs SPCVIZ_DATA"):
        envelope.bench_envelope()
