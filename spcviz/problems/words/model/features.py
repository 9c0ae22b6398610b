"""A letter's features in tiers that can be bought (thesis 6.3.1): pixels, then HoG ever finer."""

import numpy as np
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.problems.letters.data.handwriting import hog_features, raw_features

N_TIERS = 3


def tier_features(pixels: ArrayLike, tier: int) -> np.ndarray:
    """What one tier adds: pixels and bias (R, 129), HoG of 3 x 3 cells (R, 360), of 2 x 2 cells (R, 756)."""
    tier = checks.integer("tier", tier, 0, N_TIERS - 1)
    if tier == 0:
        return raw_features(pixels)
    return hog_features(pixels, 3, border=1) if tier == 1 else hog_features(pixels, 2)
