"""Spaces: a text without its spaces, and where a chain puts them back."""

import streamlit as st

from spcviz.problems.spaces.page import cached
from spcviz.web.course import questions
from spcviz.web.figures.formatting import plain
from spcviz.web.touring import touring
from spcviz.web.ui import layout
from spcviz.web.ui.state import StateTable, flag, text

TABLE = StateTable(text("text", "the old man the boats", r".*\S.*", 200), flag("controls", True))


def story():
    """A box to type into, a cached call, what it says."""
    state = TABLE.read()
    reading = cached.reading(state["text"])
    touring.offer(lambda one: {"words": str(len(one.joint.split()))}, reading)
    questions.offer(state, lambda one: {"words": len(one.joint.split())}, reading)
    touring.offer_python(f"from spcviz import scenes\n\nprint(scenes.spaces({state['text']!r}))\n")
    if layout.has_controls(state):
        with layout.choices():
            st.text_input("Text", **layout.bind(TABLE, "spaces", "text", state))
    st.markdown(f"By the chain: **{plain(reading.joint)}**")
    st.markdown(f"Letter by letter: {plain(reading.alone)}")


layout.show_page(touring.by_itself(story), "A text has lost its spaces: **where do words begin?**")
