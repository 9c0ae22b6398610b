"""Parsing: one sentence's dependency tree, and which of its words deserve expensive features."""

from functools import partial

import streamlit as st

from spcviz.problems.parsing.page import cached, scenes
from spcviz.problems.parsing.shown import OFFERED, ROWS
from spcviz.problems.parsing.view.component import VIEW_NAMES, parsing_payload, show_parsing
from spcviz.problems.tagging.state import MAX_TEXT
from spcviz.web.cached import common
from spcviz.web.course import questions
from spcviz.web.touring import touring
from spcviz.web.ui.callbacks import commit_drag
from spcviz.web.ui.layout import bind, has_controls, is_projected, missing, show_page, veil
from spcviz.web.ui.state import StateTable, choice, flag, real, text, whole

KEY = "parsing"
SENTENCES = cached.gallery_sentences()
TABLE = StateTable(
    choice("sentence", next(iter(SENTENCES)), SENTENCES, elsewhere="[a-z]{1,12}[0-9]{0,6}"),
    text("text", "", rf"[^\x00-\x1f\x7f]{{0,{MAX_TEXT}}}"),
    real("spend", 0.3, 0.0, 1.0),
    choice("policy", OFFERED[0], OFFERED),
    whole("arc", 0, 0, 99),
    choice("rows", "main", ROWS),
    flag("controls", True),
)
ANEW = {"arc": 0}
tie = partial(bind, TABLE, "parsing", **ANEW)


def take():
    """Write a typed sentence to the address, or show what is wrong with it."""
    typed = st.session_state["parsing_text"]
    text = " ".join(typed.split())
    problem = scenes.long_text(text, MAX_TEXT) if len(text) > MAX_TEXT else None
    if typed and not text:
        problem = "There is no word to parse: type a sentence."
    st.session_state["parsing_problem"] = problem
    if problem is None:
        TABLE.write(text=text, **ANEW)


def pick(state):
    """A sentence of the gallery, or one's own."""
    left, right = st.columns((3, 2))
    shown = tie("sentence", state, text="")
    if state["text"]:  # a typed one is not in the list
        st.session_state[shown["key"]] = None
        shown |= {"index": None, "placeholder": "your own sentence"}
    left.selectbox(
        "Sentence: type to search",
        list(SENTENCES),
        format_func=lambda key: scenes.sentence_label(SENTENCES[key]),
        **shown,
    )
    own = tie("text", state) | {"on_change": take}
    right.text_input("Or your own", placeholder=scenes.PLACEHOLDER, **own)
    if problem := st.session_state.get("parsing_problem"):
        st.warning(problem)


@st.fragment
@common.tells_of_damage
def parsing():
    """The choices and the picture."""
    state = TABLE.read({"text": lambda text: scenes.long_text(text, MAX_TEXT)})
    if has_controls(state):
        pick(state)
    key = "" if state["text"] else state["sentence"]
    if key:
        missing(TABLE, {"sentence": scenes.missing})
    words, wrong = cached.typed_words(state["text"]) if state["text"] else (SENTENCES[key].words, None)
    if wrong:
        st.warning(wrong)
        return
    if state["text"] and cached.is_foreign(state["text"]):
        st.warning(scenes.FOREIGN)
    parsed, stop, hidden = cached.parse(words, key), None, questions.hidden_parts()
    if "later" in hidden:
        most = TABLE.parse(questions.asked_state())["spend"]
        stop, state["spend"] = scenes.step_of(most, len(words)), min(state["spend"], most)
    touring.offer(scenes.facts, parsed, state)
    questions.offer(state, scenes.values, parsed, state)
    touring.offer_python(scenes.parsing_lines(state, words, SENTENCES[key].heads if key else None))
    if "trees" in hidden or (stop is not None and parsed.truth is None):  # nothing says which heads are right
        veil(scenes.waits(words))
        return
    payload = parsing_payload(parsed, f"{key}|{' '.join(words)}", stop=stop)
    show_parsing(payload, key=KEY, view=state, on_change=commit_drag(TABLE, KEY, VIEW_NAMES))
    if stop is not None:
        st.caption(scenes.LATER)
    elif not is_projected():
        st.caption(scenes.origin(key, key == TABLE.first_scene["sentence"]))


show_page(common.tells_of_damage(parsing), scenes.INTRODUCTION)
