"""Damaged estimators, a few cases without compiled kernels; ``bench robust --only models`` runs all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spcviz as sp
from spcviz.engine.errors import ArgumentError
from spcviz.learning.chains.crf import Weights
from spcviz.store import StoreError
from tests.robust import damaged_estimators as damaged

ROOT = Path(__file__).parents[2]


def without_jit(code):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_two_hundred_damaged_estimators_are_refused_or_read_within_bounds():
    code = "import json\nfrom tests.robust.checks import find\n"
    code += "print(json.dumps(find('damaged estimators', 10_000, 200)))"
    cases, n_faults, faults, _ = without_jit(code)
    assert (cases, n_faults) == (200, 0), faults


def test_without_the_comparison_a_read_beyond_the_end_shows():
    """The check can find what it looks for."""
    code = (
        "import json\nfrom spcviz.sequences import states\nfrom tests.robust import damaged_estimators as d\n"
        "states.check_cascade = lambda cascade, *_: len(cascade.levels[0].filter.weights)\n"
        "arrays, about, _ = d.saved('cascade')\n"
        "names = [n for n in arrays if n.endswith('_weights')]\n"
        "short = arrays | {n: arrays[n][:1] for n in names}\n"
        "about['settings'].pop('state')\n"
        "model = d.load(short, about)\n"
        "try:\n    model.predict(d.data(True)[0])\nexcept IndexError:\n    print(json.dumps('beyond'))\n"
    )
    assert without_jit(code) == "beyond"


def test_a_perceptron_with_transitions_of_other_labels_is_refused():
    X, y = damaged.data(False)
    tagger = sp.StructuredPerceptron(max_iter=1, random_state=0).fit(X, y)
    state = tagger.to_state()
    with pytest.raises(ArgumentError, match=r"weights.pairwise has shape \(4, 2\); it needs \(4, 4\)"):
        type(tagger).from_state(state._replace(weights=Weights(state.weights.unary, np.zeros((4, 2)))))


def test_weights_of_one_feature_beside_a_vocabulary_are_refused(tmp_path):
    arrays, about, _ = damaged.saved("cascade")
    about = about | {"settings": {k: v for k, v in about["settings"].items() if k != "state"}}
    name = "cascade_levels0_filter_weights"
    with pytest.raises(StoreError, match=r"levels\[0\].filter.weights has 1 rows; names has .* features"):
        damaged.load(arrays | {name: arrays[name][:1]}, about)


@pytest.mark.parametrize("name", damaged.NAMES)
def test_what_was_saved_is_read_whole(name):
    arrays, about, named = damaged.saved(name)
    damaged.use(damaged.load(arrays, about), *damaged.data(named))
