"""DMS-pi on handwriting, letter by letter and word by word: thesis Fig. 7.3."""

import numpy as np

from spcviz.engine.chain import max_marginals_batch
from spcviz.engine.ngrams import symbol_bits
from spcviz.engine.quiescent import is_margin, transposed_tables
from spcviz.experiments import budget_ocr, dms_ocr
from spcviz.experiments.budget_ocr import N_TIERS
from spcviz.learning import expansion, q_policy, selector
from spcviz.learning.chain_parts import ACTION_FEATURES, Course, Parts, Rule, run
from spcviz.tasks import ocr

TOLERANCES = (0.0, 0.1, 0.25, 0.5, 0.75)
"""q of quiescent inference."""

IMITATED_BUDGETS = (0.05, 0.1, 0.2, 0.4)
"""Shares of a word's features that the imitation baseline may be told to copy."""

_NONE = np.zeros((0, 0))


def parts_of(fold, half_name, scale=None):
    """The letters of a fold's "train" or "test" words as parts with tiers.

    Parameters
    ----------
    fold : Fold
    half_name : {"train", "test"}
    scale : float, optional
        Margins are compared with it; the median margin at tier 0 if None.

    Returns
    -------
    Parts
    """
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    pairwise = np.ascontiguousarray(pairs[:, -1])
    scores = half.tiered.astype(np.float64)
    if scale is None:
        margins = []
        for p in range(len(pairs)):
            words, rows = budget_ocr.rows_of_part(half, p)
            unary = np.ascontiguousarray(scores[rows, 0])
            table = np.sort(max_marginals_batch(unary, half.lengths[words], pairwise[p]).unary, axis=1)
            margins.append(table[:, -1] - table[:, -2])
        scale = float(np.median(np.concatenate(margins)))
    return Parts(
        scores,
        pairwise,
        transposed_tables(pairwise),
        half.part.astype(np.int64),
        half.starts,
        half.labels,
        fold.seen,
        max(scale, 1e-9),
        symbol_bits(ocr.N_STATES),
    )


def some_words(parts, chosen):
    """The parts of some words."""
    lengths = np.diff(parts.starts)
    is_row = np.repeat(np.isin(np.arange(len(lengths)), chosen), lengths)
    return parts._replace(
        scores=np.ascontiguousarray(parts.scores[is_row]),
        model=parts.model[chosen],
        starts=np.concatenate([[0], np.cumsum(lengths[chosen])]),
        truth=parts.truth[is_row],
    )


def rule(beta=None, *, fixed=None, refreshed=True, all_at_once=False, q=0.0, scale="range"):
    """A `Rule` from weights of actions, or from fixed values of shape (R, T - 1)."""
    beta = np.zeros((N_TIERS - 1, len(ACTION_FEATURES))) if beta is None else np.ascontiguousarray(beta)
    fixed = _NONE if fixed is None else np.ascontiguousarray(fixed, dtype=np.float64)
    return Rule(beta, fixed, refreshed, all_at_once, float(q), is_margin(scale))


def spend(parts, how, budget=np.inf, costs=None, *, keep_features=False, keep_all=False):
    """Algorithm 5 on a batch.

    Parameters
    ----------
    parts : Parts
    how : Rule
    budget : float
        For the whole batch.
    costs : array_like, shape (R, T - 1) or (T - 1,), optional
        Incremental; one unit a tier if None.

    Returns
    -------
    Course

    Raises
    ------
    ArgumentError, ShapeError, ScoreError
        If the budget is negative or NaN, or the costs do not fit.
    """
    shape = (len(parts.scores), parts.scores.shape[1] - 1)
    costs = expansion.checked_costs(np.ones(shape[1]) if costs is None else costs, shape)
    budget = expansion.checked_budget(budget)
    return Course(*run(parts, how, costs, budget, keep_features, keep_all))


def steps_of(parts, course):
    """A course of whole words as trajectories, word by word."""
    word = np.searchsorted(parts.starts, course.part, side="right") - 1
    order = np.argsort(word, kind="stable")
    starts = np.searchsorted(word[order], np.arange(len(parts.starts)))
    return q_policy.Steps(
        course.features[order], course.tier[order] - 1, course.gain[order].astype(np.float64), starts
    )


def curve(parts, course):
    """(share of all features bought, errors) after each step, from 0 on."""
    wrong = (course.labels_before != parts.truth).sum()
    total = len(parts.truth) * (N_TIERS - 1)
    cost = np.concatenate([[0.0], np.cumsum(course.cost)])
    return expansion.Curve(cost / total, wrong - np.concatenate([[0], np.cumsum(course.gain)]))


def train(parts, rng):
    """Policies of a fold's training words.

    Parameters
    ----------
    parts : Parts
        Read by models that have not seen the words.
    rng : numpy.random.Generator

    Returns
    -------
    QPolicy, ndarray, ndarray
        The policy; weights of the imitation baseline, (T - 1, D); the words left for development.
    """
    n = len(parts.model)
    is_dev = rng.permutation(n) % 3 == 0
    learn, dev = some_words(parts, np.flatnonzero(~is_dev)), some_words(parts, np.flatnonzero(is_dev))
    noise = rng.random((len(learn.truth), N_TIERS - 1))

    def roll_out(beta):
        how = rule(fixed=noise) if beta is None else rule(beta)
        return steps_of(learn, spend(learn, how, keep_features=True))

    def judge(beta):
        return badness(curve(dev, spend(dev, rule(beta))))

    policy = q_policy.train_policy(roll_out, judge)
    steps = roll_out(policy.myopic)
    costs = np.ones(len(steps.tier))
    imitators = [q_policy.fit_bought_early(steps, costs, share) for share in IMITATED_BUDGETS]
    return policy, min(imitators, key=judge), np.flatnonzero(is_dev)


def badness(points):
    """Mean errors over shares from 1 to 100 %, cheap ones as much as dear ones (evenly in log share)."""
    return float(expansion.at_cost(points, np.geomspace(0.01, 1.0, 40)).mean())


def chosen_budgets(parts, how):
    """Shares found on development words: for the error of all features, and for the least error.

    Returns
    -------
    dict of str to float
    """
    points = curve(parts, spend(parts, how))
    return {
        "final_error": expansion.least_cost(points, points.loss[-1]),
        "least_error": float(points.cost[np.argmin(points.loss)]),
    }


def rules(policy, imitation, parts, rng):
    """Letter-level methods: name to (Rule, whether its budget is chosen on development words)."""
    noise = rng.random((len(parts.truth), N_TIERS - 1))
    by_tiers = noise - np.arange(N_TIERS - 1)
    return {
        "q-learning": rule(policy.beta),
        "q-learning, as printed": rule(policy.beta, refreshed=False),
        "greedy": rule(policy.myopic),
        "greedy, as printed": rule(policy.myopic, refreshed=False),
        "imitation": rule(imitation),
        "all tiers at once": rule(policy.beta, all_at_once=True),
        "random": rule(fixed=noise),
        "uniform by tiers": rule(fixed=by_tiers),
    }


def curves(fold, rng):
    """Curves of all policies on the test words of a fold, letters and words.

    Returns
    -------
    list of dict
        ``method``, ``level``, ``q``, ``scale``, ``share`` and ``error`` (S + 1,), ``tiers`` (S + 1, T - 1)
        share of letters lifted to each tier, ``messages`` share of a full pass, ``chosen`` shares.
    """
    train_parts = parts_of(fold, "train")
    test_parts = parts_of(fold, "test", train_parts.scale)
    policy, imitation, dev = train(train_parts, rng)
    dev_parts = some_words(train_parts, dev)
    out = []
    dev_rules = rules(policy, imitation, dev_parts, rng)
    for name, how in rules(policy, imitation, test_parts, rng).items():
        asked = TOLERANCES if name in ("q-learning", "greedy") else TOLERANCES[:1]
        for scale in ("range", "margin"):
            for q in asked:
                if scale == "margin" and (q == 0 or name != "q-learning"):
                    continue
                here = how._replace(tolerance=q, by_margin=is_margin(scale))
                row = {"method": name, "level": "letter", "q": q, "scale": scale}
                row |= points(test_parts, spend(test_parts, here))
                if q == 0.0:
                    row["chosen"] = chosen_budgets(dev_parts, dev_rules[name])
                out.append(row)
    out += _word_level(fold, policy.gamma, rng)
    about = {"gamma": policy.gamma, "alpha": policy.alpha, "penalty": policy.penalty}
    return out, about


def points(parts, course):
    points = curve(parts, course)
    lifted = np.zeros((len(course.part) + 1, N_TIERS - 1))
    before = np.concatenate([[0], course.tier])[1:] - 1
    for t in range(N_TIERS - 1):
        reached = course.tier == t + 1 if not _jumps(course) else np.ones(len(before), dtype=bool)
        lifted[1:, t] = np.cumsum(reached) / len(parts.truth)
    length = np.diff(parts.starts)[np.searchsorted(parts.starts, course.part, side="right") - 1]
    return {
        "share": points.cost,
        "error": 100 * points.loss / len(parts.truth),
        "tiers": lifted,
        "messages": float(course.messages.sum() / (2 * length).sum()) if len(length) else 0.0,
    }


def _jumps(course):
    return len(course.tier) > 0 and course.tier.min() > 1


def _word_level(fold, gamma, rng):
    """Word-level actions of the tiered model: values of the next step, and values with what may follow."""
    looked = {name: look_tiered(fold, name) for name in ("train", "test")}
    train_look, test_look = looked["train"], looked["test"]
    parts = rng.integers(0, 5, len(train_look.losses))
    gains = dms_ocr.values_of(train_look.losses)
    starts = np.arange(len(gains) + 1) * gains.shape[1]
    targets = {
        "greedy": gains,
        "q-learning": q_policy.q_values(gains.ravel(), starts, 1.0).reshape(gains.shape),
    }
    lengths, out = fold.test.lengths, []
    for name, target in targets.items():
        fitted = selector.fit_selector(train_look.meta, target, parts)
        values = selector.predict_values(fitted, test_look.meta)
        bought = expansion.expand(values, dms_ocr.COSTS)
        share = np.zeros((len(bought.example) + 1, N_TIERS - 1))
        share[np.arange(1, len(share)), bought.tier - 1] = lengths[bought.example] / lengths.sum()
        share = np.cumsum(share, axis=0)
        error = 100 * expansion.curve_of(bought, test_look.losses).loss / lengths.sum()
        row = {"method": name, "level": "word", "q": 0.0, "scale": "range", "messages": 1.0}
        out.append(row | {"share": share.mean(axis=1), "error": error, "tiers": share})
    return out


def look_tiered(fold, half_name):
    """`dms_ocr.look` for the tiered model, whole words at one tier."""
    half, pairs = getattr(fold, half_name), getattr(fold, f"{half_name}_pairs")
    as_plain = half._replace(plain=half.tiered)
    same = np.repeat(pairs[:, -1:], N_TIERS, axis=1)
    swapped = fold._replace(**{half_name: as_plain, f"{half_name}_pairs": same})
    return dms_ocr.look(swapped, half_name)
