"""Warm-up groups: which compile together, in which order, and how long a page is told to wait."""

import json

import pytest

from spcviz import registry
from spcviz.registry import warmup
from spcviz.shared.folders import MODELS


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder of compiled kernels."""
    monkeypatch.setattr(warmup.kernel_cache, "_FOLDER", tmp_path)
    return tmp_path


def test_every_story_is_in_one_family_and_the_side_bar_says_which_come_first():
    groups = warmup.groups()
    assert groups[0] == "own_data"  # the first page of the side bar that computes
    assert groups.index("letters") < groups.index("tagging")
    assert sorted(groups) == sorted(one.name for one in registry.problems() if one.warmup)
    assert len(warmup.families()) == 2  # two cores
    # Tagging stands above Trade-off in the side bar, and what has no page comes last.
    chains = ["own_data", "letters", "open_words", "tagging", "words", "parsing", "arms"]
    assert warmup.families()["chains"] == chains


def test_a_page_calls_its_own_kernels_and_those_that_serve_it():
    assert registry.warmup_groups_of("pages/cascade/sweep.py") == ["letters"]
    assert registry.warmup_groups_of("pages/cascade/pose.py") == ["pose", "arms"]
    assert registry.warmup_groups_of("pages/start/home.py") == []


def test_children_compile_what_is_not_noted_yet(folder, monkeypatch):
    ran, started = [], []
    monkeypatch.setattr(registry, "load_kernels", lambda models, names: ran.extend(names))
    monkeypatch.setattr(warmup.subprocess, "Popen", lambda command, **_: started.append(command))
    assert [name for name, _ in warmup.compile_here(["letters", "exact"], MODELS)] == ["letters", "exact"]
    assert ran == ["letters", "exact"]
    assert warmup.is_compiled("letters")
    assert not warmup.is_compiled("tagging")
    assert set(warmup.read_notes()) == {"letters", "exact"}
    assert [child.names for child in warmup.start_children()] == [
        ["own_data", "open_words", "tagging", "words", "parsing", "arms"],
        ["pictures", "grids", "pose", "hybrid", "scene"],
    ]
    assert "--behind" in started[0]  # pages that are opened meanwhile go first
    assert started[0][-7:] == ["--only", "own_data", "open_words", "tagging", "words", "parsing", "arms"]


def test_nothing_is_noted_or_started_where_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(warmup.kernel_cache, "_FOLDER", None)
    monkeypatch.setattr(registry, "load_kernels", lambda models, names: None)
    assert len(list(warmup.compile_here(["letters"], MODELS))) == 1
    assert not warmup.is_compiled("letters")
    assert warmup.start_children() == []


@pytest.mark.parametrize("text", ["", "[1]", '{"letters": null}', '{"letters": 1', "\x00"])
def test_a_damaged_table_of_times_counts_as_none(tmp_path, monkeypatch, text):
    monkeypatch.setattr(warmup, "MEASURED", tmp_path / "warmup.json")
    assert warmup.read_measured() == {}
    warmup.MEASURED.write_text(text)
    assert warmup.read_measured() == {}
    warmup.MEASURED.write_text(json.dumps({"letters": 3}))
    assert warmup.read_measured() == {"letters": 3.0}


def test_the_wait_is_never_below_a_second_and_knows_the_pace():
    table = {"a": 10.0, "b": 20.0}
    assert warmup.seconds_left(["a", "b"], {}, 0.0, 0.0, table) == 30.0
    assert warmup.seconds_left(["a", "b"], {"a": 30.0}, 0.0, 40.0, table) == 50.0  # three times slower
    assert warmup.seconds_left(["a"], {}, 0.0, 100.0, table) == 25.0  # late: not "about 1 s" for minutes
    assert warmup.seconds_left(["new"], {}, 0.0, 0.0, {}) == 1.0
