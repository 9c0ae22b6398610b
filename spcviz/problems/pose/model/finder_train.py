"""Train the person detector on true windows against other windows and pictures without people.

Positives are the windows of Buffy and of the signing clips (`whole`), moved a little, and mirrored; negatives
are windows not near them, or on walls. The highest-scoring wrong windows are added `ROUNDS` times. The
threshold for "nobody" misses the same share of people on development frames as it invents on other walls.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spcviz.problems.pose.data import signs, whole
from spcviz.problems.pose.model import features, finder
from spcviz.problems.pose.model import stored as models
from spcviz.store import arrays_of, digest_of_arrays, load_model, save_model, stored_as

NAME, KIND, VERSION, RANDOM_STATE = "pose-finder", "pose-finder", 1, 0
ROUNDS, N_FIRST, N_HARD = 2, 4, 12
NEAR_SHIFT, NEAR_RATIO = 0.3, 1.35  # windows nearer than this are neither right nor wrong in training
C = 0.01


class PictureScales(NamedTuple):
    """A picture with its features."""

    picture: whole.WholePicture
    scales: list


def extract_features(pictures, tick=None):
    """Features of pictures, computed once for all folds: a list of PictureScales."""
    out = []
    for picture in pictures:
        out.append(PictureScales(picture, finder.pyramid(picture.image)))
        if tick is not None:
            tick(f"{picture.name}, picture {len(out)} of {len(pictures)}")
    return out


def train_finder(pictures: Sequence[PictureScales], rng: np.random.Generator) -> finder.Finder:
    """A template and its bias from pictures with and without people; its threshold is 0."""
    windows, good = _first(pictures, rng)
    model = _fit_finder(windows, good)
    for _ in range(ROUNDS):
        hard = np.concatenate([_hard(model, scanned) for scanned in pictures])
        windows = np.concatenate([windows, hard])
        good = np.concatenate([good, np.zeros(len(hard), dtype=bool)])
        model = _fit_finder(windows, good)
    return model


def _fit_finder(windows, good):
    from sklearn.linear_model import LogisticRegression  # takes a second to import, and only fitting needs it

    classifier = LogisticRegression(C=C, class_weight="balanced", max_iter=100, tol=1e-3).fit(windows, good)
    shape = finder.N_CELLS, finder.N_CELLS, finder.N_BINS
    weights = classifier.coef_[0].reshape(shape).astype(np.float32)
    return finder.Finder(weights, float(np.float32(classifier.intercept_[0])), 0.0)


def _first(pictures, rng):
    """(windows, which are true): those of people, moved a little and mirrored, and random others."""
    windows, good = [], []
    for picture, scales in pictures:
        if picture.window is not None:
            samples = _true_windows(picture, rng)
            windows += samples
            good += [True] * len(samples)
        for scale in scales:
            rows, columns = (n - finder.N_CELLS + 1 for n in scale.cells.shape[:2])
            places = np.stack([rng.integers(0, rows, N_FIRST), rng.integers(0, columns, N_FIRST)], axis=1)
            samples = [
                _window(scale, r, c).ravel() for r, c in places if is_other(scale, r, c, picture.window)
            ]
            windows += samples
            good += [False] * len(samples)
    return np.stack(windows), np.array(good)


def _true_windows(picture, rng):
    x, y, side = picture.window
    out = []
    for _ in range(2):
        moved_side = side * np.exp(rng.normal(0, 0.05))
        scale = finder.scale_of(picture.image, moved_side)
        row, column = finder.cells_at(scale, x, y)
        rows, columns = (n - finder.N_CELLS for n in scale.cells.shape[:2])
        if 0 <= row <= rows and 0 <= column <= columns:
            cells = _window(scale, row, column)
            out += [cells.ravel(), features.mirror_cells(cells).ravel()]
    return out


def _window(scale, row, column):
    return scale.cells[row : row + finder.N_CELLS, column : column + finder.N_CELLS]


def is_other(scale, row, column, window):
    """Whether a window is not near the person's."""
    if window is None:
        return True
    x, y = finder.place_of(scale, row, column)
    return not finder.is_right((x, y, scale.side), window, NEAR_SHIFT, NEAR_RATIO)


def _hard(model, scanned):
    """The highest-scoring wrong windows of a picture, (n, 1728)."""
    scored = []
    for scale in scanned.scales:
        scores = finder.scores_of(scale, model.weights)
        order = np.argsort(-scores, axis=None, kind="stable")[: 4 * N_HARD]
        places = [np.unravel_index(at, scores.shape) for at in order]
        wrong = [at for at in places if is_other(scale, *at, scanned.picture.window)][: N_HARD // 2]
        scored += [(scores[at], _window(scale, *at).ravel()) for at in wrong]
    scored.sort(key=lambda one: -one[0])
    return np.array([one for _, one in scored[:N_HARD]]).reshape(-1, finder.N_CELLS**2 * finder.N_BINS)


def balance(true_scores, wall_scores):
    """The threshold that misses the same share of people as it invents, as nearly as possible."""
    marks = np.sort(np.concatenate([true_scores, wall_scores]))
    middles = (marks[1:] + marks[:-1]) / 2
    missed = np.array([(true_scores < mark).mean() for mark in middles])
    invented = np.array([(wall_scores >= mark).mean() for mark in middles])
    return float(middles[np.abs(missed - invented).argmin()])


def train(run):
    """Train, measure on held-out people and on unseen sets, and store; yields a line (`PROBLEM.trains`)."""
    data, tick = models.data_folder(), run.tick
    most = 3 if run.quick else None
    people = {fold.person: whole.signing(fold.test)[:most] for fold in signs.folds()}
    sets = {f"signs, {person}": pictures for person, pictures in people.items()}
    sets |= {name: whole.buffy(data, name)[:most] for name in ("train", "dev", "test")}
    for half, name in enumerate(("walls", "other walls")):
        sets[name] = whole.walls(data, half)[:most] + whole.things(half)[:most]
    made = {name: extract_features(pictures, tick) for name, pictures in sets.items()}
    rows, rng = [], np.random.default_rng(RANDOM_STATE)
    for person, pictures in people.items():
        others = [one for other in people if other != person for one in made[f"signs, {other}"]]
        model = _with_threshold([*made["train"], *others, *made["walls"]], made)
        parts = {
            "as filmed": made[f"signs, {person}"],
            "cut at random": extract_features(whole.crop_pictures(pictures, rng), tick),
        }
        rows += [row_of("signs", how, person, model, test, others) for how, test in parts.items()]
    signing = [one for person in people for one in made[f"signs, {person}"]]
    model = _with_threshold([*made["train"], *signing, *made["walls"]], made)
    for name in ("dev", "test"):
        rows.append(row_of("buffy", "whole frames", name, model, made[name], made["train"]))
    for name, pictures in {"other walls": sets["other walls"], **whole.strange(data)}.items():
        rows.append(
            row_of(
                "nobody", name, None, model, made.get(name) or extract_features(pictures[:most], tick), None
            )
        )
    images = {f"{name} {at}": picture.image for name, some in sets.items() for at, picture in enumerate(some)}
    path = save(run.models, model, rows, digest_of_arrays(images))
    by_key = {(row["data"], row["how"], row["part"]): row for row in rows}
    right = by_key["buffy", "whole frames", "test"]["right"]
    yield f"{path}: right on {100 * right:.0f} % of Buffy's test frames"


def _with_threshold(pictures, made):
    """A finder whose threshold balances misses on development frames and inventions on other walls."""
    model = train_finder(pictures, np.random.default_rng(RANDOM_STATE))
    names = "dev", "other walls"
    people, empty = (
        np.array([finder.best_of(model, scanned.scales).score for scanned in made[n]]) for n in names
    )
    return model._replace(threshold=float(np.float32(balance(people, empty))))


def row_of(
    data: str,
    how: str,
    part: str,
    model: finder.Finder,
    pictures: Sequence[PictureScales],
    learned: Sequence[PictureScales],
) -> dict:
    """Shares, 0 to 1, that a finder gets right, misses or invents, and that a mean window gets right."""
    guesses = [finder.best_of(model, scanned.scales) for scanned in pictures]
    over = float(np.mean([guess.score >= model.threshold for guess in guesses]))
    row = {"data": data, "how": how, "part": part, "n": len(guesses)}
    if learned is None:
        return row | {"invented": round(over, 4)}
    windows = [scanned.picture.window for scanned in pictures]
    shares = np.mean(
        [_shares(scanned.picture) for scanned in learned if scanned.picture.window is not None], axis=0
    )
    means = [_pixels_of(scanned.picture, shares) for scanned in pictures]
    return row | {
        "right": round(float(np.mean([*map(finder.is_right, guesses, windows)])), 4),
        "mean_right": round(float(np.mean([*map(finder.is_right, means, windows)])), 4),
        "missed": round(1 - over, 4),
    }


def _shares(picture):
    """A window's place and side as shares of its picture."""
    (x, y, side), (tall, wide) = picture.window, picture.image.shape[:2]
    return x / wide, y / tall, np.log(side / min(tall, wide))


def _pixels_of(picture, shares):
    tall, wide = picture.image.shape[:2]
    return shares[0] * wide, shares[1] * tall, float(np.exp(shares[2])) * min(tall, wide)


class StoredFinder(NamedTuple):
    """A finder as it is stored; `rest`: its bias and its threshold."""

    weights: np.ndarray
    rest: np.ndarray


def save(folder, model, rows, digest):
    """Store a finder; returns the manifest's path."""
    rest = np.array([model.bias, model.threshold], dtype=np.float32)
    arrays = arrays_of(StoredFinder(model.weights, rest))
    settings = {
        "rounds": ROUNDS, "n_hard": N_HARD, "c": C, "signs_every": whole.SIGNS_EVERY,
        "buffy_every": whole.BUFFY_EVERY, "n_walls": whole.N_WALLS, "attribution": signs.ATTRIBUTION,
    }  # fmt: skip
    return save_model(
        folder, NAME, arrays, kind=KIND, version=VERSION, settings=settings, random_state=RANDOM_STATE,
        data_digest=digest, metrics={"rows": rows},
    )  # fmt: skip


def load(folder) -> tuple[finder.Finder, list[dict]]:
    """The stored finder and its rows, see `row_of`; raises `StoreError`."""
    stored = load_model(folder, NAME, kind=KIND, version=VERSION)
    kept = stored_as(StoredFinder, stored)
    return finder.Finder(kept.weights, *kept.rest.astype(float).tolist()), stored.manifest["metrics"]["rows"]
