"""A batch of arms that the pages spend a budget on, scored by the stored models at every tier."""

from typing import NamedTuple

import numpy as np

from spcviz.engine import checks
from spcviz.learning.budgets import batch_selection, part_policy
from spcviz.learning.budgets.batch_selection import Looked
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.problems.arms.model import fit, readings
from spcviz.problems.arms.model.proposals import ArmClips


class Batch(NamedTuple):
    """Some arms with the models' scores, predicted values and costs."""

    clips: ArmClips
    parts: Parts  # by the tiered model
    looked: Looked  # by the plain models
    values: np.ndarray  # (W, T - 1): predicted by the selector
    costs: np.ndarray  # (R, T - 1): milliseconds


def read_batch(model, clips: ArmClips) -> Batch:
    """Read arms at all tiers with all models."""
    looked, _ = readings.look(fit.read_plain(model.readers, clips), clips, model.seen)
    tiered = fit.read_tiered(model.readers, clips)
    parts = fit.parts_of(tiered, clips, model.seen, model.scale)
    costs = fit.costs_of(clips)
    values = batch_selection.predict_values(model.selector, looked)
    if model.is_per_cost[0]:  # a chain of one frame has no flow to pay for
        values = batch_selection.per_cost(values, np.maximum(readings.chain_costs(clips, costs), 1e-9))
    return Batch(clips, parts, looked, values, costs)


def policy_rule(model):
    """The `Rule` of DMS-pi."""
    return part_policy.rule(model.beta, per_cost=model.is_per_cost[1])


def clips_of(model):
    """Numbers of the test clips."""
    return np.unique(model.clips.clip).tolist()


def draw_batch(model, n_clips, seed):
    """Chains of a random batch of test clips, both arms of each."""
    numbers = clips_of(model)
    n = checks.integer("n_clips", n_clips, 1, len(numbers))
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**31))
    chosen = rng.choice(numbers, n, replace=False)
    return np.concatenate([np.flatnonzero(model.clips.clip == number) for number in chosen])


def metrics_of(model):
    """Percent of elbows and wrists off on test clips, plain and after a tenth of the time; ms a tier."""
    batch = read_batch(model, model.clips)
    joints = 2 * len(batch.costs)
    trajectory = part_policy.spend(batch.parts, policy_rule(model), 0.1 * batch.costs.sum(), batch.costs)
    lost = part_policy.curve(batch.parts, trajectory, batch.costs).loss[-1]
    return {
        "plain_error": [100 * float(wrong) / joints for wrong in batch.looked.losses.sum(axis=0)],
        "error_of_a_tenth": 100 * float(lost) / joints,
        "ms": (1e3 * model.clips.seconds[0]).tolist(),
    }
