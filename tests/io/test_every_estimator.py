"""Every estimator that `spcviz` exports is saved and loaded, and predicts the same afterwards."""

import io
import pickle

import joblib
import numpy as np
import pytest

import spcviz as sp
from spcviz.io.estimators import contents
from spcviz.spending import FeatureTiers

TIERS = FeatureTiers(("free", "dear"), ([0, 1], [2, 3]), (0, 2))
MADE = {
    "StructuredPerceptron": lambda: sp.StructuredPerceptron(random_state=0),
    "ChainCRF": lambda: sp.ChainCRF(c2=0.1),
    "StructuredSVM": lambda: sp.StructuredSVM(random_state=0),
    "CascadeTagger": lambda: sp.CascadeTagger(order=3, cv=2, max_iter=3, random_state=0),
    "BudgetedTagger": lambda: sp.BudgetedTagger(TIERS, max_iter=2, cv=2, random_state=0),
    "EnvelopeTagger": lambda: sp.EnvelopeTagger(TIERS, max_iter=2, cv=2, random_state=0),
    "ModelSelector": lambda: sp.ModelSelector(TIERS, max_iter=2, cv=2, random_state=0),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = [rng.integers(0, 3, length) for length in rng.integers(2, 7, 24)]
    X = [np.eye(4)[labels] + rng.normal(scale=0.4, size=(len(labels), 4)) for labels in y]
    return X, [[f"tag {k}" for k in labels] for labels in y]


def test_every_estimator_is_here():
    doors = {name for name in sp.__all__ if isinstance(getattr(sp, name), type)}
    assert doors == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_what_is_loaded_reads_the_same(data, name, tmp_path):
    X, y = data
    fitted = MADE[name]().fit(X, y)
    sp.save(fitted, tmp_path / "model")
    again = sp.load(tmp_path / "model")
    assert type(again) is type(fitted)
    assert list(again.classes_) == ["tag 0", "tag 1", "tag 2"]
    for one, other in zip(fitted.predict(X), again.predict(X), strict=True):
        assert list(one) == list(other)
    assert again.score(X, y) == fitted.score(X, y) > 0.5


@pytest.mark.parametrize("name", MADE)
def test_a_pickle_reads_the_same_and_says_which_version_wrote_it(data, name, monkeypatch, recwarn):
    X, y = data
    fitted = MADE[name]().fit(X[:12], y[:12])
    recwarn.clear()
    by_joblib = io.BytesIO()
    joblib.dump(fitted, by_joblib)
    by_joblib.seek(0)
    for again in (pickle.loads(pickle.dumps(fitted)), joblib.load(by_joblib)):
        for one, other in zip(fitted.predict(X), again.predict(X), strict=True):
            assert list(one) == list(other)
        assert contents(again)[1] == contents(fitted)[1]
    assert not [one for one in recwarn if "pickled by" in str(one.message)]
    written = pickle.dumps(fitted)
    monkeypatch.setattr(sp, "__version__", "99.0")
    with pytest.warns(UserWarning, match=rf"{name} was pickled by spcviz .*, and this is 99.0.*spcviz.save"):
        pickle.loads(written)
