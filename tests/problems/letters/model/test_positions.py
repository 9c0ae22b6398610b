"""n-grams at each position of a word, against lists of them."""

import numpy as np

from spcviz.problems.letters.page.live import position_counts
from spcviz.shared.trace import LevelTrace, WordTrace


def level(scores, starts, alpha, *, best_path, truth=()):
    scores = np.array(scores)
    finite = scores[np.isfinite(scores)]
    nothing = np.zeros(len(scores))
    return LevelTrace(
        1, np.array(starts), np.zeros((len(scores), 1), np.int32), nothing, nothing, nothing, scores,
        nothing, nothing, np.array(best_path, np.int32), np.array(truth, np.int32), 0.0, finite.max(),
        finite.mean(), len(finite), True, alpha, alpha, False, alpha, 1.0,
    )  # fmt: skip


def counts(*levels):
    pixels = np.zeros((2, 16, 8), np.uint8)
    trace = WordTrace(0, np.zeros(0), pixels, ("a",), levels, np.zeros((1, 2)), 1.0, np.nan)
    return position_counts(trace)


def test_valid_kept_and_lost_at_each_column():
    scores = [4.0, 2.0, -np.inf, 0.0, 4.0, 2.0, 3.5, 0.5]
    (tally,) = counts(level(scores, [0, 4, 8], 0.5, best_path=[0, 4], truth=[1, 6]))
    scored = [s for s in scores if s > -np.inf]
    tau = 0.5 * max(scored) + 0.5 * np.mean(scored)
    assert tally.valid.tolist() == [3, 4]
    assert (
        tally.kept.tolist() == [sum(s > tau for s in scores[:4]), sum(s > tau for s in scores[4:])] == [1, 2]
    )
    assert tally.is_lost.tolist() == [True, False]


def test_the_best_path_stays_and_without_spread_nothing_falls():
    (at_one,) = counts(level([4.0, 2.0, 4.0, 3.0], [0, 2, 4], 1.0, best_path=[0, 2]))
    assert at_one.kept.tolist() == [1, 1]
    assert not at_one.is_lost.any()
    (even,) = counts(level([1.0, 1.0, 1.0], [0, 2, 3], 0.5, best_path=[0, 2]))
    assert even.kept.tolist() == even.valid.tolist() == [2, 1]


def test_levels_keep_their_order():
    one = level([2.0, 0.0], [0, 2], 0.0, best_path=[0])
    two = level([2.0, 0.0, 1.9], [0, 3], 0.0, best_path=[0])._replace(order=2)
    assert [(tally.order, tally.kept.tolist()) for tally in counts(one, two)] == [(1, [1]), (2, [2])]
