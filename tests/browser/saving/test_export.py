"""Saved scenes in Chromium, from a disk, the network cut: they draw, are dragged, and run nothing else."""

import pytest

from spcviz.web.exporting import page as exporting

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
PAGES = ("", "letters", "tagging", "parsing", "policy", "hybrid", "scene", "trade_off", "write", "pose")
CHARTS = ("sweep", "exact_inference", "joint_beats_separate", "loopy?show=errors")
ROOT = "document.querySelector('main section').shadowRoot"


def wait_for(page, condition):
    """Until JavaScript says so; in the file's policy playwright's own waiting may not evaluate texts."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"{condition} did not come true")


@pytest.fixture
def alone(browser):
    """A function that opens a file without a network: (page, what went wrong, what was asked for)."""
    contexts = []

    def open_file(path, scheme="light"):
        contexts.append(
            browser.new_context(viewport={"width": 1440, "height": 900}, offline=True, color_scheme=scheme)
        )
        page, wrong, asked = contexts[-1].new_page(), [], []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        wait_for(page, "document.documentElement.dataset.shown === '1'")
        return page, wrong, asked

    yield open_file
    for context in contexts:
        context.close()


@pytest.mark.parametrize("address", PAGES)
def test_a_saved_page_draws_without_a_network(alone, tmp_path, address):
    path = tmp_path / "scene.html"
    path.write_text(exporting.html(address), encoding="utf-8")
    page, wrong, asked = alone(path)
    wait_for(page, f"{ROOT}.querySelector('canvas, svg, .cell, td') !== null")
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


@pytest.mark.parametrize("address", CHARTS)
def test_saved_charts_are_drawn_without_a_network(alone, tmp_path, address):
    path = tmp_path / "chart.html"
    path.write_text(exporting.html(address), encoding="utf-8")
    page, wrong, asked = alone(path, "dark")
    assert page.evaluate("document.querySelectorAll('figure .main-svg').length") >= 1
    assert page.evaluate("document.querySelector('figure').getAttribute('aria-label').length") > 20
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_a_saved_lattice_is_dragged_and_asked_why(alone, tmp_path):
    path = tmp_path / "letters.html"
    path.write_text(exporting.html("letters?order=6"), encoding="utf-8")
    page, wrong, _ = alone(path, "dark")
    root = page.locator("main section [data-paints]").first
    before = root.evaluate("(root) => ({...root.dataset})")
    page.keyboard.press("ArrowLeft")
    wait_for(page, f"+{ROOT}.querySelector('[data-paints]').dataset.paints > {before['paints']}")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark == "rgb(15, 20, 27)"
    assert wrong == []


def test_what_strangers_typed_does_not_run(alone, tmp_path):
    path = tmp_path / "hostile.html"
    typed = "</script><script>alert(1)</script><img/src=x/onerror=alert(2)>"
    path.write_text(exporting.html(f"tagging?text={typed}"), encoding="utf-8")
    page, wrong, _ = alone(path)
    page.wait_for_timeout(500)
    assert wrong == []
    assert page.evaluate("document.querySelectorAll('script, img').length") == 1
