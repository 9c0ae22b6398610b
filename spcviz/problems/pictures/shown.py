"""Records that the Joint beats separate page draws: plain named tuples of numpy arrays."""

from typing import NamedTuple

import numpy as np


class PictureReadings(NamedTuple):
    """A picture read pixel by pixel, row by row and as a grid; all images (H, W)."""

    name: str
    seen: tuple  # left and right view, or one noisy picture; 0 .. 1, or (H, W, 3)
    truth: np.ndarray  # NaN where unknown
    readings: tuple  # uint8 images of the three readings
    errors: tuple[float, ...]  # errors, mean_off (distance), seconds: of each reading
    mean_off: tuple[float, ...]
    seconds: tuple[float, ...]
    slack: int
    n_states: int
    weight: float  # of smoothness
    n_iterations: int  # of belief propagation on the grid
    settled: float  # share of pixels whose messages had stopped changing
