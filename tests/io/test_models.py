"""A user's own estimators in a folder: whole or refused, with advice on what to do."""

import json
import pickle
from typing import NamedTuple

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.io import load, save
from spcviz.io.estimators import ESTIMATORS
from spcviz.store import StoreError


class Tiny:
    """The least that can be saved: weights, names of features, labels of any kind."""

    class State(NamedTuple):
        weights: np.ndarray
        features: tuple[str, ...]
        classes: tuple[str | int, ...]
        alpha: float | None

    def __init__(self, weights=None, features=(), classes=(), alpha=None, random_state=None):
        self.weights, self.features, self.classes, self.alpha = weights, features, classes, alpha
        self.random_state = random_state

    def to_state(self):
        if self.weights is None:
            raise ArgumentError("Tiny must be fitted before it is saved")
        return self.State(self.weights, self.features, self.classes, self.alpha)

    @classmethod
    def from_state(cls, state):
        if len(state.weights) != len(state.features):
            raise ArgumentError("weights must be as many as features")
        return cls(*state)


class Other(Tiny):
    pass


MODEL = Tiny(np.arange(3.0), ("w=München", "名", ""), ("B-X", 7), 0.5, random_state=3)


def test_there_and_back(tmp_path):
    path = save(MODEL, tmp_path / "a" / "b")
    loaded = load(tmp_path / "a" / "b", types=[Tiny])
    assert type(loaded) is Tiny
    assert loaded.weights.tolist() == [0.0, 1.0, 2.0]
    assert (loaded.features, loaded.classes, loaded.alpha) == (MODEL.features, MODEL.classes, 0.5)
    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert manifest["settings"]["class"] == "Tiny"
    assert manifest["random_state"] == 3
    save(Tiny(np.zeros(0)), tmp_path / "a" / "b")
    assert load(tmp_path / "a" / "b", types=[Tiny]).weights.shape == (0,)
    assert not any(b"pickle" in file.read_bytes() for file in (tmp_path / "a" / "b").glob("*.npz"))


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(ArgumentError, match="Tiny must be fitted before it is saved"):
        save(Tiny(), tmp_path)
    for model in (3, Tiny, object()):
        with pytest.raises(ArgumentError, match="model must be an estimator of spcviz, got"):
            save(model, tmp_path)
    with pytest.raises(ArgumentError, match=r"value.weights"):
        save(Tiny(np.array(["a"])), tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_to_do_is_said(tmp_path):
    again = r"fit it again and write it with spcviz.save$"
    with pytest.raises(StoreError, match=rf"^model in .* is incomplete: estimator.json is missing; {again}"):
        load(tmp_path, types=[Tiny])
    manifest = save(MODEL, tmp_path)
    with pytest.raises(
        StoreError, match=r"is of class 'Tiny', which is none of .*; hand over a class of your"
    ):
        load(tmp_path)
    arrays = next(tmp_path.glob("*.npz"))
    whole = arrays.read_bytes()
    arrays.write_bytes(whole[:-1] + b"x")
    with pytest.raises(StoreError, match=rf"is damaged: .*; {again}"):
        load(tmp_path, types=[Tiny])
    arrays.write_bytes(whole)
    Other.__name__ = "Tiny"
    try:
        Other.State = NamedTuple("State", [("other", np.ndarray)])
        with pytest.raises(StoreError, match=rf"does not hold what Tiny reads: .*; {again}"):
            load(tmp_path, types=[Other])
    finally:
        Other.__name__ = "Other"
    save(Tiny(np.zeros(2)), tmp_path)
    with pytest.raises(StoreError, match=rf"weights must be as many as features; {again}"):
        load(tmp_path, types=[Tiny])
    manifest.write_text("{}", encoding="utf-8")
    with pytest.raises(StoreError, match=again):
        load(tmp_path, types=[Tiny])


def test_a_folder_names_no_module_to_import(tmp_path):
    """A class is a key of the table; a dotted name of anything else is not looked up."""
    save(type("os.path", (Tiny,), {})(*MODEL.to_state()), tmp_path)
    with pytest.raises(StoreError, match=r"is of class 'os.path', which is none of StructuredPerceptron"):
        load(tmp_path)
    assert all(module.startswith("spcviz.") for module in ESTIMATORS.values())


def test_a_pickle_is_refused(tmp_path):
    (tmp_path / "estimator.json").write_bytes(pickle.dumps(MODEL))
    with pytest.raises(StoreError, match="is not a JSON object"):
        load(tmp_path, types=[Tiny])
