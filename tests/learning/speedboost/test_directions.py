"""What lies above, below, left and right of regions, against sums over all elements."""

import numpy as np

from spcviz.learning.speedboost import directions, structure
from tests.learning.speedboost import toy


def test_directions_are_means_over_all_elements_there():
    rng = np.random.default_rng(0)
    own, _ = toy.chains(5, rng)
    n = len(own.example)
    own = own._replace(size=rng.random(n).astype(np.float32) + 0.5)
    share, place = structure.chances(rng.normal(size=(n, 3)).astype(np.float32)), rng.random((n, 2))
    place[0] = 1.0  # the far edge lies in the last cell
    cell = np.minimum(place * 16, 15).astype(int)
    for number, level in enumerate(own.levels):
        found = directions.around(own, share, place, number).reshape(-1, 4, 3)
        for r in range(own.n_regions(number)):
            inside = level.member == r
            middle = np.average(place[inside], axis=0, weights=own.size[inside])
            x, y = np.minimum(np.float32(middle) * 16, 15).astype(int)
            here = own.example == own.example[inside][0]
            beside = abs(cell[:, 1] - y) <= 1
            boxes = (cell[:, 1] < y - 1, cell[:, 1] > y + 1, beside & (cell[:, 0] < x - 1),
                     beside & (cell[:, 0] > x + 1))  # fmt: skip
            for d, box in enumerate(boxes):
                there = here & box
                wanted = np.average(share[there], axis=0, weights=own.size[there]) if there.any() else 0
                np.testing.assert_allclose(found[r, d], wanted, atol=1e-5)
