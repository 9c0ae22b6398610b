"""Records that the page Scenes at any time draws, with labels of classes and feature groups."""

from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets.methods import Terms, Tier

CLASSES = (
    "Sky", "Building", "Pole", "Road", "Pavement", "Tree", "Sign", "Fence", "Car", "Pedestrian", "Bicyclist",
)  # fmt: skip
COLOURS = (  # of the classes, readable over a grey picture
    "#8ecae6", "#b56576", "#f4a261", "#6d597a", "#e9c46a", "#2a9d4b", "#ffd60a", "#a98467", "#3a56d4",
    "#e63946", "#17becf",
)  # fmt: skip
TERMS = Terms("picture", "pictures", "place", "places")
TIERS = (  # inference machines, by their features, from cheap to expensive
    Tier("him-txt", "outlines, texture and colour", "texture"),
    Tier("him-txt-isift", "+ gradients", "gradients"),
    Tier("him", "+ local patterns and gradients by colour", "everything"),
)
TRADED = ("dms", "oracle", "least_sure", "fixed", "uniform_arms", "uniform_loose")  # in their order
N_CAMVID = 233  # CamVid's test pictures
KINDS = {"rendered": "rendered streets", "camvid": "CamVid's test pictures"}  # contents of a batch
ELSEWHERE = {  # the message for a link to a kind that is not installed
    "camvid": "This link asks for CamVid's test pictures, which do not come with the app: `python -m spcviz "
    "data get scene_camvid` brings them. Shown instead: rendered streets."
}
KINDS_HELP = (
    "Rendered streets are drawn by this project and unlike the photographs that everything was learned from; "
    "CamVid appears where its folder is."
)
COST_HELP = (
    "Units: 1 lifts one marked place of a picture by one level of features; a picture is lifted as a whole. "
    "Measured: features, labelling and the method itself."
)
ORIGIN = (  # of what the Trade-off page shows
    "Dynamic model selection over pictures (DMS, Weiss 2013, chapter 6), not the anytime predictor of the "
    "page Scenes at any time, which spends on single regions. A picture's levels are three inference "
    "machines over more and more groups of features (Grubb et al. 2013, Fig. 2), learned from CamVid's "
    "training pictures; the selector learned from its validation pictures; what is shown, neither has "
    "seen. A place is a pixel of a coarse grid; it counts as right if its class is. Regions, which every "
    "level needs, are not in the cost. Features cost what they were measured to take; labelling and "
    "choosing are timed on this server, now. A dozen pictures are few: the page Paper tables has all of "
    "CamVid's test pictures, and says where DMS does not pay."
)
GROUP_WORDS = {
    "SHAPE": "outline and place",
    "TXT": "texture and colour",
    "LBP": "local patterns",
    "I-SIFT": "gradients",
    "C-SIFT": "gradients by colour",
}
GROUPS = tuple(GROUP_WORDS)  # feature groups in the paper's order
LONGER = 1.02  # length of the time axis relative to the longer trajectory; as in ``take`` of scene.js
FIRST_SEED = 5  # of the rendered street that the page opens with


class MarkedPictures(NamedTuple):
    """W pictures with places that have classes: R places in all, K classes."""

    sources: tuple[str, ...]  # sources, titles: data URIs, and the pictures' names
    titles: tuple[str, ...]
    places: np.ndarray  # (R, 2) int: x and y, pixels
    step: int  # pixels between places
    names: tuple[str, ...]  # names, colours: of the classes
    colours: tuple[str, ...]


class Course(NamedTuple):
    """A predictor's trajectory on a picture of A atoms, S steps."""

    name: str
    label: str
    seconds: np.ndarray  # (S,): wall clock until each step is done
    labels: np.ndarray  # (S, A), uint8: class of each atom after each step
    entropy: np.ndarray  # (S, A), float32: of each atom's prediction, nats
    accuracy: np.ndarray | None  # (S,): percent right of pixels with a known class


class Choices(NamedTuple):
    """The anytime predictor's choices, step by step."""

    level: np.ndarray  # (S,)
    theta: np.ndarray  # (S,): regions above this mean entropy were updated
    is_updated: np.ndarray  # (S, A): atoms of the regions that were updated
    n_updated: np.ndarray  # n_updated, n_regions (S,): regions updated, and of the level
    n_regions: np.ndarray
    bought: np.ndarray  # (S, 5): features bought so far of each of `GROUPS`
    is_begun: np.ndarray  # (S, 5): whether a group's descriptors were computed by then


class SceneCourse(NamedTuple):
    """A picture labelled in time, for the page."""

    title: str
    credit: str
    picture: np.ndarray  # (H, W, 3), uint8
    atoms: np.ndarray  # (H, W), uint16
    truth: np.ndarray | None  # (H, W), uint8: 11 where unlabelled
    regions_seconds: float  # until the regions are computed
    sim: Course
    him: Course
    choices: Choices
