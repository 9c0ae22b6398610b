"""The search for a person: scores by the definition, planted people, thresholds and rules."""

import numpy as np
import pytest

from spcviz.engine.errors import ShapeError
from spcviz.problems.pose.data import whole
from spcviz.problems.pose.model import finder, finder_train
from spcviz.problems.pose.page import text


@pytest.fixture(scope="module")
def picture():
    """Noise with one bold figure of bars in it."""
    rng = np.random.default_rng(0)
    image = rng.integers(100, 130, (150, 200, 3)).astype(np.uint8)
    image[40:120, 90:94] = 255
    image[60:64, 70:114] = 0
    return image


def test_scores_are_correlations_and_places_go_both_ways(picture):
    scale = finder.scale_of(picture, 80.0)
    weights = np.random.default_rng(1).normal(size=(12, 12, 12))
    scores = finder.scores_of(scale, weights)
    assert scores.shape == tuple(n - 11 for n in scale.cells.shape[:2])
    for row, column in ((0, 0), (3, 5), (scores.shape[0] - 1, scores.shape[1] - 1)):
        correlation = (scale.cells[row : row + 12, column : column + 12] * weights).sum()
        assert scores[row, column] == pytest.approx(correlation, abs=1e-3)
        assert finder.cells_at(scale, *finder.place_of(scale, row, column)) == (row, column)
    x, y = finder.place_of(scale, 0, 0)
    assert (x, y) == pytest.approx((0, 0), abs=0.5)  # half of the first window is outside


def test_what_was_learned_is_found_again(picture):
    window = (92.0, 80.0, 84.0)
    scale = finder.scale_of(picture, window[2])
    row, column = finder.cells_at(scale, *window[:2])
    cells = scale.cells[row : row + 12, column : column + 12]
    model = finder.Finder(cells - scale.cells.mean(axis=(0, 1)), 0.25, 0.0)
    best = finder.find(model, picture)
    assert finder.is_right(best, window)
    scales = finder.pyramid(picture)
    assert best.score == max(float(finder.scores_of(level, model.weights).max()) for level in scales) + 0.25
    moved = np.pad(picture, ((0, 0), (40, 0), (0, 0)), mode="edge")
    assert finder.is_right(finder.find(model, moved), (132.0, 80.0, 84.0))


@pytest.mark.parametrize(
    "wrong", [np.zeros((9, 40, 3), np.uint8), np.zeros((40, 40), np.uint8), np.ones((40, 40, 3))]
)
def test_other_pictures_are_named(wrong):
    with pytest.raises(ShapeError, match="picture has shape"):
        finder.pyramid(wrong)


def test_the_threshold_misses_as_much_as_it_invents():
    people, empty = np.array([0.0, 3, 4, 5, 6]), np.array([-2.0, -1, 0.5, 1, 3.5])
    mark = finder_train.balance(people, empty)
    assert (people < mark).mean() == (empty >= mark).mean() == 0.2


def test_training_tells_a_figure_from_its_surroundings_and_rows_count(picture):
    figure = whole.WholePicture("bars", picture, (92.0, 80.0, 84.0))
    rng = np.random.default_rng(2)
    walls = [
        whole.WholePicture("noise", rng.integers(0, 255, (100, 120, 3)).astype(np.uint8), None)
        for _ in range(2)
    ]
    parts = finder_train.extract_features([figure, *walls])
    model = finder_train.train_finder(parts, np.random.default_rng(0))
    again = finder_train.train_finder(parts, np.random.default_rng(0))
    np.testing.assert_array_equal(model.weights, again.weights)
    assert finder.is_right(finder.best_of(model, parts[0].scales), figure.window)
    scores = [finder.best_of(model, one.scales).score for one in parts]
    assert scores[0] > max(scores[1:])
    row = finder_train.row_of("x", "y", "z", model._replace(threshold=scores[0]), parts[:1], parts)
    assert row == {
        "data": "x",
        "how": "y",
        "part": "z",
        "n": 1,
        "right": 1.0,
        "mean_right": 1.0,
        "missed": 0.0,
    }
    empty = finder_train.row_of("x", "y", "z", model._replace(threshold=scores[1]), parts[1:], None)
    assert empty["invented"] in (0.5, 1.0)


def test_pictures_cut_at_random_keep_their_person(picture):
    figure = whole.WholePicture("bars", picture, (92.0, 80.0, 84.0))
    for name, image, (x, y, side) in whole.crop_pictures([figure] * 20, np.random.default_rng(0)):
        assert (name, side) == ("bars", 84.0)
        assert image.shape[0] >= 0.6 * 150 - 1
        left, top = 92 - x, 80 - y
        np.testing.assert_array_equal(
            image, picture[int(top) :, int(left) :][: image.shape[0], : image.shape[1]]
        )


def test_a_wall_holds_no_joint():
    image = np.zeros((100, 100, 3), np.uint8)
    image[30:70, 40:95] = 9  # where the joints are
    strip = whole._beside(image, np.array([[45.0, 35.0], [90.0, 65.0]]))
    assert strip.shape[:2] == (100, 42)
    assert (strip[:, :40] == 0).all()


def test_sentences_weigh_sets_by_their_pictures():
    rows = [
        {"data": "signs", "how": "as filmed", "part": p, "n": n, "right": r, "mean_right": 0.5, "missed": 0.1}
        for p, n, r in (("A", 30, 1.0), ("B", 10, 0.0))
    ] + [
        {"data": "nobody", "how": "streets", "part": None, "n": 4, "invented": 0.25},
        {"data": "nobody", "how": "other walls", "part": None, "n": 4, "invented": 0.5},
    ]
    assert "75 % of signing frames" in text.found_how(rows)
    assert "(a fixed average window: 50 %)" in text.found_how(rows)
    said = text.nobody({"score": -1.0, "threshold": 0.5})
    assert "scores -1.00" in said
    said = text.found_nobody(rows)
    assert "of 10 % of pictures with people, and sees someone in 25 % of streets" in said
