"""Cached calls of the budget pages about words."""

import streamlit as st

from spcviz.problems.common.folders import MODELS
from spcviz.problems.words import live, models
from spcviz.problems.words.shown import COST_HELP, ORIGIN
from spcviz.ui.cached.common import TradeTask


@st.cache_resource(max_entries=1, show_spinner="Valuing every test word ...")
def budget_model():
    """The stored models that spend budgets; see `spcviz.problems.words.models.load`."""
    return models.load(MODELS)


@st.cache_resource(max_entries=1, show_spinner=False)
def budget_words():
    """Test words of the budget pages; see `spcviz.problems.words.live.word_list`."""
    return live.word_list(budget_model())


@st.cache_resource(max_entries=24, show_spinner="Spending, word by word ...")
def trade_off(n_words, seed, extractor):
    """A random batch under every method; see `spcviz.problems.words.live.compare`."""
    model = budget_model()
    return live.compare(model, live.draw(model, n_words, seed), extractor)


@st.cache_resource(max_entries=128, show_spinner=False)
def policy_word(word_id, q, extractor):
    """One word under several policies; see `spcviz.problems.words.live.trace_word`."""
    index = next(word["index"] for word in budget_words() if word["word_id"] == word_id)
    return live.trace_word(budget_model(), index, q=q, extractor=extractor)


TRADE = TradeTask(
    label="Words",
    examples="words",
    size="words",
    batches={n: f"{n} words" for n in (24, 60, 120)},
    make=lambda state: trade_off(state["words"], state["seed"], state["extractor"]),
    identity=("words", "seed", "extractor"),
    cost_help=COST_HELP,
    origin=ORIGIN,
    opens=lambda chain: ("pages/budget/policy.py", {"word": str(chain)}),
)
