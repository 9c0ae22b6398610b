"""Sentences in the Trade-off view: their tiers' colours, and their words for trade_sentences.js."""

from collections.abc import Sequence

from spcviz.problems.budgets.task import Drawn
from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import by_theme


def pack(texts: Sequence[Sequence[str]]) -> dict[str, list[list[str]]]:
    """The words of each sentence, for the browser."""
    return {"texts": [list(words) for words in texts]}


SENTENCES = Drawn(by_theme(tiers), pack)
