"""The server loads stories as their kernels come, and one that fails does not keep the others waiting."""

import types

import pytest

from spcviz.ui.cached import ahead
from spcviz.ui.warmup import State


@pytest.fixture
def filled(monkeypatch):
    """Stories in the order in which the server filled their caches."""
    done = []

    def fill(name):
        done.append(name)
        if name == "tagging":
            raise RuntimeError("no tagger")

    monkeypatch.setattr(ahead, "fill", fill)
    monkeypatch.setattr(ahead.warmup, "stories", lambda: ["letters", "exact", "tagging", "pose"])
    monkeypatch.setattr(ahead.atexit, "register", lambda act: None)
    return done


def test_what_is_compiled_is_loaded_in_order_and_failures_are_logged(filled, monkeypatch, caplog):
    monkeypatch.setattr(ahead.warmup, "is_compiled", lambda name: True)
    monkeypatch.setattr(ahead.warmup, "start_children", list)
    state = State()
    assert list(ahead.compile_ahead(state)) == ahead.kernel_cache.complaints()
    assert filled == ["letters", "exact", "tagging", "pose"]
    assert state.known.is_set()
    assert not state.pending
    assert "no tagger" in caplog.text


def test_stories_are_loaded_as_the_children_get_through_and_after_a_child_has_died(filled, monkeypatch):
    compiled, asked = set(), []

    def child(names, dies):
        def is_busy():
            asked.append(names)
            return not dies and len(asked) < 12

        return types.SimpleNamespace(
            names=names, is_busy=is_busy, process=types.SimpleNamespace(returncode=int(dies))
        )

    def sleep(_seconds):  # the clock of the loop: something gets through at each tick
        compiled.add(["letters", "tagging"][min(len(compiled), 1)])

    monkeypatch.setattr(ahead, "time", types.SimpleNamespace(time=lambda: 7.0, sleep=sleep))
    monkeypatch.setattr(ahead.warmup, "is_compiled", compiled.__contains__)
    children = [child(["letters", "tagging"], dies=False), child(["exact", "pose"], dies=True)]
    monkeypatch.setattr(ahead.warmup, "start_children", lambda: children)
    state = State()
    said = list(ahead.compile_ahead(state))
    assert sorted(filled) == ["exact", "letters", "pose", "tagging"]
    assert filled.index("letters") < filled.index("tagging")
    assert any(line.startswith("compiling exact, pose ahead failed") for line in said)
    assert state.done == dict.fromkeys(filled, 7.0)
    assert not state.pending
