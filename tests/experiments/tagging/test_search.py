"""Tries of settings: a try that asks for too much memory cannot be chosen."""

import numpy as np
import pytest

from experiments.tagging import search
from spcviz.problems.tagging.model import settings


@pytest.fixture
def wasteful(monkeypatch):
    """Training that asks for 16 GB."""
    pytest.importorskip("resource")
    monkeypatch.setattr(search.chosen, "data_of", lambda of_part: None)
    monkeypatch.setattr(search.experiment, "train", lambda *_, **__: np.ones(1 << 31))


def test_a_try_that_does_not_fit_into_memory_has_no_score_and_is_not_taken(wasteful):
    of_part = settings.settings_for("ewt", "full", quick=True)
    row = search.run_try(of_part, "spc", 1)
    assert row["score"] is None
    assert row["pairs"] == [None] * len(search.LOSSES)
    assert search.pick_best([row, row | {"number": 2, "score": 3.0}]) == {"spc": 2}


def test_the_limit_is_gone_behind_the_try(wasteful):
    search.run_try(settings.settings_for("ewt", "full", quick=True), "spc", 1)
    with pytest.raises(MemoryError), search.memory_of_at_most(search.MOST_BYTES):
        np.ones(1 << 31)
    assert np.ones(1 << 28).nbytes == 1 << 31
