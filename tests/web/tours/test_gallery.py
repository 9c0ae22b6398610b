"""The gallery: every sentence is recomputed from the numbers of its page; nothing else may be said."""

import json
import re

import pytest

from spcviz.web.course import expression
from spcviz.web.exporting import snapshot
from spcviz.web.tours import gallery, tour
from spcviz.web.ui import navigation

EXHIBITS = {one.name: one for one in gallery.exhibits()}


def facts_of(one, number):
    """Facts of an exhibit's page and of the pages it is compared with, each opened again."""
    more = {"tour": gallery.NAME, "at": str(number)}
    return {
        other: snapshot.take_snapshot(tour.Scene(address), more).facts
        for other, address in {"": one.address, **one.beside}.items()
    }


@pytest.mark.parametrize("name", EXHIBITS)
def test_what_is_said_holds(name):
    one = EXHIBITS[name]
    facts = facts_of(one, list(EXHIBITS).index(name) + 1)
    assert one.is_true(facts), {
        n: t for n, t in one.name_facts(facts).items() if n in expression.names(one.holds)
    }
    assert "…" not in tour.fill(one.say, one.name_facts(facts))


@pytest.mark.parametrize("name", EXHIBITS)
def test_a_sentence_claims_by_numbers_of_its_condition(name):
    """No number is typed that could go stale, and every compared page is in the condition."""
    one = EXHIBITS[name]
    assert not re.search(r"\d", re.sub(r"\{\w+\}", "", f"{one.title} {one.say}"))
    assert expression.names(one.holds)
    assert {n.partition("_")[0] for n in expression.names(one.holds)} >= set(one.beside)
    assert all(
        tour.Scene(address).page in navigation.names() for address in (one.address, *one.beside.values())
    )
    assert re.fullmatch(r"[a-z-]{4,40}", name)


def test_the_wall_has_twenty_exhibits_each_with_a_name_and_a_scene_of_its_own():
    assert len(EXHIBITS) == len(gallery.exhibits()) == 20
    assert len({one.address for one in gallery.exhibits()}) == 20
    assert len({one.title for one in gallery.exhibits()}) == 20
    assert len({tour.Scene(one.address).page for one in gallery.exhibits()}) >= 9


def test_a_false_sentence_is_seen_to_be_false():
    one = EXHIBITS["triples-read-it"]
    page = {"reading": "favor", "truth": "favor", "pieces": "triples"}
    facts = {"": page, "one": {"reading": "faror"}, "two": {"reading": "faror"}}
    assert one.is_true(facts)
    assert not one.is_true(facts | {"": page | {"reading": "faror"}})
    assert not one.is_true(facts | {"two": {"reading": "favor"}})
    with pytest.raises(expression.UnknownNameError):
        one.is_true({"": page})


def test_the_tour_of_the_gallery_says_what_one_page_can():
    wall = gallery.as_tour()
    assert len(wall.scenes) == len(EXHIBITS)
    assert tour.parse(tour.dump(wall)).scenes == wall.scenes  # within the bounds of any tour
    for scene, one in zip(wall.scenes, gallery.exhibits()):
        assert scene.say.startswith(one.title)
        assert not any(f"{{{other}_" in scene.say for other in one.beside)


@pytest.mark.parametrize(
    ("text", "number"),
    [("14,040", 14040.0), ("11.1 %", 11.1), ("\u22120.75", -0.75), ("0 of 25", "0 of 25"), ("wates", "wates"),
     ("<b>3</b>", "<b>3</b>"), ("", "")],
)  # fmt: skip
def test_numbers_are_read_as_pages_write_them(text, number):
    assert gallery.number_in(text) == number


def test_the_file_is_plain_data():
    raw = json.loads((tour.SHIPPED.parent / "gallery.json").read_text("utf-8"))
    assert all(set(one) <= set(gallery.Exhibit._fields) for one in raw)
