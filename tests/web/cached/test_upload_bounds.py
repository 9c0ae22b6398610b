"""Bounds of Streamlit's uploads: a client that never removes a file cannot fill the server's memory."""

import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from spcviz.web.cached import ownership, visitor_files


@pytest.fixture(autouse=True)
def bounds(monkeypatch):
    monkeypatch.setattr(visitor_files, "MOST_OF_VISIT", 44)
    monkeypatch.setattr(visitor_files, "MOST_OF_ALL", 100)
    monkeypatch.setattr(visitor_files, "_OF_RECORD", 0)
    monkeypatch.setattr(visitor_files, "_LOST", {})


def manager_of(*files):
    """Streamlit's own manager, with files added in this order: (visit, bytes)."""
    manager = MemoryUploadedFileManager("/upload")
    for number, (visit, size) in enumerate(files):
        manager.add_file(visit, UploadedFileRec(str(number), "a.png", "image/png", bytes(size)))
    return manager


def sizes(manager):
    held = manager.file_storage.items()
    return {visit: [len(file.data) for file in files.values()] for visit, files in held if files}


def test_of_one_visit_the_oldest_go():
    manager = manager_of(("ana", 20), ("ana", 10), ("bob", 5), ("ana", 20), ("ana", 20))
    assert visitor_files.drop(manager) == []
    assert sizes(manager) == {"ana": [20, 20], "bob": [5]}
    assert visitor_files.drop(manager) == []


def test_the_newest_of_a_visit_stays_however_large():
    manager = manager_of(("ana", 20), ("ana", 90))
    assert visitor_files.drop(manager) == []
    assert sizes(manager) == {"ana": [90]}


def test_of_all_those_who_have_most_lose_first():
    small = [(f"student {n}", 5) for n in range(8)]
    manager = manager_of(*small, *[(f"bot {n}", 20) for n in range(9)])
    assert {visit.partition(" ")[0] for visit in visitor_files.drop(manager)} == {"bot"}
    assert {visit: 5 for visit, _ in small}.items() <= {v: of[0] for v, of in sizes(manager).items()}.items()
    assert sum(map(sum, sizes(manager).values())) <= 100


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 60)), max_size=30))
def test_bounds_hold_and_what_stays_is_the_newest(files):
    manager = manager_of(*files)
    lost = visitor_files.drop(manager)
    left = sizes(manager)
    assert sum(map(sum, left.values())) <= 100
    for visit, kept in left.items():
        came = [size for who, size in files if who == visit]
        assert came[-len(kept) :] == kept
        assert len(kept) == 1 or sum(kept) <= 44
        assert visit not in lost
    assert set(lost) == {visit for visit, _ in files} - set(left)


def test_who_lost_what_is_shown_is_told_until_another_file_comes(monkeypatch):
    manager = manager_of(*[(f"visit {n}", 30) for n in range(4)])
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=manager))
    monkeypatch.setattr(ownership, "_HOLDERS", [])
    monkeypatch.setattr(ownership, "_watch", lambda: None)
    visitor_files.watch()
    (look,) = ownership._HOLDERS
    look(lambda visit, used: False)
    (loser,) = visitor_files._LOST
    assert visitor_files.has_lost(loser, None)
    assert not visitor_files.has_lost("visit of somebody else", None)
    assert not visitor_files.has_lost(loser, "a file")
    assert not visitor_files.has_lost(loser, None)
    visitor_files._LOST[loser] = ownership.CLOCK.now()
    look(lambda visit, used: visit == loser)  # it has ended
    assert not visitor_files.has_lost(loser, None)


def test_who_lost_a_file_and_never_comes_back_is_forgotten(monkeypatch):
    """A visit that no page has seen never ends: its name is dropped after some time."""
    monkeypatch.setattr(runtime, "exists", lambda: False)
    visitor_files._LOST["nobody"] = ownership.CLOCK.now() - ownership.SECONDS - 1
    visitor_files._look(lambda visit, used: ownership.CLOCK.now() - used > ownership.SECONDS)
    assert visitor_files._LOST == {}


def test_files_without_content_are_not_nothing_and_many_take_no_time(monkeypatch):
    monkeypatch.setattr(visitor_files, "_OF_RECORD", 1000)
    monkeypatch.setattr(visitor_files, "MOST_OF_VISIT", 44_000)
    monkeypatch.setattr(visitor_files, "MOST_OF_ALL", 100_000)
    manager = manager_of(*[(f"bot {n % 5}", 0) for n in range(50_000)])
    begun = time.process_time()
    visitor_files.drop(manager)
    assert time.process_time() - begun < 5
    assert sum(len(files) for files in manager.file_storage.values()) <= 100
