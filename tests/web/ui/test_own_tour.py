"""A visitor's own tour and brought ones: nothing is lost without a click, and a click can be undone."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.web.touring import own_tour
from spcviz.web.tours import tour


def made(title, n):
    return tour.Tour(tour.OWN, title, "", tuple(tour.Scene("letters", f"{title} {i}") for i in range(n)))


MINE, OTHER, THIRD = made("Mine", 5), made("Other", 2), made("Third", 3)


@pytest.fixture(autouse=True)
def state(monkeypatch):
    monkeypatch.setattr(own_tour.st, "session_state", session := {})
    return session


def test_what_is_brought_stands_beside_one_s_own():
    own_tour.keep(MINE)
    own_tour.bring(OTHER, "link")
    assert own_tour.own() == MINE
    assert own_tour.find_brought().tour.scenes == OTHER.scenes
    own_tour.add(tour.Scene("write", "new"))
    assert [scene.say for scene in own_tour.own().scenes] == [f"Mine {i}" for i in range(5)] + ["new"]
    own_tour.put_away()
    assert own_tour.find_brought() is None
    assert own_tour.values_to_keep()["brought"] == "", "the browser keeps it no longer"


def test_replacing_twice_and_taking_back_loses_nothing():
    own_tour.keep(MINE)
    for other in (OTHER, THIRD):
        own_tour.bring(other, "link")
        own_tour.replace()
        assert own_tour.own().scenes == other.scenes
    assert [one.title for one in own_tour.earlier()] == ["Other", "Mine"]
    own_tour.take_back()
    own_tour.take_back()
    assert own_tour.own() == MINE
    assert {one.title for one in own_tour.earlier()} == {"Other", "Third"}


def test_scenes_are_put_behind_one_s_own_if_there_is_room():
    own_tour.keep(made("Mine", tour.MAX_SCENES - 2))
    own_tour.bring(THIRD, "file")
    own_tour.join()
    assert len(own_tour.own().scenes) == tour.MAX_SCENES - 2, "three do not fit"
    own_tour.bring(OTHER, "file")
    own_tour.join()
    assert len(own_tour.own().scenes) == tour.MAX_SCENES
    assert "at most 60 scenes" in own_tour.add(tour.Scene("x"))
    own_tour.take_back()
    assert len(own_tour.own().scenes) == tour.MAX_SCENES - 2


def test_a_browser_that_is_slower_than_its_visitor_loses_nothing(state):
    own_tour.bring(OTHER, "link")
    assert own_tour.values_to_keep()["isNew"]
    own_tour.replace()
    own_tour.restore({"own": tour.pack(MINE), "earlier": tour.pack(THIRD), "brought": None})
    assert own_tour.own().scenes == OTHER.scenes
    assert own_tour.earlier() == (MINE, THIRD)
    assert not own_tour.values_to_keep()["isNew"]
    own_tour.restore({"own": tour.pack(THIRD)})
    assert own_tour.own().scenes == OTHER.scenes, "it is told once"


def test_a_new_visit_has_what_the_last_one_had(state):
    own_tour.keep(MINE)
    own_tour.bring(OTHER, "link")
    own_tour.replace()
    own_tour.bring(THIRD, "link")
    kept = own_tour.values_to_keep()
    state.clear()
    own_tour.restore(kept)
    assert own_tour.own().scenes == OTHER.scenes
    assert own_tour.earlier() == (MINE,)
    assert own_tour.find_brought().tour.scenes == THIRD.scenes


def test_a_long_tour_of_one_s_own_comes_back(state):
    """It is too long for an address, but not for a browser's storage."""
    rng = random.Random(0)
    scenes = tuple(
        tour.Scene("letters", "".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(600)))
        for _ in range(60)
    )
    own_tour.keep(MINE._replace(scenes=scenes))
    kept = own_tour.values_to_keep()
    assert len(kept["own"]) > tour.LONGEST
    state.clear()
    own_tour.restore(kept)
    assert own_tour.own().scenes == scenes


@given(
    st.dictionaries(
        st.sampled_from(["own", "earlier", "brought"]),
        st.none() | st.text() | st.integers() | st.lists(st.text()),
    )
)
def test_whatever_a_browser_sends_is_survived(asked):
    own_tour.st.session_state.clear()
    own_tour.restore(asked)
    assert own_tour.own().scenes == ()
    assert own_tour.earlier() == ()


def test_an_address_that_is_too_long_is_named():
    with pytest.raises(tour.TourError, match=re.escape("too long for a tour: 30,001 characters")):
        tour.unpack("A" * 30_001)
