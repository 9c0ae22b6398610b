"""Cached calls of Scenes at any time: a picture step by step; its batch on Trade-off (`TRADE`)."""

from itertools import product
from typing import Any

import numpy as np

from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.budgets.task import TradeTask
from spcviz.problems.scene import shown
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import stored as models
from spcviz.problems.scene.page import live, trade
from spcviz.problems.scene.paper import pays
from spcviz.problems.scene.shown import MarkedPictures
from spcviz.shared.folders import MODELS
from spcviz.web.cached import visitor_files
from spcviz.web.cached.common import STORED, stored_evidence
from spcviz.web.cached.sharing import kernels_first, share
from spcviz.web.cached.threads import run_in_pool
from spcviz.web.figures.palette import by_theme, tiers

COLOURS = by_theme(tiers)


def pack(pictures: MarkedPictures) -> dict[str, Any]:
    """Pictures and their marked places, for the browser."""
    lists = {name: list(getattr(pictures, name)) for name in ("sources", "titles", "names", "colours")}
    return lists | {"places": np.asarray(pictures.places).astype(np.int16), "step": int(pictures.step)}


NAME = models.NAME
HAS_SCENE = NAME in STORED
ROAD, STREET = ("road", 0), ("rendered", shown.FIRST_SEED)
FIRST_PICTURES = (ROAD, STREET)  # the first, and the street one choice away
CHOSEN = {
    ROAD: "Chosen of its six because the tree on the right, at first half a building, soon is a "
    "tree, and sky and road stay right; the hills they take for cars.",
    STREET: "Chosen because the predictors do well here; they do not on every street.",
}


@share(1, kernels=False)
def camvid_names():
    """Names of CamVid's test pictures, none if the data are not installed."""
    return camvid.names_of("test") if camvid.is_here() else ()


@share(1)
def _model():
    return models.load(MODELS)


@share(40, "Labelling, step by step ...", stored=shown.SceneCourse)
def label_picture(kind: str, name: int):
    """The trajectories on a picture of "road", "china", "rendered" (a seed) or "camvid" (a number)."""
    n_runs = live.N_RUNS_STORED if (kind, name) in FIRST_PICTURES else live.N_RUNS
    scene = live.camvid(camvid_names()[name]) if kind == "camvid" else live.picture(kind, name)
    return live.label(_model(), scene, f"{live.CREDITS[kind]} {CHOSEN.get((kind, name), '')}".strip(), n_runs)


@share(8, "Labelling your picture ...", kernels=False, own=True)
def _own(digest, _data):
    return visitor_files.outcome(
        lambda: live.label(_model(), live.own(visitor_files.read(_data)), live.CREDITS["own"])
    )


def own(data_):
    """(trajectories on a visitor's file, what is wrong with the file): one of the two is None."""
    kernels_first(__name__)
    return visitor_files.call_by_digest(_own, data_)


@share(24, "Labelling every picture of the batch ...", stored=(TradeOff, shown.MarkedPictures))
def compare_batch(kind, size, seed):
    """A random batch under every method; see `spcviz.problems.scene.page.trade.compare`."""
    return run_in_pool(trade.compare, _model(), trade.draw(kind, size, seed), seed)


def fill():
    """Compute the page's first picture, and the street that is one choice away."""
    if HAS_SCENE:
        for picture in FIRST_PICTURES:
            label_picture(*picture)


def fill_more():
    """Compute the Trade-off page's first batches: 2 s each."""
    for seed, size, kind in product((0, 1), (12, 20), _kinds()) if HAS_SCENE else ():
        compare_batch(kind, size, seed)
        yield


def _kinds():
    return {kind: label for kind, label in shown.KINDS.items() if kind != "camvid" or camvid.is_here()}


TRADE = (
    TradeTask(
        label="Street pictures",
        asks="which pictures?",
        free="a street's **texture**",
        examples="pictures",
        batches={n: f"{n} pictures" for n in (12, 20)},
        make=lambda state: compare_batch(state["vocabulary"], state["size"], state["seed"]),
        identity=("vocabulary", "size", "seed"),
        kinds=_kinds(),
        kinds_help=shown.KINDS_HELP,
        elsewhere=shown.ELSEWHERE,
        cost_help=shown.COST_HELP,
        origin=shown.ORIGIN,
        colours=COLOURS,
        pack=pack,
        evidence=lambda _: stored_evidence(pays.evidence, ("dms-scene",)),
    )
    if HAS_SCENE
    else None
)
