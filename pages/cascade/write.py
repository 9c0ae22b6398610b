"""Write a word: a visitor's handwriting, read stroke by stroke by the cascade."""

import re
from string import ascii_lowercase as LETTERS

import streamlit as st

from spcviz.problems.letters.controls import writing
from spcviz.problems.letters.page import cached, scenes
from spcviz.problems.letters.state import WRITE
from spcviz.problems.open_words.view.component import show_write
from spcviz.web.cached import common, ownership
from spcviz.web.course import questions
from spcviz.web.figures.lattice_numbers import facts, values
from spcviz.web.lattice.component import show_lattice
from spcviz.web.touring import touring
from spcviz.web.ui import callbacks, layout
from spcviz.web.ui.layout import ink, veil
from spcviz.web.ui.state import MAX_ORDER
from spcviz.web.view.mount import live_view

KEY, LATTICE = "write_boxes", "write_lattice"
FEATURES = writing.FEATURES
# Wordings of the settings in the closed box, shown next to it.
SAID = {
    "truth": "meant: {}".format,
    "order": "n-grams up to {}".format,
    "features": lambda name: FEATURES.get(name, name),
}
INTRODUCTION = (
    "# Write a word: and watch what it could have been\n"
    "Draw a letter in each box. After every stroke the cascade reads the word anew and shows every letter, "
    "pair and triple that it ruled out on the way."
)
ONE_COUNTRY = (
    "It learned small, separate letters from about 150 writers; other handwriting styles may be misread. "
    "The strokes are in this page's address, and what is made of them stays in the server's memory and "
    f"{ownership.GOES}; a card or a loop after ten minutes. Nothing is written to a disk, except while a "
    "page or loop is being saved."
)


def from_boxes():
    """The boxes' callback: write the strokes to the address."""
    view = live_view(KEY)
    if view:
        WRITE.write(ink=view["ink"], example=0, cell="")


def take_truth():
    """Write the letters a to z of the intended word to the address."""
    typed = st.session_state["write_truth"].lower()
    WRITE.write(truth=re.sub("[^a-z]", "", typed)[: cached.MAX_LETTERS])


def take_picture(name):
    """Turn a picture into strokes in a strip, or into a sentence that says why not."""
    file = st.session_state[name]
    if file is None:
        return
    ink, problem = cached.scan_strip(file.getvalue())
    st.session_state["write_problem"] = problem
    if ink:
        WRITE.write(ink=ink, cell="", truth="")


def choose(state):
    """The row of choices: intended word, model, order, a picture, an example."""

    def tie(name, **forget):
        return layout.bind(WRITE, "write", name, state, **forget)

    st.session_state["write_truth"] = state["truth"]
    with layout.choices():
        st.button(
            "Show me one",
            icon=":material/draw:",
            on_click=lambda: WRITE.write(ink=cached.example(), truth="", cell=""),
            help="A word put together from letters of the data that no model was trained on.",
        )
        box = layout.more(WRITE, state, SAID)
    with box:
        st.text_input(
            "What did you mean?",
            key="write_truth",
            on_change=take_truth,
            placeholder="the word that you wrote",
            max_chars=cached.MAX_LETTERS,
        )
        orders = {n: str(n) for n in range(1, MAX_ORDER + 1)}
        layout.segments("Longest n-gram", orders, tie("order", level=1))
        if len(FEATURES) > 1:
            st.selectbox("Who reads", list(FEATURES), format_func=FEATURES.get, width=260, **tie("features"))
        st.caption(
            "A photograph of one word, dark on light. It is cut where there is white; the cuts can be moved."
        )
        if problem := st.session_state.pop("write_problem", None):  # in here: the box covers what is below
            st.warning(problem, icon=":material/broken_image:")
        for label, kind, name in (
            ("Choose a picture", st.file_uploader, "write_file"),
            ("Or take one", st.camera_input, "write_camera"),
        ):
            kind(label, key=name, on_change=take_picture, args=(name,))


@st.fragment
@common.tells_of_damage
def drawing():
    """Boxes and lattice: a separate fragment, rerun once the pen rests; strokes send their own requests."""
    state = writing.TABLE.parse(st.query_params)
    view = callbacks.view_of(state, LATTICE, MAX_ORDER)
    if "reading" in questions.hidden_parts():
        hidden = writing.read(state)
        pixels = hidden.found.pixels
        if hidden.trace is not None:
            touring.offer(facts, hidden.trace, view["level"], view["cell"])
        veil(
            "What the cascade reads stays hidden until you have guessed.",
            pictures=ink(pixels),
            alt="A letter",
        )
        return
    turn = writing.turn_of((live_view(KEY) or {}).get("turn"))
    reading = writing.read(state, view["alphas"])
    boxes = writing.boxes(reading, state, turn)
    show_write(
        boxes, key=KEY, view={"ink": state["ink"]}, on_change=from_boxes, hands=cached.example(LETTERS)
    )
    trace = reading.trace
    if trace is None:
        questions.offer(state | {"end": "", "alive_all": False})
        return
    if state["truth"]:
        st.markdown(writing.describe_loss(trace, state["truth"], reading.text))
    view["level"] = min(view["level"], len(trace.levels))
    touring.offer(facts, trace, view["level"], view["cell"])
    if not callbacks.is_dragged(LATTICE):
        questions.offer(state, values, trace, view["level"], view["cell"], None, questions.wanted_names())
        questions.offer({"truth": state["truth"]})
    touring.offer_python(scenes.write_lines(state, writing.shown_ink(state), view["alphas"]))
    taken = callbacks.commit_lattice(WRITE, LATTICE, MAX_ORDER)
    show_lattice(writing.lattice(reading, state, turn), key=LATTICE, view=view, on_change=taken)


def page():
    """The choices and the picture."""
    if not FEATURES:
        return st.error(
            common.why_missing(
                cached.NONE.format("open"),
                *cached.MODEL_NAMES,
            )
        )
    state = writing.TABLE.read()
    if state["controls"]:
        choose(state)
    return drawing()


layout.show_page(common.tells_of_damage(page), INTRODUCTION, ONE_COUNTRY)
