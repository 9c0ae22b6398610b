"""Ten made-up clips, and both results on them: measured once for all files of this folder."""

import numpy as np
import pytest

from experiments.arms import dms_pi, reproduce
from spcviz.problems.arms.model import dms as dms_pose
from spcviz.problems.arms.model.features import STATE_EDGES, STEP_EDGES
from spcviz.problems.arms.model.proposals import N_MODES, ArmClips
from tests.problems.arms.made_up import MS, SETTINGS, trial


@pytest.fixture(scope="session")
def clips():
    """Ten clips of two arms whose second tier tells which proposal is right; other features are noise."""
    rng = np.random.default_rng(0)
    lengths = np.repeat(rng.integers(2, 6, 10), 2)
    n = lengths.sum()
    truth = rng.uniform(60, 180, (n, 3, 2))
    joints = truth[:, None] + rng.normal(0, 30, (n, N_MODES, 3, 2))
    off = np.linalg.norm(joints[:, :, 1:] - truth[:, None, 1:], axis=-1).sum(axis=2)
    state = rng.normal(size=(n, N_MODES, STATE_EDGES[-1]))
    state[..., STATE_EDGES[1]] = -off / 20
    step = rng.normal(size=(n, N_MODES, 5, STEP_EDGES[-1]))
    before = np.stack([rng.permutation(N_MODES)[:5] for _ in range(n * N_MODES)]).reshape(n, N_MODES, 5)
    looks = rng.dirichlet(np.ones(8), (n, N_MODES))
    return ArmClips(
        np.repeat(np.arange(10), 2), np.tile([0, 1], 10), np.concatenate([[0], np.cumsum(lengths)]),
        joints.astype(np.float32), truth, before, state.astype(np.float32), step.astype(np.float32),
        looks.astype(np.float32), np.tile(MS / 1e3, (n, 1)),
    )  # fmt: skip


@pytest.fixture(scope="session")
def dms(clips):
    return dms_pose.measure(trial(clips, (0.6, 0.2, 0.2)), SETTINGS)


@pytest.fixture(scope="session")
def policy(clips):
    return dms_pi.measure(trial(clips, (0.7, 0.3)), SETTINGS)


@pytest.fixture(scope="session")
def of_people(clips):
    """policy-pose on ten clips of three persons: (people, measurement, entries of the result)."""
    people = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    measured = dms_pi.measure(trial(clips, (0.7, 0.3))._replace(people=people), SETTINGS)
    return people, measured, reproduce.policy_result(measured)
