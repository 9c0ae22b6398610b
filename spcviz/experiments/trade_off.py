"""What the pages show: one budget over a batch of words by any method, one word purchase by purchase."""

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError
from spcviz.engine.quiescent import fill_messages
from spcviz.experiments import policy_ocr
from spcviz.experiments.budget_models import COST_KINDS
from spcviz.experiments.budget_ocr import N_TIERS
from spcviz.learning import expansion
from spcviz.results import PolicyTrace, TradeOff, TradeOffCurve

WORD_METHODS = ("dms", "fixed")
"""Methods that lift whole words and read them with the plain models."""

LETTER_METHODS = (
    "dms-pi", "dms-pi, as printed", "greedy", "imitation", "one-shot, trajectory, simple",
    "one-shot, trajectory, complex", "one-shot, parsimonious, simple", "one-shot, parsimonious, complex",
    "anytime", "myopic", "uniform", "random",
)  # fmt: skip
"""Methods that lift letters and read words with the tiered model."""

METHODS = WORD_METHODS + LETTER_METHODS


def trade_off(model, method, budget, cost_kind="units", words=None, *, q=0.0, scale="range"):
    """Spend one budget on a batch of test words.

    Parameters
    ----------
    model : BudgetModel
    method : str
        One of `METHODS`.
    budget : float
        For the batch, in the cost's unit; infinity buys everything.
    cost_kind : {"units", "us", "us_fast"}
        Of features only: policy and inference have no price here.
    words : sequence of int, optional
        Which test words, 0 .. W - 1; all if None.
    q : float
        Tolerance of quiescent inference; letter-level methods only.
    scale : {"range", "margin"}

    Returns
    -------
    TradeOff

    Raises
    ------
    ArgumentError
        If an argument is unknown or out of range.
    """
    words, costs, parts = _asked(model, method, cost_kind, words)
    budget = expansion.checked_budget(budget)
    if method in WORD_METHODS:
        rows = _rows(model, words)
        bought = _expand(model, method, words, costs, budget)
        word_tier = np.bincount(bought.example, minlength=len(words))
        tiers = np.repeat(word_tier, np.diff(parts.starts))
        labels = model.plain_labels[tiers, rows]
    else:
        course = policy_ocr.spend(parts, _rule(model, method, words, q, scale), budget, costs)
        tiers, labels = course.tiers, course.labels
    return _result(method, cost_kind, budget, parts, costs, tiers, labels)


def by_hand(model, tiers, cost_kind="units", words=None, *, level="letter"):
    """Score tiers that somebody has chosen.

    Parameters
    ----------
    model : BudgetModel
    tiers : array_like of int, shape (R,) or (W,) at level "word"
        Of the words' letters, one word after the other.
    cost_kind : {"units", "us", "us_fast"}
    words : sequence of int, optional
    level : {"letter", "word"}
        Whom it is compared with: words are read by the plain models, letters by the tiered one.

    Returns
    -------
    TradeOff
        ``budget`` is what the choice costs.
    """
    method = {"letter": "dms-pi", "word": "dms"}.get(level)
    if method is None:
        raise ArgumentError(f"level must be letter or word, got {level!r:.60}")
    words, costs, parts = _asked(model, method, cost_kind, words)
    n = len(words) if level == "word" else len(parts.truth)
    tiers = checks.states("tiers", tiers, n, N_TIERS)
    if level == "word":
        tiers = np.repeat(tiers, np.diff(parts.starts))
        labels = model.plain_labels[tiers, _rows(model, words)]
    else:
        labels = _read(parts, tiers)
    result = _result("by hand", cost_kind, np.inf, parts, costs, tiers, labels)
    return result._replace(budget=result.spent)


def trade_off_curve(model, method, cost_kind="units", words=None, *, q=0.0, scale="range"):
    """A method's course from nothing to everything on a batch of words; arguments as in `trade_off`.

    Returns
    -------
    TradeOffCurve
    """
    words, costs, parts = _asked(model, method, cost_kind, words)
    n = len(parts.truth)
    if method in WORD_METHODS:
        rows = _rows(model, words)
        wrong = np.add.reduceat(model.plain_labels[:, rows] != parts.truth, parts.starts[:-1], axis=1)
        bought = _expand(model, method, words, costs, np.inf)
        curve = expansion.curve_of(bought, wrong.T)
        lifted = np.zeros((len(bought.tier) + 1, N_TIERS - 1))
        lifted[np.arange(1, len(lifted)), bought.tier - 1] = np.diff(parts.starts)[bought.example]
    else:
        course = policy_ocr.spend(parts, _rule(model, method, words, q, scale), np.inf, costs)
        wrong = (course.labels_before != parts.truth).sum()
        curve = expansion.Curve(
            np.concatenate([[0.0], np.cumsum(course.cost)]),
            wrong - np.concatenate([[0], np.cumsum(course.gain)]),
        )
        lifted = np.zeros((len(course.tier) + 1, N_TIERS - 1))
        lifted[np.arange(1, len(lifted)), course.tier - 1] = 1
    reached = 100 * np.cumsum(lifted, axis=0) / n
    whole = np.concatenate([np.full((len(reached), 1), 100.0), reached, np.zeros((len(reached), 1))], axis=1)
    return TradeOffCurve(method, cost_kind, curve.cost, 100 * curve.loss / n, whole[:, :-1] - whole[:, 1:])


def trace_policy(model, word, method, budget=np.inf, cost_kind="units", *, q=0.0, scale="range"):
    """One word, letter by letter: what was seen, bought, passed on and predicted.

    Parameters
    ----------
    model : BudgetModel
    word : int
        Test word.
    method : str
        One of `LETTER_METHODS`.
    budget, cost_kind, q, scale
        As in `trade_off`, for this word alone.

    Returns
    -------
    PolicyTrace

    Raises
    ------
    ArgumentError
        If an argument is unknown or out of range.
    """
    if method not in LETTER_METHODS:
        raise ArgumentError(f"method must be one of {', '.join(LETTER_METHODS)}, got {method!r:.60}")
    words, costs, parts = _asked(model, method, cost_kind, [word])
    how = _rule(model, method, words, q, scale)
    course = policy_ocr.spend(parts, how, budget, costs, keep_all=True)
    # Values after the last purchase: what one more would have seen.
    whole = policy_ocr.spend(parts, how, np.inf, costs, keep_all=True)
    n_steps, length = len(course.part), len(parts.truth)
    tiers = np.zeros((n_steps + 1, length), dtype=np.int64)
    for s in range(n_steps):
        tiers[s + 1] = tiers[s]
        tiers[s + 1, course.part[s]] = course.tier[s]
    is_last = n_steps < len(whole.part)
    after = whole.all_values[n_steps : n_steps + 1] if is_last else np.full((1, length), -np.inf)
    values = np.concatenate([course.all_values, after])
    margins = np.array([_margins(parts, state) for state in tiers])
    return PolicyTrace(
        method,
        cost_kind,
        parts.truth,
        np.concatenate([course.labels_before[None], course.all_labels]),
        tiers,
        np.where(np.isfinite(values), values, np.nan),
        margins,
        course.part,
        np.concatenate([[0.0], np.cumsum(course.cost)]),
        course.messages,
        course.first,
        course.last,
    )


def _asked(model, method, cost_kind, words):
    """(test words, costs of a letter's tiers, their parts), checked."""
    if method not in METHODS:
        raise ArgumentError(f"method must be one of {', '.join(METHODS)}, got {method!r:.60}")
    if cost_kind not in COST_KINDS:
        raise ArgumentError(f"cost_kind must be one of {', '.join(COST_KINDS)}, got {cost_kind!r:.60}")
    n = len(model.parts.model)
    words = np.arange(n) if words is None else checks.whole_numbers("words", words, 0, n - 1)
    if len(words) == 0:
        raise ArgumentError("words must not be empty")
    return words, np.asarray(model.costs[cost_kind], dtype=np.float64), _parts(model, words)


def _rows(model, words):
    starts = model.parts.starts
    return np.concatenate([np.arange(starts[w], starts[w + 1]) for w in words])


def _parts(model, words):
    rows, parts = _rows(model, words), model.parts
    lengths = np.diff(parts.starts)[words]
    return parts._replace(
        scores=np.ascontiguousarray(parts.scores[rows]),
        model=parts.model[words],
        starts=np.concatenate([[0], np.cumsum(lengths)]),
        truth=parts.truth[rows],
    )


def _rule(model, method, words, q, scale):
    q = checks.fraction("q", q, below_one=True)
    weights = {"dms-pi": model.beta, "dms-pi, as printed": model.beta, "greedy": model.myopic}
    weights |= {"imitation": model.imitation}
    if method in weights:
        return policy_ocr.rule(weights[method], refreshed="printed" not in method, q=q, scale=scale)
    return policy_ocr.rule(fixed=model.fixed[method][_rows(model, words)], q=q, scale=scale)


def _expand(model, method, words, costs, budget):
    """Algorithm 3; "fixed" lifts all words tier by tier in order."""
    lengths = np.diff(model.parts.starts)[words]
    values = model.dms_values[words]
    if method == "fixed":
        values = np.broadcast_to(-np.arange(N_TIERS - 1.0), values.shape)
    return expansion.expand(values, lengths[:, None] * costs, budget)


def _messages(parts, tiers):
    unary = np.ascontiguousarray(parts.scores[np.arange(len(tiers)), tiers])
    forward, backward = np.empty_like(unary), np.empty_like(unary)
    for w, m in enumerate(parts.model):
        a, b = parts.starts[w : w + 2]
        tables = parts.pairwise[m : m + 1], parts.transposed[m : m + 1]
        fill_messages(unary[a:b], *tables, forward[a:b], backward[a:b])
    return forward + backward


def _read(parts, tiers):
    return _messages(parts, tiers).argmax(axis=1)


def _margins(parts, tiers):
    two = np.partition(_messages(parts, tiers), -2, axis=1)
    return two[:, -1] - two[:, -2]


def _result(method, cost_kind, budget, parts, costs, tiers, labels):
    total = np.concatenate([[0.0], np.cumsum(costs)])
    right = labels == parts.truth
    word_cost = np.add.reduceat(total[tiers], parts.starts[:-1])
    word_right = np.logical_and.reduceat(right, parts.starts[:-1])
    everything = float(total[-1] * len(tiers))
    spent, error = float(word_cost.sum()), 100 * float(1 - right.mean())
    return TradeOff(
        method, cost_kind, budget, spent, parts.starts, tiers, labels, parts.truth, word_cost, word_right,
        error, everything,
    )  # fmt: skip
