"""Home: what this is, and three ways in."""

import streamlit as st

from spcviz.web.home.component import home_word
from spcviz.web.ui import about, landing, navigation

WAYS_IN = (
    (
        "I am a student",
        "Drag a threshold over a real handwritten word and watch letters, pairs and triples fall. "
        "Click any of them and ask why.",
        "pages/cascade/letters.py",
        "Prune a word",
    ),
    (
        "I do research",
        "Exact curves of what is lost against what is saved, for every threshold, against other filters "
        "and against the bound of the theorem.",
        "pages/cascade/sweep.py",
        "Sweep the threshold",
    ),
    (
        "I give a lecture",
        "The tables of the paper beside the same numbers measured here. Add `?embed=true` to any address "
        "for the projector.",
        "pages/results/tables.py",
        "Compare with the paper",
    ),
)

story, word = st.columns([5, 6], gap="large", vertical_alignment="center")
with story:
    st.caption("spcviz · structured prediction cascades, live")
    st.title("Read a word by ruling words out", anchor=False)
    st.markdown(
        "A computer that reads this word letter by letter gets confused: an **e** can look like a **c**. "
        "Weighing *whole words* is better, but seven letters make **8,031,810,176** of them."
    )
    st.markdown(
        "So first rule out what has no chance. Each candidate letter is judged by the best word that "
        "could contain it. If even that word is poor, the letter goes, and all its words with it. "
        "A slower, sharper model then looks at the few that are left. "
        "That is a **structured prediction cascade**."
    )
    st.markdown(
        ":material/arrow_forward: **Drag the slider.** The filled row is the best word so far; a star (★) "
        "marks what was really written. Prune gently and little is saved; prune hard and the truth goes too."
    )
with word:
    home_word(landing.word())

for column, (who, what, path, label) in zip(st.columns(len(WAYS_IN)), WAYS_IN, strict=True):
    with column.container(border=True, height="stretch"):
        st.subheader(who, anchor=False)
        st.markdown(what)
        if navigation.exists(path):
            st.page_link(navigation.file_of(path), label=label, icon=":material/arrow_forward:")

with st.container(horizontal=True):
    for page in navigation.pages():
        if page.invitation and navigation.exists(page.path):
            st.page_link(
                navigation.file_of(page.path),
                label=page.invitation,
                icon=":material/arrow_forward:",
                width="content",
            )

st.caption(
    "The word is from the Kassel/Taskar handwriting data, which leaves first letters out: (y)earbook. "
    "What you drag here is a small model of mean letter images and letter pairs, learned without the "
    "tenth of the data that this word belongs to; the other pages use the trained cascade. "
    "Method: Weiss and Taskar (2010), *Structured Prediction Cascades*. " + about.RESTRICTED
)
