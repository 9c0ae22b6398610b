"""Arguments of thresholds, losses and curves that are refused, each by its name."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, InfeasibleError, ScoreError, ShapeError
from spcviz.engine.thresholds import filtering, results

LIMIT = filtering.Threshold(1.0, 2.0, 0.0, 2, True)
MASK = np.ones(2, dtype=bool)


@pytest.mark.parametrize(
    ("call", "args", "error", "message"),
    [
        (filtering.threshold, ([1.0, np.nan], 0.5), ScoreError, r"max_marginals\[1\] .* got nan"),
        (filtering.threshold, ([1.0, np.inf], 0.5), ScoreError, r"max_marginals\[1\] .* got inf"),
        (filtering.threshold, ([], 0.5), InfeasibleError, r"max_marginals of shape \(0,\) holds no finite"),
        (filtering.threshold, ([-np.inf], 0.5), InfeasibleError, "holds no finite value"),
        (filtering.threshold, (3.0, 0.5), ShapeError, r"max_marginals has shape \(\)"),
        (
            filtering.threshold,
            ("müll", 0.5),
            ArgumentError,
            "max_marginals must be an array of numbers, got 'm",
        ),
        (filtering.threshold, ([1.0], 1.1), ArgumentError, "alpha must be a number from -inf to 1, got 1.1"),
        (
            filtering.threshold,
            ([1.0], np.nan),
            ArgumentError,
            "alpha must be a number from -inf to 1, got nan",
        ),
        (
            filtering.threshold,
            ([1.0], -np.inf),
            ArgumentError,
            "alpha must be a number from -inf to 1, got -inf",
        ),
        (filtering.threshold, ([1.0], "½"), ArgumentError, "alpha must be a number from -inf to 1, got '½'"),
        (filtering.keep, ([np.nan], LIMIT), ScoreError, r"max_marginals\[0\] .* got nan"),
        (filtering.keep, ([1.0], 0.5), ArgumentError, "limit must be a Threshold, got 0.5"),
        (filtering.keep, ([1.0], LIMIT, [1]), ArgumentError, r"best_path\[0\] must be from 0 to 0, got 1"),
        (filtering.keep, ([1.0], LIMIT, [-1]), ArgumentError, r"best_path\[0\] must be from 0 to 0, got -1"),
        (filtering.keep, ([1.0], LIMIT, ["a"]), ArgumentError, "best_path must be an array of whole numbers"),
        (filtering.losses, ([1.0, 0.0], LIMIT, np.nan, [0], MASK), ScoreError, "truth_score.* got nan"),
        (
            filtering.losses,
            ([1.0, 0.0], LIMIT, 1.0, [2], MASK),
            ArgumentError,
            r"truth\[0\] must be from 0 to 1",
        ),
        (
            filtering.losses,
            ([1.0, 0.0], LIMIT, 1.0, [0.5], MASK),
            ArgumentError,
            "truth must be an array of who",
        ),
        (
            filtering.losses,
            ([1.0], LIMIT, 1.0, [0], MASK),
            ShapeError,
            r"mask has shape \(2,\), dtype bool; max",
        ),
        (filtering.losses, ([1.0, 0.0], LIMIT, 1.0, [0], [1, 0]), ShapeError, "mask has shape .*dtype int64"),
        (filtering.losses, ([1.0], LIMIT, 1.0, [0], [[1], [1, 0]]), ArgumentError, "mask must be an array"),
        (
            filtering.losses,
            ([1.0, 0.0], None, 1.0, [0], MASK),
            ArgumentError,
            "limit must be a Threshold, got No",
        ),
        (filtering.break_points, ([np.inf],), ScoreError, r"max_marginals\[0\] .* got inf"),
        (filtering.break_points, (2.0,), ShapeError, r"max_marginals has shape \(\)"),
        (
            filtering.threshold_batch,
            ([1.0], [0, 2], 0.5),
            ArgumentError,
            r"starts\[1\] must be from 0 to 1, got 2",
        ),
        (
            filtering.threshold_batch,
            ([1.0], [0, -1, 1], 0.5),
            ArgumentError,
            r"starts\[1\] must be from 0 to 1",
        ),
        (
            filtering.threshold_batch,
            ([1.0], [0.0, 1.0], 0.5),
            ArgumentError,
            "starts must be an array of whole",
        ),
        (
            filtering.threshold_batch,
            ([1.0], [], 0.5),
            ArgumentError,
            r"starts must rise from 0 to 1, got \[\]",
        ),
        (
            filtering.threshold_batch,
            ([1.0], [0, 1], 1.5),
            ArgumentError,
            "alpha must be a number from -inf to 1, got 1.5",
        ),
        (filtering.threshold_batch, ([1.0], [0, 1], np.nan), ScoreError, "alpha.* got nan"),
        (
            filtering.threshold_batch,
            ([1.0], [0, 1], [0.1, 0.2]),
            ShapeError,
            r"alpha has shape \(2,\); it needs",
        ),
        (
            filtering.threshold_batch,
            ([1.0], [0, 1], "a"),
            ArgumentError,
            "alpha must be an array of numbers, got",
        ),
        (
            filtering.break_points_batch,
            ([1.0], [0, 9]),
            ArgumentError,
            r"starts\[1\] must be from 0 to 1, got 9",
        ),
        (filtering.break_points_batch, ([np.nan], [0, 1]), ScoreError, r"max_marginals\[0\] .* got nan"),
        (
            filtering.truth_break_points,
            ([1.0], [1.0], [0, 7]),
            ArgumentError,
            r"starts\[1\] must be from 0 to 1",
        ),
        (
            filtering.truth_break_points,
            ([], [1.0], [0, 1]),
            ShapeError,
            r"truth_scores has shape \(0,\); starts",
        ),
        (
            filtering.truth_break_points,
            ([np.nan], [1.0], [0, 1]),
            ScoreError,
            r"truth_scores\[0\] .* got nan",
        ),
        (results.curve, ([np.nan], [1.0]), ScoreError, r"points\[0\] must not be NaN, got nan"),
        (results.curve, ([0.5], [1.0, 2.0]), ShapeError, r"weights has shape \(2,\); points needs \(1,\)"),
        (results.curve, ([0.5], [np.nan]), ScoreError, r"weights\[0\] .* got nan"),
        (results.curve, (["a"], [1.0]), ArgumentError, "points must be an array of numbers, got"),
        (results.curve, ([[0.5]], [1.0]), ShapeError, r"points has shape \(1, 1\); it needs 1 dimension"),
        (
            filtering.largest_alpha,
            ([0.5], 1.5),
            ArgumentError,
            "tolerance must satisfy 0 <= tolerance <= 1, got",
        ),
        (
            filtering.largest_alpha,
            ([0.5, np.nan], 0.5),
            ScoreError,
            r"truth_points\[1\] must not be NaN, got nan",
        ),
        (
            filtering.largest_alpha,
            ("a", 0.5),
            ArgumentError,
            "truth_points must be an array of numbers, got 'a'",
        ),
    ],
)
def test_bad_arguments_are_named(call, args, error, message):
    with pytest.raises(error, match=message):
        call(*args)
