"""Cached calls of the Orders and features page: words on offer, and one word action by action."""

from spcviz.engine.errors import ArgumentError
from spcviz.problems.hybrid.model import stored
from spcviz.problems.hybrid.page import live
from spcviz.problems.hybrid.shown import HybridCourse, HybridWord, Step
from spcviz.shared.folders import MODELS
from spcviz.web.cached.common import STORED
from spcviz.web.cached.sharing import share

HAND = live.HAND


@share(2)
def _model(data):
    return stored.load(MODELS, data)


@share(3, kernels=False)
def offered_words(data):
    """{place: text}; see `spcviz.problems.hybrid.page.live.list_words`."""
    return live.list_words(data)


@share(256, stored=(HybridWord, HybridCourse, Step), beside=2)
def _course(data, place, hand):
    return live.word(_model("open" if data == "dev" else data), data, place, hand)


def course(data, place, hand):
    """(the word under the controller and by hand, what is wrong with the actions by hand or None)."""
    try:
        return _course(data, place, hand), None
    except ArgumentError as error:
        return _course(data, place, ""), str(error)


def prepare():
    """Load the model of the open vocabulary."""
    if stored.NAME in STORED:
        _model("open")


def fill():
    """Compute the page's first word."""
    if stored.NAME in STORED:
        course("dev", next(iter(offered_words("dev"))), "")
