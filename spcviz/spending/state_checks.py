"""Check estimator states that come from outside, before they are used to index anything."""

from typing import Any

import numpy as np

from spcviz.engine import checks
from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.learning.budgets.chains.actions import ACTION_FEATURES
from spcviz.learning.budgets.chains.meta import META
from spcviz.learning.budgets.chains.tiered import Tiered
from spcviz.learning.budgets.selector import Selector
from spcviz.sequences import states
from spcviz.sequences.feature_names import key_of
from spcviz.sequences.states import Texts, checked_names
from spcviz.spending.policies import MOST_LABELS, Policy

N_GRAMS = META.index("new 3-grams")
"""Meta-features from this index on are counts; each also enters as whether it is above 0."""


def check_common(state: Any) -> None:
    """Refuse settings, tiers or counts that neither kind of estimator could have stored."""
    states.check_classes("classes", state.classes, 2, MOST_LABELS)
    checks.integer("passes", state.passes, 1, 10_000)
    checks.integer("folds", state.folds, 2, 2**31)
    if state.random_state is not None:
        checks.integer("random_state", state.random_state, 0, 2**128)
    tiers, n = state.tiers, len(state.tiers.names)
    if not isinstance(tiers.columns, tuple) or len(tiers.columns) != n:
        raise ShapeError(f"tiers.columns has {len(tiers.columns)} tiers; tiers.names has {n}")
    states.check_table("tiers.costs", tiers.costs, (n - 1,))
    for t, columns in enumerate(tiers.columns):
        states.check_table(f"tiers.columns[{t}]", columns, (np.size(columns),), "i8")
    states.check_table("tiers.widths", tiers.widths, (n,), "i8")
    _check_names(tiers, n)
    # A tier without columns has keys or a function: it stores only the number of its features.
    widths = [len(columns) or max(int(width), 1) for columns, width in zip(tiers.columns, tiers.widths)]
    if tiers.widths.tolist() != widths:
        raise ArgumentError(f"tiers.widths must be {widths}, those of tiers.columns, got {tiers.widths}")
    checks.integer("tiers.widths, all together", int(tiers.widths.sum()), 1, 2**31 - 1)
    states.check_positive("scales", state.scales, (n,))
    _check_seen(state.seen)


def _check_names(tiers: Any, n: int) -> None:
    """Check feature names and their keys: a tier has columns, or named features, or a function."""
    for field in ("features", "keys"):
        each = getattr(tiers, field)
        if not isinstance(each, tuple) or len(each) not in (0, n) or len(each) != len(tiers.features):
            raise ShapeError(
                f"tiers.{field} must be of {n} tiers, or both it and features empty, got {each!r:.60}"
            )
    for t, (keys, texts) in enumerate(zip(tiers.keys, tiers.features)):
        if not isinstance(keys, tuple) or not all(isinstance(key, str) and key for key in keys):
            raise ArgumentError(f"tiers.keys[{t}] must be texts, got {keys!r:.60}")
        if texts is None:
            if keys:
                raise ArgumentError(
                    f"tiers.features[{t}] must be the names of features of {keys!r:.60}, got None"
                )
            continue
        if not isinstance(texts, Texts):
            raise ArgumentError(f"tiers.features[{t}] must be Texts or None, got {texts!r:.60}")
        if len(tiers.columns[t]):
            raise ArgumentError(f"tiers.columns[{t}] must be empty where features have names")
        names = checked_names(*texts)
        if int(tiers.widths[t]) != len(names):
            raise ShapeError(f"tiers.widths[{t}] is {tiers.widths[t]}; tiers.features[{t}] has {len(names)}")
        for name in names if keys else ():
            if key_of(name) not in keys:
                raise ArgumentError(
                    f"tiers.features[{t}] must be of tiers.keys[{t}], {keys!r:.60}, got {name!r:.60}"
                )


def _check_seen(seen: Any) -> None:
    """Check a hash table of codes; a search for a missing code needs a free place to stop at."""
    size = np.shape(seen)[0] if np.ndim(seen) else 0
    states.check_table("seen", seen, (size,), "i8")
    if size & (size - 1) or not size:
        raise ShapeError(f"seen has shape {np.shape(seen)}; it needs a power of two")
    if seen.min() < 0 or seen.min() > 0:
        raise ArgumentError("seen must hold codes from 1 and free places, 0; got none free or a negative one")


def check_tiered(name: str, model: Tiered, edges: np.ndarray, n_states: int) -> None:
    """Refuse a chain model for other tiers or labels."""
    states.check_table(f"{name}.edges", model.edges, (len(edges),), "i8")
    if model.edges.tolist() != list(edges):
        raise ArgumentError(f"{name}.edges must be {list(map(int, edges))}, got {model.edges.tolist()}")
    states.check_table(f"{name}.weights", model.weights, (int(np.sum(edges)), n_states))
    states.check_table(f"{name}.pairwise", model.pairwise, (n_states, n_states))


def check_policy(policy: Policy, key: str, n_tiers: int, n_states: int) -> None:
    """Refuse parameters that were learned for another policy, or for other tiers or labels."""
    if policy.key != key:
        raise ArgumentError(f"learned.key must be policy, {key!r}, got {policy.key!r:.60}")
    n_seen, n_more = len(ACTION_FEATURES), n_tiers - 1
    states.check_flag("learned.per_cost", policy.per_cost)
    checks.integer("learned.seed", policy.seed, 0, 2**32 - 1)
    wanted = {"one_shot": "one_shot", "anytime": "anytime"}.get(key, "beta")
    wanted = "" if key in ("myopic", "uniform", "random") else wanted
    for field in ("beta", "one_shot", "anytime"):
        if (getattr(policy, field) is None) == (field == wanted):
            rule = "there" if field == wanted else "None"
            raise ArgumentError(f"learned.{field} must be {rule} where policy is {key!r}")
    if policy.beta is not None:
        states.check_table("learned.beta", policy.beta, (n_more, n_seen))
    if policy.one_shot is not None:
        shot, width = policy.one_shot, n_states + n_seen
        states.check_table("learned.one_shot.weights", shot.weights, (n_more, width))
        states.check_table("learned.one_shot.constant", shot.constant, (n_more,))
        states.check_table("learned.one_shot.mean", shot.mean, (width,))
        states.check_positive("learned.one_shot.scale", shot.scale, (width,))
    if policy.anytime is not None:
        weights = policy.anytime.weights
        n_steps = max(np.shape(weights)[0] if np.ndim(weights) else 0, 1)
        states.check_table("learned.anytime.weights", weights, (n_steps, n_seen))


def check_selector(selector: Selector, n_tiers: int) -> None:
    """Refuse a selector for other tiers or meta-features."""
    width = 2 * (2 * len(META) - N_GRAMS)  # of a model, and their differences from the model before it
    states.check_table("selector.beta", selector.beta, (n_tiers - 1, width + 1))
    states.check_table("selector.mean", selector.mean, (n_tiers - 1, width))
    states.check_positive("selector.scale", selector.scale, (n_tiers - 1, width))
    checks.number("selector.penalty", selector.penalty, 0)
