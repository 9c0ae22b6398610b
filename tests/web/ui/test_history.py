"""Undo and redo, through pages of a small app."""

from streamlit.testing.v1 import AppTest

from spcviz.web.ui import history


def app():
    """A page that counts in its address, as a page's state table does."""
    import streamlit as st

    from spcviz.web.ui import history
    from spcviz.web.ui.state import StateTable, whole

    table = StateTable(whole("n", 0, 0, 999))
    history.at_page(st.session_state.get("page", "a"))

    def back(is_undo):
        query = history.step(st.query_params.to_dict(), is_undo)
        if query is not None:
            st.query_params.from_dict(query)

    n = table.parse(st.query_params)["n"]
    st.button("more", on_click=lambda: table.write(n=n + 1))
    st.button("same", on_click=lambda: table.write(n=n))
    st.button("undo", on_click=back, args=(True,))
    st.button("redo", on_click=back, args=(False,))
    st.button("forget", on_click=history.forget)


def press(at, *labels):
    for label in labels:
        next(button for button in at.button if button.label == label).click()
        at.run()
    assert not at.exception
    n = at.query_params.get("n", "0")
    return n if isinstance(n, str) else n[0]


def test_changes_are_taken_back_and_repeated():
    at = AppTest.from_function(app).run()
    assert press(at, "more", "more", "same", "more") == "3"
    assert press(at, "undo") == "2"
    assert press(at, "undo", "redo") == "2"
    assert press(at, "undo", "undo", "undo", "undo") == "0"
    assert press(at, "redo", "redo", "redo", "redo") == "3"
    assert press(at, "undo", "more", "redo") == "3", "a new change forgets what was taken back"


def test_the_last_fifty_changes_of_each_page():
    at = AppTest.from_function(app).run()
    press(at, *["more"] * (history.LAST + 3))
    at.session_state["page"] = "b"
    assert press(at.run(), "undo") == str(history.LAST + 3), "another page has a past of its own"
    at.session_state["page"] = "a"
    assert press(at.run(), *["undo"] * (history.LAST + 3)) == "3"
    assert press(at, "redo", "forget", "undo") == "4"
