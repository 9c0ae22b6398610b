"""Controls of Your data's first row: upload a file, pick an example or paste a text; what was read."""

from itertools import permutations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from spcviz.problems.own_data.controls.state import ANEW, FOUND_OUT, TABLE, how_of, read, tied
from spcviz.problems.own_data.page import cached
from spcviz.problems.own_data.page import text as say
from spcviz.web.course import questions
from spcviz.web.figures.formatting import plain
from spcviz.web.ui import layout

MOST_MB = 20
MOST_COLUMNS = 100
"""Most columns to choose from: a line may have thousands."""


def take_file() -> None:
    """Read a file that was put into the first box, and delete Streamlit's own copy of it."""
    file = st.session_state.get("data_file")
    if isinstance(file, UploadedFile):  # called again once that copy is deleted, without a file
        _take(file.name, file.getvalue())
        cached.delete_upload(file)


def take_text() -> None:
    """Read a pasted text."""
    text = st.session_state.get("data_text", "")
    if text.strip():
        _take("pasted text", text.encode())


def _take(name, data):
    problem = cached.take_upload(name, data, read()["example"])
    st.session_state["own_data_problem"] = problem
    if not problem:
        visit = cached.current(read()["example"])
        new = {} if visit.example else {"file": visit.brought.digest, "columns": "", **FOUND_OUT}
        TABLE.write(model=visit.model.digest if visit.model else "", **new, **ANEW)


def remove_model() -> None:
    """Remove the uploaded model."""
    cached.remove_model(read()["example"])
    TABLE.write(model="", **ANEW)


def take_example() -> None:
    """Replace uploaded data by the chosen example."""
    chosen = st.session_state["data_example"]
    if chosen:
        model = cached.take_example(chosen).model
        st.session_state["own_data_problem"] = ""
        about = {"template": cached.EXAMPLES[chosen].template, "model": model.digest if model else ""}
        TABLE.write(example=chosen, file="", columns="", **about, **FOUND_OUT, **ANEW)


def row(visit, state: dict) -> None:
    """A file, an example, a pasted text, and how it is read; on a projector, all behind a button."""
    is_projected = layout.is_projected()
    in_row = {"horizontal": True, "vertical_alignment": "bottom"}
    with st.popover("File", icon=":material/upload_file:") if is_projected else st.container(**in_row):
        of = {"max_upload_size": MOST_MB, "width": 420}
        labels = "collapsed" if is_projected else "visible"
        st.file_uploader(say.UPLOAD, key="data_file", on_change=take_file, label_visibility=labels, **of)
        if cached.has_examples():
            _examples(state)
        with st.container() if is_projected else st.popover("Paste", icon=":material/content_paste:"):
            st.text_area(say.PASTE, key="data_text", height=160)
            st.button("Read it", on_click=take_text)
            st.caption(say.FORMATS)
        if visit is not None:
            columns(visit, state)
            if not visit.example and (visit.brought.corpus is not None or has_subwords(visit)):
                with st.container() if is_projected else st.popover("How it is read", icon=":material/tune:"):
                    how_read(visit, state)
            if visit.model is not None:
                st.button("Put the model away", on_click=remove_model)


def has_subwords(visit) -> bool:
    """Whether the uploaded scores are of words with several sub-words."""
    scores = visit.brought.scores
    return scores is not None and scores.n_subwords > len(scores.emissions)


def how_read(visit, state: dict) -> None:
    """Menus that override what the reader detected."""
    fields = (
        ("Columns separated by", say.SEPARATORS, "separator"),
        ("First line", say.HEADERS, "header"),
        ("Encoding", say.ENCODINGS, "encoding"),
        ("Chunks", say.SCHEMES, "scheme"),
    )
    if visit.brought.scores is not None:
        fields = (("Of the sub-words of a word", say.SUBWORDS, "subwords"),)
    for label, names, key in fields:
        tie = tied(key, state, columns="", **ANEW)
        st.selectbox(label, list(names), format_func=names.get, **tie)


def _examples(state: dict) -> None:
    st.session_state["data_example"] = None if state["file"] else state["example"]
    labels = {name: example.label for name, example in cached.EXAMPLES.items()}
    of = {"key": "data_example", "placeholder": "Examples", "on_change": take_example, "width": 200}
    st.selectbox("Or an example", list(labels), format_func=labels.get, **of)


def describe_reading(visit, state: dict) -> None:
    """What was read, or what is wrong with it, and whether it is the file that the link was made for."""
    problem = st.session_state.get("own_data_problem")
    if problem:
        st.error(plain(problem) + (" What was there before is still shown." if visit is not None else ""))
    if visit is None:
        if state["file"]:
            st.warning(say.another(state["file"], "", has_example=False))
        st.info(say.BRING_FIRST)
        return
    if state["file"] and (visit.example or visit.brought.digest != state["file"]):
        st.warning(say.another(state["file"], "" if visit.example else visit.brought.digest))
    if not visit.example:
        questions.withhold()
    name = "Example" if visit.example else plain(visit.brought.name)
    (st.caption if layout.is_projected() else st.markdown)(f"**{name}**: {cached.found(visit.brought)}.")
    if visit.model is not None:
        st.markdown(f"**{plain(visit.model.name)}**: {plain(cached.found(visit.model))}.")
    if state["model"] and (visit.model is None or visit.model.digest != state["model"]):
        st.warning(say.another_model(state["model"]))
    if visit.note:
        st.info(visit.note)
    for warning in visit.brought.warnings:
        st.warning(plain(warning))


def columns(visit, state: dict) -> None:
    """The menu of which columns hold the tokens and the labels."""
    corpus = visit.brought.corpus
    if corpus is None or corpus.n_columns < 2:
        return
    heads = [f" ({plain(name)})"[:80] for name in corpus.header or ()] or [""] * corpus.n_columns
    n_named = min(corpus.n_columns, MOST_COLUMNS)
    names = {k: f"{k + 1}{head}" for k, head in enumerate(heads[:n_named])}
    pairs = permutations(names, 2) if len(names) <= 12 else ()
    options = {f"{a}-{b}": f"{names[a]} → {names[b]}" for a, b in pairs}
    options |= {f"{k}": f"{name}, no labels" for k, name in names.items()}
    now = "-".join(str(k) for k in corpus.columns if k is not None)
    tie = tied("columns", state | {"columns": now if now in options else None}, **ANEW)
    st.selectbox("Columns: token → label", list(options), format_func=options.get, width=220, **tie)


def apply_choices(visit, state: dict) -> None:
    """Read the file as the address requests: by its columns, separator, header, encoding and scheme."""
    wanted = visit.columns if visit.example else None
    if state["columns"]:
        token, _, label = state["columns"].partition("-")
        wanted = (int(token), int(label) if label else None)
    try:
        cached.read_as(visit, wanted, how_of(state))
    except cached.UNREADABLE as error:
        st.session_state["own_data_problem"] = str(error)
        TABLE.write(columns="", **FOUND_OUT)
