"""Home: what the app is about, with one word to prune, and three ways in."""

import streamlit as st

from spcviz.problems.letters.page import landing
from spcviz.problems.letters.state import HOME
from spcviz.problems.letters.view.component import alpha_of, home_funnel, home_word
from spcviz.web.course import questions
from spcviz.web.touring import touring
from spcviz.web.ui import about, layout, navigation

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
        "Exact curves of what is lost and what is saved at every threshold, beside other filters and the "
        "bound that the paper proves.",
        "pages/cascade/sweep.py",
        "Sweep the threshold",
    ),
    (
        "I give a lecture",
        "Tours for the projector: scene by scene, with questions, answers, and a window for the speaker. Put "
        "your own together from any page.",
        "pages/start/tours.py",
        "Open the tours",
    ),
)

PHONE = """<style>
@media (max-width: 640px) {
  .stColumn:has(.st-key-home_picture) { order: -1 }
  .stMainBlockContainer { padding-top: 3.6rem }
}
.st-key-ways_in h2 { font-size: 1.5rem; padding: 0.5rem 0 }
</style>"""

ORIGIN = (
    "The word is a development word, put together from real letters of the Kassel/Taskar handwriting data, "
    "and chosen because letter by letter it is misread and the sharper model reads it right. What you drag "
    "here is a small model of mean letter images and letter pairs; the sharper one compares with similar "
    "images and knows letter triples. Both learned without these images and this word; the other pages use "
    "the trained cascade. Method: Weiss and Taskar (2010), *Structured Prediction Cascades*. "
)


def ways_in():
    """Three cards, then a link to every page with an invitation."""
    columns = st.container(key="ways_in").columns(len(WAYS_IN))
    for column, (who, what, path, label) in zip(columns, WAYS_IN, strict=True):
        with column.container(border=True, height="stretch"):
            st.header(who, anchor=False)
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


def without_cache():
    """The page where nothing is stored, as in a package installed by pip."""
    st.title("Structured prediction cascades", anchor=False)
    st.markdown(
        "A cascade of ever richer models labels a sequence; each model rules out what has no chance for the "
        "next. The pages about handwriting, tagging, pose and budgets show stored models, which come with a "
        "clone of the repository. These work by themselves:"
    )
    for page in navigation.pages():
        if navigation.exists(page.path) and page.path != navigation.HOME:
            st.page_link(navigation.file_of(page.path), label=page.title, icon=page.icon)
    st.stop()


def spell_word(letters):
    """Letters by their numbers, as a word."""
    return "".join(chr(ord("a") + int(letter)) for letter in letters)


if not navigation.has_cache():
    without_cache()
word = landing.word()
touring.offer_python(landing.PYTHON)
st.html(PHONE)
st.caption("spcviz · structured prediction cascades, live")
st.title("Read a word by ruling words out", anchor=False)
story, picture = st.columns([5, 6], gap="large")
with story:
    st.markdown(
        f"A computer that reads this word letter by letter reads **{spell_word(word.alone)}**. Weighing "
        f"*whole words* is better, but {len(word.truth)} letters make **{26 ** len(word.truth):,}** of them."
    )
    st.markdown(
        "So first rule out what has no chance. Each candidate letter is judged by the best word that could "
        "contain it. If even that word is poor, the letter goes, and all its words with it. A slower, "
        "sharper model then looks at the few that are left. That is a **structured prediction cascade**."
    )
    st.markdown(
        ":material/arrow_forward: **Drag the slider.** The filled row is the best word so far; a star (★) "
        "marks what was really written. Prune gently and much is left to look at; prune too hard and the "
        "truth goes too."
    )
with story:
    home_funnel(word)
state = HOME.read()
questions.offer(state, landing.values, word, state["a"])
with picture.container(key="home_picture"):
    is_locked = "falls" in questions.hidden_parts()
    home_word(
        word,
        landing.STOP,
        is_over=state["show"] == "end",
        alpha=0.0 if is_locked else state["a"],
        is_locked=is_locked,
        on_change=lambda: HOME.write(a=alpha_of("home_word")),
    )

if not layout.is_projected():
    ways_in()
    st.caption(ORIGIN + about.RESTRICTED)
