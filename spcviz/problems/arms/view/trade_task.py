"""Arms on the Trade-off page: their tiers' colours, and their pictures and joints for trade_task.js."""

from typing import Any

import numpy as np

from spcviz.problems.arms.page.shown import ArmPictures
from spcviz.web.figures.palette import tiers
from spcviz.web.view.mount import by_theme, narrow

COLOURS = by_theme(tiers)


def pack(arms: ArmPictures) -> dict[str, Any]:
    """What arms look like, for the browser; joints to the pixel."""
    return {
        "clip": narrow(arms.clip),
        "side": narrow(arms.side),
        "sheets": list(arms.sheets),
        "joints": np.rint(arms.joints).astype(np.int16),
        "truth": np.rint(arms.truth).astype(np.int16),
    }
