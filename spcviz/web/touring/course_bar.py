"""The course's bar above a page: the page's goal, its tasks, and the live line of the open one.

The server decides whether a task is solved and says why an option is wrong; the tasks passed are stored only
in the browser (``progress.js``).
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping

import streamlit as st

from spcviz.web.course import questions
from spcviz.web.course import task as tasks
from spcviz.web.ui import about, history, misread, navigation
from spcviz.web.view.mount import Component, show

KEY, PAGE_KEY = "course_bar", "course_page"
_GOING, _OPENED = "course_going", "course_opened"
STYLE = """<style>
.st-key-course_slot { margin-top: 1.1rem }
.st-key-course_slot:empty, .st-key-course_slot:not(:has(iframe, [data-testid])) { display: none }
.stMainBlockContainer h1 { padding-top: 0 }
</style>"""


def follow(page) -> None:
    """Go where a task leads, before the `page` of the URL runs: to its start, if nothing else is given."""
    going, params = st.session_state.pop(_GOING, None), st.query_params.to_dict()
    if questions.NAME not in params and questions.of({questions.NAME: params.get(questions.ALIAS, "")}):
        params[questions.NAME] = params.pop(questions.ALIAS)
        st.query_params.from_dict(params)
    # A page in its first scene has an address without a state: within a visit that is not the task's start.
    is_opened = st.session_state.get(_OPENED) == (page.url_path, params.get(questions.NAME))
    if going is None and questions.NAME in params:
        going = _start(page, params, is_opened=is_opened)
    st.session_state[_OPENED] = page.url_path, params.get(questions.NAME)
    if going is None:
        return
    name, wanted = going
    st.session_state[_OPENED] = name, wanted.get(questions.NAME)
    if name != page.url_path and name in navigation.names():
        st.switch_page(navigation.find_page(name), query_params=wanted)
    if name == page.url_path:
        st.query_params.from_dict(wanted)


def _start(page, params, *, is_opened):
    """Page and address of a task that the address names alone; the page's own for an unknown task."""
    now, beside = questions.of(params), _beside(params)
    if now is None:
        name = misread.quote(params[questions.NAME])
        misread.note(questions.NAME, f"There is no task {name}: the page Course lists those that there are.")
        return page.url_path, {name: value for name, value in params.items() if name != questions.NAME}
    is_alone = set(params) <= {questions.NAME, *beside} and not is_opened
    if now.task.page == page.url_path and not is_alone:
        return None
    state = tasks.state_of(now.task.solved if now.is_answered else now.task.start)
    return now.task.page, state | {questions.NAME: now.code} | beside


def _beside(params):
    """The part of an address that is no page's state and stays when a task is opened."""
    return {n: params[n] for n in ("room", "in", "embed", "embed_options") if n in params}


@contextlib.contextmanager
def bar(page) -> Iterator[None]:
    """Draw the bar above a page that runs: last, with the values that the page offered."""
    questions.begin()
    st.html(STYLE)
    slot = st.container(key="course_slot")
    try:
        yield
    finally:
        is_solved, live = questions.end()
        if "tour" not in st.query_params and page.url_path in tasks.stops():
            with slot:
                _draw(page, is_solved, live)


def _draw(page, is_solved, live):
    now = questions.present()
    if now and now.task.page != page.url_path:
        now = None
    if now is None and (st.context.is_embedded or questions.is_withheld()):
        return
    after = tasks.following(page.url_path, navigation.names())
    show_bar(
        {
            "page": page.url_path,
            "goal": tasks.stops()[page.url_path].goal,
            # the sentence of one task may give away another
            "tasks": [{"id": one.id, "ask": "" if now else one.ask} for one in tasks.of_page(page.url_path)],
            "ids": {name: [one.id for one in tasks.of_page(name)] for name in tasks.stops()},
            "open": describe_bar(now, is_solved, live) if now else None,
            "next": {"page": after.page, "title": titles()[after.page]} if after else None,
            "isEmbedded": bool(st.context.is_embedded),
        },
        key=KEY,
        on_act=_act,
    )


def titles() -> Mapping[str, str]:
    """{name of a page in addresses: its title}."""
    return {name: page.title for page in navigation.pages() for name in [navigation.name_of(page)]}


def describe_bar(now: questions.OpenTask, is_solved: bool, live: str) -> dict:
    """The bar's content for a task: nothing that would give away an unanswered one."""
    one, done = now.task, questions.list_tries(now.task.id)
    is_over = now.is_answered if one.options else is_solved
    hints = [hint for hint in (one.hint, one.way) if hint][: done.n_hints]
    why = {option.text: option.why for option in one.options if option.text in done.wrong}
    return {
        "id": one.id,
        "kind": one.kind,
        "ask": one.ask,
        "options": sorted(option.text for option in one.options),
        "why": why,
        "right": one.right if is_over else "",
        "hints": hints,
        "hasMore": not is_over,
        "canHint": done.n_hints < sum(map(bool, (one.hint, one.way))),
        "live": live,
        "isOver": is_over,
        "won": tasks.fill_line(one.won, questions.values()) if is_over else "",
        # Opened by its address alone, an answer was read, not found.
        "isDone": is_over and (done.is_right or done.is_shown if one.options else True),
        "how": "shown" if done.is_shown else "self",
        "tries": len(done.wrong) + 1,
        "ring": "" if is_over else one.ring,
    }


FIRST = "1"
"""Beginning of the first part's heading; pages before it belong to that part."""
MOST = 6
"""Pages after the first part on which the course asks for two tasks each."""


def course_page() -> None:
    """Show the Course page."""
    parts: dict[str, list] = {}
    here = [stop for stop in tasks.stops().values() if stop.page in navigation.names()]
    for stop in here:
        rows = [{"id": one.id, "ask": one.ask} for one in tasks.of_page(stop.page)]
        page = {"name": stop.page, "title": titles()[stop.page], "goal": stop.goal, "minutes": stop.minutes}
        parts.setdefault(stop.part, []).append(page | {"needs": stop.needs, "tasks": rows})
    last = [stop.part for stop in here][-1] if here else ""
    first = [stop.page for stop in here if not stop.part[0].isdigit() or stop.part.startswith(FIRST)]
    first = [name for name in first if tasks.stops()[name].part != last]
    later = [stop.page for stop in here if stop.page not in first and stop.part != last]
    needed = [one.id for one in tasks.every().values() if one.is_needed]
    rules = {"first": first, "needed": needed}
    show_course(
        {
            "sections": [{"title": title, "pages": pages} for title, pages in parts.items()],
            "rules": rules | {"later": later, "most": MOST},
            "version": about.version(),
        },
        key=PAGE_KEY,
        on_act=_on_course,
    )


def _on_course():
    """The Course page's callback. A sender may send anything."""
    state = st.session_state.get(PAGE_KEY)
    what = state.get("act") if isinstance(state, Mapping) else None
    if not isinstance(what, Mapping):
        return
    if what.get("kind") == "forget":
        questions.forget()
    elif what.get("kind") == "page":
        _next({"page": what.get("name", "")})
    elif what.get("kind") == "task" and (one := tasks.every().get(str(what.get("id", ""))[:4])):
        _go(one.start, one.id)


# ------------------------------------------------------------------ requests of the browser


def _act():
    """The bar's callback. A sender may send anything."""
    state = st.session_state.get(KEY)
    what = state.get("act") if isinstance(state, Mapping) else None
    if not isinstance(what, Mapping) or what.get("kind") not in _ACTS:
        return
    if what["kind"] in ("leave", "next"):
        _ACTS[what["kind"]](what)
    elif one := tasks.every().get(str(what.get("id", ""))[:4]):
        _ACTS[what["kind"]](what, one)


def _go(address, code):
    history.forget()
    beside = _beside(st.query_params.to_dict())
    name = address.partition("?")[0].strip("/")
    st.session_state[_GOING] = name, tasks.state_of(address) | {questions.NAME: code} | beside


def _open(_what, one):
    _go(one.start, one.id)


def _hint(_what, one):
    questions.note(one.id, n_hints=min(questions.list_tries(one.id).n_hints + 1, 2))


def _show(_what, one):
    questions.note(one.id, is_shown=True)
    _go(one.solved, f"{one.id}a" if one.options else one.id)


def _choose(what, one):
    chosen, done = str(what.get("option", ""))[:200], questions.list_tries(one.id)
    if chosen == one.right:
        questions.note(one.id, is_right=True)
        _go(one.solved, f"{one.id}a")
    elif chosen in {option.text for option in one.options} and chosen not in done.wrong:
        done = questions.note(one.id, wrong=(*done.wrong, chosen))
        if len(done.wrong) >= questions.MOST_TRIES:
            _show(what, one)


def _leave(_what):
    st.query_params.pop(questions.NAME, None)


def _next(what):
    name = str(what.get("page", ""))[:40]
    if name in navigation.names():
        st.session_state[_GOING] = name, {}


_ACTS = {"open": _open, "hint": _hint, "show": _show, "choose": _choose, "leave": _leave, "next": _next}


PARTS = ("web/view/elements.js", "web/view/view.js", "web/touring/tour_core.js", "web/course/progress.js")
BAR = Component("spcviz_course", ("web/course/course_bar.css",), (*PARTS, "web/course/course_bar.js"))
COURSE = Component(
    "spcviz_course_page", ("web/course/course_page.css",), (*PARTS, "web/course/course_page.js")
)
ALONE = {"view": {}, "epoch": 0}
"""Placeholder for a view of the browser's own: neither has one, everything comes from the server."""


def show_bar(page: dict, *, key: str, on_act: Callable) -> None:
    """Mount the bar with the data of a page."""
    show(BAR, {"identity": "course"} | page | ALONE, key=key, parts={}, on_act_change=on_act)


def show_course(course: dict, *, key: str, on_act: Callable) -> None:
    """Mount the Course page: its parts and pages, each with goal, minutes and tasks."""
    show(COURSE, {"identity": "course"} | course | ALONE, key=key, parts={}, on_act_change=on_act)
