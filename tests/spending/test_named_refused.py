"""Named features that are mixed, unknown or of another form are refused by name."""

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError, ScoreError, ShapeError
from spcviz.spending import FeatureTiers
from tests.spending.named import COSTS, KEYS, MADE, NAMES, every, fitted, words

X, Y = words(12)


PLAIN = [np.zeros((len(y), 4)) for y in Y]


BAD = {
    "a key that none has": (
        (KEYS[0], ["word", "lenght"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[1\] must name keys of X's tokens, got 'lenght', which none has",
    ),
    "keys and columns": (
        (["word"], [1, 2], ["around"]),
        X,
        ArgumentError,
        "must not have keys of X's tokens for tier 'cheap' and numbers of columns of X's arrays",
    ),
    "both in one": (
        (["word", 3], ["shape"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[0\] must be all keys, which are texts, or all numbers, got 3",
    ),
    "a text": (
        ("word", ["shape"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[0\] must be a list of keys, got 'word'",
    ),
    "an empty key": (([""], ["shape"], ["around"]), X, ArgumentError, r"tiers.columns\[0\] must be all keys"),
    "twice": (
        (["word", "word"], ["shape"], ["around"]),
        X,
        ArgumentError,
        "must name each key once, got 'word'",
    ),
    "two tiers": (
        (["word"], ["shape", "word"], ["around"]),
        X,
        ArgumentError,
        r"tiers.columns\[1\] must not name key 'word', which tier 0 has",
    ),
    "keys of arrays": (
        KEYS,
        PLAIN,
        ArgumentError,
        r"X\[0\] must be a list of dicts or of lists of texts, since tier 'cheap' has keys",
    ),
    "keys of a single sequence": (KEYS, X[0], ArgumentError, r"X\[0\] must be a list of dicts"),
    "columns of dicts": (
        ([0], [1], [2, 3]),
        X,
        ArgumentError,
        r"X\[0\] must be an array of numbers, since tier 'cheap' has columns of arrays, got named features",
    ),
    "no features": (
        (["shape"], ["word"], lambda x, p: [{}] * len(p)),
        X,
        ArgumentError,
        "tier 'dearest' must have at least one feature, got none in all of X",
    ),
    "too few tokens": (
        (["shape"], ["word"], lambda x, p: [{"a": "b"}] * (len(p) + 1)),
        X,
        ShapeError,
        r"tiers.columns\[2\] of X\[0\] has \d tokens; it needs \d",
    ),
    "a number for a token": (
        (["shape"], ["word"], lambda x, p: [{"a": "b"}, *[3] * (len(p) - 1)]),
        X[:1] * 4,
        ArgumentError,
        r"tiers.columns\[2\] of X\[0\]\[1\] must be a dict or a list of strings, got 3",
    ),
    "a value that is none": (
        (["shape"], ["word"], lambda x, p: [{"a": np.nan}] * len(p)),
        X,
        ScoreError,
        r"tiers.columns\[2\] of X\[0\]\[0\] must have finite values",
    ),
    "numbers behind names": (
        (["shape"], ["word"], lambda x, p: [["a"]] * len(p) if x is X[0] else np.ones((len(p), 1))),
        X,
        ArgumentError,
        r"tiers.columns\[2\] of X\[1\]\[0\]\[0\] must be a string, got",
    ),
    "names behind numbers": (
        (["shape"], ["word"], lambda x, p: np.ones((len(p), 1)) if x is X[0] else [["a"]] * len(p)),
        X,
        ArgumentError,
        r"tiers.columns\[2\] of X\[1\] must",
    ),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_is_mixed_or_unknown_is_named(bad):
    columns, given_X, error, match = BAD[bad]
    given_y = (
        Y if given_X is not X[0] else [["A", "B", "C", "A", "B", "C", "A"][: len(token)] for token in X[0]]
    )
    given_y = Y[:1] * 4 if len(given_X) == 4 and given_X is not X[0] else given_y
    with pytest.raises(error, match=match):
        MADE["tagger"](FeatureTiers(NAMES, columns, COSTS)).fit(given_X, given_y)


@every
def test_what_is_predicted_has_the_form_of_training(kind):
    with pytest.raises(ArgumentError, match=r"X\[0\] must be a list of dicts or of lists of texts"):
        fitted(kind).predict(PLAIN)
    tiers = FeatureTiers(NAMES, (["shape"], ["word"], lambda x, p: np.ones((len(p), 2))), COSTS)
    tagger = MADE[kind](tiers).fit(*words(16))
    tagger.attach("dearest", lambda x, p: [["a"]] * len(p))
    with pytest.raises(
        ArgumentError, match=r"tiers.columns\[2\] must give numbers, as in training, got names"
    ):
        tagger.reader_.features(X)
