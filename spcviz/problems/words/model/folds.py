"""Two sources of words with costly features, and the models of one fold with their held-out predictions.

The sources are the 55 handwritten words and an open vocabulary. The folds of the open vocabulary are disjoint
(each has every third training and unseen word) and show how far chance goes.

One plain model per tier and a tiered one learn from a fold's training words (of handwriting: the other nine
folds), and once more from every two of three parts of those, so that selectors and policies learn from
readings of words that the models have not seen.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from cachetools.func import lru_cache
from numpy.typing import ArrayLike

from spcviz.engine import checks
from spcviz.engine.chains.chain import decode_batch
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets.chains.ngram_sets import seen_grams, seen_in_other_parts
from spcviz.learning.budgets.chains.tiered import Tiered, draw_tiers, fit_tiered, tier_scores
from spcviz.problems.letters import handwriting
from spcviz.problems.letters.handwriting import hog_features, raw_features
from spcviz.problems.open_words.data import word_images as open_words
from spcviz.problems.open_words.data.word_images import N_PARTS
from spcviz.shared.work.disk_cache import ARRAYS, load_or_compute, tree_of
from spcviz.store import digest_of_arrays


class WordSource(NamedTuple):
    """Words with folds."""

    name: str  # {"ocr", "open"}
    words: handwriting.Words  # its folds are test folds, 0 .. n_folds - 1
    images: np.ndarray  # (R,), int64: each letter's row among the shipped handwritten letters
    # (W,), int64: for words used only for training; words of different parts share neither a type nor an
    # image. -1 for words used for both training and testing, whose parts are drawn at random
    part: np.ndarray
    is_test: np.ndarray  # (W,): words that are never trained on; if there are none, all folds but one train
    n_folds: int
    origin: str

    def halves(self, fold: int):
        """Words to "train" on and words to "test" on; raises `ArgumentError` if there is no such fold."""
        fold = checks.integer("fold", fold, 0, self.n_folds - 1)
        is_in_fold = self.words.folds == fold
        train, test = ~is_in_fold, is_in_fold
        if self.is_test.any():
            train, test = is_in_fold & ~self.is_test, is_in_fold & self.is_test
        return {"train": np.flatnonzero(train), "test": np.flatnonzero(test)}

    def letters_of(self, chosen):
        """(labels, rows of shipped images, lengths) of some words."""
        rows, lengths = handwriting.rows_of(self.words, chosen)
        return self.words.labels[rows], self.images[rows], lengths

    def arrays(self):
        """The arrays that its digest covers."""
        return self.words._asdict() | ({"images": self.images} if self.name == "open" else {})


OPEN_FOLDS = 3
SOURCE_NAMES = ("ocr", "open")


def load_source(name: str):
    """One of the sources, "ocr" or "open"; `ArgumentError` for another.

    >>> [len(load_source("open").halves(fold)["test"]) for fold in range(3)]
    [667, 667, 666]
    """
    if name not in SOURCE_NAMES:
        raise ArgumentError(f"data must be one of {', '.join(SOURCE_NAMES)}, got {name!r:.60}")
    if name == "ocr":
        words, n = handwriting.load_words(), len(handwriting.load_words().lengths)
        images = np.arange(len(words.labels))
        return WordSource(
            name, words, images, np.full(n, -1), np.zeros(n, bool), handwriting.N_FOLDS, handwriting.ORIGIN
        )
    train, unseen = open_words.load_set("train"), open_words.load_set("unseen")
    n, m = len(train.types), len(unseen.types)
    words = handwriting.Words(*map(np.concatenate, zip(train.words, unseen.words)))
    words = words._replace(folds=np.concatenate([np.arange(n) % OPEN_FOLDS, np.arange(m) % OPEN_FOLDS]))
    images = np.concatenate([train.rows, unseen.rows])
    part, is_test = np.concatenate([train.words.folds, np.full(m, -1)]), np.arange(n + m) >= n
    return WordSource(name, words, images, part, is_test, OPEN_FOLDS, open_words.ORIGIN)


def drawn_parts(source, chosen, n_parts, rng):
    """The part of each of some training words: its own, or a random one if it has none."""
    parts = source.part[chosen]
    if len(parts) and (parts >= 0).all():
        if n_parts != N_PARTS:
            raise ArgumentError(f"n_parts must be {N_PARTS}, the parts of the open vocabulary, got {n_parts}")
        return parts
    return rng.permutation(np.arange(len(chosen)) % n_parts)


RANDOM_STATE = 0
N_TIERS = 3  # of features that can be bought (thesis 6.3.1): pixels, then finer and finer HoG
CODE = ("spcviz.problems.words.model.folds",)
"""The modules whose code makes the cached results."""


@dataclass(frozen=True)
class BudgetSettings:
    """How the models of a fold are trained. Chosen on fold 1, trained on folds 2 to 9."""

    epochs: int = 20  # passes of the averaged perceptron
    n_parts: int = 3  # parts of the training words for predictions on unseen words


class Half(NamedTuple):
    """Words and the models' scores of their letters at every tier."""

    words: np.ndarray  # (W,), int64: indices of the source's words
    images: np.ndarray  # (R,), int64: each letter's row among the shipped letter images
    lengths: np.ndarray  # (W,), int64
    labels: np.ndarray  # (R,), int64: true letters
    part: np.ndarray  # (W,), int64: which model reads each word
    # plain, tiered (R, T, 26): unary scores of the model of each tier, and of the tiered model at each tier
    plain: np.ndarray
    tiered: np.ndarray

    @property
    def starts(self):
        """First row of each word, shape (W + 1,)."""
        return np.concatenate([[0], np.cumsum(self.lengths)])


class Fold(NamedTuple):
    """One test fold."""

    source: str  # name of the words' `WordSource`
    index: int
    # train, test: in `train`, part p was read by models trained on the other parts; in `test`, part 0 is all
    train: Half
    test: Half
    # train_pairs, test_pairs (parts, T + 1, 26, 26): transition scores of each part's plain models, the
    # tiered model's last
    train_pairs: np.ndarray
    test_pairs: np.ndarray
    # plain_weights, tiered_weights: of the models that read the test words
    plain_weights: tuple[np.ndarray, ...]
    tiered_weights: np.ndarray
    edges: np.ndarray  # (T,): number of features up to each tier
    # seen_train, seen_test: n-grams of the training words, as training and as test words meet them. In an
    # open vocabulary a word's own type does not count as seen
    seen_train: np.ndarray
    seen_test: np.ndarray


def settings_for(quick=False):
    """The chosen settings, or few passes if `quick`."""
    return BudgetSettings(epochs=3) if quick else BudgetSettings()


def fold_models(
    source: str,
    index: int,
    settings: BudgetSettings,
    folder: Path | None = None,
    tick: Callable | None = None,
) -> Fold:
    """Train, or load from the work folder, everything the experiments need of one test fold of a source."""
    index = checks.integer("fold", index, 0, load_source(source).n_folds - 1)
    key = {"fold": index, "settings": asdict(settings), "random_state": RANDOM_STATE}
    key |= {"source": source, "data": data_digest(source)}

    def make():
        return _train(load_source(source), index, settings, features(folder), tick)

    return load_or_compute(folder, f"words-{source}-fold{index}", key, CODE, make, tree_of(Fold))


@lru_cache(maxsize=1)
def features(folder=None):
    """All tiers of all shipped letters, (R, 1245): HoG scaled to the mean square of pixels."""

    def make():
        pixels = handwriting.load_words().pixels
        return {"features": scaled_tiers([tier_features(pixels, t) for t in range(N_TIERS)])}

    return load_or_compute(folder, "words-features", {"data": data_digest("ocr")}, CODE, make, ARRAYS)[
        "features"
    ]


TIER_SCALES = (1.0, 1.7, 1.24)
"""Factor of each tier's features: root of the ratio of pixels' mean squared length to theirs."""


def scaled_tiers(tiers):
    """Scaled tiers, concatenated."""
    parts = [np.float32(scale) * tier for scale, tier in zip(TIER_SCALES, tiers, strict=True)]
    return np.ascontiguousarray(np.concatenate(parts, axis=1))


def tier_edges():
    """Number of features up to each tier."""
    blank = np.zeros((1, *handwriting.SHAPE))
    return np.cumsum([tier_features(blank, t).shape[1] for t in range(N_TIERS)])


def losses(half: Half, pairs: np.ndarray, scores: np.ndarray, which: int | None = None):
    """Wrong letters of each word at each tier, (W, T), by each tier's transitions or those of `which`."""
    out = np.zeros((len(half.words), N_TIERS), dtype=np.int64)
    for p in range(len(pairs)):
        words, rows = rows_of_part(half, p)
        first = np.concatenate([[0], np.cumsum(half.lengths[words])])[:-1]
        for t in range(N_TIERS):
            table = pairs[p, t if which is None else which]
            decoded = decode_batch(np.ascontiguousarray(scores[rows, t]), half.lengths[words], table).labels
            out[words, t] = np.add.reduceat(decoded != half.labels[rows], first)
    return out


def rows_of_part(half, part):
    """(words, rows) that one model reads."""
    words = np.flatnonzero(half.part == part)
    is_row = np.repeat(half.part == part, half.lengths)
    return words, np.flatnonzero(is_row)


def _train(source, index, settings, table, tick):
    edges = tier_edges()
    rng = np.random.default_rng([RANDOM_STATE, index])
    halves, pairs, full = {}, {}, None
    for name, chosen in source.halves(index).items():
        labels, images, lengths = source.letters_of(chosen)
        n_parts = settings.n_parts if name == "train" else 1
        part = drawn_parts(source, chosen, n_parts, rng)
        scores = np.zeros((2, len(labels), N_TIERS, handwriting.N_STATES), dtype=np.float32)
        halves[name] = Half(chosen, images, lengths, labels, part, scores[0], scores[1])
        pairs[name] = np.zeros((n_parts, N_TIERS + 1, handwriting.N_STATES, handwriting.N_STATES))
    everything = halves["train"].words
    for name, half in halves.items():
        for p in range(len(pairs[name])):
            learn_from = everything[half.part != p] if name == "train" else everything
            plain, tiered = _models(source, table, learn_from, edges, settings, rng, tick)
            _, rows = rows_of_part(half, p)
            letters = table[half.images[rows]]
            for t, model in enumerate(plain):
                half.plain[rows, t] = tier_scores(model, letters)[:, 0]
                pairs[name][p, t] = model.pairwise
            half.tiered[rows] = tier_scores(tiered, letters)
            pairs[name][p, -1] = tiered.pairwise
            full = plain, tiered
    train = halves["train"]
    seen_train = seen = seen_grams(train.labels, train.starts, handwriting.N_STATES)
    if source.is_test.any():
        seen_train = seen_in_other_parts(train.labels, train.starts, train.part, handwriting.N_STATES)
    weights = tuple(model.weights for model in full[0]), full[1].weights
    of_halves = train, halves["test"], pairs["train"], pairs["test"]
    return Fold(source.name, index, *of_halves, *weights, edges, seen_train, seen)


def _models(source, table, chosen, edges, settings, rng, tick):
    """(one plain model per tier, the tiered model), trained on some words; weights rounded to float32."""
    labels, images, lengths = source.letters_of(chosen)
    letters, starts = table[images], np.concatenate([[0], np.cumsum(lengths)])
    fixed = np.zeros(len(labels), dtype=np.int64)

    def fitted(ends, draw):
        given = letters[:, : ends[-1]], labels, starts, ends, handwriting.N_STATES, draw, rng
        return round_weights(fit_tiered(*given, epochs=settings.epochs))

    models = []
    for t in range(N_TIERS + 1):
        if t < N_TIERS:
            models.append(fitted(edges[t : t + 1], lambda _: fixed))
        else:
            models.append(fitted(edges, lambda rng: draw_tiers(starts, N_TIERS, rng)))
        if tick is not None:
            tick(f"model {t + 1} of {N_TIERS + 1}")
    return tuple(models[:-1]), models[-1]


def round_weights(model):
    """A model with the weights that the store returns."""
    kept = (array.astype(np.float32).astype(np.float64) for array in (model.weights, model.pairwise))
    return Tiered(model.edges, *kept)


def data_digest(source):
    """Digest of a source's words."""
    return digest_of_arrays(load_source(source).arrays())


def tier_features(pixels: ArrayLike, tier: int) -> np.ndarray:
    """A tier's features: pixels and bias (R, 129), HoG of 3 x 3 cells (R, 360), of 2 x 2 cells (R, 756)."""
    tier = checks.integer("tier", tier, 0, N_TIERS - 1)
    if tier == 0:
        return raw_features(pixels)
    return hog_features(pixels, 3, border=1) if tier == 1 else hog_features(pixels, 2)
