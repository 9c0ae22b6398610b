"""Training of the finder: true windows against other windows of the same pictures, and walls without people.

Positives are the true windows of Buffy's training frames and of the signing clips (`whole`), moved a little,
and their mirrored pictures; negatives are windows whose centre or side is not near the true one's, and those
of walls. Wrong windows that score most are looked for and added, `ROUNDS` times. The threshold for "nobody"
stands where as large a share of the people on development frames is missed as is invented on other walls.
"""

import numpy as np

from spcviz.problems.pose import finder

ROUNDS, N_FIRST, N_HARD = 2, 12, 12
NEAR_SHIFT, NEAR_RATIO = 0.3, 1.35
"""Windows nearer than this are neither right nor wrong in training."""
C = 0.01


def train_finder(pictures, rng):
    """A template and its bias from pictures with and without people.

    Parameters
    ----------
    pictures : sequence of Picture
    rng : numpy.random.Generator

    Returns
    -------
    finder.Finder
        Its threshold is 0.
    """
    seen, good = _first(pictures, rng)
    model = _fitted(seen, good)
    for _ in range(ROUNDS):
        hard = np.concatenate([_hard(model, picture) for picture in pictures])
        seen, good = np.concatenate([seen, hard]), np.concatenate([good, np.zeros(len(hard), dtype=bool)])
        model = _fitted(seen, good)
    return model


def _fitted(seen, good):
    from sklearn.linear_model import LogisticRegression  # a second to import, and only fitting wants it

    found = LogisticRegression(C=C, class_weight="balanced", max_iter=200, tol=1e-3).fit(seen, good)
    shape = finder.N_CELLS, finder.N_CELLS, finder.N_BINS
    weights = found.coef_[0].reshape(shape).astype(np.float32)
    return finder.Finder(weights, float(np.float32(found.intercept_[0])), 0.0)


def _first(pictures, rng):
    """(windows, which are true): those of people, moved a little and mirrored, and random others."""
    seen, good = [], []
    for picture in pictures:
        if picture.window is not None:
            own = _true_windows(picture, rng)
            seen += own
            good += [True] * len(own)
        sides = finder.sides_of(*picture.image.shape[:2])
        for side in rng.choice(sides, 3, replace=False):
            scale = finder.scale_of(picture.image, side)
            rows, columns = (n - finder.N_CELLS + 1 for n in scale.cells.shape[:2])
            if rows < 1 or columns < 1:
                continue
            places = np.stack([rng.integers(0, rows, N_FIRST), rng.integers(0, columns, N_FIRST)], axis=1)
            own = [_window(scale, r, c) for r, c in places if is_other(scale, r, c, picture.window)]
            seen += own
            good += [False] * len(own)
    return np.stack(seen), np.array(good)


def _true_windows(picture, rng):
    x, y, side = picture.window
    out = []
    for _ in range(2):
        own = side * np.exp(rng.normal(0, 0.05))
        scale = finder.scale_of(picture.image, own)
        row, column = finder.cells_at(scale, x, y)
        rows, columns = (n - finder.N_CELLS for n in scale.cells.shape[:2])
        if 0 <= row <= rows and 0 <= column <= columns:
            cells = scale.cells[row : row + finder.N_CELLS, column : column + finder.N_CELLS]
            out += [cells.ravel(), mirrored(cells).ravel()]
    return out


def mirrored(cells):
    """The window seen in a mirror; bin b holds [15 b, 15 b + 15) degrees and becomes 180 - that."""
    return cells[:, ::-1, ::-1]


def _window(scale, row, column):
    return scale.cells[row : row + finder.N_CELLS, column : column + finder.N_CELLS].ravel()


def is_other(scale, row, column, window):
    """Whether a window is not near the person's."""
    if window is None:
        return True
    x, y = finder.place_of(scale, row, column)
    return not finder.is_right((x, y, scale.side), window, NEAR_SHIFT, NEAR_RATIO)


def _hard(model, picture):
    """The wrong windows of a picture that score most, (n, 1728)."""
    found = []
    for side in finder.sides_of(*picture.image.shape[:2]):
        scale = finder.scale_of(picture.image, side)
        scores = finder.scores_of(scale, model.weights)
        order = np.argsort(-scores, axis=None, kind="stable")[: 4 * N_HARD]
        places = [np.unravel_index(at, scores.shape) for at in order]
        wrong = [at for at in places if is_other(scale, *at, picture.window)][: N_HARD // 2]
        found += [(scores[at], _window(scale, *at)) for at in wrong]
    found.sort(key=lambda own: -own[0])
    return np.array([own for _, own in found[:N_HARD]]).reshape(-1, finder.N_CELLS**2 * finder.N_BINS)


def balance(true_scores, wall_scores):
    """The threshold that misses as large a share of people as it invents."""
    marks = np.sort(np.concatenate([true_scores, wall_scores]))
    middles = (marks[1:] + marks[:-1]) / 2
    missed = np.array([(true_scores < mark).mean() for mark in middles])
    invented = np.array([(wall_scores >= mark).mean() for mark in middles])
    return float(middles[np.abs(missed - invented).argmin()])
