"""Wrong addresses: a page names the part of its address that it cannot show, and nothing else."""

import pytest

from spcviz.web.course import task as tasks
from spcviz.web.tours import gallery, tour
from spcviz.web.ui import misread, navigation

from .driver import check, open_page

PAGES = navigation.names()


@pytest.mark.parametrize(
    ("page", "params", "says"),
    [
        ("letters", {"level": "9"}, "level = “9”, but a whole number from 1 to 6 is wanted"),
        ("letters", {"word": "12345678"}, "word = “12345678”, but that is none of those on offer"),
        ("letters", {"wrod": "5", "level": "2"}, "This page does not know “wrod”"),
        ("letters", {"a1": "2", "step": "x"}, "step = “x”"),
        ("sweep", {"level": "-1"}, "level = “\\-1”"),
        ("sweep", {"show": "nothing", "alpha": "0,5"}, "alpha = “0\\,5”, but a number from"),
        ("exact_inference", {"letters": ""}, "letters = “”"),
        ("joint_beats_separate", {"smooth": "much"}, "smooth = “much”, but a number from 0 to"),
        ("loopy", {"rows": "400", "seed": "1"}, "rows = “400”"),
        ("tagging", {"text": "a" * 500}, "at most"),
        ("tagging", {"text": "The man.", "cell": "x"}, "cell = “x”, but that cannot be read"),
        ("write", {"ink": "zzz"}, "ink = “zzz”, but that cannot be read"),
        ("pose", {"level": "77"}, "level = “77”"),
        ("trade_off", {"budget": "1.5"}, "budget = “1\\.5”, but a number from 0 to 1 is wanted"),
        (
            "policy",
            {"word": "9999999", "spend": "0.2"},
            "word = “9999999”, but that is none of those on offer",
        ),
        ("policy", {"panels": "two"}, "panels = “two”, but one of all, three is wanted"),
        ("parsing", {"sentence": "dev99999x"}, "sentence"),
        ("hybrid", {"step": "-3"}, "step = “\\-3”"),
        ("scene", {"kind": "moon", "spend": "0.1"}, "kind = “moon”"),
        ("tables", {"table": "nothing"}, "table = “nothing”"),
        ("data", {"level": "a1", "view": "errors"}, "level = “a1”"),
        ("tours", {"handout": "nothing"}, "There is no tour “nothing”"),
        ("course", {"task": "x"}, "This page does not know “task”"),
        ("letters", {"ask": "Z99"}, "There is no task “Z99”"),
        ("letters", {"room": "abc"}, "“abc” is no number of a class"),
    ],
)
def test_what_is_not_understood_is_named(page, params, says):
    at = open_page(PAGES[page], **params)
    said = [one.value for one in at.warning]
    assert [one for one in said if says in one], said
    at = check(at.run())  # the address is clean now, but perhaps the visitor has not read the warning yet
    assert [one.value for one in at.warning] == said


def test_it_is_said_no_more_once_the_page_has_moved_on():
    at = open_page(PAGES["letters"], level="9")
    assert at.warning
    at.query_params["level"] = "2"
    assert not check(at.run()).warning


def test_what_others_write_behind_an_address_is_not_spoken_of():
    at = open_page(PAGES["joint_beats_separate"], smooth="0.5", utm_source="mail", fbclid="x")
    assert not at.warning


OURS = {
    *(one.address for of in tour.shipped_tours().values() for one in of.scenes),
    *(one.address for one in gallery.as_tour().scenes),
    *(one.start for one in tasks.every().values()),
    *(one.solved for one in tasks.every().values()),
}


@pytest.mark.parametrize("page", list(PAGES))
def test_names_of_our_own_addresses_are_known(page):
    """Their values are checked where each address is opened, in the tests of tours and tasks."""
    named = {name for one in OURS if one.partition("?")[0] == page for name in tasks.state_of(one)}
    at = open_page(PAGES[page])
    assert named <= at.session_state["misread_known"] | misread.ALWAYS
    assert not [one.value for one in at.warning if "address" in one.value]
