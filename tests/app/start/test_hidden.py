"""Every question of every tour and task: nothing sent to a browser contains its answer before it is given.

This covers more than readable text: payloads of components with the parts that are sent on demand, charts'
arrays, files behind buttons, the bars' own data. ``secrets.json`` lists, by task and by scene, what counts as
an answer besides its numbers and its reasons. A choice among things that are all visible is no secret as long
as none is singled out: wherever the right one appears, wrong ones appear next to it.
"""

import json
import re
from functools import cache
from pathlib import Path
from unittest import mock
from urllib.parse import urlencode

import pytest
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from spcviz.web.course import expression
from spcviz.web.course import task as tasks
from spcviz.web.tours import gallery, tour
from spcviz.web.ui import navigation
from spcviz.web.view import mount

from .. import payloads
from ..driver import check, visitor
from ..test_course import EVERY, open_task, turned_to, values_of

SHIPPED = tour.shipped_tours()
QUESTIONS = [(n, k) for n, t in SHIPPED.items() for k, s in enumerate(t.scenes, 1) if s.answer]
SIZES = ("cells", "words", "length", "level")
"""Facts that answers repeat but that are no secret."""

SUBJECTS = ("word", "text", "sentence", "task", "vocabulary", "data", "picture", "ink", "letters", "kind")
"""Names in addresses that say what a scene is about; others say how it is viewed."""

SECRETS = json.loads((Path(tasks.__file__).parent / "secrets.json").read_text(encoding="utf-8"))

ITS_OWN = re.compile(
    r"(\.open\.(options|ask|ring)|\.tour\.(ask|say|options|poll\.(ask|choices))|\.tasks\[\d+\]\.id)\b"
)
"""Paths of the question itself: its sentence, its choices, the control that it is about."""

PLACES = re.compile(r"\.(col_start|\w+_arcs)$")
"""Starts of columns and indices of arcs: positions in a lattice's arrays, no quantities."""

NAMED = re.compile(r"\{([a-z_0-9]+)\}")


def looked_through(at):
    """Run a page; returns it and the leaves of all that it sent: at once, on demand, behind buttons."""
    plain, files = DeltaGenerator.download_button, []

    def noted(self, label, data, *rest, **named):
        files.append(data() if callable(data) else data)  # a server would serve it at an address
        return plain(self, label, data, *rest, **named)

    main = st.download_button.__self__
    with (
        mount.recording() as mounted,
        mock.patch.object(DeltaGenerator, "download_button", noted),
        mock.patch.object(st, "download_button", lambda *rest, **named: noted(main, *rest, **named)),
    ):
        check(at.run())
    return at, payloads.everything(at, mounted, files)


@cache
def open_scene(name, number, is_answered=False):
    """(leaves that a scene's page sends, its facts)."""
    scene = SHIPPED[name].scenes[number - 1]
    code = f"{number}{'a' * is_answered}"
    at = visitor()
    if scene.page:
        at.switch_page(navigation.names()[scene.page])
    for key, value in (scene.query(is_answered) | {"tour": name, "at": code}).items():
        at.query_params[key] = value
    at, leaves = looked_through(at)
    assert not at.session_state["misread_noted"], "the page knows every value of our own addresses"
    return leaves, dict(at.session_state["tour_facts"])


def subject_of(scene):
    """Subject of a scene: its page and what is viewed there, however it is viewed."""
    return scene.page, {key: value for key, value in scene.query().items() if key in SUBJECTS}


def lines(leaves):
    """A line for each text and number, without those of the question itself."""
    return [
        line for line in payloads.texts(leaves).splitlines() if not ITS_OWN.search(line.partition(" = ")[0])
    ]


def values_in(leaves):
    """The same lines without the paths."""
    return [line.partition(" = ")[2] if " = " in line else line for line in lines(leaves)]


def stands(value, text):
    """Whether a value occurs in a text as a separate word or number."""
    return re.search(rf"(?<![\w.,]){re.escape(value)}(?!\w|[.,]\d)", text) is not None


def places(leaves):
    """{path without indices of lists: all texts and numbers there}."""
    out = {}
    for leaf in leaves:
        where = re.sub(r"\[\d+\]", "[]", leaf.path)
        out[where] = out.get(where, "") + f"\n{leaf.value}"
    return out


def singled_out(value, others, leaves):
    """Places that contain a value but not all of the other choices."""
    return [
        where
        for where, text in places(leaves).items()
        if not ITS_OWN.search(where)
        and stands(value, text)
        and not all(stands(one, text) for one in others)
        and not PLACES.search(where)
    ]


@cache
def is_solution(name, key, value):
    """Whether a task is solved when one value of its solution is replaced."""
    one = EVERY[name]
    state = tasks.state_of(one.solved) | {key: value}
    return one.is_solved(values_of(open_task(f"{one.page}?{urlencode(state)}", name)))


def told(name, key, value, leaves):
    """Places that contain a task's solving value and no value that does not solve it."""
    out = []
    for where, text in places(leaves).items():
        named = dict.fromkeys(re.findall(rf"\b{key}=([\w.-]*\w)", text))
        if value in named and all(is_solution(name, key, one) for one in named):
            out.append(f"{where}: {', '.join(named)}")
    return out


def found(patterns, leaves, values=None):
    """Lines and places that give an answer away, by `SECRETS` and the values at the solution.

    A pattern matches lines; a name in braces is a value; "@" begins one of places that must not be sent.
    """
    said, out = lines(leaves), []
    for pattern in patterns:
        name = NAMED.fullmatch(pattern)
        if pattern.startswith("@"):
            out += [leaf.path for leaf in leaves if re.search(pattern[1:], leaf.path)]
        elif name:
            number = values[name[1]]
            out += [f"{place} holds {name[1]}" for place in payloads.holders(leaves, number)]
            shown = tasks.format_value(number)
            out += [one for one in values_in(leaves) if len(shown) > 2 and stands(shown, one)]
        else:
            out += [line for line in said if re.search(pattern, line)]
    return [line[:300] for line in out]


def reasons(one):
    """Sentences that are shown only with an answer, and hints, whose use is counted."""
    return [
        text
        for text in (one.won.partition("{")[0], one.hint, one.way, *(o.why for o in one.options))
        if len(text) > 16
    ]


@pytest.mark.parametrize("name", list(EVERY))
def test_nothing_that_is_sent_solves_a_task_at_its_start(name):
    one = EVERY[name]
    _, leaves = looked_through(turned_to(one.start, name))
    said = "\n".join(lines(leaves))
    assert not [text for text in reasons(one) if text in said]
    patterns = list(SECRETS.get(name, ()))
    values = {}
    if any(map(NAMED.fullmatch, patterns)):
        values = values_of(open_task(one.solved, f"{name}a" if one.options else name))
    assert not found(patterns, leaves, values)
    if not one.options:
        start, solved = tasks.state_of(one.start), tasks.state_of(one.solved)
        for key, value in solved.items():
            if start.get(key) != value and len(value) > 2:
                assert not told(name, key, value, leaves)


@pytest.mark.parametrize(("name", "number"), QUESTIONS)
def test_the_answer_is_hidden_until_it_is_given(name, number):
    scenes = SHIPPED[name].scenes
    scene = scenes[number - 1]
    _, facts = open_scene(name, number, True)
    answer = tour.fill(scene.answer, facts)
    assert "…" not in answer, "every number of it is there"
    said = ""
    for k in range(1, number + 1):
        leaves, before = open_scene(name, k)
        said += tour.fill(scenes[k - 1].say, before) + tour.fill(scenes[k - 1].ask, before)
        assert "…" not in said
        own = "\n".join(values_in(leaves))
        assert answer not in own
        for fact in tour.names(scene.answer):
            value = str(facts[fact])
            is_small = value.isdigit() and int(value) < 100 and k < number  # such numbers are everywhere
            if len(value) < 2 or fact in SIZES or is_small or stands(value, said):
                continue
            choices = [tour.fill(choice, before) for choice in scene.options]
            if value in choices:
                assert not singled_out(value, choices, leaves)
                continue
            assert not stands(value, own), [line[:300] for line in own.splitlines() if stands(value, line)]
        if k == number:
            whys = [why for why in scene.options.values() if len(why) > 12]
            assert not [why for why in whys if why in own]
        if subject_of(scenes[k - 1]) == subject_of(scene):
            assert not found(SECRETS.get(f"{name}/{number}", ()), leaves)


@pytest.mark.parametrize(("name", "number"), QUESTIONS)
def test_a_question_says_the_same_once_it_is_answered(name, number):
    """The answer may change the page, but the question must keep its numbers."""
    scene = SHIPPED[name].scenes[number - 1]
    (_, asked), (_, answered) = open_scene(name, number), open_scene(name, number, True)
    for text in (scene.ask, *scene.options):
        assert tour.fill(text, asked) == tour.fill(text, answered)


@pytest.mark.parametrize(("name", "number"), [q for q in QUESTIONS if SHIPPED[q[0]].scenes[q[1] - 1].right])
def test_the_choice_that_is_called_right_is_what_the_page_says(name, number):
    scene = SHIPPED[name].scenes[number - 1]
    _, facts = open_scene(name, number, True)
    right = next((tour.fill(choice, facts) for choice, why in scene.options.items() if not why), None)
    assert right is None or right in tour.fill(scene.right, facts)


HOLDS = {
    "why/4": "kept == length",
    "why/8": "lost_test < lost_dev",
    "circles/4": "rows > 20 and rows < 26",
    "circles/11": "ensemble_wrong < lbp_wrong and ensemble_wrong < comb_wrong",
    "spend/3": "wrong + wrong > wrong_uniform and wrong + wrong + wrong < wrong_uniform + wrong_uniform + 10",
    "spend/8": "reading_one_shot != word and reading_dms_pi == word and reading_greedy == word "
    "and reading_anytime == word",
    "spend/13": "wrong < wrong_dms_pi",
    "arms/2": "kept > 150 and kept < 250",
    "arms/7": "kept > 15 and kept < 25",
    "wrong/2": "grid > one",
    "wrong/4": "lost_test > allowed",
    "wrong/6": "lbp_wrong == 0 and ensemble_wrong > 0",
    "wrong/7": "wrong < wrong_dms_pi",
    "wrong/9": "right_all < right_start",
    "yardstick/5": "lost_test + lost_test < allowed",
}
"""{scene: condition that makes its right choice right, on the numbers that its page offers with the answer};
where a choice is itself such a number, `Scene.right` says so."""


@pytest.mark.parametrize("name", HOLDS)
def test_the_right_choice_follows_from_the_page_s_numbers(name):
    of, _, number = name.partition("/")
    _, facts = open_scene(of, int(number), True)
    assert expression.is_true(HOLDS[name], {key: gallery.number_in(text) for key, text in facts.items()})


def test_what_counts_as_an_answer_is_said_of_tasks_and_scenes_that_there_are():
    known = {*EVERY, *(f"{name}/{number}" for name, number in QUESTIONS)}
    assert set(SECRETS) <= known
    for name, patterns in SECRETS.items():
        for pattern in patterns:
            assert re.compile(pattern) if not NAMED.fullmatch(pattern) else name in EVERY
