"""Entry point. The server imports this file once and serves it; every visit runs it as a script."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from spcviz.web.touring import touring
from spcviz.web.ui import about, asked, layout, lean, navigation, outside, warmup
from spcviz.web.view import served

if get_script_run_ctx(suppress_warning=True) is None:
    # Imported by `streamlit run`, before the first visitor.
    navigation.use_own_pages()
    lean.install()
    outside.make_room()
    warmup.start()
    app = st.App(__file__, routes=[*served.routes(), *asked.routes()], middleware=outside.middleware())
else:
    is_projected = st.context.is_embedded
    st.set_page_config(
        page_title="spcviz",
        page_icon=navigation.ICON,
        layout="wide",
        initial_sidebar_state="collapsed" if is_projected else "auto",
        menu_items=about.menu(),
    )
    if is_projected:
        st.html(layout.PROJECTOR_CSS)
    page = st.navigation(navigation.sections())
    if touring.is_speaking():
        touring.speak()
    else:
        touring.follow(page)
        warmup.wait_for(navigation.warmup_groups_of(page))
        with touring.bar(page), warmup.visit():
            page.run()
