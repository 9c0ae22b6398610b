"""The photograph of the page Scenes at any time: a road seen from a car. It ships with the project.

It is one of the six of its repository, taken because the stored predictors get sky, road and the trees beside
it right. Nobody has labelled it.
"""

import numpy as np

from spcviz.problems.common.folders import CACHE, shipped
from spcviz.problems.problem import DataSet
from spcviz.problems.scene.data import camvid

SHIPPED = CACHE / "data" / "roads" / "solidWhiteCurve.jpg"
SHIPPED_SHA256 = "f789c3b40646601e61aaee5571b50d1d2615424577c6428b5d085d9ec1986ac3"
DATA_SETS = (
    *camvid.DATA_SETS,
    DataSet(
        "roads",
        "a photograph of a road, 960 x 540",
        "https://github.com/udacity/CarND-LaneLines-P1, test_images/solidWhiteCurve.jpg; (c) 2016-2019 "
        "Udacity, Inc.",
        shipped=SHIPPED,
        sha256=SHIPPED_SHA256,
        licence="MIT",
        weights="free",
    ),
)


def photograph() -> np.ndarray:
    """The photograph as it ships, (540, 960, 3) uint8.

    Raises `NoCacheError` in a package installed by pip: it comes with the repository.
    """
    from PIL import Image

    return np.asarray(Image.open(shipped(SHIPPED)).convert("RGB"))
