"""Tallies of arms by clip and by person, against sums by hand."""

import numpy as np
import pytest

from spcviz.problems.arms.model.tallies import Tally, gain_kept, gap, ratio_error


def test_a_person_is_one_however_many_clips():
    frames = np.array([4.0, 4.0, 2.0, 6.0, 0.0])
    fixed, ours, other = Tally(2, 5), Tally(1, 5), Tally(1, 5)
    fixed.add(
        np.repeat([[[4.0], [2.0], [2.0], [5.0], [0.0]], [[1.0], [1.0], [0.0], [3.0], [0.0]]], 2, axis=2),
        frames,
    )
    ours.add(np.repeat([[[2.0], [1.0], [1.0], [3.0], [0.0]]], 2, axis=2), frames, ms=[7.0])
    other.add(np.repeat([[[3.0], [2.0], [1.0], [4.0], [0.0]]], 2, axis=2), frames)
    people = np.array([8, 8, 3, 3, 5])
    together = ours.by(people)
    assert together.wrong[0, :, 0].tolist() == [4.0, 0.0, 3.0]  # persons 3, 5, 8
    assert together.frames.tolist() == [8.0, 0.0, 8.0]
    assert together.n_tested == 2
    assert ours.n_tested == 4
    assert together.error.tolist() == ours.error.tolist()
    assert together.mean("ms").tolist() == [7.0]
    # By hand: gained of possible 2/3, 1/1, 1/2, 2/2 by clip; 3/4, 3/4 by person; the other gains 1, 0, 1, 1.
    share, spread = gain_kept(ours, fixed, 0)
    gained, possible = np.array([2.0, 1.0, 1.0, 2.0]), np.array([3.0, 1.0, 2.0, 2.0])
    assert share == pytest.approx(75.0)
    assert spread == pytest.approx(100 * np.sqrt(4 / 3 * ((gained - 0.75 * possible) ** 2).sum()) / 8)
    assert gain_kept(together, fixed.by(people), 0) == (pytest.approx(75.0), pytest.approx(0.0))
    more, apart = gain_kept(ours, fixed, 0, other)
    assert more == pytest.approx(100 * (6 - 3) / 8)
    assert apart == pytest.approx(
        100 * np.sqrt(4 / 3 * ((np.array([1.0, 1.0, 0.0, 1.0]) - 3 / 8 * possible) ** 2).sum()) / 8
    )
    assert np.isnan(gain_kept(ours, ours, 0)).all()  # nothing can be gained


def test_tallies_add_up_and_their_errors_are_over_clips():
    tally = Tally(1, 3)
    tally.add(np.array([[[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]]]), np.array([4.0, 4.0, 0.0]), ms_per_frame=[1.0])
    tally.add(np.array([[[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]]), np.array([4.0, 0.0, 0.0]), ms_per_frame=[3.0])
    assert tally.error.tolist() == [[25.0, pytest.approx(100 / 3)]]
    assert tally.mean("ms_per_frame").tolist() == [2.0]
    # By hand: clip 0 has 3 of 8 frames wrong, clip 1 has 0 of 4; ratio estimator over two clips.
    want = 100 * np.sqrt(2 * ((3 - 8 / 4) ** 2 + (0 - 4 / 4) ** 2)) / 12
    assert tally.stderr()[0, 0] == pytest.approx(want)
    assert np.isnan(ratio_error(np.ones((1, 1, 2)), np.ones(1))).all()
    apart, spread = gap(tally, tally, 0)
    assert apart.tolist() == [0, 0]
    assert spread.tolist() == [0, 0]
