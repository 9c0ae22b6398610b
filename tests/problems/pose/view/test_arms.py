"""Arms under a budget as the browser reads them, compared with numpy (under node)."""

import numpy as np
import pytest

from spcviz.problems.arms.shown import PoseBudget
from spcviz.problems.pose.view import component
from tests.node import needs_node, run_node

NAMES = ("kinematics", "+ colour", "+ superpixels", "+ optical flow")
N = 3


@pytest.fixture(scope="module")
def budget():
    """Three frames, 18 random purchases; one true arm is unknown."""
    rng = np.random.default_rng(1)
    truth = rng.uniform(20, 220, (N, 2, 3, 2))
    truth[1, 0, 2] = np.nan
    tiers = np.zeros((19, N, 2), dtype=np.int64)
    for s, part in enumerate(rng.permutation(np.repeat(np.arange(2 * N), 3))):
        tiers[s + 1 :].reshape(18 - s, -1)[:, part] += 1
    known = np.nan_to_num(truth, nan=100.0)
    ms = np.concatenate([[0.0], np.cumsum(rng.uniform(1, 40, 18))])
    four, arms = (known + rng.normal(0, 15, (n, *truth.shape)) for n in (4, 19))
    return PoseBudget(NAMES, four, truth, np.array([0.0, 4, 44, 124]), 90.0, 3.0, ms, tiers, arms)


@needs_node
def test_arms_steps_and_what_is_off_are_numpys(tmp_path, budget):
    body = """
    const at = (all, n) => Array.from({ length: n }, (_, i) => [0, 1, 2].map((f) =>
      [0, 1].map((side) => core.armAt(all, 3, i, f, side))));
    console.log(JSON.stringify({ four: at(data.four, 4), arms: at(data.arms, 19),
      lost: core.lostBy(data.four, data.truth, 3, data.near_px) && [
        Array.from(core.lostBy(data.four, data.truth, 3, data.near_px)),
        Array.from(core.lostBy(data.arms, data.truth, 3, data.near_px))],
      steps: [0, 0.02, 0.3, 0.99999, 1].map((share) => core.stepOf(data.ms, share)),
      counts: [0, 5, 18].map((step) => core.countTiers(data.tiers, 3, step, 4)),
      off: core.offBy(core.armAt(data.four, 3, 2, 0, 1), core.armAt(data.truth, 3, 0, 0, 1)),
      unknown: core.offBy(core.armAt(data.four, 3, 2, 1, 0), core.armAt(data.truth, 3, 0, 1, 0)),
      lines: core.linesOfArm([1, 2, 3, 4, 5, 6]) }));"""
    output = run_node(tmp_path, "problems/pose/view/pose_money.js", body, component.arms_part(budget))
    for key in ("four", "arms"):
        joints = getattr(budget, key)
        assert np.abs(np.reshape(output[key], joints.shape) - joints).max() <= 0.05 + 1e-9
        rounded, truth = np.rint(10 * joints) / 10, np.rint(10 * budget.truth) / 10
        off = np.linalg.norm(rounded - truth, axis=-1)[..., 1:]
        off[:, 1, 0] = np.nan  # the whole arm is unknown
        lost = np.nansum(off > component.NEAR_PX, axis=(1, 2, 3)) / np.isfinite(off[0]).sum()
        np.testing.assert_allclose(output["lost"][key == "arms"], lost)
        assert 0 < lost.mean() < 1
    total = budget.ms[-1]
    expected = [np.flatnonzero(budget.ms <= share * total + 1e-6)[-1] for share in (0, 0.02, 0.3, 0.99999, 1)]
    assert output["steps"] == expected
    assert output["steps"][-1] == 18
    counts = [np.bincount(budget.tiers[step].ravel(), minlength=4).tolist() for step in (0, 5, 18)]
    assert output["counts"] == counts
    distance = np.linalg.norm(budget.four[2, 0, 1] - budget.truth[0, 1], axis=-1)[1:]
    assert output["off"] == pytest.approx(distance, abs=0.15)
    assert output["unknown"] == []
    assert output["lines"] == [1, 2, 3, 4, 3, 4, 5, 6]


def test_without_truth_nothing_of_it_is_sent(budget):
    part = component.arms_part(budget._replace(truth=None))
    assert part["truth"].size == 0
    assert part["arms"].size == 19 * N * 12
