"""Every question of every tour: its answer is in nothing that the page says before it is given."""

import re
from functools import cache

import pytest

from spcviz.web.tours import tour

from ..driver import checked, open_home
from ..test_course import told

SHIPPED = tour.shipped()
QUESTIONS = [(n, k) for n, t in SHIPPED.items() for k, s in enumerate(t.scenes, 1) if s.answer]
SIZES = ("cells", "words", "length", "level")
"""Facts that answers repeat and that are no secret."""


@cache
def opened(name, number, is_answered=False):
    """(what a scene's page says without its article, its facts)."""
    from spcviz.web.ui import navigation

    scene, at = SHIPPED[name].scenes[number - 1], open_home()
    if scene.page:
        at.switch_page(navigation.names()[scene.page])
    for key, value in scene.query(is_answered).items():
        at.query_params[key] = value
    at.query_params["tour"], at.query_params["at"] = name, f"{number}{'a' * is_answered}"
    at = checked(at.run())
    return told(at).split("## What you see")[0], dict(at.session_state["tour_facts"])


def stands(value, text):
    """Whether a value stands in a text as a word or a number of its own."""
    return re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w|[.,]\d)", text) is not None


@pytest.mark.parametrize(("name", "number"), QUESTIONS)
def test_the_answer_is_hidden_until_it_is_given(name, number):
    scenes = SHIPPED[name].scenes
    scene = scenes[number - 1]
    _, facts = opened(name, number, True)
    answer = tour.fill(scene.answer, facts)
    assert "…" not in answer, "every number of it is there"
    said = ""
    for k in range(1, number + 1):
        text, before = opened(name, k)
        said += tour.fill(scenes[k - 1].say, before) + tour.fill(scenes[k - 1].ask, before)
        assert "…" not in said
        for fact in tour.names(scene.answer):
            value = str(facts[fact])
            is_small = value.isdigit() and int(value) < 100 and k < number  # such numbers are everywhere
            if len(value) < 2 or fact in SIZES or is_small or stands(value, said):
                continue
            assert not stands(value, text), f"scene {k} says {fact}: {value}"


@pytest.mark.parametrize(("name", "number"), [q for q in QUESTIONS if SHIPPED[q[0]].scenes[q[1] - 1].right])
def test_the_choice_that_is_called_right_is_what_the_page_says(name, number):
    scene = SHIPPED[name].scenes[number - 1]
    _, facts = opened(name, number, True)
    right = next((tour.fill(choice, facts) for choice, why in scene.options.items() if not why), None)
    assert right is None or right in tour.fill(scene.right, facts)
