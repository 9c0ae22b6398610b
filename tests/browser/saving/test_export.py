"""Saved scenes in Chromium, from disk and offline: they draw, can be dragged, and run nothing else."""

import io
import itertools

import numpy as np
import pytest
from PIL import Image

from spcviz.web.exporting import loops
from spcviz.web.exporting import page as exporting

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
PAGES = ("", "letters", "tagging", "parsing", "policy", "hybrid", "scene", "trade_off", "write", "pose")
CHARTS = ("sweep", "exact_inference", "joint_beats_separate", "loopy?show=errors")
ROOT = "document.querySelector('main section').shadowRoot"


def wait_for(page, condition):
    """Wait until JavaScript is true; the file's policy bars Playwright's own wait from evaluating text."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    pytest.fail(f"{condition} did not come true")


@pytest.fixture
def alone(browser):
    """A function that opens a file without a network: (page, errors, requested addresses)."""
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


PLAY_TO_THE_END = """() => {
  const views = [];
  document.dispatchEvent(new CustomEvent("spcviz-views", { detail: views }));
  const view = views.sort((a, b) => b.story.length - a.story.length)[0];
  const main = document.querySelector("main");
  document.querySelector("header").hidden = true;
  for (const element of main.children) element.hidden = element !== view.root.getRootNode().host;
  Object.assign(main.style, { padding: "10px 16px 0", maxWidth: "none" });
  for (let k = 0; k < 200; k++) view.walk(1);
  view.showMoment({});
}"""


@pytest.mark.parametrize("address", ["letters", "tagging", "policy", "hybrid"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_last_moment_of_a_loop_is_the_page_played_to_its_end(alone, tmp_path, address, theme):
    made = loops.film(address, dark=theme == "dark")
    last, n = np.asarray(made.frames[-1], dtype=int), len(made.frames)
    assert n >= 3
    path = tmp_path / "scene.html"
    path.write_text(exporting.html(address), encoding="utf-8")
    page, wrong, asked = alone(path, theme)
    page.set_viewport_size({"width": 960, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.evaluate(PLAY_TO_THE_END)
    page.wait_for_timeout(1500)
    view = page.locator("main section").locator("visible=true").first
    box = view.bounding_box()
    shown = Image.open(io.BytesIO(view.screenshot())).convert("RGB")
    there = np.asarray(shown, dtype=int)
    high = min(len(there), len(last) - 10) - 1
    assert high > 350
    ours = last[10 : 10 + high, 16 : 16 + there.shape[1]]
    apart = (np.abs(ours - there[:high, : ours.shape[1]]).max(axis=2) > 32).mean()
    assert apart <= 0.02, f"{apart:.3f} of {box}"
    assert (ours.std(axis=(0, 1)) > 5).all()  # not two white pictures
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_moments_differ_and_say_where_they_come_from():
    made = loops.film("letters?word=2655")
    pictures = [np.asarray(frame, dtype=int) for frame in made.frames]
    changes = [(np.abs(a - b).max(axis=2) > 32).mean() for a, b in itertools.pairwise(pictures)]
    assert min(changes) > 0.003
    foot = [picture[-40:] for picture in pictures]
    assert all(np.array_equal(one, foot[0]) for one in foot)
    assert (foot[0] < 128).all(axis=2).sum() > 200


def test_an_animated_lattice_is_whole_and_asks_for_nothing(tmp_path, browser):
    path = tmp_path / "loop.svg"
    path.write_text(loops.svg("letters?word=2655"), encoding="utf-8")
    assert path.stat().st_size <= 1_200_000
    context = browser.new_context(viewport={"width": 980, "height": 720}, offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    seen = set()
    for at in range(60):
        page.evaluate(f"document.documentElement.setCurrentTime({at / 10})")
        shown = page.evaluate(
            "[...document.querySelectorAll('svg > g')].map((g) => getComputedStyle(g).display !== 'none')"
        )
        assert sum(shown) == 1
        seen.add(shown.index(True))
    assert seen == set(range(len(shown)))
    assert len(seen) >= 5
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()
