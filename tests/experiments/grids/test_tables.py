"""The result on loopy grids: its rows, paired differences, and that workers change nothing."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose

from experiments.grids import reproduce as experiment
from spcviz.engine.errors import ArgumentError

SMALL = experiment.GridSettings(n_instances=6, rows=5, columns=4, n_states=4, n_samples=100, n_sweeps=50)


@pytest.fixture(scope="module")
def result():
    return experiment.reproduce_grid(settings=SMALL)


def test_rows_keep_the_contract(result):
    assert [(row["method"], row["k"]) for row in result["rows"]] == [
        (method, k) for method in ("ensemble", "lbp", "tree") for k in range(1, 5)
    ]
    for row in [*result["rows"], *result["trees"], *result["baselines"]]:
        assert 0 <= row["error"] <= 1
        assert row["stderr"] >= 0
        assert row["k"] < 4 or row["error"] == 0
    assert len(result["trees"]) == 9 * 4
    by_k = {k: [r["error"] for r in result["trees"] if r["k"] == k] for k in range(1, 5)}
    for row in result["rows"][8:]:
        assert_allclose(row["error"], np.mean(by_k[row["k"]]))
    json.dumps(result, allow_nan=False)


def test_nothing_beats_the_samples_own_ranking(result):
    best = {row["k"]: row["error"] for row in result["baselines"] if row["method"] == "samples"}
    for row in result["rows"]:
        assert row["error"] >= best[row["k"]] - 1e-12


def test_gaps_are_paired_differences(result):
    error = {(row["method"], row["k"]): row["error"] for row in result["rows"]}
    for row in result["gaps"]:
        assert_allclose(row["gap"], error[row["method"], row["k"]] - error["ensemble", row["k"]], atol=1e-12)


def test_workers_change_nothing_and_progress_is_told(result):
    seen = []
    with ThreadPoolExecutor(2) as pool:
        again = experiment.reproduce_grid(settings=SMALL, executor=pool, tick=seen.append)
    assert sorted(seen) == [f"instance {i}" for i in range(6)]
    for key in ("rows", "trees", "baselines", "agreement", "convergence"):
        assert again[key] == result[key]
    other = experiment.reproduce_grid(settings=SMALL, seed=1)
    assert other["rows"] != result["rows"]


def test_quick_run_shows_the_order():
    """R4: ensemble <= LBP <= trees at every k, on the quick settings and their fixed seed."""
    quick = experiment.reproduce_grid(quick=True)
    assert quick["order_holds"] == {"all": True, "broken_at_k": []}
    assert len(quick["fold_rows"]) == 20
    assert 0.3 < quick["agreement"]["median"] < 0.45  # paper: 0.38
    assert all(row["error_rho"] < 0 for row in quick["agreement"]["by_k"][:-1])


def test_one_state_and_one_instance_are_no_special_case():
    tiny = experiment.GridSettings(1, 1, 3, 1, 5.0, 10, 5)
    report = experiment.reproduce_grid(settings=tiny)
    assert all(row["error"] == 0 for row in report["rows"])
    json.dumps(report, allow_nan=False)


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ArgumentError, match="seed must be a whole number"):
        experiment.reproduce_grid(seed=-1)
    with pytest.raises(ArgumentError, match=r"executor must be a concurrent.futures.Executor, got int"):
        experiment.reproduce_grid(executor=2)
    with pytest.raises(ArgumentError, match="n_instances must be a whole number"):
        experiment.reproduce_grid(settings=SMALL._replace(n_instances=0))
