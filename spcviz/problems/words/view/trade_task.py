"""Words on the Trade-off page: their tiers' colours, and their ink for trade_task.js."""

import numpy as np

from spcviz.web.view.mount import by_theme, pack_ink

COLOURS = by_theme(lambda palette: [palette.pruned, palette.kept, palette.map])


def pack(pixels: np.ndarray) -> dict[str, np.ndarray]:
    """The letters' pictures, (R, 16, 8), for the browser."""
    return {"pixels": pack_ink(pixels)}
