"""Spend a budget by every method on a batch of words, and on one word purchase by purchase.

Features cost what they cost in training.
"""

import contextlib
from collections.abc import Sequence

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets import part_policy
from spcviz.learning.budgets.chains.meta import chain_meta
from spcviz.learning.budgets.methods import METHODS
from spcviz.problems.budgets.compare import Batch, spell_readings, timed_course, trade_off
from spcviz.problems.budgets.shown import PolicyTrace, PolicyWord, TradeOff
from spcviz.problems.letters import handwriting
from spcviz.problems.open_words.data import word_images as open_words
from spcviz.problems.words.model import stored as budget_models
from spcviz.problems.words.model.folds import N_TIERS
from spcviz.problems.words.shown import OFFERED, TERMS, TIERS, TRACED
from spcviz.store import StoreError

EXTRACTORS = {"library": "us", "fast": "us_fast"}
"""Extractors of HoG: scikit-image letter by letter, or the project's batch code -> name of its cost."""

MAX_WORDS = 200
N_DEVELOPMENT = 150
"""Number of development words on offer: the first ones."""


def compare(model: budget_models.BudgetModel, words: Sequence[int], extractor: str = "library") -> TradeOff:
    """Every method's purchases on a batch of 1 to 200 test words; `ArgumentError` for unknown ones."""
    words, feature_us = _check_words(model, words, extractor)
    batch, rows = _batch(model, words, feature_us)
    return trade_off(
        batch,
        OFFERED,
        TERMS,
        task="words",
        chain_ids=model.fold.test.words[words],
        truths=_spell_labels(model.fold.test.labels[rows], batch.world.starts),
        faults=batch.world.loss.astype(np.uint8),
        drawn=handwriting.load_words().pixels[model.fold.test.images[rows]],
        tier_names=tuple(tier.name for tier in TIERS),
        tier_short=tuple(tier.short for tier in TIERS),
    )


def trace_word(
    model: budget_models.BudgetModel,
    word: int,
    *,
    q: float = 0.0,
    extractor: str = "library",
    methods: Sequence[str] = TRACED,
) -> PolicyWord:
    """One test word under several policies, letter by letter; `q` is the tolerance of quiescent inference."""
    words, feature_us = _check_words(model, [word], extractor)
    q = checks.fraction("q", q, below_one=True)
    world, rows = model.parts.some(words)
    learned = model.learned.at(rows)
    traces = tuple(_trace(METHODS[key], learned, world, q, feature_us) for key in methods)
    return PolicyWord(
        word_id=int(model.fold.test.words[word]),
        truth=_spell_labels(model.fold.test.labels[rows], world.starts)[0],
        pixels=handwriting.load_words().pixels[model.fold.test.images[rows]],
        tier_names=tuple(tier.name for tier in TIERS),
        full_units=float((N_TIERS - 1) * len(rows)),
        full_us=float(feature_us.sum() * len(rows)) + traces[0].us[0],
        traces=traces,
    )


def word_list(model):
    """Test words of the model's fold: list of dict with ``word_id``, ``text`` and ``index``."""
    test = model.fold.test
    texts = _spell_labels(test.labels, test.starts)
    return [{"word_id": int(w), "text": texts[i], "index": i} for i, w in enumerate(test.words)]


def development_list():
    """Development words on offer, in the form of `word_list`."""
    words = open_words.load_set("dev").words
    return [{"word_id": w, "text": words.text(w), "index": w} for w in range(N_DEVELOPMENT)]


def draw(model, n_words, seed):
    """A random batch of test words."""
    n = checks.integer("n_words", n_words, 1, min(MAX_WORDS, len(model.fold.test.words)))
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**31))
    return rng.choice(len(model.fold.test.words), n, replace=False)


def warmup(models):
    """Compile what the budget pages call, on one word of the stored models, if there are any."""
    with contextlib.suppress(StoreError):
        model = budget_models.load(models, "open")
        compare(model, [0])
        trace_word(model, 0)


def _check_words(model, words, extractor):
    if extractor not in EXTRACTORS:
        raise ArgumentError(f"extractor must be one of {', '.join(EXTRACTORS)}, got {extractor!r:.60}")
    words = checks.whole_numbers("words", words, 0, len(model.fold.test.words) - 1)
    if not 1 <= len(words) <= MAX_WORDS:
        raise ArgumentError(f"words must be 1 to {MAX_WORDS} test words, got {len(words)}")
    return words, np.asarray(model.costs[EXTRACTORS[extractor]], dtype=np.float64)


def _spell_labels(labels, starts):
    return spell_readings(labels, starts, handwriting.ALPHABET)


def _batch(model, words, feature_us):
    """(the `Batch` that a budget is spent on, rows of the model's letters) of some test words."""
    world, rows = model.parts.some(words)
    unary = np.ascontiguousarray(model.fold.test.plain[rows, 0].astype(np.float64))
    pairs, lengths = model.fold.test_pairs[0, 0], np.diff(world.starts)
    batch = Batch(
        world=world,
        labels=model.plain_labels[:, rows],
        values={"dms": model.dms_values[words]},
        learned=model.learned.at(rows),
        feature_us=np.broadcast_to(feature_us, (len(rows), N_TIERS - 1)),
        costs=None,
        read=lambda: chain_meta(unary, lengths, pairs, model.fold.seen_test),
        alphabet="".join(handwriting.ALPHABET),
    )
    return batch, rows


def _trace(method, learned, world, q, feature_us):
    trajectory, base_us, step_us = timed_course(world, part_policy.rule_of(method, learned, q=q))
    n, length = len(trajectory.part), world.shape[0]
    tiers = np.zeros((n + 1, length), dtype=np.int64)
    for s, (part, tier) in enumerate(zip(trajectory.part, trajectory.tier), start=1):
        tiers[s:, part] = tier
    values = np.concatenate([trajectory.all_values, np.full((1, length), -np.inf)])
    labels = np.concatenate([trajectory.labels_before[None], trajectory.all_labels])
    here = np.concatenate([[-1], trajectory.part])
    reached = [np.concatenate([[-1], ends]) for ends in (trajectory.last, trajectory.first)]
    forward, backward = (
        np.stack([np.where(here != ends, here, -1), np.where(here != ends, ends, -1)], axis=1)
        for ends in reached
    )
    return PolicyTrace(
        method.key,
        *method.describe(TERMS),
        tiers=tiers,
        readings=tuple(_spell_labels(row, world.starts)[0] for row in labels),
        values=np.where(np.isfinite(values), values, np.nan),
        position=trajectory.part,
        units=np.concatenate([[0.0], np.cumsum(trajectory.cost)]),
        us=base_us + np.concatenate([[0.0], np.cumsum(feature_us[trajectory.tier - 1] + step_us)]),
        forward=forward,
        backward=backward,
        messages=np.concatenate([[0], np.cumsum(trajectory.messages)]),
        full_messages=2 * length * np.arange(n + 1),
    )
