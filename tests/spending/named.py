"""Tokens with named features in three tiers, the estimators that buy them, and a comparison of two."""

from functools import cache

import numpy as np
import pytest

from spcviz.spending import BudgetedTagger, EnvelopeTagger, FeatureTiers, ModelSelector

KEYS = (["suffix", "shape"], ["word", "length"], ["affixes", "around"])


NAMES, COSTS = ("cheap", "dear", "dearest"), (0, 1, 4)


MADE = {
    "tagger": lambda tiers, seed=0: BudgetedTagger(tiers, max_iter=2, cv=2, random_state=seed),
    "selector": lambda tiers, seed=0: ModelSelector(tiers, max_iter=2, cv=2, random_state=seed),
    "envelope": lambda tiers, seed=0: EnvelopeTagger(tiers, max_iter=2, cv=2, random_state=seed),
}


every = pytest.mark.parametrize("kind", MADE)


def words(n, seed=0):
    """(X, y): tokens as dicts of texts, numbers, booleans, lists of texts and dicts; some items are empty."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for i in range(n):
        labels = rng.integers(0, 3, 0 if i % 9 == 4 else int(rng.integers(1, 7))).tolist()
        tokens = []
        for label in labels:
            near = int((label + (rng.random() < 0.4)) % 3)
            stem = f"w{label}{rng.integers(5)}"
            tokens.append(
                {
                    "suffix": f"s{near}",
                    "shape": bool(rng.random() < 0.5),
                    "word": stem,
                    "length": float(np.round(rng.normal(), 3)) if rng.random() < 0.7 else 0,
                    "affixes": [stem[:2], stem[-1], f"x{rng.integers(9)}"],
                    "around": {"before": f"b{rng.integers(4)}", "is_last": label == 2, "n": int(label)},
                    "unused": "nothing",
                }
            )
        X.append(tokens)
        y.append(["ABC"[label] for label in labels])
    return X, y


def listed(x, keys):
    """Tokens as lists of texts, from texts and lists of texts; numbers are left out."""
    return [
        [f"{key}={token[key]}" for key in keys if isinstance(token[key], str)]
        + [f"{key}={text}" for key in keys if isinstance(token[key], list) for text in token[key]]
        for token in x
    ]


def by_function(keys, form, batch):
    def tokens(x, positions):
        some = [x[p] for p in positions]
        if form == "dicts":
            return [{key: token[key] for key in token if key in keys} for token in some]
        return listed(some, keys)

    if batch:
        return lambda items, positions: [tokens(x, p) for x, p in zip(items, positions)]
    return tokens


def assert_same(one, other, X, others, y, budgets):
    """Two estimators buy the same and read the same, to the last digit."""
    for budget in budgets:
        got, want = one.spend(X, budget), other.spend(others, budget)
        assert got.cost == want.cost
        assert [a.tolist() for a in got.tiers] == [a.tolist() for a in want.tiers]
        assert [a.tolist() for a in got.labels] == [a.tolist() for a in want.labels]
    for rate in (0.3, 2.0):
        assert one.spend(X, rate=rate).cost == other.spend(others, rate=rate).cost
    curves = one.curve(X, y, budgets), other.curve(others, y, budgets)
    for name in curves[0]._fields:
        assert np.array_equal(getattr(curves[0], name), getattr(curves[1], name))


@cache
def fitted(kind):
    return MADE[kind](FeatureTiers(NAMES, KEYS, COSTS)).fit(*words(16))
