"""Stored results of calls: whole and made from what is here, or refused with the command that makes them."""

from typing import NamedTuple

import numpy as np
import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.store import (
    StoreError,
    digest_of_arrays,
    load_model,
    load_value,
    save_model,
    save_value,
    verify_model,
)
from tests.store.test_tree import assert_same


class Scene(NamedTuple):
    title: str
    pictures: tuple
    scores: np.ndarray
    seconds: float


class Other(NamedTuple):
    title: str


SCENE = Scene("Größe", ("data:image/png;base64," + 2000 * "AAAA",), np.linspace(0, 1, 5), float("inf"))
FROM = {"pose-buffy": "d" * 64, "code": "c" * 64}


@pytest.fixture
def folder(tmp_path):
    save_value(tmp_path, "pose-first", SCENE, Scene, made_from=FROM, random_state=3)
    return tmp_path


def test_a_value_comes_back_and_is_verified_as_a_model_is(folder):
    back = load_value(folder, "pose-first", Scene, made_from=FROM)
    assert_same(SCENE, back)
    with pytest.raises(ValueError, match="read-only"):
        back.scores[0] = 1
    assert verify_model(folder, "pose-first")["random_state"] == 3
    assert_same(SCENE, load_value(folder, "pose-first", Scene, made_from={"code": "c" * 64}))
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    save_value(folder, "pose-first", SCENE, Scene, made_from=FROM, random_state=3)
    assert first == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_made_from_something_else_it_counts_as_missing(folder):
    for now in ({"code": "e" * 64}, FROM | {"data": "1"}):
        message = r"^pose-first was made with another (code|data) than .*: python -m spcviz train pose-first$"
        with pytest.raises(StoreError, match=message):
            load_value(folder, "pose-first", Scene, made_from=now)


def test_other_classes_and_damage_are_refused(folder):
    with pytest.raises(
        StoreError, match=r"cannot be read: value must be of a class in .*, got 'Scene'; repair"
    ):
        load_value(folder, "pose-first", Other)
    (npz,) = folder.glob("*.npz")
    npz.write_bytes(npz.read_bytes()[:-1] + b"?")
    with pytest.raises(StoreError, match="is damaged"):
        load_value(folder, "pose-first", Scene)
    with pytest.raises(StoreError, match=r"is incomplete: .* is missing; repair with: .* train demo$"):
        load_value(folder, "demo", Scene)


def test_a_model_is_no_value_and_nothing_half_is_written(folder, tmp_path):
    about = {"settings": {}, "data_digest": "", "random_state": 0, "metrics": {}}
    save_model(folder, "ocr", {"a": np.ones(2)}, kind="cascade", version=1, **about)
    with pytest.raises(StoreError, match="is 'cascade' version 1; this program needs 'value' version 1"):
        load_value(folder, "ocr", Scene)
    save_model(folder, "ocr", {"a": np.ones(2)}, kind="value", version=1, **about)
    with pytest.raises(StoreError, match="cannot be read: value must have a skeleton in JSON"):
        load_value(folder, "ocr", Scene)
    before = digest_of_arrays(load_model(folder, "pose-first", kind="value", version=1).arrays)
    with pytest.raises(ArgumentError, match=r"^value.pictures must be of kind tuple, got list"):
        save_value(folder, "pose-first", SCENE._replace(pictures=[]), Scene, made_from=FROM)
    with pytest.raises(ArgumentError, match=r"^made_from must be digests by name, got \{'code': 3\}"):
        save_value(folder, "pose-first", SCENE, Scene, made_from={"code": 3})
    assert digest_of_arrays(load_model(folder, "pose-first", kind="value", version=1).arrays) == before
