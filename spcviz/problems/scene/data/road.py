"""The photograph of the page Scenes at any time: a road seen from a car, which ships with the project.

It is one of six in its repository, chosen because sky and road are right from the first step on, and the tree
beside the road, at first called a building, is called a tree a few steps later. Nobody has labelled it.
"""

import numpy as np

from spcviz.problems.scene.data import camvid
from spcviz.registry.problem import DataSet
from spcviz.shared.folders import CACHE, shipped_path

SHIPPED = CACHE / "data" / "roads" / "solidWhiteRight.jpg"
SHIPPED_SHA256 = "205beaa560933d14202ce3f17d8dd6d9eb430ee90154eb8008cea4a0b91b88fe"
DATA_SETS = (
    *camvid._CAMVID_SETS,
    DataSet(
        "roads",
        "a photograph of a road, 960 x 540",
        "https://github.com/udacity/CarND-LaneLines-P1, test_images/solidWhiteRight.jpg; (c) 2016-2019 "
        "Udacity, Inc.",
        shipped=SHIPPED,
        sha256=SHIPPED_SHA256,
        licence="MIT",
        weights="free",
    ),
)


def photograph() -> np.ndarray:
    """The photograph as it ships, (540, 960, 3); `NoCacheError` without the repository it comes with."""
    from PIL import Image

    return np.asarray(Image.open(shipped_path(SHIPPED)).convert("RGB"))
