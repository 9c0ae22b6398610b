"""Saved pages and the site in Firefox, from a disk: drawn without an error, played by keys."""

import pytest

from spcviz.web.exporting import page as exporting
from spcviz.web.exporting import site
from spcviz.web.tours import tour
from tests.firefox import running

pytestmark = pytest.mark.browser
PAGE_DOWN = "\ue00f"
ROOT = "document.querySelector('main section').shadowRoot"


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    with running(tmp_path_factory.mktemp("firefox")) as driver:
        yield driver


def opened(firefox, path, fragment=""):
    firefox.wrong.clear()
    firefox.open(path.as_uri() + fragment)
    firefox.wait_for("document.documentElement.dataset.shown === '1'")


@pytest.mark.parametrize("address", ["letters", "pose", "trade_off", "parsing", "policy", "hybrid", "scene"])
def test_a_saved_view_is_drawn(firefox, tmp_path, address):
    path = tmp_path / "scene.html"
    path.write_text(exporting.html(address), encoding="utf-8")
    opened(firefox, path)
    firefox.wait_for(f"{ROOT}.querySelector('canvas, svg, .cell, td') !== null")
    assert firefox.wrong == []


def test_saved_charts_are_drawn(firefox, tmp_path):
    path = tmp_path / "scene.html"
    path.write_text(exporting.html("sweep"), encoding="utf-8")
    opened(firefox, path)
    assert firefox.evaluate("document.querySelectorAll('figure .main-svg').length") >= 1
    assert firefox.wrong == []


def test_a_tour_is_played_from_a_disk(firefox, tmp_path):
    cascade = tour.shipped_tours()["cascade"]
    played = cascade._replace(scenes=cascade.scenes[5:8])
    site.write(tmp_path, {"cascade": played}, names=[])
    opened(firefox, tmp_path / "tours" / "cascade.html")
    for code in tour.codes(played)[1:4]:
        firefox.press(PAGE_DOWN)
        firefox.wait_for(f"document.documentElement.dataset.scene === '{code}'")
    firefox.wait_for(f"{ROOT}.querySelector('.stage') !== null")
    assert firefox.wrong == []
