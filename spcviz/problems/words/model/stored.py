"""Store and load the budget pages' models of fold 0: test words, selectors, policies."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spcviz.learning.budgets import batch_selection, part_policy
from spcviz.learning.budgets.chains.parts import Parts
from spcviz.learning.budgets.chains.tiered import Tiered, tier_scores
from spcviz.learning.budgets.classifiers import Anytime, OneShot
from spcviz.learning.budgets.expansion import expand
from spcviz.learning.budgets.part_policy import Learned
from spcviz.learning.budgets.selector import Selector, predict_values
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import word_images as open_words
from spcviz.problems.words.model import dms_pi, folds
from spcviz.problems.words.model import resource_constraints as constrained_ocr
from spcviz.problems.words.model import times as budget_times
from spcviz.problems.words.model.folds import N_TIERS, tier_features
from spcviz.problems.words.shown import TIERS
from spcviz.store import arrays_of, load_model, save_model, stored_as

KIND, VERSION = "ocr-budget", 2
COST_KINDS = ("units", "us", "us_fast")
"""One unit per tier of a letter; microseconds with scikit-image's HoG; with the project's batch HoG."""


class BudgetModel(NamedTuple):
    """Everything that spends budgets on the test words of one fold."""

    fold: folds.Fold  # its ``train`` half is empty
    parts: Parts  # all test letters, read by the tiered model
    plain_labels: np.ndarray  # (T, R), int64: readings of each tier's plain model
    dms_values: np.ndarray  # (W, T - 1): value of each word's next model, as the selector predicts it
    learned: Learned  # the parts of rules; one-shot, anytime and "least sure" have fixed priorities
    costs: dict  # (T - 1,): cost of a letter's next tier in each of `COST_KINDS`


class Stored(NamedTuple):
    """A model as it is stored, `one_shot` in `ONE_SHOT`'s order; n-grams and pictures are shipped words'."""

    plain: tuple[np.ndarray, ...]
    tiered: np.ndarray
    pairs: np.ndarray
    edges: np.ndarray
    seen: np.ndarray
    words: np.ndarray
    scale: float
    plain_scores: np.ndarray
    tiered_scores: np.ndarray
    fold: int
    selector: Selector
    beta: np.ndarray
    myopic: np.ndarray
    imitation: np.ndarray
    anytime: np.ndarray
    one_shot: tuple[OneShot, ...]


def model_name(source):
    """Name of a source's model in the store."""
    return f"budget-{source}"


def train(
    source: str = "ocr",
    folder: Path | None = None,
    quick: bool = False,
    tick: Callable | None = None,
    index: int = 0,
) -> tuple[Stored, dict[str, list[float]]]:
    """`Stored` models of a test fold, the same on every run, and measured microseconds of features."""
    fold = folds.fold_models(source, index, folds.settings_for(quick), folder, tick)
    rng = np.random.default_rng([folds.RANDOM_STATE, index, 1])
    chooser = batch_selection.choose(dms_pi.look(fold, "train"), dms_pi.COSTS, rng)
    every = dms_pi.parts_of(fold, "train")
    policy, imitation, _ = part_policy.train(every, rng)
    constrained = constrained_ocr.train(fold, rng, tick)
    times = budget_times.measure(fold)
    stored = Stored(
        plain=tuple(weights.astype(np.float32) for weights in fold.plain_weights),
        tiered=fold.tiered_weights.astype(np.float32),
        pairs=fold.test_pairs.astype(np.float32),
        edges=fold.edges,
        seen=fold.seen_test,
        words=fold.test.words,
        scale=float(every.scale),
        plain_scores=fold.test.plain,
        tiered_scores=fold.test.tiered,
        fold=index,
        selector=chooser.selector,
        beta=policy.beta,
        myopic=policy.myopic,
        imitation=imitation,
        anytime=constrained.policies["anytime"].weights,
        one_shot=tuple(constrained.policies[key] for key in constrained_ocr.ONE_SHOT),
    )
    return stored, {"us": times.feature.tolist(), "us_fast": times.feature_fast.tolist()}


def save(folder, source, stored, feature_us):
    """Write what `train` returns; see `spcviz.store.save_model`. Times vary, so they are in the metrics."""
    metrics = metrics_of(model_of(source, stored, feature_us)) | {"feature_us": feature_us}
    about = {
        "settings": {"tiers": [tier.key for tier in TIERS], "data_origin": folds.load_source(source).origin}
    }
    about |= {"data_digest": folds.data_digest(source), "random_state": folds.RANDOM_STATE}
    name, arrays = model_name(source), arrays_of(stored)
    return save_model(folder, name, arrays, kind=KIND, version=VERSION, metrics=metrics, **about)


def load(folder, source="ocr"):
    """Read the models of a source and value all its test words with them; raises `StoreError`."""
    return model_of(source, *read(folder, source))


def read(folder, source="ocr"):
    """The inputs of `model_of` for a source: `Stored` and the times of features; see `load`."""
    stored = load_model(folder, model_name(source), kind=KIND, version=VERSION)
    return stored_as(Stored, stored), stored.manifest["metrics"]["feature_us"]


def development(stored: Stored, places: Sequence[int]) -> folds.Half:
    """Development words of the open vocabulary, new to the `stored` models, scored as test words are."""
    dev, chosen = open_words.load_set("dev"), np.asarray(places, dtype=np.int64)
    rows, lengths = letters.rows_of(dev.words, chosen)
    features = folds.scaled_tiers([tier_features(dev.words.pixels[rows], t) for t in range(N_TIERS)])
    plain = [
        tier_scores(
            Tiered(stored.edges[t : t + 1], weights, stored.pairs[0, t]), features[:, : stored.edges[t]]
        )
        for t, weights in enumerate(stored.plain)
    ]
    tiered = tier_scores(Tiered(stored.edges, stored.tiered, stored.pairs[0, -1]), features)
    return folds.Half(
        chosen, dev.rows[rows], lengths, dev.words.labels[rows], np.zeros(len(chosen), dtype=np.int64),
        np.concatenate(plain, axis=1).astype(np.float32), tiered.astype(np.float32),
    )  # fmt: skip


def model_of(source, stored, feature_us, half=None):
    """A `BudgetModel` from what `train` returns, spending on its test words or on the words of `half`."""
    fold = _fold(source, stored, half)
    parts = dms_pi.parts_of(fold, "test", stored.scale)
    looked = dms_pi.look(fold, "test")
    policies = dict(zip(constrained_ocr.ONE_SHOT, stored.one_shot, strict=True))
    policies["anytime"] = Anytime(stored.anytime)
    noise = np.random.default_rng(folds.RANDOM_STATE).random((len(parts.scores), N_TIERS - 1))
    fixed = constrained_ocr.all_values(policies, parts, constrained_ocr.pixels_of(fold.test))
    learned = Learned(
        *map(np.ascontiguousarray, (stored.beta, stored.myopic, stored.imitation)), noise, fixed
    )
    costs = {"units": np.ones(N_TIERS - 1)} | {name: np.array(us[1:]) for name, us in feature_us.items()}
    values = predict_values(stored.selector, looked.meta)
    return BudgetModel(fold, parts, looked.labels, values, learned, costs)


def _fold(source, stored, half):
    pairs, seen = stored.pairs.astype(np.float64), np.array(stored.seen)
    test = half or _test_half(source, stored)
    empty = folds.Half(*(np.zeros(0, dtype=np.int64) for _ in folds.Half._fields))
    models = stored.plain, stored.tiered, stored.edges
    return folds.Fold(source, stored.fold, empty, test, pairs[:0], pairs, *models, seen[:0], seen)


def _test_half(source, stored):
    chosen = stored.words
    labels, images, lengths = folds.load_source(source).letters_of(chosen)
    return folds.Half(
        chosen, images, lengths, labels, np.zeros(len(chosen), dtype=np.int64),
        stored.plain_scores, stored.tiered_scores,
    )  # fmt: skip


def metrics_of(model):
    """Percent of letters read wrong by the plain models, and the number of DMS purchases without a limit."""
    wrong = [100 * float((labels != model.fold.test.labels).mean()) for labels in model.plain_labels]
    bought = len(expand(model.dms_values, dms_pi.COSTS).example)
    return {"fold": model.fold.index, "plain_error": wrong, "dms_purchases": bought}
