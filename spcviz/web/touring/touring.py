"""Running a tour: the scene that the URL names, the bar above the page, the numbers in its sentences.

In the address ``tour`` names the tour and ``at`` the scene, ``3`` with its question and ``3a`` with the
answer; everything else is the page's own state. ``/?tour=NAME&scene=3`` (the presenter's link) leads to the
scene's page. A sentence gets the numbers that the very run that drew the page has offered (`offer`).
"""

import contextlib
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

import streamlit as st

from spcviz.web.classroom.rooms import number_in
from spcviz.web.course import asked as course
from spcviz.web.course import task as tasks
from spcviz.web.figures.plain import plain
from spcviz.web.serving import cards
from spcviz.web.touring import own_tour
from spcviz.web.touring.component import show_bar, show_handout, show_speaker
from spcviz.web.tours import gallery, tour
from spcviz.web.ui import about, history, layout, navigation

KEY, SPEAKER_KEY = "tour_bar", "tour_speaker"
FACTS = "tour_facts"
"""Where a session keeps the numbers that its page offers."""
PYTHON = "page_python"
"""Where a session keeps the lines that compute what its page shows."""
POLL = "page_poll"
"""Where it keeps what a page itself asks a class."""
_GOING, _FORM = "tour_going", "tour_form"
_SAID, _NOTE, _CHOICES, _TRIED = "tour_said", "tour_note", "tour_choices", "tour_tried"
MOST_PICTURE = 290
"""Characters of a scene's address that a phone opens."""
MOST_LISTED = 120
"""Characters of a scene in the speaker's list."""
KNOWN: dict[tuple[str, str], dict[str, str]] = {}
"""{(shipped tour, code of a scene): its numbers}: filled by whoever gets there, for handouts and speakers."""
NO_TOUR = tour.Tour("", "", "", ())


class Running(NamedTuple):
    """Where a tour is."""

    tour: tour.Tour  # without scenes if there is none of that name
    number: int  # of the scene, from 1
    is_answered: bool
    note: str = ""  # what is wrong, for the visitor
    is_end: bool = False  # the closing scene: the last one stays behind it

    @property
    def scene(self):
        """The `Scene`, an empty one in a tour without any."""
        return self.tour.scenes[self.number - 1] if self.tour.scenes else tour.Scene("")

    @property
    def code(self):
        """What the address says of it."""
        return tour.END if self.is_end else f"{self.number}a" if self.is_answered else str(self.number)


def tours():
    """{name: Tour}: those that ship, the gallery, the visitor's own if it has scenes, what was brought."""
    mine, foreign = own_tour.own(), own_tour.brought()
    beside = {tour.BROUGHT: foreign.tour} if foreign else {}
    every = tour.shipped() | {gallery.NAME: gallery.as_tour()}
    return every | ({tour.OWN: mine} if mine.scenes else {}) | beside


def running(params: Mapping[str, str]) -> Running | None:
    """The scene that an address names."""
    name = params.get("tour")
    if name is None:
        return None
    known = tours().get(name)
    if known is None or not known.scenes:
        return Running(NO_TOUR, 0, False, _unknown(name))
    asked = params.get("at") or params.get("scene") or "1"
    if asked == tour.END and known.seen:
        return Running(known, len(known.scenes), bool(known.scenes[-1].answer), is_end=True)
    code = re.fullmatch(r"([0-9]{1,6})(a?)", asked, re.ASCII)
    number = int(code[1]) if code else 0
    note = ""
    if not 1 <= number <= len(known.scenes):
        note = f"This tour has no scene {asked[:20]}: it has {len(known.scenes)}."
        number = len(known.scenes) if number > len(known.scenes) else 1
    scene = known.scenes[number - 1]
    if scene.page not in navigation.names():
        note = f"The page of this scene, “{scene.page[:40]}”, is not here. Page Down goes on to the next."
    return Running(known, number, bool(code and code[2] and scene.answer), note)


def _unknown(name):
    if name == tour.OWN:
        return "Your own tour is kept in the browser that made it. Bring its file or its address to Tours."
    if name == tour.BROUGHT:
        return "A tour that a link brings is kept in the browser that opened it. Open that link again."
    return f"There is no tour “{name[:40]}”. The page Tours lists those that there are."


def address_of(at):
    """Page and parameters of a `Running`: (page, {name: text})."""
    state = at.scene.query(at.is_answered)
    return at.scene.page, state | {"tour": at.tour.name, "at": at.code}


def _kept(*names):
    """Of the present address what another scene's has too."""
    return {name: st.query_params[name] for name in names if name in st.query_params}


def _going(at):
    """`address_of`, with the class that is asked."""
    page, params = address_of(at)
    return page, params | _kept("room")


def offer(make: Callable, *args):
    """A page's numbers for sentences, {name: text} as it shows them: made only if a tour wants them."""
    if "tour" in st.query_params or st.session_state.get(_FORM):
        st.session_state[FACTS] = st.session_state.get(FACTS, {}) | make(*args)


def offer_poll(make: Callable[[str], dict] | None):
    """What a class in a room is asked by the page itself, ``make(room)``: as `lesson` has it."""
    st.session_state[POLL] = make


def offer_python(lines: str):
    """The Python of a page: lines that compute what it shows, for the Save menu; "" where there are none."""
    st.session_state[PYTHON] = lines


def by_itself(part: Callable) -> Callable:
    """A part of a page that reruns by itself, or with the page while a tour or a task wants its numbers."""
    is_told = "tour" in st.query_params or course.NAME in st.query_params
    return part if is_told else st.fragment(part)


def is_speaking():
    """True for the speaker's window."""
    return st.query_params.get("speaker") == "true"


def speak():
    """The speaker's window, in place of a page."""
    st.html("<style>.stSidebar, .stAppHeader { display: none } html { font-size: 16px !important }</style>")
    at = running(st.query_params)
    is_tour = at is not None and bool(at.tour.scenes)
    hall = f"./?tour={at.tour.name}&scene={at.code}&embed=true" if is_tour else "./tours"
    show_speaker(told(at) if is_tour else None, hall, own_tour.kept(), key=SPEAKER_KEY, on_act=_turned)


def told(at: Running) -> dict:
    """A scene as the speaker's window has it, with the numbers that anybody's visit has told."""
    of = shown(at, KNOWN.get((at.tour.name, at.code), {}))
    names = ("name", "title", "number", "n", "say", "ask", "answer", "isAsking", "next", "code", "order")
    return {"kind": "scene", **{name: of[name] for name in names}, **of["speaking"]}


def _turned():
    """The speaker's window brings its own tour, or goes to another scene. Anyone may send anything."""
    state = st.session_state.get(SPEAKER_KEY)
    asked = state.get("act") if isinstance(state, Mapping) else None
    at = running(st.query_params)
    if isinstance(asked, Mapping) and asked.get("kind") == "restore":
        own_tour.restore(asked)
    elif isinstance(asked, Mapping) and at and str(asked.get("to", ""))[:10] in tour.codes(at.tour):
        st.query_params["at"] = str(asked["to"])[:10]


def pictures_of(of_tour: tour.Tour) -> list[dict]:
    """What `component.show_handout` opens: each scene with its question open, then all that are answered."""
    out = []
    for is_answered in (False, True):
        for number, scene in enumerate(of_tour.scenes, start=1):
            if scene.page not in navigation.names() or (is_answered and not scene.answer):
                continue
            at = Running(of_tour, number, is_answered)
            address = tour.address(scene.page, scene.query(is_answered))
            one = {"number": number, "code": at.code, "address": f"./{address}", "isAnswer": is_answered}
            out.append(one | {"open": picture_of(at)})
    return out


def picture_of(at: Running) -> str:
    """Address of a scene in a frame: as on a projector, with the light theme, which paper wants."""
    page, params = address_of(at)
    return f"./{page}?{urlencode(params | {'embed': 'true', 'embed_options': 'light_theme'})}"


def handout(of_tour):
    """A tour on paper: every scene's sentence, question, answer and address, and its picture on demand."""
    st.markdown(f"# {plain(of_tour.title)}")
    st.text(of_tour.about)
    st.caption(
        "Below the list each scene is opened once, which fills in its numbers and adds its picture; what is "
        "asked is answered on the last pages. To see a scene again, open its link."
    )
    answers: list[str] = []
    for number, scene in enumerate(of_tour.scenes, start=1):
        facts = _known(of_tour, number)
        later = KNOWN.get((of_tour.name, f"{number}a"), facts)
        with st.container(border=True, key=f"handout_scene_{number}"):
            st.text(f"{number}. {tour.fill(scene.say, facts)}")
            if scene.ask:
                st.text(f"? {tour.fill(scene.ask, facts)}")
                answers.append(f"{number}. {tour.fill(scene.answer, later)}")
            st.caption(f"/{plain(scene.address)}")
    show_handout(pictures_of(of_tour), key=f"handout_{of_tour.name}")
    if answers:  # on a sheet of their own: questions are to be thought about first
        with st.container(key="handout_answers"):
            st.html("<style>@media print { .st-key-handout_answers { break-before: page } }</style>")
            st.markdown("## Answers")
            st.text("\n".join(answers))


def follow(page):
    """Go where a key, a button or a presenter's link leads, before the `page` that the URL names runs."""
    history.at_page(page.url_path)
    going = st.session_state.pop(_GOING, None)
    if going is None and {"tour", "scene"} <= set(st.query_params) and page.url_path in ("", "tours"):
        at = running(st.query_params)
        going = _going(at) if at.tour.scenes and at.scene.page in navigation.names() else None
        st.session_state[_NOTE] = at.note
    if going is None:
        return
    name, params = going
    if name != page.url_path and name in navigation.names():
        st.switch_page(navigation.named(name), query_params=params)
    st.query_params.from_dict(params)


@contextlib.contextmanager
def bar(page):
    """Around a page that runs: the bar above it, drawn last, with the page's numbers."""
    st.session_state[FACTS], st.session_state[PYTHON], st.session_state[POLL] = {}, "", None
    at = running(st.query_params)
    has_controls = not at or at.scene.controls or bool(st.session_state.get(_CHOICES))
    st.session_state[layout.SCENE_HAS_CONTROLS] = has_controls
    st.session_state[course.TOUR_HIDES] = () if not at or at.is_answered or at.is_end else at.scene.hides
    st.html(_style(at))
    slot = st.container(key="tour_slot")
    try:
        yield
    finally:
        with slot:
            _draw(page, at)


def _style(at):
    if not at:
        return "<style>:has(> .st-key-tour_slot) { position: absolute; height: 0 }</style>"
    top, room = "3.75rem", ""
    if st.context.is_embedded:  # every pixel for the scene
        top = "0.3rem"
        room = ".stAppHeader { display: none } .stMainBlockContainer { padding-top: 0.4rem !important }"
    place = f":has(> .st-key-tour_slot) {{ position: sticky; top: {top}; z-index: 95 }}"
    return f"<style>{place} {room}</style>"


def _draw(page, at):
    facts, form = st.session_state[FACTS], st.session_state.pop(_FORM, None)
    if at and at.tour.name in tour.shipped() and _going(at) == (page.url_path, st.query_params.to_dict()):
        KNOWN[at.tour.name, at.code] = facts
    if form:
        here = tour.address(page.url_path, st.query_params.to_dict())
        form = {"n": form, "facts": dict(list(facts.items())[:30]), "address": here}
    show_bar(
        shown(at, facts) if at else None,
        lesson() if not at else None,
        {
            "said": st.session_state.pop(_SAID, ""),
            "kept": own_tour.kept(),
            "version": about.version(),
            "card": "" if at or "ask" in st.query_params else cards.address(page.url_path, ""),
        },
        key=KEY,
        is_projected=bool(st.context.is_embedded),
        form=form or None,
        on_act=_acted,
    )


def shown(at: Running, facts: Mapping[str, str]) -> dict:
    """What the bar shows of a scene: JSON values for `spcviz.web.touring.component.show_bar`."""
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
        "note": at.note or st.session_state.pop(_NOTE, ""),
        "isAsking": bool(scene.answer) and not at.is_answered,
        "point": scene.point,
        "query": scene.query(at.is_answered),
        "hasChoices": st.session_state.get(layout.SCENE_HAS_CONTROLS, True),
        "room": room(st.query_params.get("room", "")),
        "speaking": speaking(at),
        "poll": None if at.is_end else poll(at, facts),
        "options": options(at, facts),
        "closing": closing(at) if at.is_end else None,
        "next": _after(at),
        "speaker": f"./?tour={of_tour.name}&speaker=true&embed=true",
    }


def lesson() -> dict | None:
    """What a class is asked by the page or its task, as a scene asks it; None without a room."""
    now, number = course.present(), room(st.query_params.get("room", ""))
    make = st.session_state.get(POLL)
    if number is not None and make is not None:
        asked = make(number) | {"right": "", "why": []}
        return {
            "room": number,
            "name": "page",
            "number": asked["link"],
            "say": "",
            "poll": asked,
            "answer": "",
        }
    if now is None or number is None:
        return None
    one, is_over = now.task, now.is_answered
    asked = {"ask": one.ask, "choices": [option.text for option in one.options] or ["I have it"]}
    if one.options:  # in an order that does not tell the right one
        places = sorted(range(len(one.options)), key=lambda at: one.options[at].text)
        asked["choices"] = [one.options[at].text for at in places]
        asked["why"] = [one.options[at].why for at in places] if is_over else []
        asked["right"] = one.right if is_over else ""
    else:
        asked |= {"link": f"{one.page}?ask={one.id}&in={number}", "right": "", "why": []}
    return {"room": number, "name": "task", "number": one.id, "say": "", "poll": asked,
            "answer": one.won if is_over else ""}  # fmt: skip


def tried(at: Running) -> tuple[str, ...]:
    """What this visitor has chosen in a scene, in order."""
    return st.session_state.get(_TRIED, {}).get((at.tour.name, at.number), ())


def options(at: Running, facts: Mapping[str, str]) -> list[dict]:
    """What can be chosen in a scene, with why a choice that was tried is wrong, and with the answer which is
    right: nothing that would answer it before that."""
    if at.is_end:
        return []
    chosen, right = tried(at), tour.fill(at.scene.right, facts) if at.scene.right else ""
    rows = []
    for text, why in at.scene.options.items():
        shown = tour.fill(text, facts)
        is_right = not why if at.scene.why else bool(right) and shown in right
        row = {"text": shown, "why": why if text in chosen else "", "isChosen": text in chosen}
        rows.append(row | {"isRight": at.is_answered and is_right})
    return rows


def score(of_tour: tour.Tour) -> tuple[int, int]:
    """(questions that were right at the first try, questions that were answered) in this visit."""
    every = st.session_state.get(_TRIED, {})
    first = [
        not of_tour.scenes[number - 1].options.get(chosen[0], "x")
        for (name, number), chosen in every.items()
        if name == of_tour.name and chosen and number <= len(of_tour.scenes)
    ]
    return sum(first), len(first)


def closing(at: Running) -> dict:
    """What the closing scene says: what was seen, how many were right, where to go on."""
    right, n = score(at.tour)
    after, one = tour.shipped().get(at.tour.next), tasks.every().get(at.tour.task)
    tally = f"{right} of your {n} {'answer was' if n == 1 else 'answers were'} right at the first try."
    return {
        "seen": list(at.tour.seen),
        "score": tally if n else "",
        "next": {"name": after.name, "title": after.title} if after else None,
        "task": {"id": one.id, "ask": one.ask} if one else None,
    }


def room(text):
    """Number of a class's room in an address, as text; None for anything else."""
    return text if number_in(text) is not None else None


def poll(at: Running, facts: Mapping[str, str]):
    """What a class is asked by a scene: question, choices, picture, and with the answer which is right."""
    scene, is_answered = at.scene, at.is_answered
    if not (scene.choices or scene.right):
        return None
    choices = [tour.fill(one.strip(), facts) for one in scene.choices.split("|") if one.strip()]
    right = ""
    if is_answered:
        found = next((choice for choice, why in scene.options.items() if scene.why and not why), scene.right)
        right = tour.fill(found, facts)
    why = [tour.fill(reason, facts) for reason in scene.options.values()] if is_answered else []
    if at.tour.name in tour.shipped():
        picture = f"?tour={at.tour.name}&scene={at.code}&embed=true"
    else:  # the phone has no such tour
        here = tour.address(scene.page, scene.query(is_answered) | {"controls": "0"})
        picture = here if len(here) <= MOST_PICTURE else ""
    asked = {"ask": tour.fill(scene.ask, facts), "choices": choices, "right": right, "why": why}
    return asked | {"picture": picture}


def speaking(at: Running) -> dict:
    """What the speaker's window has of a tour: notes, all scenes to jump to, the plan, the next picture."""
    scenes = at.tour.scenes
    of = [tour.fill(s.say or s.ask, _known(at.tour, n))[:MOST_LISTED] for n, s in enumerate(scenes, start=1)]
    upcoming = running({"tour": at.tour.name, "at": str(at.number + 1)}) if at.number < len(scenes) else None
    has_page = upcoming is not None and upcoming.scene.page in navigation.names()
    return {
        "notes": at.scene.notes,
        "scenes": of,
        "plan": list(map(tour.seconds, scenes)),
        "picture": picture_of(upcoming) if has_page else "",
    }


def _known(of_tour, code):
    """The numbers of a scene, if anybody has been there."""
    return KNOWN.get((of_tour.name, str(code)), {})


def _after(at):
    """What the speaker reads of the next scene."""
    codes = tour.codes(at.tour)
    following = codes.index(at.code) + 1 if at.code in codes else len(codes)
    if following >= len(codes):
        return None
    then = running({"tour": at.tour.name, "at": codes[following]})
    facts = _known(at.tour, then.code)
    texts = {name: tour.fill(getattr(then.scene, name), facts) for name in ("say", "ask", "answer")}
    return {"say": "", "ask": "", "answer": texts["answer"]} if then.is_answered else texts | {"answer": ""}


# ------------------------------------------------------------------ what the browser asks for


def _acted():
    """The bar's callback. Whoever sends may send anything."""
    state = st.session_state.get(KEY)
    asked = state.get("act") if isinstance(state, Mapping) else None
    if isinstance(asked, Mapping) and asked.get("kind") in _ACTS:
        _ACTS[asked["kind"]](asked)


def _go(asked):
    at = running(st.query_params.to_dict() | {"at": str(asked.get("to", ""))[:10]})
    if at and at.tour.scenes:
        history.forget()
        st.session_state[_GOING] = _going(at)


def _open(asked):
    scene = tour.Scene(str(asked.get("to", ""))[: tour.TEXTS["address"]])
    if scene.page in navigation.names():
        st.session_state[_GOING] = scene.page, scene.query() | _kept("tour", "at", "room")


def _choose(what):
    """A choice: the right one, or the second that is wrong, leads to the answer."""
    at, text = running(st.query_params), str(what.get("text", ""))[: tour.TEXTS["choices"]]
    if not at or not at.tour.scenes or at.is_answered or at.is_end:
        return
    facts = st.session_state.get(FACTS, {})
    named = next((one for one in at.scene.options if tour.fill(one, facts) == text), None)
    if named is None or named in tried(at):
        return
    chosen = (*tried(at), named)
    st.session_state[_TRIED] = st.session_state.get(_TRIED, {}) | {(at.tour.name, at.number): chosen}
    is_over = not (at.scene.why and at.scene.options[named]) or len(chosen) >= course.MOST_TRIES
    if is_over and at.scene.answer:
        _go({"to": f"{at.number}a"})


def _task(what):
    if one := tasks.every().get(str(what.get("id", ""))[:4]):
        st.session_state[_GOING] = one.page, tasks.state_of(one.start) | {course.NAME: one.id}


def _tour(what):
    name = str(what.get("name", ""))[:40]
    if name in tours():
        at = running({"tour": name, "at": "1"})
        st.session_state[_GOING] = _going(at)


def _leave(_asked):
    for name in ("tour", "at", "scene", "room"):
        st.query_params.pop(name, None)


def _back(is_undo):
    present = st.query_params.to_dict()
    state = {name: value for name, value in present.items() if name not in tour.RESERVED}
    earlier = history.step(state, is_undo)
    if earlier is None:
        st.session_state[_SAID] = "nothing to undo" if is_undo else "nothing to redo"
    else:
        st.query_params.from_dict(earlier | _kept("tour", "at", "room"))


def _form(asked):
    st.session_state[_FORM] = str(asked.get("n", ""))[:20] or "1"


def _add(asked):
    texts = {key: str(asked.get(key, ""))[: tour.TEXTS[key]] for key in ("say", "ask", "answer")}
    here = tour.address(st.session_state.get("history_page", ""), st.query_params.to_dict())
    st.session_state[_SAID] = own_tour.add(tour.Scene(here, **texts))


def _room(asked):
    if number := room(str(asked.get("room", ""))):
        st.query_params["room"] = number
    else:  # it is closed
        st.query_params.pop("room", None)


def _found(asked):
    """A solution of somebody in the class, on the wall: the task and the room stay."""
    scene = tour.Scene(str(asked.get("to", ""))[: tour.TEXTS["address"]])
    if scene.page in navigation.names():
        st.session_state[_GOING] = scene.page, scene.query() | _kept("room", course.NAME)


_ACTS = {
    "found": _found,
    "room": _room,
    "go": _go,
    "open": _open,
    "leave": _leave,
    "choose": _choose,
    "task": _task,
    "tour": _tour,
    "choices": lambda asked: st.session_state.update({_CHOICES: not st.session_state.get(_CHOICES)}),
    "undo": lambda asked: _back(True),
    "redo": lambda asked: _back(False),
    "form": _form,
    "add": _add,
    "restore": own_tour.restore,
}
