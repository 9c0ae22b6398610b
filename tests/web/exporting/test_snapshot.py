"""Snapshots of pages: the views that a page shows in the end, however often it reran before."""

import pytest
from streamlit.testing.v1 import AppTest

from spcviz.problems.arms.page import cached as arms
from spcviz.web.exporting import snapshot
from spcviz.web.tours import tour


def reruns():
    """A page that shows something at once, computes the rest in a fragment, and reruns."""
    import streamlit as st

    from spcviz.web.touring.touring import FACTS, PYTHON
    from spcviz.web.view import mount

    probe = mount.Component("spcviz_probe", (), ("web/view/elements.js",), html="<p></p>")
    st.session_state[FACTS], st.session_state[PYTHON] = {}, ""

    @st.fragment
    def part():
        has_all = st.session_state.get("has_all", False)
        with st.empty():  # a placeholder's content may be replaced within one run, too
            mount.show(probe, {"shows": "nothing yet"}, key="first")
            mount.show(probe, {"shows": "all" if has_all else "a part"}, key="second")
        mount.show(probe, {"shows": "beside"}, key="third")
        if not has_all:
            st.session_state["has_all"] = True
            st.rerun()

    part()


def test_a_page_that_runs_again_is_saved_as_it_shows_in_the_end(monkeypatch):
    monkeypatch.setattr(
        snapshot, "open_page", lambda *_: AppTest.from_function(reruns, default_timeout=60).run()
    )
    shown = snapshot.take_snapshot(tour.Scene("letters"))
    assert [view.payload["shows"] for view in shown.views] == ["all", "beside"]


@pytest.fixture(scope="module")
def limbs():
    """The view of the Pose page without arms."""
    (view,) = snapshot.take_snapshot(tour.Scene("pose?show=all&scene=rendered")).views
    return view


@pytest.mark.skipif(not arms.HAS_ARMS, reason="no model of arms is stored")
@pytest.mark.parametrize("show", ["four", "bought"])
def test_the_arms_that_an_address_asks_for_are_saved(show, limbs):
    """They are computed while the page shows limbs, and appear once it has rerun."""
    (view,) = snapshot.take_snapshot(tour.Scene(f"pose?show={show}&scene=rendered")).views
    assert view.payload["view"]["show"] == show
    more = set(view.parts) - set(limbs.parts)
    assert more, "the arms' own parts"
