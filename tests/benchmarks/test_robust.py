"""`bench robust` counts the checks' findings, and a dead process as a fault."""

import importlib.util
import subprocess

import pytest

from benchmarks import robust
from spcviz.engine.errors import ArgumentError, SpcvizError
from tests.robust import checks


def test_every_row_has_its_check_and_full_strength_is_what_was_asked_for():
    assert {row.check for row in robust.ROWS} == set(checks.CHECKS)
    full = {group: sum(row.cases for row in robust.ROWS if row.group == group) for group in robust.GROUPS}
    asked = {"enumeration": 20_000, "lattices": 100_000, "budgets": 10_000}
    asked |= {"models": 2000, "kills": 200, "uploads": 3000, "hostile": 3000}
    assert asked.items() <= full.items()


def test_a_check_that_raises_is_a_fault_with_its_seed(monkeypatch):
    def odd(seed):
        assert seed % 2 == 0, f"{seed} is odd"
        return 2

    monkeypatch.setitem(checks.CHECKS, "odd", odd)
    findings = checks.find("odd", 10, 6)
    assert (findings.cases, findings.n_faults, findings.seed) == (6, 2, 14)
    assert findings.faults[0].startswith("seed 11: AssertionError: 11 is odd")


@pytest.mark.parametrize("name", ["chains", "sums", "n-gram lattices", "trees", "quiescent"])
def test_a_check_of_the_engine_finds_nothing(name):
    findings = checks.find(name, 0, 5)
    assert findings.cases == 5
    assert findings.faults == []


@pytest.mark.parametrize("name", ["pruning", "expansions", "policies"])
def test_a_check_of_pruning_and_budgets_finds_nothing(name):
    findings = checks.find(name, 0, 20)
    assert findings.cases >= 20
    assert findings.faults == []


@pytest.fixture
def workless(monkeypatch):
    monkeypatch.setattr(robust, "WORK", None)


def test_pieces_are_added_up(monkeypatch, workless):
    def run(row, seed, cases):
        part = {"cases": cases, "n_faults": 1, "faults": [f"at {seed}"], "seed": seed + cases}
        return part | {"cpu_seconds": 1.0, "peak_mb": 100.0 + seed}

    monkeypatch.setattr(robust, "_run", run)
    ticks = []
    result = robust.bench_robust(scale=0.1, only="models,kills", tick=ticks.append)
    models, kills = result["rows"]
    assert (models["cases"], models["faults"], models["full"]) == (200, 1, 2000)
    assert (kills["cases"], kills["what"]) == (20, "writers of a model killed: a whole model stays")
    assert ticks[0].endswith(": 0 of 200")
    assert "    at 0" in robust.as_text(result).splitlines()
    twice = robust.bench_robust(scale=1.0, only="models")["rows"][0]
    assert (twice["cases"], twice["faults"], twice["peak_mb"]) == (2000, 2, 1100.0)


def test_a_process_that_dies_or_hangs_is_a_fault(monkeypatch):
    dead = subprocess.CompletedProcess([], -11, "", "Fatal Python error: Segmentation fault")
    monkeypatch.setattr(robust.subprocess, "run", lambda *_, **__: dead)
    outcome = robust._run(robust.ROWS[0], 30, 10)
    assert (outcome["n_faults"], outcome["seed"]) == (1, 40)
    assert outcome["faults"][0].startswith("seeds from 30: the process ended with -11: Fatal Python error")

    def hang(*_, timeout, **__):
        raise subprocess.TimeoutExpired([], timeout)

    monkeypatch.setattr(robust.subprocess, "run", hang)
    assert robust._run(robust.ROWS[0], 0, 10)["faults"] == ["seeds from 0: no end after 900 s"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"scale": 0}, "scale must be a number from 0.0001 to 100, got 0"),
        ({"only": "kills,luck"}, "only must be some of enumeration, .*, got 'luck'"),
    ],
)
def test_bad_options_are_refused(options, said):
    with pytest.raises(ArgumentError, match=said):
        robust.bench_robust(**options)


def test_without_the_tests_or_what_they_need(monkeypatch, tmp_path):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SpcvizError, match="pytest, hypothesis is not installed; install with: python -m pip"):
        robust.bench_robust(scale=1e-4)
    monkeypatch.setattr(robust, "ROOT", tmp_path)
    with pytest.raises(SpcvizError, match="tests is missing: run this in a clone of the repository"):
        robust.bench_robust(scale=1e-4)


def test_every_row_names_code_and_a_test_that_are_there():
    for row in robust.ROWS:
        assert row.cases % row.piece == 0 or row.cases < row.piece, row.check
        assert len(robust._tests_digest(row.test)) == 64
        assert all(importlib.util.find_spec(f"spcviz.{name}") for name in row.code)
