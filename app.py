"""Entry point: navigation, projector mode and warm-up, nothing else."""

import streamlit as st

from spcviz.ui import navigation, theme, warmup

is_projected = st.context.is_embedded
st.set_page_config(
    page_title="spcviz",
    page_icon=navigation.ICON,
    layout="wide",
    initial_sidebar_state="collapsed" if is_projected else "auto",
)
if is_projected:
    st.html(theme.PROJECTOR_CSS)
st.navigation(navigation.sections()).run()
warmup.start()  # after the page, so that it does not wait for imports it may not need
