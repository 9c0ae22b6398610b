"""The examples run as they stand, and say what they promise."""

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAID = {
    "own_emissions": r"labels kept: +14 of 48\n",
    "train_and_tune": r"words right: 0\.8\d+\n.*\nloaded, it reads: PUNCT PRON VERB",
    "constraints": r"ruled: B-LOC I-LOC .*\n.*B-LOC B-PER\n.*: B-PER O\n",
    "budget": r"dms_pi +wrong .*\nrandom +wrong .*\n",
    "neural_tagger": r"B-PER I-PER .*\n.*\nat alpha = 0\.\d+ \d+ of 60 labels are left\n",
    "cluster": r"words right, a fold each: \[0\.\d+ 0\.\d+ 0\.\d+\]\n",
}


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_an_example_says_what_it_promises(name, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [f"{name}.py"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert re.search(SAID[name], capsys.readouterr().out)
