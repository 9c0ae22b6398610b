"""Entry point: starts the server, which runs `spcviz.web.visit` for every visit."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from spcviz.web import visit
from spcviz.web.cached import ownership
from spcviz.web.classroom import routes as classroom
from spcviz.web.exporting import saving
from spcviz.web.serving import cards, first_html
from spcviz.web.transport import leaving, static_files
from spcviz.web.ui import outside, requests, warmup

if get_script_run_ctx(suppress_warning=True) is None:
    # Imported by `streamlit run`, before the first visitor.
    outside.make_room()
    warmup.start()
    routes = [*first_html.routes(), *static_files.routes(), *requests.routes(), *classroom.routes()]
    routes += [*saving.routes(), *cards.routes()]
    middleware = [*outside.middleware(), *leaving.middleware(ownership.leave), *static_files.middleware()]
    app = st.App(visit.__file__, routes=routes, middleware=middleware)
else:
    visit.show()  # run as a script, as tests do
