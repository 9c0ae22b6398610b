"""Course: all pages in order, what each teaches, and the tasks that this browser has solved."""

import streamlit as st

from spcviz.web.touring import course_bar
from spcviz.web.ui import layout

INTRODUCTION = (
    "# Course: guess, see, make it happen\n"
    "Every page asks a few questions that it can check itself. What you have solved is kept in this browser "
    "and nowhere else."
)

layout.use_the_room()
st.markdown(INTRODUCTION)
course_bar.course_page()
