"""What was measured, told on the page Pose on video: the reproduced figure, and people never trained on."""

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
        figure, said = tables.levels_figure(result, **layout.look(430, 560)), tables.sentence(result)
        st.plotly_chart(figure, alt=said.replace("*", ""), **layout.PLOT, config=CONFIG)
        st.markdown(said)


def does_it_work() -> None:
    """Pictures never trained on: the table, and a gallery of what fails."""
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
        shown = [(own, cached.failure_picture(own["data"], own["picture"])) for own in result["gallery"]]
        for at, (own, picture) in enumerate(row for row in shown if row[1]):
            said = anyone_shown.failure_said(own)
            columns[at % 4].image(anyone_shown.failure_svg(own, picture), caption=said)
        without = [own for own, picture in shown if not picture]
        if without:
            st.markdown(anyone_shown.without_pictures(without))
