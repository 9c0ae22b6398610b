"""Cached calls about words and budgets: a word under policies; a batch on Trade-off (`TRADE`)."""

from itertools import product

import numpy as np

from spcviz.problems.budgets.shown import PolicyWord, TradeOff
from spcviz.problems.budgets.task import TaskChoice, TradeTask
from spcviz.problems.words import shown
from spcviz.problems.words.model import stored
from spcviz.problems.words.page import live
from spcviz.problems.words.paper import pays
from spcviz.problems.words.shown import VOCABULARIES
from spcviz.shared.folders import MODELS
from spcviz.web.cached.common import stored_evidence
from spcviz.web.cached.sharing import share
from spcviz.web.cached.threads import run_in_pool
from spcviz.web.figures.palette import by_theme
from spcviz.web.view.mount import pack_ink

COLOURS = by_theme(lambda palette: [palette.pruned, palette.kept, palette.map])


def pack(pixels: np.ndarray) -> dict[str, np.ndarray]:
    """The letters' pictures, (R, 16, 8), for the browser."""
    return {"pixels": pack_ink(pixels)}


@share(2, "Valuing every test word ...")
def budget_model(vocabulary):
    """The stored models that spend budgets; see `spcviz.problems.words.model.stored.load`."""
    return stored.load(MODELS, vocabulary)


@share(3, stored=())
def budget_words(vocabulary):
    """Test words of the budget pages; see `spcviz.problems.words.page.live.word_list`."""
    if vocabulary == "dev":
        return live.development_list()
    return live.word_list(budget_model(vocabulary))


@share(1, kernels=False)
def _read():
    return stored.read(MODELS, "open")


@share(64, "Spending, word by word ...", stored=TradeOff)
def trade_off(vocabulary, n_words, seed, extractor):
    """A random batch under every method; see `spcviz.problems.words.page.live.compare`."""
    model = budget_model(vocabulary)
    return run_in_pool(live.compare, model, live.draw(model, n_words, seed), extractor)


@share(128, stored=PolicyWord, beside=2)
def policy_word(vocabulary, word_id, q, extractor):
    """One word under several policies; see `spcviz.problems.words.page.live.trace_word`."""
    if vocabulary == "dev":
        trained, us = _read()
        model = stored.model_of("open", trained, us, stored.development(trained, [word_id]))
        return live.trace_word(model, 0, q=q, extractor=extractor)
    index = next(word["index"] for word in budget_words(vocabulary) if word["word_id"] == word_id)
    return live.trace_word(budget_model(vocabulary), index, q=q, extractor=extractor)


def _evidence(state):
    kind = state["vocabulary"]
    return stored_evidence(pays.evidence, (pays.RESULT[kind],), kind)


TRADE = TradeTask(
    label="Words",
    asks="which letters are worth a closer look?",
    free="a word's **pixels**",
    examples="words",
    size="words",
    batches={n: f"{n} words" for n in (24, 60, 120)},
    batch=60,
    make=lambda state: trade_off(state["vocabulary"], state["words"], state["seed"], state["extractor"]),
    identity=("vocabulary", "words", "seed", "extractor"),
    kinds=VOCABULARIES,
    kinds_help=shown.VOCABULARY_HELP,
    cost_help=shown.COST_HELP,
    origin=shown.ORIGIN,
    colours=COLOURS,
    pack=pack,
    choices=(TaskChoice("extractor", "Features computed by", shown.EXTRACTORS, shown.EXTRACTORS_HELP),),
    evidence=_evidence,
    opens=lambda chain, state: (
        "pages/budget/policy.py",
        {"word": str(chain), "vocabulary": state["vocabulary"]},
    ),
)


def fill_more():
    """Compute the batches that the Trade-off page shows first, and those that are one choice away."""
    for extractor, vocabulary in product(live.EXTRACTORS, VOCABULARIES):
        for n_words, seed in ((60, 0), (60, 1), (24, 0), (120, 0)):
            trade_off(vocabulary, n_words, seed, extractor)
            yield
