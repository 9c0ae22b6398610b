"""Street pictures on the Trade-off page: their tiers' colours, and the pictures for trade_task.js."""

from typing import Any

import numpy as np

from spcviz.problems.scene.page.shown import MarkedPictures
from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import by_theme

COLOURS = by_theme(tiers)


def pack(pictures: MarkedPictures) -> dict[str, Any]:
    """Pictures and their marked places, for the browser."""
    lists = {name: list(getattr(pictures, name)) for name in ("sources", "titles", "names", "colours")}
    return lists | {"places": np.asarray(pictures.places).astype(np.int16), "step": int(pictures.step)}
