"""Orders and features: one word, and where it needs more context or a better look."""

import streamlit as st

from spcviz.problems.hybrid.page import cached, scenes
from spcviz.problems.hybrid.shown import SHOWN
from spcviz.problems.hybrid.view.component import VIEW_NAMES, hybrid_payload, show_hybrid
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.touring import touring
from spcviz.web.ui import callbacks
from spcviz.web.ui.layout import bind, choices, has_controls, ink, is_projected, more, show_page, veil
from spcviz.web.ui.state import StateTable, choice, flag, text, whole

KEY = "hybrid"
TABLE = StateTable(
    choice("data", "dev", SHOWN),
    whole("word", -1, -1, 10**6),
    whole("step", -1, -1, 999),
    whole("course", 0, 0, 1),
    text("hand", "", cached.HAND),
    flag("controls", True),
)
ANEW = {"step": -1, "course": 0, "hand": ""}


@st.fragment
@common.tells_of_damage
def hybrid():
    """The choices and the picture."""
    words = cached.offered_words(TABLE.read()["data"])
    first = next(iter(words))
    table = TABLE.narrow(word=[first, *words])
    state = table.read()
    if has_controls(state):
        with choices():
            of = {"format_func": words.get, "width": 320}
            tie = bind(table, "hybrid", "word", state, **ANEW)
            st.selectbox("Word: type to search", list(words), **of, **tie)
            with more(TABLE, state, {"data": SHOWN.get}):
                tie = bind(table, "hybrid", "data", state, **ANEW)
                st.selectbox("Words", list(SHOWN), format_func=SHOWN.get, **tie)
    course, wrong = cached.course(state["data"], state["word"], state["hand"])
    if wrong:
        st.warning(wrong)
    touring.offer(scenes.facts, course, state)
    questions.offer(state, scenes.values, course, state)
    touring.offer_python(scenes.hybrid_lines(state | {"hand": "" if wrong else state["hand"]}))
    if "plan" in questions.hidden_parts():
        read = course.courses[0].steps[0].reading
        veil(f"The cheapest look reads “{read}”. What the controller expects of each purchase stays hidden "
             "until you have guessed.", pictures=ink(course.pixels), alt="A letter")  # fmt: skip
        return
    identity = f"{state['data']}|{state['word']}|{'' if wrong else state['hand']}"
    taken = callbacks.commit_drag(TABLE.narrow(word=[-1, *words]), KEY, VIEW_NAMES)
    show_hybrid(hybrid_payload(course, identity), key=KEY, view=state, on_change=taken)
    if not is_projected():
        chosen = state["data"] == TABLE.first_scene["data"] and state["word"] == first
        st.caption(f"{scenes.CHOSEN if chosen else ''}{scenes.ORIGIN}")


show_page(common.tells_of_damage(hybrid), scenes.INTRODUCTION)
