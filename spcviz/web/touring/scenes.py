"""The scene that an address names, and its texts for the bar, the speaker's window, a class and print.

In the address ``tour`` names the tour and ``at`` the scene, ``3`` with its question and ``3a`` with the
answer; everything else is the page's own state. Numbers in a sentence are those that its page has offered.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from spcviz.web.classroom.rooms import number_in
from spcviz.web.course import task as tasks
from spcviz.web.touring import own_tour
from spcviz.web.tours import gallery, tour
from spcviz.web.ui import layout, navigation

NOTE, TRIED = "tour_note", "tour_tried"
"""Session keys of (tour, code of a scene, the fault of the address that led there), and of
{(tour, number): chosen texts}."""
MOST_PICTURE = 290
"""Characters of a scene's address that a phone opens."""
MOST_LISTED = 120
"""Characters of a scene in the speaker's list."""
CODE = re.compile(r"([0-9]{1,6})(a?)", re.ASCII)
"""Code of a scene in an address: its number, and an "a" with the answer."""
KNOWN: dict[tuple[str, str], dict[str, str]] = {}
"""{(shipped tour, code of a scene): its numbers}: filled by any visit there, for handouts and speakers."""
NO_TOUR = tour.Tour("", "", "", ())


class TourPosition(NamedTuple):
    """The position in a tour."""

    tour: tour.Tour  # without scenes if there is none of that name
    number: int  # of the scene, from 1
    is_answered: bool
    note: str = ""  # the fault of the address, for the visitor
    is_end: bool = False  # the closing scene: the last one remains visible behind it

    @property
    def scene(self):
        """The `Scene`, an empty one in a tour without any."""
        return self.tour.scenes[self.number - 1] if self.tour.scenes else tour.Scene("")

    @property
    def code(self):
        """Its code in the address."""
        return tour.END if self.is_end else f"{self.number}a" if self.is_answered else str(self.number)


def tours():
    """{name: Tour}: the shipped ones, the gallery, the visitor's own if it has scenes, a brought one."""
    mine, foreign = own_tour.own(), own_tour.find_brought()
    beside = {tour.BROUGHT: foreign.tour} if foreign else {}
    every = tour.shipped_tours() | {gallery.NAME: gallery.as_tour()}
    return every | ({tour.OWN: mine} if mine.scenes else {}) | beside


def running(params: Mapping[str, str]) -> TourPosition | None:
    """The scene that an address names."""
    name = params.get("tour")
    if name is None:
        return None
    known = tours().get(name)
    if known is None or not known.scenes:
        return TourPosition(NO_TOUR, 0, False, _unknown(name))
    asked = params.get("at") or params.get("scene") or "1"
    if asked == tour.END and known.seen:
        return TourPosition(known, len(known.scenes), bool(known.scenes[-1].answer), is_end=True)
    code = CODE.fullmatch(asked)
    number = int(code[1]) if code else 0
    note = ""
    if not 1 <= number <= len(known.scenes):
        note = f"This tour has no scene {asked[:20]}: it has {len(known.scenes)}."
        number = len(known.scenes) if number > len(known.scenes) else 1
    scene = known.scenes[number - 1]
    if scene.page not in navigation.names():
        note = f"The page of this scene, “{scene.page[:40]}”, is not here. Page Down goes on to the next."
    return TourPosition(known, number, bool(code and code[2] and scene.answer), note)


def is_code(text: str) -> bool:
    """Whether a text is the code of a scene in a tour; pages have other uses for the name ``scene``."""
    return text == tour.END or CODE.fullmatch(text) is not None


def find_number(of_tour: tour.Tour, page: str, state: Mapping[str, str]) -> int | None:
    """Number of the first scene of a tour that is a page in exactly this state; None if there is none.

    >>> of = tour.Tour("x", "", "", (tour.Scene("letters?level=2"), tour.Scene("letters?word=5")))
    >>> find_number(of, "letters", {"word": "5"}), find_number(of, "letters", {})
    (2, None)
    """
    places = ((scene.page, scene.query()) for scene in of_tour.scenes)
    return next((n for n, place in enumerate(places, start=1) if place == (page, dict(state))), None)


def _unknown(name):
    if not name:
        return "This address names no tour. The page Tours lists those that there are."
    if name == tour.OWN:
        return "Your own tour is kept in the browser that made it. Bring its file or its address to Tours."
    if name == tour.BROUGHT:
        return "A tour that a link brings is kept in the browser that opened it. Open that link again."
    return f"There is no tour “{name[:40]}”. The page Tours lists those that there are."


def address_of(at):
    """Page and parameters of a `TourPosition`: (page, {name: text})."""
    state = at.scene.query(at.is_answered)
    return at.scene.page, state | {"tour": at.tour.name, "at": at.code}


def picture_of(at: TourPosition) -> str:
    """Address of a scene in a frame: as on a projector, with the light theme, for print."""
    page, params = address_of(at)
    return f"./{page}?{urlencode(params | {'embed': 'true', 'embed_options': 'light_theme'})}"


def pictures_of(of_tour: tour.Tour) -> list[dict]:
    """The scenes for `component.show_handout`: each with its question open, then all that have answers."""
    out = []
    for is_answered in (False, True):
        for number, scene in enumerate(of_tour.scenes, start=1):
            if scene.page not in navigation.names() or (is_answered and not scene.answer):
                continue
            at = TourPosition(of_tour, number, is_answered)
            address = tour.address(scene.page, scene.query(is_answered))
            one = {"number": number, "code": at.code, "address": f"./{address}", "isAnswer": is_answered}
            out.append(one | {"open": picture_of(at)})
    return out


def describe_scene(at: TourPosition, facts: Mapping[str, str], *, is_told: bool = False) -> dict:
    """The bar's data for a scene: JSON values for `spcviz.web.touring.component.show_bar`.

    Only with `is_told` they include the data of a speaker's window: answers to come, notes, all scenes.
    """
    scene, of_tour = at.scene, at.tour
    return {
        "name": of_tour.name,
        "title": of_tour.title,
        "n": len(of_tour.scenes),
        "number": at.number,
        "code": at.code,
        "order": tour.codes(of_tour),
        # with the answer the page may show another state
        "say": "" if at.is_end or (at.is_answered and scene.after) else tour.fill(scene.say, facts),
        "ask": "" if at.is_end else tour.fill(scene.ask, facts),
        "answer": tour.fill(scene.answer, facts) if at.is_answered and not at.is_end else "",
        "note": at.note or _kept_note(at),
        "isAsking": bool(scene.answer) and not at.is_answered,
        "point": scene.point,
        "query": scene.query(at.is_answered),
        "hasChoices": st.session_state.get(layout.SCENE_HAS_CONTROLS, True),
        "room": room(st.query_params.get("room", "")),
        "speaking": speaking(at) | {"next": _after(at)} if is_told else None,
        "poll": None if at.is_end else poll(at, facts),
        "options": options(at, facts),
        "closing": closing(at) if at.is_end else None,
        "speaker": f"./?tour={of_tour.name}&speaker=true&embed=true",
    }


def keep_note(at: TourPosition) -> None:
    """Remember the fault of an address that led to a scene: it is shown while the visitor stays there."""
    st.session_state[NOTE] = at.tour.name, at.code, at.note


def _kept_note(at):
    name, code, note = st.session_state.get(NOTE, ("", "", ""))
    return note if (name, code) == (at.tour.name, at.code) else ""


def describe_to_speaker(at: TourPosition) -> dict:
    """A scene for the speaker's window, with the numbers that any visit has provided."""
    of = describe_scene(at, KNOWN.get((at.tour.name, at.code), {}), is_told=True)
    names = ("name", "title", "number", "n", "say", "ask", "answer", "isAsking", "code", "order")
    return {"kind": "scene", **{name: of[name] for name in names}, **of["speaking"]}


def list_choices(at: TourPosition) -> tuple[str, ...]:
    """This visitor's choices in a scene, in order."""
    return st.session_state.get(TRIED, {}).get((at.tour.name, at.number), ())


def options(at: TourPosition, facts: Mapping[str, str]) -> list[dict]:
    """The choices of a scene, with the reason why a tried one is wrong, and once answered the right one:
    nothing that would answer it before that."""
    if at.is_end:
        return []
    chosen, right = list_choices(at), tour.fill(at.scene.right, facts) if at.scene.right else ""
    rows = []
    for text, why in at.scene.options.items():
        shown = tour.fill(text, facts)
        is_right = not why if at.scene.why else bool(right) and shown in right
        row = {"text": shown, "why": why if text in chosen else "", "isChosen": text in chosen}
        rows.append(row | {"isRight": at.is_answered and is_right})
    return rows


def score(of_tour: tour.Tour) -> tuple[int, int]:
    """(questions right at the first try, questions answered) in this visit."""
    every = st.session_state.get(TRIED, {})
    first = [
        not of_tour.scenes[number - 1].options.get(chosen[0], "x")
        for (name, number), chosen in every.items()
        if name == of_tour.name and chosen and number <= len(of_tour.scenes)
    ]
    return sum(first), len(first)


def closing(at: TourPosition) -> dict:
    """Content of the closing scene: what was seen, how many answers were right, where to continue."""
    right, n = score(at.tour)
    after, one = tour.shipped_tours().get(at.tour.next), tasks.every().get(at.tour.task)
    tally = f"{right} of your {n} answers were right at the first try."
    if n == 1:
        tally = f"Your answer was {'' if right else 'not '}right at the first try."
    return {
        "seen": list(at.tour.seen),
        "score": tally if n else "",
        "next": {"name": after.name, "title": after.title} if after else None,
        "task": {"id": one.id, "ask": one.ask} if one else None,
    }


def room(text):
    """Number of a class's room in an address, as text; None for anything else."""
    return text if number_in(text) is not None else None


def poll(at: TourPosition, facts: Mapping[str, str]):
    """A scene's question to a class: text, choices, picture, and once it is answered the right choice."""
    scene, is_answered = at.scene, at.is_answered
    if not (scene.choices or scene.right):
        return None
    choices = [tour.fill(one.strip(), facts) for one in scene.choices.split("|") if one.strip()]
    right = ""
    if is_answered:
        found = next((choice for choice, why in scene.options.items() if scene.why and not why), scene.right)
        right = tour.fill(found, facts)
    why = [tour.fill(reason, facts) for reason in scene.options.values()] if is_answered else []
    if at.tour.name in tour.shipped_tours():
        picture = f"?tour={at.tour.name}&scene={at.code}&embed=true"
    else:  # the phone has no such tour
        here = tour.address(scene.page, scene.query(is_answered) | {"controls": "0"})
        picture = here if len(here) <= MOST_PICTURE else ""
    asked = {"ask": tour.fill(scene.ask, facts), "choices": choices, "right": right, "why": why}
    return asked | {"picture": picture}


def speaking(at: TourPosition) -> dict:
    """Data of a tour for the speaker's window: notes, all scenes to jump to, the plan, the next picture."""
    scenes = at.tour.scenes
    said = (tour.fill(s.say or s.ask, known_facts(at.tour, n)) for n, s in enumerate(scenes, start=1))
    upcoming = running({"tour": at.tour.name, "at": str(at.number + 1)}) if at.number < len(scenes) else None
    has_page = upcoming is not None and upcoming.scene.page in navigation.names()
    return {
        "notes": at.scene.notes,
        "scenes": [text[:MOST_LISTED] for text in said],
        "plan": list(map(tour.seconds, scenes)),
        "picture": picture_of(upcoming) if has_page else "",
    }


def known_facts(of_tour, code):
    """The numbers of a scene, if any visit has been there."""
    return KNOWN.get((of_tour.name, str(code)), {})


def _after(at):
    """The speaker's texts of the next scene."""
    codes = tour.codes(at.tour)
    following = codes.index(at.code) + 1 if at.code in codes else len(codes)
    if following >= len(codes):
        return None
    then = running({"tour": at.tour.name, "at": codes[following]})
    facts = known_facts(at.tour, then.code)
    texts = {name: tour.fill(getattr(then.scene, name), facts) for name in ("say", "ask", "answer")}
    return {"say": "", "ask": "", "answer": texts["answer"]} if then.is_answered else texts | {"answer": ""}
