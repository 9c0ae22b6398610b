"""What the Joint beats separate page draws: plain tuples, numpy only."""

from typing import NamedTuple

import numpy as np


class PictureReadings(NamedTuple):
    """A picture read pixel by pixel, row by row and as a grid; all images (H, W).

    Attributes
    ----------
    name : str
    seen : tuple of ndarray
        What is given: left and right view, or one spoiled picture; 0 .. 1, or (H, W, 3).
    truth : ndarray
        NaN where unknown.
    readings : tuple of ndarray, uint8
        Of the three.
    errors, mean_off, seconds : tuple of float
        Share of known pixels more than `slack` off; mean distance from the truth; time taken.
    slack : int
    n_states : int
    weight : float
        Of smoothness.
    n_iterations : int
        Of belief propagation on the grid.
    settled : float
        Share of pixels whose messages had stopped changing.
    """

    name: str
    seen: tuple
    truth: np.ndarray
    readings: tuple
    errors: tuple
    mean_off: tuple
    seconds: tuple
    slack: int
    n_states: int
    weight: float
    n_iterations: int
    settled: float
