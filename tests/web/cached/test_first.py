"""Stored first scenes: read instead of computed, unless damaged, or made by other code or another model."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from spcviz import cli, registry
from spcviz.shared.work import disk_cache
from spcviz.web import first_scenes
from spcviz.web.cached import first, sharing
from spcviz.web.tours import tour
from spcviz.web.ui import navigation


class Found(NamedTuple):
    values: np.ndarray
    name: str


MADE = []


def squares(n, words=()):
    MADE.append(n)
    return Found(np.arange(n) ** 2, "-".join(words))


@pytest.fixture
def again(monkeypatch, tmp_path):
    """A function that recreates the cached call, as in a process that has just started."""
    monkeypatch.setattr(first, "FOLDER", tmp_path)
    monkeypatch.setattr(first, "FUNCTIONS", {})
    monkeypatch.setattr(first, "code_digest", lambda module: "c" * 64)
    monkeypatch.setattr(first, "models_digest", lambda: "m" * 64)
    (tmp_path / "code.json").write_text("{}")
    MADE.clear()
    return lambda: sharing.share(4, stored=Found)(squares)


def store(call, *keys):
    """Record some calls, as `train first-scenes` does, and store them."""
    with first.recording() as made:
        for key in keys:
            call(*key)
    (name,) = made
    answers = first.FUNCTIONS[name]
    answers.save({key: answers.pack(value) for key, value in made[name].items()})
    MADE.clear()
    return name


def test_what_was_stored_is_read_and_the_rest_is_computed(again):
    store(again(), (3, ("a", "b")), (4,))
    call = again()
    answer = call(3, ("a", "b"))
    assert (answer.values.tolist(), answer.name) == ([0, 1, 4], "a-b")
    assert not answer.values.flags.writeable
    assert call(3, ("a", "b")) is answer
    assert call(4).values.tolist() == [0, 1, 4, 9]
    assert MADE == []
    assert call(5).values.tolist() == [0, 1, 4, 9, 16]
    assert MADE == [5]
    assert first.stale() == {}


@pytest.mark.parametrize("what", ["code", "models"])
def test_what_another_code_or_model_has_made_is_not_used(again, monkeypatch, caplog, what):
    name = store(again(), (3,))
    monkeypatch.setattr(first, f"{what}_digest", lambda *module: "f" * 64)
    assert again()(3).values.tolist() == [0, 1, 4]
    assert MADE == [3]
    assert f"not used, it is computed instead: {name} was made with another {what}" in caplog.text
    assert "run: python -m spcviz train first-scenes" in caplog.text
    assert list(first.stale()) == [name]


def test_a_damaged_scene_is_refused_computed_and_named(again, tmp_path, caplog):
    name = store(again(), (3,))
    (npz,) = tmp_path.glob("*.npz")
    data = bytearray(npz.read_bytes())
    data[len(data) // 2] ^= 1
    npz.write_bytes(data)
    call = again()
    assert [call(3).values.tolist(), call(6).values.tolist()[-1]] == [[0, 1, 4], 25]
    assert MADE == [3, 6]
    assert caplog.text.count(name) == 1  # logged once
    assert "train first-scenes" in caplog.text
    assert list(first.stale()) == [name]


def test_what_is_asked_for_inside_a_call_is_a_part_of_it(again):
    inner = again()
    outer = sharing.share(2, stored=())(lambda n: float(inner(n).values.sum()))
    with first.recording() as made:
        assert outer(4) == 14.0
    assert [list(calls) for calls in made.values()] == [[(4,)]]
    inner(5)
    assert len(made) == 1  # recording has ended


def test_the_digest_of_code_follows_code_and_is_found_by_the_bytes_of_its_files(monkeypatch, tmp_path):
    module = "spcviz.problems.tagging.page.cached"
    monkeypatch.setattr(first, "FOLDER", tmp_path)
    slow = first.code_digest.__wrapped__(module)
    assert slow == disk_cache.digest_of_code((module,))
    first.note_code([module])
    with monkeypatch.context() as patch:
        patch.setattr(disk_cache, "digest_of_code", None)  # not even called
        assert first.code_digest.__wrapped__(module) == slow
    computing = disk_cache.computing_files((module,))
    names = {path.as_posix() for path in computing}
    assert "spcviz/problems/tagging/page/live.py" in names
    assert not any(name.startswith("spcviz/web/") for name in names)
    path = disk_cache.sources.ROOT / "spcviz/problems/tagging/page/live.py"
    changed = {**disk_cache.TEXTS, path: disk_cache.TEXTS[path] + b"\nANOTHER = 1\n"}
    monkeypatch.setattr(disk_cache, "TEXTS", changed)
    disk_cache._code.cache_clear()
    disk_cache.digest_of_code.cache_clear()
    try:
        assert first.code_digest.__wrapped__(module) != slow
    finally:
        monkeypatch.undo()
        disk_cache._code.cache_clear()
        disk_cache.digest_of_code.cache_clear()


def page():
    """A page that needs kernels while they compile."""
    import streamlit as st

    from spcviz.web.cached import sharing

    @sharing.share(4, beside=1)
    def bars(word, alpha):
        return f"{word} at {alpha}"

    def gate(module, has_other):
        st.info(f"about 9 s, {has_other}")
        if not has_other:
            st.stop()
        return False

    if st.query_params.get("first") == "yes":
        st.markdown(bars("tree", 0.1))
    sharing.GATE["of"] = gate
    st.markdown(bars(st.query_params["word"], 0.2))
    st.markdown("end")


@pytest.mark.parametrize(
    ("query", "shown", "said"),
    [
        ({"word": "tree"}, [], ["about 9 s, False"]),
        ({"word": "tree", "first": "yes"}, ["tree at 0.1", "tree at 0.1", "end"], ["about 9 s, True"]),
        ({"word": "rock", "first": "yes"}, ["tree at 0.1"], ["about 9 s, False"]),
    ],
)
def test_while_kernels_compile_a_page_says_so_and_keeps_what_is_like_it(monkeypatch, query, shown, said):
    monkeypatch.setattr(sharing, "GATE", {})
    at = AppTest.from_function(page, default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    assert [block.value for block in at.markdown] == shown
    assert [note.value for note in at.info] == said


def test_every_page_and_every_scene_of_a_tour_is_opened():
    addresses = first_scenes.addresses()
    assert set(navigation.names()) <= set(addresses)
    scenes = [
        tour.address(s.page, s.query()) for shipped in tour.shipped_tours().values() for s in shipped.scenes
    ]
    left_out = [address for address in scenes if address not in addresses]
    assert left_out
    assert all(address.startswith("pose?") for address in left_out)
    assert len(set(addresses)) == len(addresses)
    more = [address for problem in registry.problems() for address in problem.opened]
    assert more
    assert set(more) < set(addresses)
    assert {tour.Scene(address).page for address in more} < set(navigation.names())


def test_a_run_that_did_not_end_is_said(again, monkeypatch):
    monkeypatch.setattr(first_scenes, "addresses", lambda: ["", "letters"])
    nothing = SimpleNamespace(exception=[], error=[])
    monkeypatch.setattr(first_scenes, "open_page", lambda scene: nothing)
    run = first_scenes.make()
    next(run)
    run.close()
    assert first.stale() == {"code.json": "the last run did not end"}
    assert [opened.address for opened in first_scenes.make()] == ["", "letters"]
    assert first.stale() == {}


def test_check_says_what_is_stale(monkeypatch, capsys):
    monkeypatch.setattr(first, "stale", lambda: {"first_scenes-x-y": "was made with another code"})
    assert cli.main(["train", "first-scenes", "--check"]) == 1
    assert "first_scenes-x-y: was made with another code" in capsys.readouterr().out
    monkeypatch.setattr(first, "stale", dict)
    assert cli.main(["train", "first-scenes", "--check"]) == 0
    assert "can be used" in capsys.readouterr().out
    assert cli.main(["train", "ocr", "--check"]) == 1
    assert "check must be left out with ocr" in capsys.readouterr().err


def test_where_nothing_is_stored_check_does_not_say_that_all_can_be_used(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(first, "FOLDER", tmp_path)
    assert cli.main(["train", "first-scenes", "--check"]) == 1
    said = capsys.readouterr().out
    assert "no first scene is stored" in said
    assert "can be used" not in said
