"""Each letter image is read once, and the cascade sees the model's own features."""

from typing import NamedTuple

import numpy as np
from numpy.testing import assert_array_equal

from spcviz.problems.letters.page.live import ReadOnce


class Counting(NamedTuple):
    """A model whose rows identify their image; it counts the images that it reads."""

    read_so_far: list
    name: str = "plain"

    def read(self, pixels):
        self.read_so_far.append(len(pixels))
        return pixels.reshape(len(pixels), -1)[:, :2].astype(np.float32)

    def inputs_of(self, rows, lengths):
        return rows, list(lengths)


def images(*numbers):
    out = np.zeros((len(numbers), 16, 8), dtype=np.uint8)
    out[:, 0, 0] = numbers
    return out


def test_no_image_is_read_twice_and_order_is_kept():
    once = ReadOnce(Counting([]), most=10)
    rows, lengths = once.features(images(3, 1, 3), [2, 1])
    assert_array_equal(rows[:, 0], [3, 1, 3])
    assert lengths == [2, 1]
    rows, _ = once.features(images(1, 2).astype(bool) * images(1, 2), [2])
    assert_array_equal(rows[:, 0], [1, 2])
    assert once.read_so_far == [2, 1]
    assert once.n_read == 3
    assert once.name == "plain"


def test_what_is_remembered_is_bounded():
    once = ReadOnce(Counting([]), most=3)
    for first in range(0, 20, 2):
        rows, _ = once.features(images(first, first + 1), [2])
        assert_array_equal(rows[:, 0], [first, first + 1])
        assert len(once.rows) <= 3
    rows, _ = once.features(images(18, 5, 6, 7), [4])  # more than the bound at once
    assert_array_equal(rows[:, 0], [18, 5, 6, 7])
