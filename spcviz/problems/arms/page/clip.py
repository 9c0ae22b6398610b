"""One clip's arms under a budget, for the Pose page: one model per tier, and the purchases of DMS-pi."""

import contextlib
from collections.abc import Callable

import numpy as np
from skimage import data as skimage_data

from spcviz.learning.budgets import part_policy
from spcviz.problems.arms.model import batch as arm_batch
from spcviz.problems.arms.model import proposals
from spcviz.problems.arms.model import stored as pose_budget_models
from spcviz.problems.arms.model.stored import ArmModel
from spcviz.problems.arms.page import live as trade_arms
from spcviz.problems.arms.shown import TIERS, PoseBudget
from spcviz.problems.pose.page import live
from spcviz.store import StoreError


def warmup(models):
    """Compile what the pages about arms and budgets call, on two frames, if a model is stored."""
    with contextlib.suppress(StoreError):
        model = pose_budget_models.load(models)
        image = live.window(skimage_data.astronaut(), *live.ASTRONAUT)
        watch(model, np.stack([image, image]))
        trade_arms.compare(model, [0, 1])


def watch(
    model: ArmModel,
    images: np.ndarray,
    limbs: np.ndarray | None = None,
    tick: Callable | None = None,
    run: Callable = map,
) -> PoseBudget:
    """Compute the features of all tiers of a clip (N, 240, 240, 3), and spend a budget on them."""
    clips = proposals.arm_chains(model.detectors, model.modes, images, limbs, tick, run=run)
    seconds, usual = float(clips.seconds.sum()), model.clips.seconds[0]
    clips = clips._replace(seconds=np.tile(usual, (len(clips.joints), 1)))
    batch = arm_batch.read_batch(model, clips)
    how = arm_batch.policy_rule(model)
    trajectory = part_policy.spend(batch.parts, how, costs=batch.costs, keep_all=True)
    labels = np.concatenate([trajectory.labels_before[None], trajectory.all_labels])
    tiers = np.zeros(labels.shape, dtype=np.int64)
    for s, (part, tier) in enumerate(zip(trajectory.part, trajectory.tier), 1):
        tiers[s:, part] = tier
    rows = np.arange(len(clips.joints))
    return PoseBudget(
        tier_names=tuple(tier.name for tier in TIERS),
        four=_by_frame(clips.joints[rows, batch.looked.labels]),
        truth=None if limbs is None else _by_frame(clips.truth),
        four_ms=np.concatenate([[0.0], np.cumsum(batch.costs.sum(axis=0))]),
        free_ms=1e3 * float(usual[0]),
        seconds=seconds,
        ms=np.concatenate([[0.0], np.cumsum(trajectory.cost)]),
        tiers=_by_frame(tiers, axis=-1),
        arms=_by_frame(clips.joints[rows, labels]),
    )


def _by_frame(chains, axis=-3):
    """Split the axis of R = 2 N parts, chain after chain, into two: frame and side."""
    at = np.ndim(chains) + axis
    shape = np.shape(chains)
    two = np.reshape(chains, (*shape[:at], 2, shape[at] // 2, *shape[at + 1 :]))
    return np.swapaxes(two, at, at + 1)
