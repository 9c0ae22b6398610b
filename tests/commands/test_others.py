"""bench, warmup, data and help: every other command as a user types it."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import engine
from spcviz import cli, registry
from spcviz.registry import warmup
from spcviz.shared.folders import MODELS

ROOT = Path(__file__).parents[2]


def test_bench(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        engine, "_operations", lambda rng: [("Viterbi 8 x 26", {"spcviz": int, "numpy": int})]
    )
    monkeypatch.setattr(engine, "bench_loopy", lambda **_: [])
    path = tmp_path / "bench.json"
    assert cli.main(["bench", "engine", "--repeats", "1", "--json", str(path)]) == 0
    out, err = capsys.readouterr()
    result = json.loads(path.read_text())
    assert len(out.splitlines()) == 1 + 1 + bool(result["absent"])
    assert err.startswith("Viterbi 8 x 26\n")
    assert result["command"] == "python -m spcviz bench engine --repeats 1"
    assert [entry["command"] for entry in result["provenance"]] == [result["command"]]
    assert result["seconds"] >= 0
    assert cli.main(["bench", "engine", "--repeats", "0"]) == 1
    assert "repeats must be a whole number from 1" in capsys.readouterr().err


def test_warmup(capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(registry, "load_kernels", lambda models, names: asked.append((models, names)))
    monkeypatch.setattr(warmup, "start_children", list)
    monkeypatch.setattr(warmup, "note", lambda name: None)
    assert cli.main(["warmup"]) == 0
    assert asked == [(MODELS, [name]) for name in warmup.groups()]
    assert capsys.readouterr().out.splitlines()[-1].startswith("kernels ready in ")
    assert cli.main(["warmup", "--only", "tagging", "arms"]) == 0
    assert [names for _, names in asked[-2:]] == [["tagging"], ["arms"]]
    assert cli.main(["warmup", "--only", "crosswords"]) == 1
    assert f"only must be among {', '.join(warmup.groups())}, got 'crosswords'" in capsys.readouterr().err


def test_warmup_waits_for_its_children_and_says_who_failed(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(warmup, "note", lambda name: tmp_path / name)
    monkeypatch.setattr(registry, "load_kernels", lambda models, names: pytest.fail("the children do it"))
    (tmp_path / "arms").write_text("2.34")
    children = [
        SimpleNamespace(names=names, process=SimpleNamespace(wait=lambda code=code: code))
        for names, code in ((["letters", "words"], 0), (["exact", "pose"], 1))
    ]
    monkeypatch.setattr(warmup, "start_children", lambda: children)
    assert cli.main(["warmup", "--json", str(tmp_path / "took.json")]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "could not compile exact, pose"
    assert json.loads((tmp_path / "took.json").read_text()) == {"arms": 2.3}


def test_data(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SPCVIZ_DATA", str(tmp_path))
    assert cli.main(["data"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"SPCVIZ_DATA: {tmp_path}\nocr: 6877 handwritten words")
    assert "shipped, intact" in out


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["train"], ["train", "poetry"], ["reproduce", "x"], ["models", "burn"]]
)
def test_usage_errors(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert "usage: python -m spcviz" in capsys.readouterr().err


def test_help_in_a_process_of_its_own():
    """Help names every command, and appears without waiting for numba."""
    code = (
        "import sys, runpy; sys.argv = ['spcviz', '--help']\n"
        "try: runpy.run_module('spcviz', run_name='__main__')\n"
        "finally: assert 'numba' not in sys.modules"
    )
    asked = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.startswith("usage: python -m spcviz")
    for command in ("train", "reproduce", "bench", "warmup", "models", "data"):
        assert f"\n    {command}" in asked.stdout
