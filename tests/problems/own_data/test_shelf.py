"""Runs stay while a visit lasts, whatever else is viewed."""

import pytest

from spcviz.problems.own_data.model.files import FOUND_OUT, read
from spcviz.problems.own_data.model.training import Settings
from spcviz.problems.own_data.page import shelf

TEXT = b"a X\nb Y\n\nc X\n"


@pytest.fixture
def visit():
    visit = shelf.Own(read("a.txt", TEXT), TEXT)
    for seed in range(3):
        shelf.add_run(visit, ("train", seed), Settings(seed=seed), seed)
    return visit


def test_no_run_is_lost_by_what_is_looked_at_in_between(visit):
    for number in range(100):
        visit.keep(("trace", number), number)
    assert [run.number for run in shelf.runs_of(visit)] == [1, 2, 3]
    assert shelf.find_run(visit, ("train", 0)) == 0


def test_a_twin_takes_the_place_of_the_older_run(visit):
    shelf.add_run(visit, ("train", 0), Settings(seed=0), "anew")
    assert [run.number for run in shelf.runs_of(visit)] == [2, 3, 4]
    assert shelf.find_run(visit, ("train", 0)) == "anew"


def test_runs_go_with_the_way_the_text_was_read_and_with_the_visit(visit):
    visit.read_anew(read("a.txt", TEXT, (0, None)), (0, None), FOUND_OUT)
    assert not shelf.runs_of(visit)
    shelf.add_run(visit, "key", Settings(), "run")
    visit.end()
    assert not shelf.runs_of(visit)
