"""Cached calls of Parsing: a sentence under every policy; its batch on the Trade-off page (`TRADE`)."""

from itertools import product

import numpy as np

from spcviz.engine.errors import ArgumentError
from spcviz.problems.budgets.shown import TradeOff
from spcviz.problems.budgets.task import SENTENCES, TradeTask
from spcviz.problems.parsing.data import gallery
from spcviz.problems.parsing.model import stored
from spcviz.problems.parsing.page import live
from spcviz.problems.parsing.paper import pays
from spcviz.problems.parsing.shown import COST_HELP, ORIGIN, ParsedSentence, PolicyCourse
from spcviz.problems.tagging.data.corpora import foreign_letters
from spcviz.problems.tagging.page.cached import tagger
from spcviz.shared.folders import MODELS
from spcviz.web.cached.common import STORED, stored_evidence
from spcviz.web.cached.sharing import share
from spcviz.web.cached.threads import run_in_pool


@share(1)
def _model():
    return stored.load(MODELS)


@share(1, kernels=False)
def gallery_sentences():
    """{key: Sentence} of all that can be shown; see `spcviz.problems.parsing.data.gallery.sentences`."""
    return {sentence.key: sentence for sentence in gallery.sentences()}


def is_foreign(text):
    """Whether a text is written in a script that the model has not learned."""
    return foreign_letters(text)


def typed_words(text):
    """(words of a typed text, what is wrong with it or None); one of the two is empty."""
    try:
        return live.read_sentence(text), None
    except ArgumentError as error:
        return (), str(error)


@share(400, stored=(ParsedSentence, PolicyCourse))  # all sentences on offer, 50 KB each, and typed ones
def parse(words: tuple[str, ...], key: str = ""):
    """A sentence under every policy; `key` of the gallery gives its true heads."""
    truth = gallery_sentences()[key].heads if key else None
    return live.parse(_model(), tagger(), words, truth)


def _batch(size, seed):
    """A random batch of the treebank's sentences that ship with the project."""
    shipped = gallery.shipped_sentences()
    chosen = np.random.default_rng(seed).permutation(len(shipped))[:size]
    return [shipped[k] for k in np.sort(chosen)]


@share(48, "Parsing, word by word ...", stored=TradeOff)
def _compare_batch(size, seed):
    return run_in_pool(live.compare, _model(), tagger(), _batch(size, seed), seed)


def prepare():
    """Load the parser, and the tagger that it needs."""
    if HAS_PARSER:
        _model()
        tagger()


def fill():
    """Compute the page's first sentence."""
    if HAS_PARSER:
        first = next(iter(gallery_sentences().values()))
        parse(first.words, first.key)


def fill_more():
    """Compute the other sentences on offer, and the Trade-off page's first batches."""
    for sentence in gallery_sentences().values() if HAS_PARSER else ():
        parse(sentence.words, sentence.key)
        yield
    for size, seed in product((10, 20), (0, 1)) if TRADE else ():
        _compare_batch(size, seed)
        yield


HAS_PARSER = stored.NAME in STORED
HAS_SENTENCES = gallery.SHIPPED.is_file()
TRADE = (
    TradeTask(
        label="Sentences",
        asks="which words?",
        free="a sentence's **tags**",
        examples="sentences",
        batches={n: f"{n} sentences" for n in (10, 20)},
        make=lambda state: _compare_batch(state["size"], state["seed"]),
        identity=("size", "seed"),
        cost_help=COST_HELP,
        origin=ORIGIN,
        colours=SENTENCES.colours,
        pack=SENTENCES.pack,
        evidence=lambda _: stored_evidence(pays.evidence, ("parsing",)),
    )
    if HAS_PARSER and HAS_SENTENCES
    else None
)
