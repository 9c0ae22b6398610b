"""Functions of tiers are left out of stored models, requested by name, and given back with `attach`."""

import numpy as np
import pytest
from sklearn.base import clone

from spcviz.engine.errors import ArgumentError, ShapeError
from spcviz.io import load, save
from spcviz.spending import BudgetedTagger, EnvelopeTagger, ModelSelector
from tests.spending.sequences import TIERS, drawn
from tests.spending.test_tagger import functions

X, Y = drawn(60)
NEW, _ = drawn(20, seed=5)
KINDS = {
    "tagger": lambda tiers: BudgetedTagger(tiers, max_iter=2, cv=2, random_state=0),
    "selector": lambda tiers: ModelSelector(tiers, max_iter=2, cv=2, random_state=0),
    "envelope": lambda tiers: EnvelopeTagger(tiers, max_iter=2, cv=2, random_state=0),
}
every = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


@every
def test_stored_without_functions_and_the_same_with_them_again(make, tmp_path):
    calls, again_calls = [], []
    given = functions(calls)
    tagger = make(given).fit(X, Y)
    save(tagger, tmp_path)
    loaded = load(tmp_path)
    first, dear, dearest = given.columns
    with pytest.raises(ArgumentError, match=rf"call attach\('{TIERS.names[0]}', function\)"):
        loaded.predict(NEW, 20)
    other = functions(again_calls)
    for name, function in zip(TIERS.names, other.columns):
        assert loaded.attach(name, function) is loaded
    assert not again_calls, "nothing is computed before it is bought"
    for rate in (0.0, 0.7, 3.0):
        want, got = tagger.spend(NEW, rate=rate), loaded.spend(NEW, rate=rate)
        assert got.cost == want.cost
        assert [a.tolist() for a in got.labels] == [a.tolist() for a in want.labels]
    assert again_calls
    assert clone(loaded).tiers.columns == other.columns
    assert (len(first.__closure__), dear, dearest) == (len(first.__closure__), *given.columns[1:])


@every
def test_only_some_tiers_are_functions(make, tmp_path):
    calls = []
    mixed = TIERS._replace(columns=(*TIERS.columns[:2], functions(calls).columns[2]))
    save(make(mixed).fit(X, Y), tmp_path)
    loaded = load(tmp_path)
    assert [len(labels) for labels in loaded.predict(NEW, 0)] == [len(x) for x in NEW], "nothing is bought"
    with pytest.raises(ArgumentError, match=f"tier '{TIERS.names[2]}' is computed by a function"):
        loaded.curve(NEW, [["A"] * len(x) for x in NEW], [1e9])
    with pytest.raises(ArgumentError, match=f"tier '{TIERS.names[1]}' has columns of X"):
        loaded.attach(TIERS.names[1], lambda x, positions: x[positions])
    with pytest.raises(ArgumentError, match="tier must be one of"):
        loaded.attach("none of them", lambda x, positions: x[positions])
    with pytest.raises(ArgumentError, match="function must be called as"):
        loaded.attach(TIERS.names[2], 3)
    loaded.attach(TIERS.names[2], lambda x, positions: np.zeros((len(positions), 7)))
    with pytest.raises(ShapeError, match=f"tier '{TIERS.names[2]}' has 7 features; fit had 3"):
        loaded.curve(NEW, [["A"] * len(x) for x in NEW], [1e9])
