"""What scenes are shown with: classes and feature groups, and the course of a picture."""

from typing import NamedTuple

import numpy as np

CLASSES = (
    "Sky", "Building", "Pole", "Road", "Pavement", "Tree", "Sign", "Fence", "Car", "Pedestrian", "Bicyclist",
)  # fmt: skip
COLOURS = (
    "#8ecae6", "#b56576", "#f4a261", "#6d597a", "#e9c46a", "#2a9d4b", "#ffd60a", "#a98467", "#3a56d4",
    "#e63946", "#17becf",
)  # fmt: skip
"""Of the classes, readable over a grey picture; each region's name is written too."""
GROUPS = ("SHAPE", "TXT", "LBP", "I-SIFT", "C-SIFT")
"""Feature groups in the paper's order."""
GROUP_WORDS = {
    "SHAPE": "outline and place",
    "TXT": "texture and colour",
    "LBP": "local patterns",
    "I-SIFT": "gradients",
    "C-SIFT": "gradients by colour",
}


FIRST_SEED = 5
"""Of the rendered street that the page opens with."""


class Course(NamedTuple):
    """A predictor's course on a picture of A atoms, S steps.

    Attributes
    ----------
    name, label : str
    seconds : ndarray, shape (S,)
        Wall clock until each step is done.
    labels : ndarray of uint8, shape (S, A)
        Class of each atom after each step.
    entropy : ndarray of float32, shape (S, A)
        Of each atom's prediction, nats.
    accuracy : ndarray, shape (S,), or None
        Percent of the pixels with a class that are right, where the truth is known.
    """

    name: str
    label: str
    seconds: np.ndarray
    labels: np.ndarray
    entropy: np.ndarray
    accuracy: np.ndarray | None


class Choices(NamedTuple):
    """What the anytime predictor chose, step by step.

    Attributes
    ----------
    level : ndarray of int, shape (S,)
    theta : ndarray, shape (S,)
        Regions above this mean entropy were updated.
    is_updated : ndarray of bool, shape (S, A)
        Atoms of the regions that were updated.
    n_updated, n_regions : ndarray of int, shape (S,)
        Regions updated, and how many the level has.
    bought : ndarray of int, shape (S, 5)
        Features bought so far of each of `GROUPS`.
    is_begun : ndarray of bool, shape (S, 5)
        Whether a group's descriptors were computed by then.
    """

    level: np.ndarray
    theta: np.ndarray
    is_updated: np.ndarray
    n_updated: np.ndarray
    n_regions: np.ndarray
    bought: np.ndarray
    is_begun: np.ndarray


class SceneCourse(NamedTuple):
    """A picture labelled in time, for the page.

    Attributes
    ----------
    title, credit : str
    picture : ndarray, shape (H, W, 3), uint8
    atoms : ndarray of uint16, shape (H, W)
    truth : ndarray of uint8, shape (H, W), or None
        11 where nobody says.
    regions_seconds : float
        Until the regions are there.
    sim, him : Course
    choices : Choices
    """

    title: str
    credit: str
    picture: np.ndarray
    atoms: np.ndarray
    truth: np.ndarray | None
    regions_seconds: float
    sim: Course
    him: Course
    choices: Choices
