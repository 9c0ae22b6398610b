"""Main script of every visit, named to Streamlit by `app.py`: runs the page of the address, or of a tour.

A folder ``pages`` next to it would activate Streamlit's older navigation: "Page not found" at first.
"""

import streamlit as st

from spcviz.web.articles import articles
from spcviz.web.cached import threads
from spcviz.web.touring import course_bar as course
from spcviz.web.touring import touring
from spcviz.web.ui import about, layout, misread, navigation, warmup


def show() -> None:
    """Draw the requested page."""
    with threads.SLOTS.acquire():
        _draw()


def _draw():
    is_projected = st.context.is_embedded
    st.set_page_config(
        page_title="spcviz",
        page_icon=navigation.ICON,
        layout="wide",
        initial_sidebar_state="collapsed" if is_projected else "auto",
        menu_items=about.menu(),
    )
    st.html(
        layout.PLAIN_HEADINGS + layout.ROOMY + layout.PHONE + (layout.PROJECTOR_CSS if is_projected else "")
    )
    page = st.navigation(navigation.sections())
    if touring.is_speaking():
        touring.speak()
    else:
        misread.begin()
        touring.follow(page)
        course.follow(page)
        warmup.note_opening(navigation.warmup_groups_of(page))
        with touring.bar(page), course.bar(page), misread.notice(page.url_path), warmup.visit():
            page.run()
            if not is_projected and "tour" not in st.query_params:
                articles.show(page.url_path)


if __name__ == "__main__":
    show()
