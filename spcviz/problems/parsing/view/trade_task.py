"""Sentences on the Trade-off page: their tiers' colours, and their words for trade_task.js."""

from collections.abc import Sequence

from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import by_theme

COLOURS = by_theme(tiers)


def packed(texts: Sequence[Sequence[str]]) -> dict[str, list[list[str]]]:
    """The words of each sentence, for the browser."""
    return {"texts": [list(words) for words in texts]}
