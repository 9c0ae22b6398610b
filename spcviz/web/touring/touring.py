"""Run a tour: show its bar, collect the numbers that pages offer, handle the browser's requests.

``/?tour=NAME&scene=3`` (the presenter's link) leads to the scene's page, ``/?tour=NAME`` to the first scene.
A sentence gets the numbers that were offered by the same run that drew the page (`offer`).
"""

import contextlib
from collections.abc import Callable, Mapping

import streamlit as st

from spcviz.web.course import questions as course
from spcviz.web.course import task as tasks
from spcviz.web.figures.formatting import plain
from spcviz.web.touring import own_tour, scenes
from spcviz.web.touring.component import show_bar, show_handout, show_speaker
from spcviz.web.tours import tour
from spcviz.web.ui import about, history, layout, misread, navigation

KEY, SPEAKER_KEY = "tour_bar", "tour_speaker"
FACTS = "tour_facts"
"""Session key of the numbers that its page offers."""
PYTHON = "page_python"
"""Session key of the lines that compute what its page shows."""
BROUGHT = "page_brought"
"""Session key of whether a page shows its visitor's own data; `_WAITS`: whether the bar is still to be drawn
in this run."""
POLL = "page_poll"
"""Session key of the question that a page itself poses to a class."""
_GOING, _FORM = "tour_going", "tour_form"
_HOMES = "tour_homes"
"""{(tour, code of a scene): the state that its page makes of the scene's address}; a page omits defaults."""
_SAID, _CHOICES, _WAITS = "tour_said", "tour_choices", "tour_waits"
BEEN = "tour_been"
"""Scenes that this visit has been at, {(tour, code)}: from there it may move to other pages."""
_HAS_SPEAKER = "tour_has_speaker"
"""Whether a speaker's window follows this one: a visitor alone is not sent the answers to open questions."""


def _keep(*names):
    """The part of the current address that another scene's address shares."""
    return {name: st.query_params[name] for name in names if name in st.query_params}


def _going(at):
    """`address_of`, with the room of the class."""
    page, params = scenes.address_of(at)
    return page, params | _keep("room")


def offer(make: Callable, *args):
    """Offer a page's numbers for sentences, {name: text} as it shows them: made only if a tour needs them."""
    if "tour" in st.query_params or st.session_state.get(_FORM):
        st.session_state[FACTS] = st.session_state.get(FACTS, {}) | make(*args)


def offer_poll(make: Callable[[str], dict] | None):
    """Offer the page's own question to a class in a room, ``make(room)``, in the form of `lesson`."""
    st.session_state[POLL] = make


def offer_python(lines: str):
    """Offer the Python of a page, lines that compute what it shows, to the Save menu; "" if it has none."""
    st.session_state[PYTHON] = lines


def offer_brought(is_brought: bool):
    """Note whether a page shows its visitor's own data: no address leads there, no file is made of it."""
    was_brought = st.session_state.get(BROUGHT, False)
    st.session_state[BROUGHT] = is_brought
    if was_brought != is_brought and not st.session_state.get(_WAITS):  # a fragment that reran alone
        st.rerun()


def by_itself(part: Callable) -> Callable:
    """A part of a page as a fragment that reruns alone; unchanged while a tour or task needs its numbers."""
    is_told = "tour" in st.query_params or course.NAME in st.query_params
    return part if is_told else st.fragment(part)


def is_speaking():
    """Whether this is the speaker's window."""
    return st.query_params.get("speaker") == "true"


def speak():
    """Show the speaker's window, in place of a page."""
    st.html("<style>.stSidebar, .stAppHeader { display: none } html { font-size: 16px !important }</style>")
    at = scenes.running(st.query_params)
    is_tour = at is not None and bool(at.tour.scenes)
    hall = f"./?tour={at.tour.name}&scene={at.code}&embed=true" if is_tour else "./tours"
    show_speaker(
        scenes.describe_to_speaker(at) if is_tour else None,
        hall,
        own_tour.values_to_keep(),
        key=SPEAKER_KEY,
        on_act=_turn,
    )


def _turn():
    """Take a tour from the speaker's window, or go to another scene. Anyone may send anything."""
    state = st.session_state.get(SPEAKER_KEY)
    asked = state.get("act") if isinstance(state, Mapping) else None
    at = scenes.running(st.query_params)
    if isinstance(asked, Mapping) and asked.get("kind") == "restore":
        own_tour.restore(asked)
    elif isinstance(asked, Mapping) and at and str(asked.get("to", ""))[:10] in tour.codes(at.tour):
        st.query_params["at"] = str(asked["to"])[:10]


def handout(of_tour):
    """Show a tour for print: every scene's sentence, question, answer and address, a picture on demand."""
    st.markdown(f"# {plain(of_tour.title)}")
    st.text(of_tour.about)
    st.caption(
        "Below the list each scene is opened once, which fills in its numbers and adds its picture; what is "
        "asked is answered on the last pages. To see a scene again, open its link."
    )
    answers: list[str] = []
    for number, scene in enumerate(of_tour.scenes, start=1):
        facts = scenes.known_facts(of_tour, number)
        later = scenes.KNOWN.get((of_tour.name, f"{number}a"), facts)
        with st.container(border=True, key=f"handout_scene_{number}"):
            st.text(f"{number}. {tour.fill(scene.say, facts)}")
            if scene.ask:
                st.text(f"? {tour.fill(scene.ask, facts)}")
                answers.append(f"{number}. {tour.fill(scene.answer, later)}")
            st.caption(f"/{plain(scene.address)}")
    show_handout(scenes.pictures_of(of_tour), key=f"handout_{of_tour.name}")
    if answers:  # on a separate sheet: readers should think about the questions first
        with st.container(key="handout_answers"):
            st.html("<style>@media print { .st-key-handout_answers { break-before: page } }</style>")
            st.markdown("## Answers")
            st.text("\n".join(answers))


def follow(page):
    """Go where a key, a button or a presenter's link leads, before the `page` that the URL names runs."""
    history.at_page(page.url_path)
    going, params = st.session_state.pop(_GOING, None), st.query_params.to_dict()
    if (text := params.get("room")) is not None and scenes.room(text) is None:
        misread.note("room", f"{misread.quote(text)} is no number of a class's room: ask for its link again.")
    if going is None and "tour" in params:
        going = _lead(page, params)
    if going is None:
        return
    name, params = going
    st.session_state[BEEN] = _been() | {(params.get("tour"), params.get("at"))}
    if name != page.url_path and name in navigation.names():
        st.switch_page(navigation.find_page(name), query_params=params)
    st.query_params.from_dict(params)


def _been():
    return st.session_state.get(BEEN, frozenset())


def _lead(page, params):
    """Target of an address that names a tour without a scene, or a scene of another page that this visit has
    not been at; None for an address that stays."""
    at, has_place = scenes.running(params), bool(params.get("at"))
    if not has_place and not scenes.is_code(params.get("scene", "")):
        state = {name: text for name, text in params.items() if name not in tour.RESERVED}
        if number := scenes.find_number(at.tour, page.url_path, state):
            at = scenes.running({"tour": at.tour.name, "at": str(number)})
    if not at.tour.scenes or at.scene.page not in navigation.names():
        return None
    is_here = at.scene.page == page.url_path or (at.tour.name, at.code) in _been()
    if has_place and is_here and not at.note:
        return None
    scenes.keep_note(at)
    return _going(at)


@contextlib.contextmanager
def bar(page):
    """Draw the bar above a page that runs: last, with the page's numbers."""
    st.session_state.update({FACTS: {}, PYTHON: "", POLL: None, BROUGHT: False, _WAITS: True})
    at = scenes.running(st.query_params)
    has_controls = not at or at.scene.controls or bool(st.session_state.get(_CHOICES))
    st.session_state[layout.SCENE_HAS_CONTROLS] = has_controls
    st.session_state[course.TOUR_HIDES] = () if not at or at.is_answered or at.is_end else at.scene.hides
    st.session_state[course.TOUR_STATE] = at.scene.query(at.is_answered) if at else {}
    is_home = _is_home(page, at)
    st.html(_style(at))
    slot = st.container(key="tour_slot")
    try:
        yield
    finally:
        if is_home:
            homes = st.session_state.get(_HOMES, {})
            st.session_state[_HOMES] = homes | {(at.tour.name, at.code): _state()}
        st.session_state[_WAITS] = False
        with slot:
            _draw(page, at, is_home)


def _state():
    """The page's own state in the address."""
    return {name: text for name, text in st.query_params.to_dict().items() if name not in tour.RESERVED}


def _home_of(at):
    """The state of a scene's address, as its page rewrites it after a first visit."""
    return st.session_state.get(_HOMES, {}).get((at.tour.name, at.code), at.scene.query(at.is_answered))


def _is_home(page, at):
    """Whether the page is about to run at its scene's own address."""
    is_here = at is not None and bool(at.tour.scenes) and at.scene.page == page.url_path
    return is_here and _state() in (at.scene.query(at.is_answered), _home_of(at))


def _style(at):
    if not at:
        return "<style>:has(> .st-key-tour_slot) { position: absolute; height: 0 }</style>"
    top, room = "3.75rem", ""
    if st.context.is_embedded:  # leave every pixel to the scene
        top = "0.3rem"
        room = ".stAppHeader { display: none } .stMainBlockContainer { padding-top: 0.4rem !important }"
    place = f":has(> .st-key-tour_slot) {{ position: sticky; top: {top}; z-index: 95 }}"
    return f"<style>{place} {room}</style>"


def _draw(page, at, is_home):
    facts, form = st.session_state[FACTS], st.session_state.pop(_FORM, None)
    if is_home and at.tour.name in tour.shipped_tours():
        scenes.KNOWN[at.tour.name, at.code] = facts
    if form:
        here = tour.address(page.url_path, st.query_params.to_dict())
        form = {"n": form, "facts": dict(list(facts.items())[:30]), "address": here}
    shown = (
        scenes.describe_scene(at, facts, is_told=st.session_state.get(_HAS_SPEAKER, False)) if at else None
    )
    show_bar(
        shown | {"query": _home_of(at)} if at else None,
        lesson() if not at else None,
        {
            "said": st.session_state.pop(_SAID, ""),
            "kept": own_tour.values_to_keep(),
            "version": about.version(),
            "hasLines": bool(st.session_state[PYTHON]),
            "isBrought": st.session_state[BROUGHT],
            "card": "" if at or "ask" in st.query_params else navigation.card_address(page.url_path, ""),
        },
        key=KEY,
        is_projected=bool(st.context.is_embedded),
        form=form or None,
        on_act=_act,
    )


def lesson() -> dict | None:
    """The question of the page or its task to a class, in the form of a scene's; None without a room."""
    now, number = course.present(), scenes.room(st.query_params.get("room", ""))
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
    if one.options:  # in an order that does not give away the right one
        places = sorted(range(len(one.options)), key=lambda at: one.options[at].text)
        asked["choices"] = [one.options[at].text for at in places]
        asked["why"] = [one.options[at].why for at in places] if is_over else []
        asked["right"] = one.right if is_over else ""
    else:
        asked |= {"link": f"{one.page}?ask={one.id}&in={number}", "right": "", "why": []}
    return {"room": number, "name": "task", "number": one.id, "say": "", "poll": asked,
            "answer": one.won if is_over else ""}  # fmt: skip


# ------------------------------------------------------------------ requests of the browser


def _act():
    """The bar's callback. A sender may send anything."""
    state = st.session_state.get(KEY)
    asked = state.get("act") if isinstance(state, Mapping) else None
    if isinstance(asked, Mapping) and asked.get("kind") in _ACTS:
        _ACTS[asked["kind"]](asked)


def _go(asked):
    at = scenes.running(st.query_params.to_dict() | {"at": str(asked.get("to", ""))[:10]})
    if at and at.tour.scenes:
        history.forget()
        st.session_state[_GOING] = _going(at)


def _open(asked):
    scene = tour.Scene(str(asked.get("to", ""))[: tour.TEXTS["address"]])
    if scene.page in navigation.names():
        st.session_state[_GOING] = scene.page, scene.query() | _keep("tour", "at", "room")
    else:
        st.session_state[_SAID] = f"“{scene.page[:40]}” is no page that is here"


def _choose(what):
    """Take a choice: the right one, or the second wrong one, leads to the answer."""
    at, text = scenes.running(st.query_params), str(what.get("text", ""))[: tour.TEXTS["choices"]]
    if not at or not at.tour.scenes or at.is_answered or at.is_end:
        return
    facts = st.session_state.get(FACTS, {})
    named = next((one for one in at.scene.options if tour.fill(one, facts) == text), None)
    if named is None or named in scenes.list_choices(at):
        return
    chosen = (*scenes.list_choices(at), named)
    every = st.session_state.get(scenes.TRIED, {})
    st.session_state[scenes.TRIED] = every | {(at.tour.name, at.number): chosen}
    is_over = not (at.scene.why and at.scene.options[named]) or len(chosen) >= course.MOST_TRIES
    if is_over and at.scene.answer:
        _go({"to": f"{at.number}a"})


def _task(what):
    if one := tasks.every().get(str(what.get("id", ""))[:4]):
        st.session_state[_GOING] = one.page, tasks.state_of(one.start) | {course.NAME: one.id}


def _tour(what):
    name = str(what.get("name", ""))[:40]
    if name in scenes.tours():
        at = scenes.running({"tour": name, "at": "1"})
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
        st.query_params.from_dict(earlier | _keep("tour", "at", "room"))


def _form(asked):
    st.session_state[_FORM] = str(asked.get("n", ""))[:20] or "1"


def _add(asked):
    texts = {key: str(asked.get(key, ""))[: tour.TEXTS[key]] for key in ("say", "ask", "answer")}
    here = tour.address(st.session_state.get("history_page", ""), st.query_params.to_dict())
    st.session_state[_SAID] = own_tour.add(tour.Scene(here, **texts))


def _room(asked):
    if number := scenes.room(str(asked.get("room", ""))):
        st.query_params["room"] = number
    else:  # it is closed
        st.query_params.pop("room", None)


def _found(asked):
    """Show a solution from the class on the wall: the task and the room stay."""
    scene = tour.Scene(str(asked.get("to", ""))[: tour.TEXTS["address"]])
    if scene.page in navigation.names():
        st.session_state[_GOING] = scene.page, scene.query() | _keep("room", course.NAME)


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
    "speaker": lambda asked: st.session_state.update({_HAS_SPEAKER: True}),
}
