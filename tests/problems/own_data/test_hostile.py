"""Hostile files: each a sentence in time, and work that grows no faster than the file."""

import gc
import os
from functools import partial

import numpy as np
import pytest

from spcviz.problems.own_data.data.files import read
from spcviz.scores.schemes import bio_transitions, broken
from tests.problems.own_data import hostile
from tests.strategies import cases


def test_hostile_files_are_read_or_refused():
    """3000 with SPCVIZ_STRESS=1; `bench robust --only brought` runs them, too."""
    assert {hostile.check_brought(seed) for seed in range(cases(3000, usual=9))} <= {"read", "refused"}


def seconds(work):
    """The processor's time; what other tests left is kept out of the collector's passes."""
    gc.collect()
    gc.freeze()
    before = os.times()
    try:
        work()
    finally:
        gc.unfreeze()
    after = os.times()
    return after.user + after.system - before.user - before.system


GROWING = {
    "labels": lambda n: "".join(f"a B-{k}\n" for k in range(n)).encode(),
    "labels inside": lambda n: "".join(f"a I-{k}\n\n" for k in range(n)).encode(),
    "plain labels": lambda n: "".join(f"a L{k}\n" for k in range(n)).encode(),
    "sentences": lambda n: b"a X\n\n" * n,
    "one sentence": lambda n: b"a X\n" * n,
    "columns": lambda n: (" ".join(["c"] * (n // 10)) + "\n").encode() * 10,
    "scores": lambda n: hostile.npz(emissions=np.zeros((n, 3)), lengths=np.ones(n, dtype=np.int64)),
}


@pytest.mark.parametrize("name", GROWING)
def test_work_grows_no_faster_than_the_file(name):
    """From 2 to 8 times the size: 8 times the work at most, where all pairs would be 16 times.

    The processor's time, the least of three: the first size alone is too short to measure on a busy machine.
    """
    make, usual = GROWING[name], 4000
    read("warm", make(100))
    files = [make(n * usual) for n in (2, 4, 8)]
    took = [min(seconds(partial(read, "f", data)) for _ in range(3)) for data in files]
    assert took[2] < 8 * max(took[0], 0.06), took


def test_rules_of_thousands_of_labels_take_a_moment():
    labels = [f"B-{k}" for k in range(3000)]
    assert seconds(lambda: bio_transitions(labels)) < 3
    assert seconds(lambda: broken([labels] * 3, "BIO")) < 1
