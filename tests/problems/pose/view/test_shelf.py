"""Clips of the Pose page read from files: equal to newly computed clips."""

import os

import numpy as np
import pytest

from spcviz.problems.pose.model import stored
from spcviz.problems.pose.page import shelf
from spcviz.shared.folders import MODELS
from spcviz.store import StoreError

ASTRONAUT = shelf.Asked("astronaut", 0, "single")


@pytest.fixture(scope="module")
def clip():
    try:
        return shelf.work_out(stored.load_pose(MODELS), ASTRONAUT)
    except StoreError as error:
        pytest.skip(str(error))


def assert_same(one, other):
    for name, field in one._asdict().items():
        if name == "levels":
            for a, b in zip(field, other.levels, strict=True):
                for x, y in zip(a, b, strict=True):
                    np.testing.assert_array_equal(x, y)
        elif isinstance(field, np.ndarray):
            np.testing.assert_array_equal(field, getattr(other, name))
        else:
            assert field == getattr(other, name), name


def test_what_is_put_is_taken_as_it_was(clip, tmp_path):
    path = shelf.place(ASTRONAUT, of_models=MODELS, work=tmp_path)
    assert shelf.take(path) is None
    shelf.put(path, clip)
    assert_same(shelf.take(path), clip)


def test_a_damaged_clip_counts_as_missing(clip, tmp_path):
    path = shelf.place(ASTRONAUT, of_models=MODELS, work=tmp_path)
    shelf.put(path, clip)
    whole = path.read_bytes()
    for broken in (whole[:-40], whole[:5000] + b"?" + whole[5001:], b""):
        path.write_bytes(broken)
        assert shelf.take(path) is None


def test_a_place_depends_on_the_clip_the_method_and_the_model(tmp_path):
    asked = [ASTRONAUT, shelf.Asked("signs", "eat", "single"), shelf.Asked("signs", "eat", "torso")]
    places = [shelf.place(choice, of_models=MODELS, work=tmp_path) for choice in asked]
    places.append(shelf.place(ASTRONAUT, of_models=tmp_path, work=tmp_path))  # without a model
    assert len(set(places)) == 4


def test_the_oldest_go_when_there_is_no_room(clip, tmp_path, monkeypatch):
    names = [f"{shelf.NAME}-{n}.clip" for n in range(4)]
    for at, name in enumerate(names):
        shelf.put(tmp_path / name, clip)
        os.utime(tmp_path / name, (at, at))
    size = (tmp_path / names[0]).stat().st_size
    monkeypatch.setattr(shelf, "MOST_BYTES", 3 * size)
    shelf.put(tmp_path / names[3], clip)
    assert sorted(path.name for path in tmp_path.iterdir()) == names[1:]


def test_nearest_choices_come_first_and_each_once():
    every = shelf.list_clips(True)
    assert every[0] == shelf.Asked("signs", shelf.SIGN, "single")
    assert len(every) == len(set(every)) == 3 * (20 + 1 + shelf.N_SEEDS + shelf.N_BUFFY)
    assert all(map(shelf.is_offered, every))
    assert not shelf.is_offered(shelf.Asked("rendered", 999, "single"))
    near = shelf.list_clips(True, within=1)
    assert near == every[: len(near)]
    assert len(near) == 1 + 19 + 2 + 3
    assert {choice.kind for choice in shelf.list_clips(False)} == {"signs", "astronaut", "rendered"}


def test_filling_works_out_what_is_missing(clip, tmp_path, monkeypatch):
    two = [ASTRONAUT, shelf.Asked("astronaut", 0, "torso")]
    monkeypatch.setattr(shelf, "list_clips", lambda has_buffy, within: two)
    shelf.put(shelf.place(ASTRONAUT, of_models=MODELS, work=tmp_path), clip)
    model = stored.load_pose(MODELS)
    made = list(shelf.fill(model, None, of_models=MODELS, work=tmp_path))
    assert [asked for asked, _ in made] == two[1:]
    assert shelf.take(made[0][1]).method == "torso"
    assert not list(shelf.fill(model, None, of_models=MODELS, work=tmp_path))


def test_where_nothing_can_be_kept_nothing_more_is_worked_out(clip, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(shelf, "work_out", lambda model, choice, folder: asked.append(choice) or clip)
    (tmp_path / "file").write_text("no folder can be made below it")
    work = tmp_path / "file" / "work"
    assert not list(shelf.fill(None, None, of_models=MODELS, work=work))
    assert len(asked) == 1
