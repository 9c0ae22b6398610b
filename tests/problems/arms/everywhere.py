"""Scores of an arm in all states of the grid: the slow reference for detectors of arms."""

import numpy as np

from spcviz.problems.pose.data import body


def arm_scores(fine: np.ndarray, side: int) -> tuple[np.ndarray, ...]:
    """Scores (24, Y, X) of upper and lower arm of a picture's left (0) or right (1) side, mirrored."""
    upper, lower = fine[1 + side], fine[3 + side]
    if side == 0:
        return upper, lower
    back = (body.N_ANGLES // 2 - np.arange(body.N_ANGLES)) % body.N_ANGLES  # angle a appears as pi - a
    return upper[back][:, :, ::-1], lower[back][:, :, ::-1]
