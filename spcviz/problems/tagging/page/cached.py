"""Cached calls of Tagging: a sentence traced, compared with other taggers, and margins tuned."""

from spcviz.engine.errors import ArgumentError
from spcviz.problems.tagging.data.corpora import foreign_letters
from spcviz.problems.tagging.data.examples import FIRST as FIRST
from spcviz.problems.tagging.data.examples import GALLERY as GALLERY
from spcviz.problems.tagging.data.examples import find_tags, treebank
from spcviz.problems.tagging.model import stored
from spcviz.problems.tagging.page import live
from spcviz.problems.tagging.shown import TagComparison
from spcviz.shared.folders import MODELS
from spcviz.shared.trace import WordTrace
from spcviz.web.cached.common import STORED
from spcviz.web.cached.sharing import share


@share(1, kernels=False)
def tagger():
    """The stored tagger, verified; see `spcviz.problems.tagging.model.stored.load_tagger`."""
    return stored.load_tagger(MODELS)


def is_foreign(text):
    """Whether a text is written in a script that the model has not learned."""
    return foreign_letters(text)


def tagging_words(text):
    """(words of a typed text, what is wrong with it or None); one of the two is empty."""
    try:
        return tuple(live.read_sentence(text)), None
    except ArgumentError as error:
        return (), str(error)


@share(128, stored=())
def tagging_right(words):
    """Indices of a sentence's ``right`` tags, and ``why``; empty where the model does not know them."""
    of_sentence, tag_set = find_tags(words), tagger().tag_set
    if of_sentence is None or not set(of_sentence.tags) <= set(tag_set):
        return {"right": (), "why": ""}
    return {"right": tuple(tag_set.index(tag) for tag in of_sentence.tags), "why": of_sentence.why}


@share(1)
def tagging_margins() -> tuple[float, ...]:
    """A margin for each level, tuned on the development sentences that ship; empty without them."""
    sentences = list(treebank().values())
    return live.margins_of(tagger(), sentences) if sentences else ()


@share(128, stored=WordTrace, beside=1)
def tagging_trace_of(words, alphas=(), rule="mean_max"):
    """A sentence through the cascade; see `spcviz.problems.tagging.page.live.trace_text`."""
    margins = tagging_margins() if rule == "margin" else ()
    return live.trace_text(tagger(), words, alphas=alphas, margins=margins or None)


@share(128, stored=TagComparison, beside=1)
def tagging_comparison(words, alphas=()):
    """SPC and CRF on one sentence; see `spcviz.problems.tagging.page.live.compare_text`."""
    return live.compare_text(tagger(), words, alphas=alphas)


def prepare():
    """Load the tagger that reads every sentence."""
    if stored.NAME in STORED:
        tagger()
