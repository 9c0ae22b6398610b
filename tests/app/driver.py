"""Opens a page through app.py, as a visitor with an address does."""

from functools import cache
from itertools import takewhile
from pathlib import Path

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]

# Every new AppTest searches each installed package for components, nine tenths of its first run.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def visitor():
    """A visitor who has not opened any page yet."""
    return AppTest.from_file(ROOT / "app.py", default_timeout=180)


def open_home():
    """The home page."""
    return check(visitor().run())


def open_page(page, /, **params):
    """The page at an address, as a visit's first; it shows no exception and no error message."""
    at = visitor().switch_page(page)
    for name, value in params.items():
        at.query_params[name] = value
    return check(at.run())


def check(at):
    """The same page, if it shows neither an exception nor an error."""
    assert not at.exception
    assert not at.error
    return at


def texts(at):
    """A page's own markdown texts, without the article below."""
    return list(
        takewhile(lambda said: not said.startswith("## What you see"), (block.value for block in at.markdown))
    )
