"""A stored cascade is the cascade that was measured."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from spcviz.problems.letters import handwriting
from spcviz.problems.letters.model import cascade as experiment
from spcviz.problems.letters.model import stored
from spcviz.problems.letters.page import live
from spcviz.store import StoreError, digest_of_arrays, save_model, verify_model

ABOUT = {"random_state": 7, "metrics": {"why": "a test"}}


def digest(model):
    return digest_of_arrays(stored.arrays_of_model(model))


@pytest.mark.parametrize("features", ["raw", "fourier"])
def test_what_comes_back_is_what_was_measured(words, trained, tmp_path, features):
    model = trained.model
    if features == "fourier":
        model = experiment.train(experiment.settings_for("fourier", 2), 3, 7).model
    model = stored.round_weights(model)
    path = stored.save_ocr(tmp_path, model, **ABOUT)
    assert path == tmp_path / f"ocr-{features}.json"
    loaded = stored.load_ocr(tmp_path, features)
    assert digest(loaded) == digest(model)
    assert loaded.settings == model.settings
    assert type(loaded.settings.config.tolerances) is tuple
    assert loaded.test_fold == model.test_fold
    assert (loaded.fourier is None) == (features != "fourier")
    assert loaded.cascade._replace(levels=()) == model.cascade._replace(levels=())
    for one, other in zip(loaded.cascade.levels, model.cascade.levels):
        assert one.alpha == other.alpha
        for mine, theirs in ((one.filter, other.filter), (one.predictor, other.predictor)):
            for field in ("weights", "keys", "values"):
                assert_array_equal(getattr(mine, field), getattr(theirs, field))
                assert getattr(mine, field).dtype == getattr(theirs, field).dtype
    for one, other in zip(loaded.held_out, model.held_out):
        for mine, theirs in zip(one, other):
            assert_array_equal(mine, theirs)
    for fold in (model.test_fold, 6):
        assert experiment.evaluate(loaded, fold) == experiment.evaluate(model, fold)
    assert live.word_list(loaded) == live.word_list(model)


def test_rounding_twice_changes_nothing_and_once_very_little(words, trained):
    once = stored.round_weights(trained.model)
    assert digest(stored.round_weights(once)) == digest(once)
    for one, other in zip(once.cascade.levels, trained.model.cascade.levels):
        assert_array_equal(one.filter.keys, other.filter.keys)
        np.testing.assert_allclose(one.filter.weights, other.filter.weights, rtol=1e-6)
        assert one.filter.weights.dtype == np.float64


def test_the_manifest_says_how_it_was_made(words, trained, tmp_path):
    stored.save_ocr(tmp_path, trained.model, **ABOUT)
    about = verify_model(tmp_path, "ocr-raw")
    assert (about["kind"], about["version"], about["random_state"]) == ("ocr-cascade", 1, 7)
    assert about["metrics"] == ABOUT["metrics"]
    assert about["data_digest"] == digest_of_arrays(words._asdict())
    assert about["settings"]["test_fold"] == 0
    assert about["settings"]["data_origin"] == handwriting.ORIGIN
    assert len(about["settings"]["alphas"]) == 3


def test_a_missing_or_foreign_model_names_the_command(tmp_path):
    for features in ("raw", "hog"):
        with pytest.raises(StoreError, match=r"is missing; repair with: python -m spcviz train ocr$"):
            stored.load_ocr(tmp_path, features)
    about = {"settings": {}, "data_digest": "", "random_state": 0, "metrics": {}}
    save_model(tmp_path, "ocr-raw", {"a": np.zeros(1)}, kind="other", version=1, **about)
    with pytest.raises(StoreError, match=r"this program needs 'ocr-cascade' version 1.*train ocr$"):
        stored.load_ocr(tmp_path, "raw")
