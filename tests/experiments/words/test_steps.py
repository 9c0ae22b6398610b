"""Features of steps: facing halves, counted ratios, tables at every tier, means over folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from experiments.words import steps
from spcviz.problems.letters import handwriting
from spcviz.problems.words.model import folds


def test_halves_that_face_each_other():
    pixels = np.arange(2 * 16 * 8).reshape(2, 16, 8)
    halves = steps.facing(pixels)
    assert_array_equal(halves[1, :, :4], pixels[0, :, 4:])
    assert_array_equal(halves[1, :, 4:], pixels[1, :, :4])


def test_ratios_are_those_of_a_count_with_a_prior():
    rng = np.random.default_rng(0)
    n = 400
    kinds, labels = rng.integers(0, steps.N_KINDS, n), rng.integers(0, 3, n)
    is_step = rng.random(n) < 0.8
    is_step[0] = False
    ratios = steps.log_ratios(kinds, labels, is_step)
    rate = np.array([1.0 + (kinds[is_step] == k).sum() for k in range(steps.N_KINDS)])
    rate /= rate.sum()
    for k, i, j in ((0, 1, 2), (5, 0, 0), (7, 2, 1)):
        here = is_step & (np.roll(labels, 1) == i) & (labels == j)
        share = ((kinds[here] == k).sum() + steps.N_KINDS * rate[k]) / (here.sum() + steps.N_KINDS)
        assert ratios[k, i, j] == pytest.approx(np.log(share / rate[k]))
    assert_allclose(ratios[:, 20, 21], 0.0, atol=1e-12)  # a pair that never occurred says nothing


def half(part, lengths):
    n = lengths.sum()
    return folds.Half(
        np.arange(len(lengths)), np.arange(n), lengths, np.zeros(n, int), part, np.zeros(0), np.zeros(0)
    )


def test_every_tier_has_the_table_of_its_kind_and_model():
    rng = np.random.default_rng(1)
    lengths, part = np.array([2, 3, 2]), np.array([1, 0, 1])
    n = lengths.sum()
    fold_half = half(part, lengths)
    pairwise = rng.normal(size=(2, handwriting.N_STATES, handwriting.N_STATES))
    from spcviz.learning.budgets.chains.parts import Parts, no_looks

    starts = fold_half.starts
    plain = Parts(
        np.zeros((n, 3, handwriting.N_STATES)), pairwise, pairwise, np.zeros((n, 3), int), starts,
        np.zeros((n, handwriting.N_STATES), int), np.zeros(2, int), no_looks(n), no_looks(n), 1.0, 5,
    )  # fmt: skip
    kinds = rng.integers(0, steps.N_KINDS, (n, 2))
    seen = (
        rng.integers(0, steps.N_KINDS, (50, 2)),
        rng.integers(0, handwriting.N_STATES, 50),
        np.ones(50, bool),
    )
    seen[2][0] = False
    others = [seen, (seen[0][::-1], seen[1], seen[2])]
    parts = steps.with_steps(fold_half, plain, kinds, others, 0.5)
    for r, p in enumerate(np.repeat(part, lengths)):
        assert_array_equal(parts.pairwise[parts.step[r, 0]], pairwise[p])
        for t in (1, 2):
            ratio = steps.log_ratios(others[p][0][:, t - 1], others[p][1], others[p][2])[kinds[r, t - 1]]
            want = pairwise[p] + 0.5 * pairwise.std() * ratio
            assert_allclose(parts.pairwise[parts.step[r, t]], want)
    assert_array_equal(parts.transposed, parts.pairwise.transpose(0, 2, 1))


def test_means_over_folds_are_against_letters_alone():
    n = len(steps.UNITS)

    def row(method, error, units):
        chosen = {"units": units / 2, "error": error}
        more = {"share_of_steps": [0.0] * n, "final_error": error, "units": units, "chosen": chosen}
        return {"method": method, "error": [error] * n} | more

    means = steps.means(
        [
            {
                "rows": [row("q-learning", 5.0, 2.0), row("q-learning, steps apart", 4.0, 3.7)],
                "strength": 0.1,
            },
            {
                "rows": [row("q-learning", 5.0, 2.0), row("q-learning, steps apart", 5.0, 3.7)],
                "strength": 0.5,
            },
        ]
    )
    assert [mean["error_minus_letters"] for mean in means] == [0.0, -0.5]
    assert means[1]["error_minus_letters_sd"] == pytest.approx(np.std([-1.0, 0.0], ddof=1))
    assert means[1]["units_chosen"] == 1.85
    assert means[1]["points"][-1]["error"] == 4.5
