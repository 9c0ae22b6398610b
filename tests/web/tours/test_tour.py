"""Tours as data: what is read, what is refused with a sentence, and rules for every shipped tour."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.problems.budgets import spending, task
from spcviz.web.tours import tour
from spcviz.web.ui import navigation

SHIPPED = tour.shipped_tours()
FIVE = ("cascade", "why", "circles", "spend", "arms")
SCENE = {"address": "letters?level=2", "say": "Look at {kept}."}


def of(**scene):
    return json.dumps({"title": "t", "scenes": [SCENE | scene]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON"),
        ("{", "no JSON .line 1"),
        ("[" * 100_000, "no JSON"),
        ('"x"', "no list of"),
        ('{"scenes": 3}', "no list of"),
        ('{"title": 3, "scenes": []}', '"title" must be a text'),
        ('{"scenes": [3]}', "Scene 1 is not a scene"),
        (of(level=3), "Scene 1 has 'level'"),
        (of(say=3), 'Scene 1: "say" must be a text'),
        (of(controls="yes"), "must be true or false"),
        (of(say="x" * 601), "has 601 characters; at most 600"),
        (json.dumps({"scenes": [SCENE] * 61}), "61 scenes; at most 60"),
        ("x" * 10_000_000, "too large for a tour: 10,000,000 bytes"),
        (b"\xff\xfe\x00", "no JSON"),
    ],
)
def test_a_bad_file_gets_a_sentence(text, message):
    with pytest.raises(tour.TourError, match=message):
        tour.parse(text)


@pytest.mark.parametrize("text", ["", "x", "é" * 40, "AAAA", "eJw" * 5000, "A" * 40_000])
def test_a_bad_address_gets_a_sentence(text):
    with pytest.raises(tour.TourError):
        tour.unpack(text)


def test_an_address_that_swells_is_cut_off():
    bomb = tour.pack(tour.Tour("own", " " * 5_000_000, "", ()))
    assert len(bomb) < tour.LONGEST
    with pytest.raises(tour.TourError, match="too large"):
        tour.unpack(bomb)


TEXT = st.text(st.characters(exclude_categories=("C", "Z")), max_size=60)


@given(title=TEXT, says=st.lists(TEXT, max_size=5))
def test_file_and_address_give_back_what_they_were_made_of(title, says):
    mine = tour.Tour(
        "own", title or "x", "", tuple(tour.Scene("letters", say, answer="a", hide="kept") for say in says)
    )
    assert tour.parse(tour.dump(mine)) == mine
    assert tour.unpack(tour.pack(mine)) == mine


def test_scripts_stay_text():
    say = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    assert tour.parse(of(say=say)).scenes[0].say == say
    assert tour.fill("{kept}", {"kept": "<b>"}) == "<b>"


def test_an_address_keeps_the_page_s_own_names_only():
    scene = tour.Scene("/pose?scene=signs&tour=x&at=3&speaker=true&embed=true&a0=0.5", after="a0=&level=2")
    assert scene.page == "pose"
    assert scene.query() == {"scene": "signs", "a0": "0.5"}
    assert scene.query(is_answered=True) == {"scene": "signs", "level": "2"}


def test_no_page_uses_a_tour_s_names():
    source = "".join(
        (navigation.APP / f"spcviz/{name}.py").read_text()
        for name in ("web/ui/state", "problems/budgets/spending")
    )
    source += "".join(path.read_text() for path in (navigation.APP / "pages").rglob("*.py"))
    fields = set(re.findall(r"(?:whole|real|choice|flag|text)\(\s*\"([a-z_0-9]+)\"", source))
    fields |= set(spending.trade_off_table(task.trade_tasks()).fields)
    assert {"word", "alpha", "controls", "clips"} <= fields
    assert not fields & set(tour.RESERVED)


def test_five_tours_are_long_and_all_lead_to_pages():
    assert list(SHIPPED)[:5] == list(FIVE)
    assert all(8 <= len(SHIPPED[name].scenes) <= 15 for name in FIVE)
    pages = {scene.page for shipped in SHIPPED.values() for scene in shipped.scenes}
    assert pages <= set(navigation.names())
    without = {"", "tours", "course"}
    left = set(navigation.names()) - pages - without
    assert not left, f"add a scene, in a file of spcviz/web/tours/shipped, that leads to: {left}"


@pytest.mark.parametrize("name", list(SHIPPED))
def test_numbers_are_never_typed_and_questions_have_answers(name):
    for scene in SHIPPED[name].scenes:
        for text in (scene.say, scene.ask, scene.answer):
            assert not re.search(r"[0-9]", re.sub(r"\{[a-z_0-9]+\}", "", text)), text
            assert text.count("{") == len(re.findall(r"\{[a-z][a-z0-9_]*\}", text))
        assert bool(scene.ask) == bool(scene.answer)
        assert scene.say
        assert len(scene.say) <= 330, "one or two sentences"
        if scene.choices:
            assert list(scene.options.values()).count("") == 1, "one right choice, a reason for each other"
