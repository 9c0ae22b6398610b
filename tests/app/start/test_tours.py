"""Tours through app.py: any address, the editor, and pages that offer what sentences name."""

import pytest
import streamlit as st

from spcviz.problems.letters.page import cached
from spcviz.web.figures.lattice_numbers import facts as facts_of
from spcviz.web.figures.lattice_numbers import threshold
from spcviz.web.touring import scenes, touring
from spcviz.web.tours import tour
from spcviz.web.ui import navigation
from tests.app.driver import check, open_page

PAGE = "pages/start/tours.py"
EXACT = "pages/learn/exact_inference.py"
MINE = tour.Tour(
    "own",
    "[Mine](javascript:alert)",
    "",
    (
        tour.Scene("exact_inference?show=ink", "<script>alert(1)</script> {word}", "why?", "so {nothing}"),
        tour.Scene("gone?x=1", "second"),
    ),
)


def facts(at):
    return at.session_state["tour_facts"]


def shown(app, address):
    """Contents of the bar at an address, with the page's own numbers."""
    return scenes.describe_scene(scenes.running(address), facts(app))


def test_a_page_offers_its_numbers_while_a_tour_runs():
    at = open_page(EXACT, tour="cascade", at="1")
    bar = shown(at, {"tour": "cascade", "at": "1"})
    assert bar["say"].endswith(f"{facts(at)['search_readings']} readings.")
    assert "456,976" in bar["say"]
    assert bar["n"] == len(tour.shipped_tours()["cascade"].scenes)
    assert not facts(open_page(EXACT)), "and is not asked otherwise"


@pytest.mark.parametrize("name", list(tour.shipped_tours()))
def test_only_a_window_that_a_speaker_follows_is_told_what_is_still_asked(name, monkeypatch):
    monkeypatch.setattr(scenes, "KNOWN", {})
    for number, scene in enumerate(tour.shipped_tours()[name].scenes, start=1):
        at = scenes.running({"tour": name, "at": str(number)})
        alone, followed = str(scenes.describe_scene(at, {})), str(scenes.describe_scene(at, {}, is_told=True))
        answer = tour.fill(scene.answer, {})
        assert not answer or (answer not in alone and answer in followed)
        assert not scene.notes or (scene.notes not in alone and scene.notes in followed)


@pytest.mark.parametrize(("name", "at"), [("wrong", "3"), ("hybrid", "1")])
def test_a_scene_whose_address_says_what_is_so_anyway_is_not_strayed_from(name, at):
    """Pages omit from their address the values of their own first scene."""
    scene = tour.shipped_tours()[name].scenes[int(at) - 1]
    page = open_page(navigation.names()[scene.page], **scene.query(), tour=name, at=at)
    params = {key: page.query_params[key] for key in page.query_params if key not in tour.RESERVED}
    state = {key: value if isinstance(value, str) else value[0] for key, value in params.items()}
    assert state != scene.query(), "else this test says nothing"
    assert page.session_state["tour_homes"][name, at] == state
    assert (name, at) in scenes.KNOWN, "its numbers are known to handouts and speakers"
    page.query_params["word"] = "5" if name == "wrong" else "7"
    page = check(page.run())
    assert page.session_state["tour_homes"][name, at] == state, "somewhere else is not its home"


def test_the_word_that_more_money_spoils_is_read_right_from_its_pixels():
    """Scene 9 of Spend says so; no view of everything bought shows it."""
    _, query = scenes.address_of(running := scenes.running({"tour": "spend", "at": "9"}))
    assert "pixels alone read this word right" in running.scene.say
    seen = facts(open_page("pages/budget/policy.py", **query))
    assert seen["start"] == seen["word"] != seen["reading_dms_pi"]


def test_a_page_reruns_a_part_by_itself_unless_a_tour_tells_its_numbers(monkeypatch):
    params = {}
    monkeypatch.setattr(touring.st, "query_params", params)
    monkeypatch.setattr(touring.st, "fragment", lambda part: ("alone", part))
    assert touring.by_itself(print) == ("alone", print)
    params["tour"] = "circles"
    assert touring.by_itself(print) is print


def test_a_card_of_the_list_is_few_elements():
    """Each element costs a class of 40 time in every run; twelve per card took a second and a half."""
    at = open_page("pages/start/tours.py")
    cards = [one.value for one in at.markdown if one.value.startswith("![A scene")]
    assert len(cards) == len(tour.shipped_tours())
    assert all("](data:image/webp;base64," in card for card in cards)
    assert len(list(at.main)) <= 6 * len(cards) + 20


@pytest.mark.parametrize(
    ("address", "note"),
    [
        ({"tour": "nothere"}, "There is no tour “nothere”"),
        ({"tour": "own", "at": "2"}, "Your own tour is kept"),
        ({"tour": "cascade", "at": "999"}, "This tour has no scene 999: it has 14"),
        ({"tour": "cascade", "at": "<script>"}, "This tour has no scene <script>"),
        ({"tour": "<b>" * 500}, "There is no tour “<b><b>"),
    ],
)
def test_any_address_is_survived(address, note):
    st.session_state.clear()  # outside a server all tests share it
    at = open_page(EXACT, **address)
    assert note in scenes.running(address).note
    bar = shown(at, address)
    assert note in bar["note"]
    assert len(bar["note"]) < 200


def test_the_presenter_s_link_leads_to_the_scene():
    at = open_page("pages/start/home.py", tour="circles", scene="2a")
    assert {name: "".join(at.query_params[name]) for name in ("tour", "at", "show")} == {
        "tour": "circles",
        "at": "2a",
        "show": "tables",
    }
    assert facts(at)["looked_at"] == "35,854"


LETTERS, POSE = "pages/cascade/letters.py", "pages/cascade/pose.py"
HOME = "pages/start/home.py"


@pytest.mark.parametrize(
    ("page", "address", "leads"),
    [
        (HOME, {"tour": "circles"}, ("circles", "1", "show=tables")),
        (PAGE, {"tour": "circles"}, ("circles", "1", "show=tables")),
        (EXACT, {"tour": "circles", "word": "1350"}, ("circles", "1", "show=tables")),
        (LETTERS, {"tour": "circles", "scene": "2"}, ("circles", "2", "show=tables")),
        (HOME, {"tour": "circles", "at": "1"}, ("circles", "1", "show=tables")),
        (HOME, {"tour": "circles", "scene": ""}, ("circles", "1", "show=tables")),
        (HOME, {"tour": "circles", "scene": "0"}, ("circles", "1", "This tour has no scene 0: it has")),
        (HOME, {"tour": "cascade", "scene": "<b>"}, ("cascade", "1", "This tour has no scene <b>")),
        (EXACT, {"tour": "cascade", "at": "x"}, ("cascade", "1", "This tour has no scene x")),
        (EXACT, {"tour": "cascade", "show": "messages", "step": "7"}, ("cascade", "4", "step=7")),
    ],
)
def test_half_of_a_scene_s_address_leads_to_a_scene(page, address, leads):
    """A tour alone, on any page, means its first scene, or the scene that matches the page's state."""
    st.session_state.clear()
    at = open_page(page, **address)
    params = {name: "".join(at.query_params[name]) for name in at.query_params}
    assert (params["tour"], params["at"]) == leads[:2]
    said = at.session_state["tour_note"][2], *(f"{name}={text}" for name, text in params.items())
    assert any(leads[2] in one for one in said)
    assert not at.warning


@pytest.mark.parametrize(
    ("page", "address", "says"),
    [
        (HOME, {"tour": ""}, "This address names no tour."),
        (HOME, {"tour": "", "scene": ""}, "This address names no tour."),
        (LETTERS, {"tour": "nothere", "scene": "3"}, "There is no tour “nothere”."),
        (HOME, {"scene": "3"}, "The address names a scene and no tour"),
        (LETTERS, {"at": "3", "word": "5"}, "The address names a scene and no tour"),
    ],
)
def test_what_names_no_scene_is_said(page, address, says):
    st.session_state.clear()
    at = open_page(page, **address)
    params = {name: "".join(at.query_params[name]) for name in at.query_params}
    said = [one.value for one in at.warning] + ([shown(at, params)["note"]] if "tour" in params else [])
    assert [one for one in said if says in one] == said
    assert said


def test_from_a_scene_one_may_go_on_to_another_page_with_its_tour():
    at = open_page(EXACT, tour="cascade", at="1")
    at.session_state["tour_going"] = "joint_beats_separate", {"tour": "cascade", "at": "1"}
    at = check(at.run())
    assert "Joint" in at.markdown[0].value
    at.switch_page("pages/learn/joint_beats_separate.py")  # the browser is there now
    at.query_params["tour"], at.query_params["at"] = "cascade", "1"
    at = check(at.run())
    assert at.query_params["at"] in ("1", ["1"])
    assert "Joint" in at.markdown[0].value


def test_what_is_wrong_with_a_led_address_is_said_while_one_stays_there():
    st.session_state.clear()
    led = scenes.running({"tour": "circles", "at": "99"})
    scenes.keep_note(led)
    here = {"tour": "circles", "at": led.code}
    n = len(led.tour.scenes)  # some need data that may be missing
    assert [shown_note(here) for _ in range(2)] == [f"This tour has no scene 99: it has {n}."] * 2
    assert not shown_note({"tour": "circles", "at": "3"})


def shown_note(address):
    return scenes.describe_scene(scenes.running(address), {})["note"]


def test_an_own_tour_comes_by_address_and_is_edited():
    at = open_page(PAGE, own=tour.pack(MINE))
    assert "own" not in at.query_params
    assert at.info[0].value.startswith("A tour from a link: ")
    assert "tour_own" not in at.session_state, "nothing is anybody's own before a button is pressed"
    at.button(key="tours_replace").click()
    check(at.run())
    assert not [area for area in at.text_area if area.label == "Sentence"]  # closed boxes are empty
    at.session_state["tours_open_0"] = True
    check(at.run())
    assert [area.value for area in at.text_area if area.label == "Sentence"] == [MINE.scenes[0].say]
    assert all("](javascript" not in heading.value for heading in at.subheader)
    down = next(button for button in at.button if button.key == "tours_do_0_down")
    down.click()
    check(at.run())
    assert [scene.say for scene in at.session_state["tour_own"].scenes] == [s.say for s in MINE.scenes[::-1]]
    assert [area.value for area in at.text_area if area.label == "Sentence"] == [MINE.scenes[0].say]
    next(button for button in at.button if button.key == "tours_do_1_up").click()
    check(at.run())
    down = next(button for button in at.button if button.key == "tours_do_0_down")
    down.click()
    check(at.run())
    at.text_area(key="tours_say_1").set_value("other words")
    check(at.run())
    assert at.session_state["tour_own"].scenes[1].say == "other words"
    at.session_state["tours_open_0"] = True
    check(at.run())
    next(button for button in at.button if button.key == "tours_do_0_drop").click()
    check(at.run())
    assert [scene.say for scene in at.session_state["tour_own"].scenes] == ["other words"]
    assert [area.value for area in at.text_area if area.label == "Sentence"] == ["other words"]


def test_a_scene_whose_page_is_gone_says_so():
    at = open_page(PAGE, own=tour.pack(MINE))
    at.query_params["tour"], at.query_params["at"] = "brought", "2"
    at.switch_page(EXACT)
    check(at.run())
    assert at.session_state["tour_brought"].tour.scenes[1].page == "gone"


@pytest.mark.parametrize("address", ["", "x", "A" * 50_000, tour.pack(MINE)[:-20]])
def test_a_bad_address_gets_a_sentence(address):
    at = open_page(PAGE, own=address)
    assert at.warning[0].value.startswith("This")


def test_a_handout_lists_every_scene():
    at = open_page(PAGE, handout="why")
    text = "\n".join(element.value for element in at.text)
    for number, scene in enumerate(tour.shipped_tours()["why"].scenes, start=1):
        assert f"{number}. {scene.say.partition('{')[0]}" in text
    assert check(open_page(PAGE, handout="nothere"))


def test_a_handout_s_pictures():
    plain = tour.Scene("exact_inference?show=ink", "a")
    asked = tour.Scene("exact_inference", "a", "why?", "so")
    other = tour.Scene("exact_inference", "a", "why?", "so", after="show=ink")
    gone = tour.Scene("nowhere", "a")
    pictures = scenes.pictures_of(tour.Tour("x", "", "", (plain, asked, other, gone)))
    assert [one["code"] for one in pictures] == ["1", "2", "3", "2a", "3a"], "answers come last"
    assert pictures[0]["address"] == "./exact_inference?show=ink"
    assert "tour=x&at=3a&embed=true&embed_options=light_theme" in pictures[4]["open"]
    for name, every in tour.shipped_tours().items():
        numbers = {one["number"] for one in scenes.pictures_of(every)}
        assert numbers == set(range(1, len(every.scenes) + 1)), name


@pytest.mark.skipif("open" not in cached.LETTERS_FEATURES, reason="no open vocabulary: train open")
def test_the_stories_told_are_what_the_models_do():
    """Sentences without numbers make claims as well: another model may need another word."""
    tuned = (None,) * 6
    word = [facts_of(cached.letters_trace(192, "open", 4, tuned), level) for level in (1, 4)]
    assert word[0]["reading"] != word[0]["truth"] == word[1]["reading"], "neighbours make it right"
    gentle, severe = (
        cached.letters_trace(192, "open", 4, (alpha, *tuned[1:])).levels[0] for alpha in (0.5, 0.6)
    )
    assert threshold(gentle)[1][gentle.truth_arcs].all()
    assert not threshold(severe)[1][severe.truth_arcs].all(), "the truth is lost"
    first = open_page("pages/cascade/letters.py", tour="why", at="1", cell="5-c")
    assert facts(first)["fate"] == "pruned"
    level = cached.sweep_level("open", 1)
    choice = cached.sweep_choice("open", 1, round(level.tolerance, 11), False, None)
    assert choice.test.event > level.tolerance, "what was allowed does not hold at level one"
