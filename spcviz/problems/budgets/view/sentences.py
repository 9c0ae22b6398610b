"""Sentences in the Trade-off view: their tiers' colours, and their words for trade_sentences.js."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import by_theme


class Drawn(NamedTuple):
    """What the view needs to draw a batch: the fields of these names of a `TradeTask`."""

    colours: Mapping[str, list[str]]
    packed: Callable[[Any], dict[str, Any]]


def packed(texts: Sequence[Sequence[str]]) -> dict[str, list[list[str]]]:
    """The words of each sentence, for the browser."""
    return {"texts": [list(words) for words in texts]}


SENTENCES = Drawn(by_theme(tiers), packed)
