"""Pose by two rules: the paired comparison by clips, and what a rule's thresholds hold."""

import numpy as np
import pytest

from experiments.pose import rules

CLIPS = np.repeat(np.arange(6), 4)


def found(kept, survives):
    """(frames, 7, 3) of `measure.Measured.found` at one level."""
    out = np.zeros((len(CLIPS), 7, 3))
    out[:, 0], out[:, 1] = kept[:, None], survives[:, None]
    return out


def test_a_rule_beside_itself_is_no_different():
    rng = np.random.default_rng(0)
    one = found(rng.random(len(CLIPS)), rng.integers(0, 2, len(CLIPS)))
    row = rules.beside(one, one, CLIPS)
    assert row["states_ratio"] == [1.0, 1.0, 1.0]
    assert row["survivors_more"] == [0.0, 0.0, 0.0]
    assert row["worst"] == pytest.approx(100 * one[:, 0].max(), abs=0.01)


def test_ratio_and_difference_are_those_of_the_frames_with_an_interval_over_clips():
    rng = np.random.default_rng(1)
    theirs = found(0.1 + rng.random(len(CLIPS)), np.ones(len(CLIPS)))
    survives = np.ones(len(CLIPS))
    survives[:6] = 0
    mine = found(theirs[:, 0, 0] * np.repeat([0.2, 0.4, 0.5, 0.6, 0.5, 0.3], 4), survives)
    row = rules.beside(mine, theirs, CLIPS)
    value, low, high = row["states_ratio"]
    assert value == pytest.approx(mine[:, 0].sum() / theirs[:, 0].sum(), abs=1e-4)
    assert 0.2 < low < value < high < 0.6
    value, low, high = row["survivors_more"]
    assert value == pytest.approx(-25.0)
    assert low < value < high <= 0
