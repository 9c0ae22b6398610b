"""Colours on the Trade-off page: their tiers' colours, and those of the states for trade_task.js."""

from collections.abc import Sequence

from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import by_theme

COLOURS = by_theme(tiers)


def pack(colours: Sequence[str]) -> dict[str, list[str]]:
    """The states' colours, for the browser."""
    return {"colours": list(colours)}
