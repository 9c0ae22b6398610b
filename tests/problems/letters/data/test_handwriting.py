"""The batch HoG of letter images gives scikit-image's values."""

import numpy as np
import pytest
from skimage.feature import hog

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.handwriting import batch_hog
from spcviz.problems.words.model.folds import N_TIERS, tier_features
from spcviz.problems.words.shown import TIERS


@pytest.mark.parametrize("cell", [2, 3])
def test_letters(cell):
    images = np.pad(handwriting.load_words().pixels[:40].astype(float), ((0, 0), (1, 1), (1, 1)))
    want = [hog(image, 9, (cell, cell), (2, 2)) for image in images]
    np.testing.assert_allclose(batch_hog(images, cell), want, atol=1e-6)


def test_grey_images_of_other_sizes():
    images = np.random.default_rng(0).random((5, 13, 11))
    want = [hog(image, 9, (4, 4), (2, 2)) for image in images]
    np.testing.assert_allclose(batch_hog(images, 4), want, atol=1e-6)


def test_tiers_add_up_and_bad_ones_are_refused():
    pixels = handwriting.load_words().pixels[:3]
    assert [tier_features(pixels, t).shape[1] for t in range(3)] == [129, 360, 756]
    assert len(TIERS) == N_TIERS == 3
    with pytest.raises(ArgumentError, match="tier"):
        tier_features(pixels, 3)
    with pytest.raises(ArgumentError, match="border"):
        handwriting.hog_features(pixels, 2, border=-1)
    with pytest.raises(ArgumentError, match="images"):
        batch_hog(np.zeros((1, 3, 3)), 2)
