"""Spend a budget on arms: on a batch for the Trade-off page, on the frames of one clip for the Pose page."""

import base64
import contextlib
import io
from collections.abc import Callable, Sequence

import numpy as np
from PIL import Image
from skimage import data as skimage_data

from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.chains.meta import chain_meta
from spcviz.learning.budgets.part_policy import Learned
from spcviz.learning.budgets.selector import uniform_values
from spcviz.problems.arms.model import features, proposals, readings, stored
from spcviz.problems.arms.model.proposals import N_TIERS
from spcviz.problems.arms.model.stored import ArmModel
from spcviz.problems.arms.shown import OFFERED, TERMS, TIERS, ArmPictures, PoseBudget
from spcviz.problems.budgets.compare import Batch, spell_readings, trade_off
from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.pose.page import live
from spcviz.store import StoreError

ALPHABET = "0123456789abcdefghijklmnopqrstuv"  # a symbol for each of the 32 modes
THUMBNAIL = 160


def compare(
    model: ArmModel, chains: Sequence[int], seed: int = 0, sheet_of: Callable | None = None
) -> TradeOff:
    """What methods buy on chains of ``model.clips``, both arms of a clip one after the other."""
    read = readings.read_batch(model, model.clips.choose(chains))
    clips, labels, world = read.clips, read.looked.labels, read.parts
    starts, rng = clips.starts, np.random.default_rng([seed, 5])
    values = {"dms": read.values, "uniform_arms": uniform_values(len(chains), N_TIERS - 1, rng)}
    first = world.scores[:, 0], np.diff(starts), world.pairwise[world.step[:, 0]]
    sheets = tuple(map(sheet_of or draw_sheet, clips.clip[::2].tolist()))  # of both arms of a clip
    whose = np.repeat(np.arange(len(sheets)), 2)
    batch = Batch(
        world=world,
        labels=labels,
        values=values,
        learned=learned_of(model, world, rng),
        feature_us=1e3 * read.costs,
        costs=read.costs,
        read=lambda: chain_meta(*first, model.seen, clips.looks),
        alphabet=ALPHABET,
    )
    return trade_off(
        batch,
        OFFERED,
        TERMS,
        task="arms",
        chain_ids=clips.clip,
        truths=spell_readings(clips.errors.sum(axis=2).argmin(axis=1), starts, ALPHABET),
        faults=(clips.errors > features.NEAR_PX) @ np.array([1, 2], dtype=np.uint8),
        drawn=ArmPictures(whose, clips.side, sheets, clips.joints, clips.truth),
        n_faults=2,
        tier_names=tier_names(model),
        tier_short=tuple(tier.short for tier in TIERS),
    )


def learned_of(model, world, rng):
    """The `Learned` from which rules of the methods that lift single frames are made."""
    close = world.describe(np.zeros(len(world.scores), dtype=np.int64))
    close = close[:, ACTION_FEATURES.index("margin small")]
    return Learned(
        policy=model.beta,
        one_step=model.myopic,
        imitation=None,
        noise=rng.random((len(world.scores), N_TIERS - 1)),
        fixed={"myopic": np.repeat(close[:, None], N_TIERS - 1, axis=1)},
        per_cost=model.is_per_cost[1],
    )


def tier_names(model):
    """Name of each tier, with its milliseconds per frame."""
    ms = 1e3 * model.clips.seconds[0]
    return (f"{TIERS[0].name}: free", *(f"{t.name}: {cost:.1f} ms" for t, cost in zip(TIERS[1:], ms[1:])))


def draw_sheet(seed):
    """Thumbnails of a rendered clip's frames side by side, as a data URI."""
    images, size = proposals.rendered_clip(seed).images, (THUMBNAIL, THUMBNAIL)
    small = [Image.fromarray(image).resize(size, Image.Resampling.BILINEAR) for image in images]
    whole = Image.fromarray(np.concatenate(small, axis=1))
    file = io.BytesIO()
    whole.save(file, "WEBP", quality=60)
    return "data:image/webp;base64," + base64.b64encode(file.getvalue()).decode()


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
    batch = readings.read_batch(model, clips)
    how = readings.policy_rule(model)
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


def warmup(models):
    """Compile what the pages about arms and budgets call, on two frames, if a model is stored."""
    with contextlib.suppress(StoreError):
        model = stored.load(models)
        image = live.window(skimage_data.astronaut(), *live.ASTRONAUT)
        watch(model, np.stack([image, image]))
        compare(model, [0, 1])
