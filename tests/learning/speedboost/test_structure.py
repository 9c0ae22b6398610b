"""Regions of a picture at every level: context, means and entropies against their definitions."""

import numpy as np

from spcviz.learning.speedboost import structure
from spcviz.learning.speedboost.predictor import select_regions
from tests.learning.speedboost import toy


def test_context_is_own_neighbours_wide_and_all():
    rng = np.random.default_rng(0)
    chains, _ = toy.chains(5, rng)
    chains = chains._replace(size=rng.random(len(chains.example)).astype(np.float32) + 0.5)
    share = structure.chances(rng.normal(size=(40, 3)).astype(np.float32))
    for number, level in enumerate(chains.levels):
        every = np.ones(chains.n_regions(number), dtype=bool)
        around = structure.context_shares(chains, share, number, every, np.arange(15))

        def mean(mask):
            return np.average(share[mask], axis=0, weights=chains.size[mask])

        up = chains.levels[min(number + 2, 2)].member
        for r in range(chains.n_regions(number)):
            inside = level.member == r
            np.testing.assert_allclose(around[r, :3], mean(inside), atol=1e-5)
            at = np.flatnonzero(inside)[0]
            np.testing.assert_allclose(around[r, 9:12], mean(up == up[at]), atol=1e-5)
            np.testing.assert_allclose(around[r, 12:], mean(chains.example == chains.example[at]), atol=1e-5)
            near = level.second[level.first == r]
            kinds = level.length[level.first == r]
            for c in range(2):
                chosen = [mean(level.member == n) for n, k in zip(near, kinds) if k[c] > 0]
                wanted = np.mean(chosen, axis=0) if chosen else np.zeros(3)
                np.testing.assert_allclose(around[r, 3 + 3 * c : 6 + 3 * c], wanted, atol=1e-5)
        steps = structure.context(chains, share, number)
        np.testing.assert_array_equal(steps, np.minimum(np.sqrt(around) * 63.999, 63).astype(np.uint8))
        few = rng.random(len(every)) < 0.6
        some = structure.context(chains, share, number, few)
        np.testing.assert_array_equal(some, np.where(few[:, None], steps, 0))
        shares = structure.context_shares(chains, share, number, few, np.arange(15))
        np.testing.assert_array_equal(shares, np.where(few[:, None], around, 0))
        alone = [np.array([column]) for column in range(15)]  # whichever part of the context is not requested
        for asked in [np.flatnonzero(rng.random(15) < 0.4), *alone]:
            some = structure.context(chains, share, number, few, asked)
            np.testing.assert_array_equal(some[:, asked], np.where(few[:, None], steps, 0)[:, asked])
            assert not np.delete(some, asked, axis=1).any()


def test_selection_is_strict_and_by_size():
    rng = np.random.default_rng(1)
    chains, _ = toy.chains(2, rng)
    entropy = np.zeros(16, dtype=np.float32)
    entropy[0] = 1.0
    assert select_regions(chains, entropy, 1, 0.5).tolist() == [False] * 8
    assert select_regions(chains, entropy, 1, 0.49).tolist() == [True] + [False] * 7
    heavy = chains._replace(size=np.r_[3, np.ones(15)].astype(np.float32))
    assert select_regions(heavy, entropy, 1, 0.7)[0]


def test_entropy_ranges_from_none_to_all():
    share = np.float32([[1, 0, 0, 0], [0.25] * 4])
    np.testing.assert_allclose(structure.entropies(share), [0, np.log(4)], atol=1e-6)
    np.testing.assert_allclose(structure.chances(np.float32([[500, 500], [-900, 0]])), [[0.5, 0.5], [0, 1]])
