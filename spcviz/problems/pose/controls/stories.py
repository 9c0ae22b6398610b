"""Panels of the page Pose on video about measured results: the thesis' figure, people never trained on."""

import streamlit as st

from spcviz.problems.pose.page import cached
from spcviz.problems.pose.paper import anyone_shown, tables
from spcviz.web.cached import common
from spcviz.web.figures.theme import CONFIG
from spcviz.web.ui import layout, results


def thesis() -> None:
    """The reproduced figure."""
    with results.said_if_damaged("pose-cascade"):
        result = common.result("pose-cascade")
        if not tables.is_usable(result):
            st.info(tables.MISSING)
            return
        figure, sentence = tables.levels_figure(result, **layout.look(430, 560)), tables.sentence(result)
        st.plotly_chart(figure, alt=sentence.replace("*", ""), **layout.PLOT, config=CONFIG)
        st.markdown(sentence)


def does_it_work() -> None:
    """Pictures never trained on: the table, and a gallery of failures."""
    with results.said_if_damaged("pose-people"):
        result = common.result("pose-people")
        if not result:
            st.info(anyone_shown.MISSING)
            return
        st.markdown(anyone_shown.sentence(result))
        st.dataframe(anyone_shown.frame(result))
        st.caption(anyone_shown.note(result))
        st.markdown(anyone_shown.GALLERY)
        columns = st.columns(4)
        shown = [
            (failure, cached.failure_picture(failure["data"], failure["picture"]))
            for failure in result["gallery"]
        ]
        for at, (failure, picture) in enumerate(row for row in shown if row[1]):
            caption = anyone_shown.failure_said(failure)
            columns[at % 4].image(anyone_shown.failure_svg(failure, picture), caption=caption)
        without = [failure for failure, picture in shown if not picture]
        if without:
            st.markdown(anyone_shown.without_pictures(without))
