"""The examples run as they stand, and say what they promise."""

import itertools
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAID = {
    "own_emissions": r"labels kept: +17 of 48\npairs kept: +14 of 117\ntriples to score: 11 of 270\n",
    "train_and_tune": r"words right: 0\.8\d+\n.*\nloaded, it reads: PUNCT PRON VERB",
    "constraints": r"ruled: B-LOC I-LOC .*\n.*B-LOC B-PER\n.*: B-PER O\n",
    "budget": r"dms_pi +wrong .*\nrandom +wrong .*\n",
    "neural_tagger": r"B-PER I-PER .*\n.*\nat alpha = 0\.\d+ \d+ of 60 labels are left\n",
    "from_crfsuite": r"words right: 0\.8\d+\n( +-?\d+\.\d\d [A-Z]+ +\S+\n){3}least sure of: .+\n"
    r"its two best labellings differ in [1-9]\d* words\n",
    "cluster": r"words right, a fold each: \[0\.\d+ 0\.\d+ 0\.\d+\]\n",
}


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_an_example_says_what_it_promises(name, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [f"{name}.py"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert re.search(SAID[name], capsys.readouterr().out)


def test_what_the_example_of_own_scores_keeps_is_what_enumeration_keeps():
    """The counts that `SAID` has, from every labelling of the same scores."""
    rng = np.random.default_rng(0)
    emissions = [rng.normal(size=(length, 3)) for length in (5, 3, 8)]
    transitions, counts = rng.normal(size=(3, 3)), np.zeros(3, dtype=int)
    for unary in emissions:
        labellings = list(itertools.product(range(3), repeat=len(unary)))
        scores = [
            unary[range(len(unary)), states].sum()
            + sum(transitions[step] for step in itertools.pairwise(states))
            for states in labellings
        ]
        best = np.full(unary.shape, -np.inf)
        for states, score in zip(labellings, scores):
            for i, k in enumerate(states):
                best[i, k] = max(best[i, k], score)
        n = (best > 0.5 * max(scores) + 0.5 * best.mean()).sum(axis=1)
        counts += [n.sum(), (n[:-1] * n[1:]).sum(), (n[:-2] * n[1:-1] * n[2:]).sum()]
    assert counts.tolist() == [int(said) for said in re.findall(r"\+?(\d+) of", SAID["own_emissions"])]


def test_what_the_example_of_a_neural_tagger_keeps_are_labels_and_all_true_ones(capsys):
    names = runpy.run_path(str(EXAMPLES / "neural_tagger.py"), run_name="__main__")
    (kept,) = re.findall(r" (\d+) of 60 labels", capsys.readouterr().out)
    states = names["left"].states()
    assert int(kept) == sum(int(mask.sum()) for mask in states)
    number = {label: k for k, label in names["names"].items()}
    for mask, labels in zip(states, names["y"]):
        assert all(row[number[label]] for row, label in zip(mask, labels))
