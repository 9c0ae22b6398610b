"""The server loads groups as their kernels are compiled, and a failing group does not block the others."""

import types

import pytest

from spcviz.web.cached import ahead
from spcviz.web.ui.warmup import WarmupProgress


@pytest.fixture
def filled(monkeypatch):
    """Warm-up groups in the order in which the server filled their caches."""
    done = []

    def fill(name, what):
        done.append(name if what == "fill" else f"more {name}")
        if name == "tagging":
            raise RuntimeError("no tagger")
        yield

    monkeypatch.setattr(ahead, "fill", fill)
    monkeypatch.setattr(ahead.warmup, "groups", lambda: ["letters", "exact", "tagging", "pose"])
    monkeypatch.setattr(ahead.atexit, "register", lambda act: None)
    return done


def test_the_first_story_is_loaded_and_the_others_when_they_are_wanted(filled, monkeypatch, caplog):
    monkeypatch.setattr(ahead.warmup, "is_compiled", lambda name: True)
    monkeypatch.setattr(ahead.warmup, "start_children", list)
    state = WarmupProgress()
    assert list(ahead.compile_ahead(state)) == ahead.kernel_cache.complaints()
    assert filled == ["letters"]
    assert state.known.is_set()
    assert not state.pending
    ahead.load_rest(state, {})
    assert filled == ["letters", "exact", "tagging", "pose", *(f"more {name}" for name in filled[:4])]
    assert "no tagger" in caplog.text


def test_a_group_with_much_to_load_keeps_no_other_waiting(monkeypatch):
    done = []

    def fill(name, what):
        for n in range(3 if what == "fill_more" and name == "pose" else 1):
            done.append((name, what, n))
            yield

    monkeypatch.setattr(ahead, "fill", fill)
    monkeypatch.setattr(ahead.warmup, "groups", lambda: ["pose", "scene"])
    ahead.load_rest(WarmupProgress(), {"results": fill("results", "fill_more")})
    more = [(name, n) for name, what, n in done if what == "fill_more"]
    assert more == [("results", 0), ("pose", 0), ("scene", 0), ("pose", 1), ("pose", 2)]


def test_a_machine_with_other_work_loads_only_what_is_opened(filled, monkeypatch):
    monkeypatch.setenv("SPCVIZ_AHEAD", "0")
    ahead.load_rest(WarmupProgress(), {})
    assert filled == []
    monkeypatch.setenv("SPCVIZ_AHEAD", "1")
    ahead.load_rest(WarmupProgress(), {})
    assert "pose" in filled


def test_where_nothing_can_be_kept_all_is_compiled_here(filled, monkeypatch):
    monkeypatch.setattr(ahead.warmup, "is_compiled", lambda name: False)
    monkeypatch.setattr(ahead.warmup, "start_children", list)
    state = WarmupProgress()
    assert list(ahead.compile_ahead(state)) == ahead.kernel_cache.complaints()
    assert filled == ["letters", "exact", "tagging", "pose"]
    assert not state.pending
    assert list(state.done) == filled  # the remaining time follows this machine's pace


def test_the_first_story_is_loaded_once_it_is_compiled_and_a_child_may_die(filled, monkeypatch):
    compiled, asked, seen = set(), [], []

    def child(names, dies):
        def is_busy():
            asked.append(names)
            return not dies and len(asked) < 12

        return types.SimpleNamespace(
            names=names,
            is_busy=is_busy,
            process=types.SimpleNamespace(returncode=int(dies), wait=lambda seconds: None),
        )

    def sleep(_seconds):  # the loop's clock: one more group is compiled at each tick
        seen.append((len(compiled), list(filled)))
        compiled.add(["letters", "tagging"][min(len(compiled), 1)])

    monkeypatch.setattr(ahead, "time", types.SimpleNamespace(monotonic=lambda: 7.0, sleep=sleep))
    monkeypatch.setattr(ahead.warmup, "is_compiled", compiled.__contains__)
    children = [child(["letters", "tagging"], dies=False), child(["exact", "pose"], dies=True)]
    monkeypatch.setattr(ahead.warmup, "start_children", lambda: children)
    state = WarmupProgress()
    said = list(ahead.compile_ahead(state))
    assert seen == [(0, []), (1, ["letters"]), (2, ["letters"])]  # it waits for tagging, without loading it
    assert filled == ["letters"]
    assert any(line.startswith("compiling exact, pose ahead failed") for line in said)
    assert state.done == dict.fromkeys(["exact", "letters", "pose", "tagging"], 7.0)
    assert not state.pending
