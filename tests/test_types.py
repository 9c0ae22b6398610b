"""Type checking: users' correct calls pass under --strict, wrong ones are found; the layers we check."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = """
import numpy as np
import spcviz
from spcviz.sequences.crfsuite import CRF
from spcviz.sequences.input_types import Targets
from spcviz.spending import BudgetedTagger, FeatureTiers

words = [["the", "dog"], ["barks"]]
strings = [[[word, word[-2:]] for word in sentence] for sentence in words]
dicts = [[{"word": word, "is": {"title": word.istitle(), "long": 3}} for word in s] for s in words]
sets = [[{word} for word in sentence] for sentence in words]
arrays = [np.zeros((2, 3)), np.zeros((1, 3))]
tags = [["DT", "NN"], ["VB"]]
numbers = [[0, 1], [2]]
partly: Targets = [["DT", None], ["VB"]]

crf = spcviz.ChainCRF(c1=0.1, max_iter=50, fit_intercept="auto").fit(strings, tags)
crf.fit(dicts, tags, X_dev=dicts, y_dev=tags).fit(sets, numbers).fit(tuple(arrays), partly)
crf.fit(np.zeros((2, 5, 3)), np.zeros((2, 5), int), [1.0, 2.0], token_weight=[[1.0, 2.0], [1.0]])
crf.fit((sentence for sentence in strings), tags)
share: float = crf.score(strings, tags)
labels: list[list[str]] = [list(map(str, sentence)) for sentence in crf.predict(dicts)]
tables: list[np.ndarray] = crf.emissions(arrays)
spcviz.StructuredPerceptron(max_iter=3).partial_fit(strings, tags, classes=["DT", "NN", "VB"])
spcviz.CascadeTagger(order=3, cv=2).fit(strings, tags).tune(strings, tags, 0.05)
CRF(c1=0.1, c2=0.1, max_iterations=100).fit(dicts, tags).predict_marginals_single(dicts[0])
tiers = FeatureTiers(("free", "dear"), ([0], [1, 2]), (0.0, 1.0))
BudgetedTagger(tiers, max_iter=2).fit(arrays, tags).predict(arrays, rate=0.5)

crf.fit(3, tags)  # wrong
crf.fit(strings)  # wrong
crf.fit(strings, None)  # wrong
crf.fit(strings, 3)  # wrong
crf.fit(strings, [[0.5, 0.5], [0.5]])  # wrong
crf.predict([3, 4])  # wrong
crf.predict([[None, None]])  # wrong
spcviz.ChainCRF(max_iter="many")  # wrong
spcviz.StructuredPerceptron(epochs=3)  # wrong
n: int = crf.score(strings, tags)  # wrong
"""


def test_a_checker_passes_right_calls_and_finds_wrong_ones(tmp_path):
    assert (ROOT / "spcviz/py.typed").is_file()
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-error-summary"]
    # errors inside the package are left to its own check
    more = ["--follow-imports", "silent", "--no-site-packages", "--cache-dir", tmp_path / "cache", script]
    done = subprocess.run(
        [*command, *more],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    found = {int(line) for line in re.findall(r"^script\.py:(\d+): error", done.stdout, re.M)}
    wanted = {n for n, line in enumerate(SCRIPT.split("\n"), 1) if line.endswith("# wrong")}
    assert found == wanted, done.stdout + done.stderr


def test_all_layers_below_the_web_are_checked():
    """So are the cache and the state of pages, on which all of the web builds; no signature is untyped."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    rows = (row.get("layers", ()) for row in told["importlinter"]["contracts"])
    (layers,) = (row for row in rows if "web" in row)
    below = re.findall(r"\w+", " ".join(layers[layers.index("web") + 1 :]))
    assert {"engine", "store", "registry", "notebook"} <= set(below)
    wanted = {f"spcviz.{name}" for name in below} | {"spcviz.web.cached", "spcviz.web.ui.state"}
    assert {*told["mypy"]["packages"], *told["mypy"]["modules"]} == wanted
    typed = next(row for row in told["mypy"]["overrides"] if row.get("disallow_untyped_defs"))
    assert {name.removesuffix(".*") for name in typed["module"]} == wanted
