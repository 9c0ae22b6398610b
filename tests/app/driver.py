"""Opens a page through app.py, as a visitor with an address does."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


def open_page(page, /, **params):
    """The page at an address; without an exception or an error message."""
    at = AppTest.from_file(ROOT / "app.py", default_timeout=180).run()
    at.switch_page(page)
    for name, value in params.items():
        at.query_params[name] = value
    return checked(at.run())


def checked(at):
    """The same page, if it shows neither an exception nor an error."""
    assert not at.exception
    assert not at.error
    return at
