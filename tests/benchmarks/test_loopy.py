"""Loopy belief propagation timed alongside other methods: rows, and arguments that are refused."""

import json

import pytest

from benchmarks.loopy import bench_loopy
from spcviz.engine.errors import ArgumentError


def test_rows():
    rows = bench_loopy(n_repeats=2)
    names = " ".join(row["name"] for row in rows)
    assert all(word in names for word in ("tree", "combs", "LBP", "Gibbs"))
    for row in rows:
        assert 0 < row["min_us"] <= row["median_us"]
        assert (row["baseline"] is None) == (row["baseline_us"] is None)
    json.dumps(rows, allow_nan=False)


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ArgumentError, match="n_repeats must be a whole number from 1 to 10000, got 0"):
        bench_loopy(n_repeats=0)
    with pytest.raises(ArgumentError, match=r"rng must be a numpy\.random\.Generator, got int"):
        bench_loopy(rng=1)
