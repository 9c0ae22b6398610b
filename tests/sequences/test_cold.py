"""Number of kernels that a new machine compiles before a tagger answers, once for each kind of arguments."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

ROOT = Path(__file__).parents[2]
MOST = {"perceptron": 25, "perceptron, dicts": 26, "crf, dicts": 35, "cascade": 110}
DICTS = """
X = [[{"word": str(k)} for k in rng.integers(0, 30, n)] for n in lengths]
y = [[str(k) for k in labels] for labels in y]
"""
CALLS = {
    "perceptron": "spcviz.StructuredPerceptron(random_state=0).fit(X, y).predict(X)",
    "perceptron, dicts": f"{DICTS}spcviz.StructuredPerceptron(random_state=0).fit(X, y).predict(X)",
    "crf, dicts": f"{DICTS}spcviz.ChainCRF(max_iter=5).fit(X, y).predict(X)",
    "cascade": """
cascade = spcviz.CascadeTagger(random_state=0).fit(X, y)
cascade.predict(X), cascade.predict_marginals(X)
""",
}
COUNTED = """
import json, sys
import numpy as np
from numba.core import event

compiled = []

class Count(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event):
        pass

event.register("numba:compile", Count())
import spcviz

rng = np.random.default_rng(0)
lengths = rng.integers(4, 12, 60)
X, y = [rng.normal(size=(n, 12)) for n in lengths], [rng.integers(0, 10, n) for n in lengths]
{call}
print(json.dumps(compiled))
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize(("name", "call"), CALLS.items(), ids=CALLS)
def test_no_more_is_compiled_than_it_takes(name, call, tmp_path):
    fresh = os.environ | {"SPCVIZ_JIT_DIR": str(tmp_path), "SPCVIZ_CARRIED_KERNELS": ""}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COUNTED.replace("{call}", call)], cwd=ROOT, env=fresh,
        capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    compiled = json.loads(done.stdout.splitlines()[-1])
    assert 0 < len(compiled) <= MOST[name], sorted(compiled)
