"""What every method buys: a batch of test words, and one word purchase by purchase. For the budget pages.

Everything is bought at once here, in each method's own order; a smaller budget takes the first of it.
Costs come in units (one for a letter's next tier) and in microseconds: feature extraction as it was
measured when the models were trained, plus inference and the method's own time, measured as it runs.
"""

import contextlib

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.learning.budgets.chains import part_policy
from spcviz.learning.budgets.chains.meta import chain_meta
from spcviz.problems.budgets.purchases import by_hand, single_parts, spelled, timed_course, whole_chains
from spcviz.problems.budgets.shown import PolicyTrace, PolicyWord, TradeOff
from spcviz.problems.letters import data
from spcviz.problems.words import models as budget_models
from spcviz.problems.words.folds import N_TIERS
from spcviz.store import StoreError

EXTRACTORS = {"library": "us", "fast": "us_fast"}
"""Who computes HoG: scikit-image letter by letter, or the project's batch code -> name of its cost."""

LABELS = {
    "dms": (
        "Words, learned (DMS)",
        "lifts whole words, those first where its selector predicts the largest gain",
    ),
    "fixed": ("Words, in turn", "lifts every word to the next model before any to the one after it"),
    "dms_pi": ("Letters, learned (DMS-pi)", "lifts single letters by values learned from whole trajectories"),
    "greedy": ("Letters, greedy", "lifts single letters by the gain it predicts for the next purchase alone"),
    "one_shot": ("Letters, one shot", "ranks all letters before anything is bought, and never looks again"),
    "anytime": ("Letters, anytime", "has a policy of its own for each step"),
    "myopic": ("Letters, least sure", "lifts the letters whose reading is least sure"),
    "uniform": ("Letters, at random", "lifts random letters, all to the next tier before any to the last"),
}
"""Methods of the pages: what a menu calls them, and one sentence."""

WORD_METHODS = ("dms", "fixed")
TRACED = ("dms_pi", "greedy", "one_shot", "anytime")
"""Methods that the Policy page puts side by side."""

TIER_SHORT = ("pixels", "coarse", "fine")
TIER_NAMES = ("pixels only", "+ coarse edges (HoG, cells of 3 pixels)", "+ fine edges (HoG, cells of 2)")
MAX_WORDS = 200
_STORED = {"one_shot": "one-shot, parsimonious, complex"}


def compare(model, words, extractor="library"):
    """What every method buys on a batch.

    Parameters
    ----------
    model : BudgetModel
    words : sequence of int
        Test words, 0 .. W - 1 of the model's fold; 1 to 200.
    extractor : {"library", "fast"}

    Returns
    -------
    TradeOff

    Raises
    ------
    ArgumentError
        If words or extractor are none of these.
    """
    words, feature_us = _checked(model, words, extractor)
    parts, rows = part_policy.some_chains(model.parts, words)
    every_us = np.broadcast_to(feature_us, (len(rows), N_TIERS - 1))
    methods = []
    for name in LABELS:
        if name in WORD_METHODS:
            methods.append(_dms(model, name, parts, rows, words, every_us))
        else:
            how = _rule(model, name, rows)
            methods.append(single_parts((name, *LABELS[name]), parts, how, every_us, data.ALPHABET))
    plain = model.plain_labels[:, rows]
    lengths = np.diff(parts.starts)
    queue = methods[0]
    return TradeOff(
        task="words",
        chain_ids=model.fold.test.words[words],
        truths=_spelled(model.fold.test.labels[rows], parts.starts),
        alphabet="".join(data.ALPHABET),
        faults=parts.loss.astype(np.uint8),
        pixels=data.load_words().pixels[data.rows_of(data.load_words(), model.fold.test.words[words])[0]],
        arms=None,
        tier_names=TIER_NAMES,
        tier_short=TIER_SHORT,
        full_units=float((N_TIERS - 1) * len(rows)),
        full_us=float(feature_us.sum() * len(rows)) + queue.base_us,
        hand_base_units=0.0,
        hand_base_us=queue.base_us,
        hand_units=np.vstack([np.zeros(len(words)), np.tile(lengths, (N_TIERS - 1, 1))]).astype(float),
        hand_us=by_hand(queue, N_TIERS, len(words)),
        hand_readings=tuple(_spelled(labels, parts.starts) for labels in plain),
        methods=tuple(methods),
    )


def trace_word(model, word, *, q=0.0, extractor="library", methods=TRACED):
    """One word under several policies, letter by letter.

    Parameters
    ----------
    model : BudgetModel
    word : int
        Test word of the model's fold.
    q : float
        Tolerance of quiescent inference, 0 (exact) to below 1.
    extractor : {"library", "fast"}
    methods : sequence of str
        Letter-level names of `LABELS`.

    Returns
    -------
    PolicyWord

    Raises
    ------
    ArgumentError
        If an argument is unknown or out of range.
    """
    words, feature_us = _checked(model, [word], extractor)
    q = checks.fraction("q", q, below_one=True)
    parts, rows = part_policy.some_chains(model.parts, words)
    start, stop = data.load_words().starts[model.fold.test.words[word] :][:2]
    traces = tuple(_trace(model, name, parts, rows, q, feature_us) for name in methods)
    return PolicyWord(
        word_id=int(model.fold.test.words[word]),
        truth=_spelled(model.fold.test.labels[rows], parts.starts)[0],
        pixels=data.load_words().pixels[start:stop],
        tier_names=TIER_NAMES,
        full_units=float((N_TIERS - 1) * len(rows)),
        full_us=float(feature_us.sum() * len(rows)) + traces[0].us[0],
        traces=traces,
    )


def word_list(model):
    """Test words of the model's fold: list of dict with ``word_id``, ``text`` and ``index``."""
    words = data.load_words()
    return [
        {"word_id": int(w), "text": words.text(w), "index": i} for i, w in enumerate(model.fold.test.words)
    ]


def draw(model, n_words, seed):
    """A random batch of test words."""
    n = checks.integer("n_words", n_words, 1, min(MAX_WORDS, len(model.fold.test.words)))
    rng = np.random.default_rng(checks.integer("seed", seed, 0, 2**31))
    return rng.choice(len(model.fold.test.words), n, replace=False)


def warmup(models):
    """Compile what the budget pages call, on one word of the stored models, if there are any."""
    with contextlib.suppress(StoreError):
        model = budget_models.load(models)
        compare(model, [0])
        trace_word(model, 0)


def _checked(model, words, extractor):
    if extractor not in EXTRACTORS:
        raise ArgumentError(f"extractor must be one of {', '.join(EXTRACTORS)}, got {extractor!r:.60}")
    words = checks.whole_numbers("words", words, 0, len(model.fold.test.words) - 1)
    if not 1 <= len(words) <= MAX_WORDS:
        raise ArgumentError(f"words must be 1 to {MAX_WORDS} test words, got {len(words)}")
    return words, np.asarray(model.costs[EXTRACTORS[extractor]], dtype=np.float64)


def _spelled(labels, starts):
    return spelled(labels, starts, data.ALPHABET)


def _rule(model, name, rows, q=0.0):
    weights = {"dms_pi": model.beta, "greedy": model.myopic}
    if name in weights:
        return part_policy.rule(weights[name], q=q)
    return part_policy.rule(fixed=model.fixed[_STORED.get(name, name)][rows], q=q)


def _dms(model, name, parts, rows, words, feature_us):
    values = model.dms_values[words]
    if name == "fixed":
        values = np.broadcast_to(-np.arange(N_TIERS - 1.0), values.shape)
    unary = np.ascontiguousarray(model.fold.test.plain[rows, 0].astype(np.float64))
    pairs, lengths = model.fold.test_pairs[0, 0], np.diff(parts.starts)

    def read():
        return chain_meta(unary, lengths, pairs, model.fold.seen)

    labels = model.plain_labels[:, rows]
    return whole_chains((name, *LABELS[name]), values, feature_us, parts.starts, labels, read, data.ALPHABET)


def _trace(model, name, parts, rows, q, feature_us):
    course, base_us, step_us = timed_course(parts, _rule(model, name, rows, q))
    n, length = len(course.part), len(parts.scores)
    tiers = np.zeros((n + 1, length), dtype=np.int64)
    for s in range(n):
        tiers[s + 1] = tiers[s]
        tiers[s + 1, course.part[s]] = course.tier[s]
    values = np.concatenate([course.all_values, np.full((1, length), -np.inf)])
    labels = np.concatenate([course.labels_before[None], course.all_labels])
    here = np.concatenate([[-1], course.part])
    reached = [np.concatenate([[-1], ends]) for ends in (course.last, course.first)]
    forward, backward = (
        np.stack([np.where(here != ends, here, -1), np.where(here != ends, ends, -1)], axis=1)
        for ends in reached
    )
    return PolicyTrace(
        name,
        *LABELS[name],
        tiers=tiers,
        readings=tuple(_spelled(row, parts.starts)[0] for row in labels),
        values=np.where(np.isfinite(values), values, np.nan),
        position=course.part,
        units=np.concatenate([[0.0], np.cumsum(course.cost)]),
        us=base_us + np.concatenate([[0.0], np.cumsum(feature_us[course.tier - 1] + step_us)]),
        forward=forward,
        backward=backward,
        messages=np.concatenate([[0], np.cumsum(course.messages)]),
        full_messages=2 * length * np.arange(n + 1),
    )
