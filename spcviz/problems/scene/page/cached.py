"""Cached calls of the page Scenes at any time."""

from itertools import product

import streamlit as st

from spcviz.problems.common.folders import MODELS
from spcviz.problems.scene.data import camvid
from spcviz.problems.scene.model import stored as models
from spcviz.problems.scene.page import first, live, trade
from spcviz.problems.scene.page.shown import COST_HELP, ELSEWHERE, KINDS, KINDS_HELP, ORIGIN
from spcviz.problems.scene.paper import pays
from spcviz.problems.scene.view import trade_task
from spcviz.web.cached import uploaded
from spcviz.web.cached.common import STORED, StoreError, TradeTask, stored_evidence
from spcviz.web.cached.shared import shared
from spcviz.web.cached.side_by_side import apart

HAS_SCENE = models.NAME in STORED
CREDITS = {
    "road": live.ROAD_CREDIT,
    "china": live.CHINA_CREDIT,
    "rendered": live.RENDERED_CREDIT,
    "camvid": live.CAMVID_CREDIT,
    "own": live.OWN_CREDIT,
}


@st.cache_resource(max_entries=1, show_spinner=False)
def camvid_names():
    """Names of CamVid's test pictures, none where the data are not here."""
    return camvid.names_of("test") if camvid.is_here() else ()


@st.cache_resource(max_entries=1, show_spinner=False)
def _model():
    return models.load(MODELS)


@st.cache_resource(max_entries=2, show_spinner=False)
def stored_picture(kind, name):
    """A picture worked out beforehand: the one that the page opens with; None where it is not stored."""
    try:
        return first.load(MODELS, kind, name) if (kind, name) in first.NAMES else None
    except StoreError:
        return None


def course_of(kind, name):
    """The trajectories on a picture, stored or `labelled` now."""
    stored = stored_picture(kind, name) if (kind, name) in first.NAMES else None
    return stored or labelled(kind, name)


@st.cache_resource(max_entries=40, show_spinner="Labelling, step by step ...")
def labelled(kind: str, name: int):
    """The trajectory on a picture of "road", "china", "rendered" or "camvid"; see
    `spcviz.problems.scene.page.live.label`.

    `name` is a seed, or the number of a test picture.
    """
    scene = live.camvid(camvid_names()[name]) if kind == "camvid" else live.picture(kind, name)
    return live.label(_model(), scene, CREDITS[kind])


@st.cache_resource(max_entries=8, show_spinner="Labelling your picture ...", ttl=uploaded.SECONDS)
def _own(digest, _data):
    return uploaded.outcome(lambda: live.label(_model(), live.own(uploaded.read(_data)), CREDITS["own"]))


def own(data_):
    """(trajectories on a visitor's file, what is wrong with it or None): one of them is None."""
    return uploaded.asked(_own, data_)


@shared(24, "Labelling every picture of the batch ...")
def traded(kind, size, seed):
    """A random batch under every method; see `spcviz.problems.scene.page.trade.compare`."""
    return apart(trade.compare, _model(), trade.draw(kind, size, seed), seed)


def fill():
    """The page's first picture, and the street that is one choice away."""
    if HAS_SCENE:
        for picture in first.NAMES:
            course_of(*picture)


def fill_more():
    """The Trade-off page's first batches: 2 s each."""
    for seed, size, kind in product((0, 1), (12, 20), _kinds()) if HAS_SCENE else ():
        traded(kind, size, seed)
        yield


def _kinds():
    return {kind: label for kind, label in KINDS.items() if kind != "camvid" or camvid.is_here()}


TRADE = (
    TradeTask(
        label="Street pictures",
        asks="which pictures?",
        free="a street's **texture**",
        examples="pictures",
        batches={n: f"{n} pictures" for n in (12, 20)},
        make=lambda state: traded(state["vocabulary"], state["size"], state["seed"]),
        identity=("vocabulary", "size", "seed"),
        kinds=_kinds(),
        kinds_help=KINDS_HELP,
        elsewhere=ELSEWHERE,
        cost_help=COST_HELP,
        origin=ORIGIN,
        colours=trade_task.COLOURS,
        packed=trade_task.packed,
        evidence=lambda _: stored_evidence(pays.evidence, ("dms-scene",)),
    )
    if HAS_SCENE
    else None
)
