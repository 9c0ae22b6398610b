"""Cached calls about arms and budgets: a clip for the Pose page, and a batch for Trade-off (`TRADE`)."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from spcviz.problems.arms.model import readings, stored
from spcviz.problems.arms.page import live
from spcviz.problems.arms.paper import pays
from spcviz.problems.arms.shown import COST_HELP, ORIGIN, ArmPictures
from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.budgets.task import TradeTask
from spcviz.problems.pose.shown import PoseScene
from spcviz.shared.folders import MODELS
from spcviz.web.cached import threads
from spcviz.web.cached.common import STORED, stored_evidence
from spcviz.web.cached.sharing import kernels_first, share
from spcviz.web.figures.palette import by_theme, tiers
from spcviz.web.view.mount import narrow

COLOURS = by_theme(tiers)


def pack(arms: ArmPictures) -> dict[str, Any]:
    """Pack the pictures and joints of arms for the browser; joints are rounded to the pixel."""
    return {
        "clip": narrow(arms.clip),
        "side": narrow(arms.side),
        "sheets": list(arms.sheets),
        "joints": np.rint(arms.joints).astype(np.int16),
        "truth": np.rint(arms.truth).astype(np.int16),
    }


NAME = stored.NAME
HAS_ARMS = NAME in STORED


@share(1)
def _arm_model():
    return stored.load(MODELS)


@share(48)
def _arm_sheet(seed):
    return live.draw_sheet(seed)


@share(24, "Drawing the clips, spending frame by frame ...", stored=(TradeOff, ArmPictures))
def trade_arms(n_clips, seed):
    """A random batch of clips under every method; see `spcviz.problems.arms.page.live.compare`."""
    model = _arm_model()
    chains = readings.draw_batch(model, n_clips, seed)
    return threads.run_in_pool(partial(live.compare, sheet_of=_arm_sheet), model, chains, seed)


@share(6, kernels=False, own=lambda own, _: own)
def _arm_slot(own, pictures):
    return {"lock": threading.Lock(), "budget": None}


def known_budget(pictures, own=False):
    """The result of `pose_budget` for a clip of these pictures; None if it was not computed yet."""
    return _arm_slot(own, pictures)["budget"]


def pose_budget(scene: PoseScene, progress: Callable, own: bool = False):
    """Spend a budget on both arms of a clip; a slot is cached, since a cached call cannot replay progress.

    With `own`, the clip is a visitor's.
    """
    kernels_first(__name__)
    slot = _arm_slot(own, scene.pictures)
    with slot["lock"]:
        if slot["budget"] is None:
            slot["budget"] = live.watch(
                _arm_model(), scene.images, scene.truth, progress, threads.map_in_pool
            )
    return slot["budget"]


def fill():
    """Compute Trade-off's first batch, then draw the pictures of all clips, a third of a second each."""
    if HAS_ARMS:
        trade_arms(12, 0)
        for seed in readings.clips_of(_arm_model()):
            yield
            _arm_sheet(seed)


def fill_more():
    """Compute the batches that are one choice away."""
    for n_clips, seed in ((6, 0), (12, 1), (6, 1)) if HAS_ARMS else ():
        trade_arms(n_clips, seed)
        yield


TRADE = (
    TradeTask(
        label="Arms on video",
        asks="which frames are worth a look at motion?",
        free="**detectors** and how joints move",
        examples="clips",
        size="clips",
        batches={n: f"{n} clips" for n in (6, 12)},
        make=lambda state: trade_arms(state["clips"], state["seed"]),
        identity=("clips", "seed"),
        cost_help=COST_HELP,
        origin=ORIGIN,
        colours=COLOURS,
        pack=pack,
        looks={"chain": 239, "frame": 299},
        batch=12,
        evidence=lambda _: stored_evidence(pays.evidence, ("dms-pose", "policy-pose")),
    )
    if HAS_ARMS
    else None
)
