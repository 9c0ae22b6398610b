"""Pages opened without a browser, as Streamlit's tests do: to store or save what they show."""

import logging
from collections.abc import Mapping

from streamlit.testing.v1 import AppTest

from spcviz.shared.folders import APP
from spcviz.web.tours import tour
from spcviz.web.ui import navigation

_PATIENCE = 600  # seconds


def open_page(scene: tour.Scene, more: Mapping[str, str] | None = None) -> AppTest:
    """A page after its first run at a scene's address; `more` are further names of the address."""
    # Each of them says that it has no browser.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    at = AppTest.from_file(APP / "app.py", default_timeout=_PATIENCE)
    if scene.page:
        at.switch_page(navigation.names()[scene.page])
    for name, value in {**scene.query(), **(more or {})}.items():
        at.query_params[name] = value
    return at.run()
