"""The examples run as they are, and print what they promise."""

import itertools
import json
import re
import runpy
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest

from spcviz.io import read_conll

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
    """The counts in `SAID`, recomputed from every labelling of the same scores."""
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


NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def run_notebook(path, folder, monkeypatch):
    """Run a notebook's cells in a copy of its folder, without a network; returns its namespace."""

    def refuse(*_):
        raise OSError("a notebook of examples/ works offline")

    shutil.copytree(path.parent / "logits", folder / "logits")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    names, cells = {}, json.loads(path.read_text("utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, {cell['id']}", "exec"), names)
    return names


def test_there_is_a_notebook():
    assert [path.stem for path in NOTEBOOKS] == ["under_the_knife"]


def test_the_notebook_of_a_transformers_logits_runs_offline_and_counts_right(tmp_path, monkeypatch, capsys):
    names = run_notebook(EXAMPLES / "under_the_knife.ipynb", tmp_path, monkeypatch)
    said, verdict, tags, y = capsys.readouterr().out, names["verdict"].verdict, names["tags"], names["y"]
    assert "300 sentences, 4503 words, 6442 sub-words" in said
    assert f"{verdict.kept:.1f} of 17 labels a position" in said
    left = tags.take(range(300)).prune(names["verdict"].setting).states()
    numbers = {label: k for k, label in enumerate(tags.labels)}
    lost = [not mask[range(len(row)), [numbers[one] for one in row]].all() for mask, row in zip(left, y)]
    assert verdict.n_lost <= sum(lost) <= verdict.n_lost + 0.05 * 150
    assert 0 < verdict.kept < 8.5
    page = (tmp_path / "verdict.html").read_text("utf-8")
    assert f"{verdict.kept:.1f} of 17" in page
    assert "<script" not in page


def test_the_shipped_logits_are_what_their_attribution_says():
    file = np.load(EXAMPLES / "logits" / "ewt_logits.npz")
    said = (EXAMPLES / "logits" / "ATTRIBUTION.txt").read_text("utf-8")
    cuts = np.cumsum(file["lengths"])[:-1]
    first = np.concatenate(
        [np.unique(ids[ids >= 0], return_index=True)[1] + (ids >= 0).argmax() + start
         for ids, start in zip(np.split(file["word_ids"], cuts), [0, *cuts])]
    )  # fmt: skip
    right = (file["logits"][first].argmax(axis=1) == file["labels"]).mean()
    assert f"Of the {len(file['labels']):,} words its logits\n  have {100 * right:.1f} % right" in said
    shipped = read_conll(EXAMPLES.parent / "cache" / "data" / "ewt" / "sentences.conllu")
    assert file["tokens"].tolist() == [word for words in shipped.sentences for word in words]
    truth = [label for labels in shipped.labels for label in labels]
    assert file["id2label"][file["labels"]].tolist() == truth
    assert sum(path.stat().st_size for path in (EXAMPLES / "logits").iterdir()) < 300_000
