"""What every method buys on a batch of arms, for the Trade-off page; words have `trade_off`."""

import base64
import io

import numpy as np
from PIL import Image

from spcviz.learning.budgets.chains import part_policy
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.chains.meta import chain_meta
from spcviz.learning.budgets.chains.search import describe_parts
from spcviz.learning.budgets.selector import uniform_values
from spcviz.problems.arms import batch as arm_batch
from spcviz.problems.arms import data, features
from spcviz.problems.arms.data import N_TIERS
from spcviz.problems.budgets.purchases import by_hand, single_parts, spelled, whole_chains
from spcviz.problems.budgets.shown import ArmPictures, TradeOff

ALPHABET = "0123456789abcdefghijklmnopqrstuv"
"""A symbol for each of the 32 modes."""

LABELS = {
    "dms": (
        "Arms, learned (DMS)",
        "lifts whole arms, those first where its selector predicts the largest gain for the time",
    ),
    "fixed": ("Arms, in turn", "lifts every arm to the next model before any to the one after it"),
    "uniform_arms": ("Arms, at random", "lifts random arms, all to the next model before any to the last"),
    "dms_pi": ("Frames, learned (DMS-pi)", "lifts single frames by values learned from whole trajectories"),
    "greedy": ("Frames, greedy", "lifts single frames by the gain it predicts for the next purchase alone"),
    "myopic": ("Frames, least sure", "lifts the frames whose arm is least sure, to everything at once"),
    "uniform": ("Frames, at random", "lifts random frames, all to the next tier before any to the last"),
}
"""Methods of the page: what a menu calls them, and one sentence."""

ARM_METHODS = ("dms", "fixed", "uniform_arms")
THUMBNAIL = 160


def compare(model, chains, seed=0, sheet_of=None):
    """What every method buys on a batch.

    Parameters
    ----------
    model : ArmModel
    chains : sequence of int
        Of ``model.clips``, both arms of a clip one after the other.
    seed : int
        Of the random orders.
    sheet_of : callable, optional
        As `draw_sheet`, for who keeps them.

    Returns
    -------
    TradeOff
    """
    batch = arm_batch.read(model, model.clips.chosen(chains))
    clips, labels, feature_us = batch.clips, batch.looked.labels, 1e3 * batch.costs
    starts, rng = clips.starts, np.random.default_rng([seed, 5])
    orders = {
        "dms": batch.values,
        "fixed": np.broadcast_to(-np.arange(N_TIERS - 1.0), batch.values.shape),
        "uniform_arms": uniform_values(len(chains), N_TIERS - 1, rng),
    }

    def read():
        first = batch.parts.scores[:, 0], np.diff(starts), batch.parts.pairwise[batch.parts.step[:, 0]]
        return chain_meta(*first, model.seen, clips.looks)

    rules = frame_rules(model, batch.parts, rng)
    methods = [
        whole_chains((name, *LABELS[name]), orders[name], feature_us, starts, labels, read, ALPHABET)
        if name in ARM_METHODS
        else single_parts((name, *LABELS[name]), batch.parts, rules[name], feature_us, ALPHABET, batch.costs)
        for name in LABELS
    ]
    lengths, queue = np.diff(starts), methods[0]
    return TradeOff(
        task="arms",
        chain_ids=clips.clip,
        truths=spelled(clips.errors.sum(axis=2).argmin(axis=1), starts, ALPHABET),
        alphabet=ALPHABET,
        faults=(clips.errors > features.NEAR_PX) @ np.array([1, 2], dtype=np.uint8),
        pixels=None,
        arms=_pictures(clips, sheet_of or draw_sheet),
        tier_names=tier_names(model),
        tier_short=("kinem.", "colour", "superpixels", "flow"),
        full_units=float((N_TIERS - 1) * starts[-1]),
        full_us=float(feature_us.sum()) + queue.base_us,
        hand_base_units=0.0,
        hand_base_us=queue.base_us,
        hand_units=np.vstack([np.zeros(len(lengths)), np.tile(lengths, (N_TIERS - 1, 1))]).astype(float),
        hand_us=by_hand(queue, N_TIERS, len(lengths)),
        hand_readings=tuple(spelled(own, starts, ALPHABET) for own in labels),
        methods=tuple(methods),
    )


def frame_rules(model, parts, rng):
    """Name to Rule of the methods that lift single frames."""
    n_more = N_TIERS - 1
    close = describe_parts(parts, np.zeros(len(parts.scores), dtype=np.int64))
    close = close[:, ACTION_FEATURES.index("margin small")]
    noise = rng.random((len(parts.scores), n_more))
    return {
        "dms_pi": arm_batch.policy_rule(model),
        "greedy": part_policy.rule(model.myopic, per_cost=model.is_per_cost[1]),
        "myopic": part_policy.rule(fixed=np.repeat(close[:, None], n_more, axis=1)),
        "uniform": part_policy.rule(fixed=noise - np.arange(n_more)),
    }


def tier_names(model):
    """What each tier is and takes a frame."""
    ms = 1e3 * model.clips.seconds[0]
    names = ("kinematics: free", "+ colour", "+ superpixels", "+ flow")
    return (names[0], *(f"{name}: {own:.1f} ms" for name, own in zip(names[1:], ms[1:])))


def _pictures(clips, sheet_of):
    seeds = clips.clip[::2].tolist()  # both arms of a clip stand together
    sheets = tuple(sheet_of(seed) for seed in seeds)
    place = np.repeat(np.arange(len(seeds)), 2)
    return ArmPictures(place, clips.side, sheets, clips.joints, clips.truth)


def draw_sheet(seed):
    """Frames of a rendered clip side by side, small: a data URI."""
    images, side = data.rendered_clip(seed).images, THUMBNAIL
    whole = Image.new("RGB", (side * len(images), side))
    for i, image in enumerate(images):
        whole.paste(Image.fromarray(image).resize((side, side), Image.Resampling.BILINEAR), (side * i, 0))
    file = io.BytesIO()
    whole.save(file, "WEBP", quality=60)
    return "data:image/webp;base64," + base64.b64encode(file.getvalue()).decode()
