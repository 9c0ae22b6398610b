"""Your data: your own sentences or scores, pruned, swept, and with features bought under a budget."""

import streamlit as st

from spcviz.problems.own_data.controls import bring, training, views
from spcviz.problems.own_data.controls.state import TABLE, settings_of
from spcviz.problems.own_data.page import cached, shelf
from spcviz.problems.own_data.page import text as say
from spcviz.web.cached import common
from spcviz.web.touring import touring
from spcviz.web.ui import layout


def page() -> None:
    """The rows of choices, what was read, and one view."""
    state = TABLE.read()
    cached.wake()
    visit = cached.current(state["example"])
    if layout.has_controls(state):
        bring.row(visit, state)
    if visit is not None:
        bring.apply_choices(visit, state)
    bring.describe_reading(visit, state)
    if visit is None:
        return
    touring.offer_brought(not visit.example or visit.model is not None)
    settings = settings_of(state)
    shelf.read_with_model(visit, settings)
    source = cached.source_of(visit, settings, state["steps"])
    if layout.has_controls(state):
        training.row(visit, state, source, lambda: views.sentence(visit, source, state))
    training.follow(visit)
    if source is None:
        st.info(say.TRAIN_FIRST if visit.model is None else say.MODEL_READS)
        return
    views.show(source, state)


layout.show_page(
    common.tells_of_damage(page), say.INTRODUCTION, say.PRIVATE, cached.origin(TABLE.read()["example"])
)
