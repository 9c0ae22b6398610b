"""Store and load the models, policies and test clips that the pages about arms need.

Pictures are not stored: rendered clips are drawn again from their seeds.
"""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import batch_selection, part_policy
from spcviz.learning.budgets.chains.tiered_states import TieredStates
from spcviz.learning.budgets.selector import Selector
from spcviz.problems.arms.model import dms, fit, proposals, readings
from spcviz.problems.arms.model.arm_modes import Modes
from spcviz.problems.arms.model.fit import ArmSettings, Readers
from spcviz.problems.arms.model.proposals import N_TIERS, ArmClips
from spcviz.problems.pose.data import buffy as pose_data
from spcviz.problems.pose.model import stored as pose_models
from spcviz.problems.pose.model.cascade import PoseModel
from spcviz.store import arrays_of, digest_of_arrays, load_model, save_model, stored_as

NAME, KIND, VERSION = "budget-pose", "arm-budget", 2
RANDOM_STATE = 0
N_QUICK = 12  # clips of a quick look
_LOOK_UNIT = 96  # points of an arm that its colour histogram counts: stored as whole numbers


class ArmModel(NamedTuple):
    """Everything needed to spend budgets on arms."""

    detectors: PoseModel
    modes: Modes
    readers: Readers
    selector: Selector  # of the value of a whole arm's next model, in joints
    seen: np.ndarray  # known n-grams of modes
    scale: float  # the margin that others are compared with
    beta: np.ndarray  # beta, myopic (T - 1, D): weights of the policies "dms-pi" and "greedy"
    myopic: np.ndarray
    # whether queues go by value per cost: the selector's, chosen on dev. clips, and the policies', on
    # held-out training clips
    is_per_cost: tuple
    clips: ArmClips  # test clips, as stored; ``seconds`` are medians, the same for all frames


SmallClips = NamedTuple("SmallClips", [(n, np.ndarray) for n in ArmClips._fields if n != "seconds"])
"""`ArmClips` in fewer bytes: half floats and counts, without the seconds of single frames."""


class Stored(NamedTuple):
    """The stored form of an `ArmModel`; readers of all tiers one after the other, in 32 bits."""

    plain: TieredStates
    tiered: TieredStates
    modes: Modes
    selector: Selector
    beta: np.ndarray
    myopic: np.ndarray
    seen: np.ndarray
    scale: float
    is_per_cost: np.ndarray
    median_seconds: np.ndarray
    clips: SmallClips


def train(
    models: Path, folder: Path | None = None, quick: bool = False, tick: Callable | None = None
) -> tuple[Stored, dict]:
    """Train what pages need on 70 % of rendered clips; 10 % choose a queue, 20 % are stored."""
    detectors = pose_models.load_pose(models, pose_models.ARMS)
    modes = proposals.fit_modes(pose_data.load_buffy(pose_models.data_folder(), "train"))
    n_clips = N_QUICK if quick else proposals.N_CLIPS
    every = proposals.rendered_clips(detectors, modes, folder, n_clips, tick)
    settings, rng = ArmSettings(epochs=5) if quick else ArmSettings(), np.random.default_rng(RANDOM_STATE)
    learn, dev, test = fit.partition(every, 0)
    part = fit.draw_parts(learn, settings, rng)
    plain, tiered = fit.read_unseen(learn, settings, rng, part)
    readers = fit.fit_readers(learn, settings, rng)
    seen = fit.seen_modes(learn, settings)
    medians = readings.tier_ms(detectors, modes, folder)
    costs = [fit.costs_of(chains, medians[1:]) for chains in (learn, dev)]
    looked = readings.look_unseen(plain, learn, part, settings)
    looked_dev = readings.look(fit.read_plain(readers, dev), dev, seen)
    arm_costs = [readings.chain_costs(*both) for both in zip((learn, dev), costs)]
    is_per_cost = dms.goes_per_cost((looked, looked_dev, None), arm_costs, (learn, dev), rng)
    per = arm_costs[0] if is_per_cost else None
    selector = batch_selection.choose(looked[0], arm_costs[0], rng, per).selector
    parts = fit.parts_of(tiered, learn, seen)
    queues = part_policy.train_queues(parts, rng, costs[0], group=learn.clip)
    best = min(queues, key=lambda queue: queue.badness)
    stored = Stored(
        plain=_join_states(readers.plain),
        tiered=_join_states([readers.tiered]),
        modes=modes,
        selector=selector,
        beta=best.policy.beta,
        myopic=best.policy.myopic,
        seen=seen,
        scale=float(parts.scale),
        is_per_cost=np.array([is_per_cost, best.per_cost]),
        median_seconds=medians / 1e3,
        clips=_small(test),
    )
    return stored, {"n_clips": n_clips, **asdict(settings)}


def _join_states(models):
    return TieredStates(*(np.concatenate(arrays).astype(np.float32) for arrays in zip(*models)))


def _small(clips):
    arrays = {name: getattr(clips, name) for name in SmallClips._fields}
    arrays |= {name: arrays[name].astype(np.float16) for name in ("joints", "state", "step")}
    arrays["looks"] = np.rint(_LOOK_UNIT * arrays["looks"]).astype(np.uint8)
    arrays["before"] = arrays["before"].astype(np.uint8)
    return SmallClips(**arrays)


def save(folder, stored, settings):
    """Write what `train` returns; see `spcviz.store.save_model`."""
    model = model_of(stored, pose_models.load_pose(folder, pose_models.ARMS))
    frames = pose_data.load_buffy(pose_models.data_folder(), "train")
    origin = {"data_origin": f"rendered clips; modes also of {pose_data.ORIGIN}"}
    return save_model(
        folder, NAME, arrays_of(stored), kind=KIND, version=VERSION, settings=settings | origin,
        data_digest=digest_of_arrays({"limbs": frames.limbs}), random_state=RANDOM_STATE,
        metrics=readings.metrics_of(model),
    )  # fmt: skip


def load(folder):
    """Read the models; the `StoreError` for missing or damaged ones ends with the command to train them."""
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    return model_of(stored_as(Stored, stored), pose_models.load_pose(folder, pose_models.ARMS))


def model_of(stored, detectors):
    """Build the model from what `train` returns."""
    plain, tiered = (TieredStates(*(array.astype(np.float64) for array in part)) for part in stored[:2])
    each = tuple(TieredStates(*(array[t : t + 1] for array in plain)) for t in range(N_TIERS))
    return ArmModel(
        detectors=detectors,
        modes=Modes(*map(np.array, stored.modes)),
        readers=Readers(each, tiered),
        selector=Selector(*map(np.array, stored.selector)),
        seen=np.array(stored.seen),
        scale=stored.scale,
        beta=np.ascontiguousarray(stored.beta),
        myopic=np.ascontiguousarray(stored.myopic),
        is_per_cost=tuple(bool(flag) for flag in stored.is_per_cost),
        clips=_clips(stored.clips, stored.median_seconds),
    )


def _clips(small, median_seconds):
    arrays = small._asdict()
    for name in ("joints", "state", "step", "looks"):
        arrays[name] = np.ascontiguousarray(arrays[name], dtype=np.float32)
    arrays["looks"] /= _LOOK_UNIT
    arrays["before"] = arrays["before"].astype(np.int64)
    return ArmClips(**arrays, seconds=np.tile(median_seconds, (len(small.joints), 1)))
