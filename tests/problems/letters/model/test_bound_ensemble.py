"""Theorem 2 for a filter in equal parts: the same joint loss, P times the complexity."""

import numpy as np
import pytest

from spcviz.problems.letters.model.sweep import ensemble_bound
from spcviz.problems.letters.shown import BoundTerms, SweepBound

TERMS = BoundTerms(0.2, 50.0, 0.1, 50.3, True, 1e6, 0.05)
FOUND = SweepBound(0.3, 10.0, 0.05, 20.0, 600, 4000, 13, 200.0, 14.0, 2800.0, TERMS, TERMS, 0.06)


def test_one_part_is_theorem_1_and_more_pay_more():
    one, three = ensemble_bound(FOUND, 1), ensemble_bound(FOUND, 3)
    want = 4 * np.sqrt(np.pi) * 4000 * 2800 * np.sqrt(13) / (10 * np.sqrt(600))
    assert one.printed == one.tight
    assert one.printed.complexity == pytest.approx(want)
    assert three.printed.complexity == pytest.approx(3 * want)
    assert three.tight.complexity == pytest.approx(np.sqrt(3) * want)
    assert three.printed.empirical == FOUND.filter_loss.empirical
    assert three.printed.confidence == pytest.approx(np.sqrt(8 * np.log(2 / 0.05) / 600))
    assert three.n_models == 3


def test_equal_parts_decide_as_the_whole():
    """Scores and thresholds of P parts w / P add up to those of the whole, for every alpha."""
    rng = np.random.default_rng(0)
    scores, alpha = rng.normal(size=50), 0.4

    def lead(all_scores):
        return all_scores[0] - alpha * all_scores.max() - (1 - alpha) * all_scores.mean()

    assert sum(lead(scores / 3) for _ in range(3)) == pytest.approx(lead(scores))
