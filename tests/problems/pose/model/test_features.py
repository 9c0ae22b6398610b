"""The batched histograms of oriented gradients against scikit-image's own."""

import numpy as np
from skimage import data
from skimage.feature import hog as library

from spcviz.problems.pose.model import features


def test_every_number_is_the_librarys_to_the_last_bit():
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 256, (45, 60, 3), dtype=np.uint8)
    drawn[:12, :30] = 70  # flat: no gradient to normalise
    for picture in (drawn, data.astronaut()[100:160, 180:240], np.zeros((30, 30, 3), np.uint8)):
        wanted = library(picture, 12, (3, 3), (5, 5), "L2-Hys", feature_vector=False, channel_axis=-1)
        middles = features.middles(picture, 12, 3, 5, 3)
        np.testing.assert_array_equal(middles, wanted[:, :, 1:4, 1:4])
        np.testing.assert_array_equal(features.middles(picture, 12, 3, 5, 5), wanted)
