"""A scene in slides, in Chromium: the slides' keys step it, and move on where it does not use them.

The slides are those of ``examples``; a few lines replace reveal.js, which comes from a CDN.
"""

import pytest

from spcviz.shared.folders import ROOT
from spcviz.web.exporting import page as saved
from spcviz.web.exporting import site
from spcviz.web.tours import tour
from tests.browser.saving.test_export import wait_for

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
REVEAL = """
const slides = [...document.querySelectorAll(".slides > section")];
let at = 0;
const show = (to) => {
  at = Math.min(slides.length - 1, Math.max(0, to));
  document.documentElement.dataset.slide = at;
  slides.forEach((slide, k) => { slide.hidden = k !== at; });
  for (const frame of slides[at].querySelectorAll("iframe[data-src]")) frame.src ||= frame.dataset.src;
};
const Reveal = {
  getCurrentSlide: () => slides[at], next: () => show(at + 1), prev: () => show(at - 1),
  initialize: () => {
    addEventListener("keydown", ({ key }) => {
      if (["PageDown", "ArrowRight", " "].includes(key)) Reveal.next();
      if (["PageUp", "ArrowLeft"].includes(key)) Reveal.prev();
    });
    show(0);
  },
};
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The example in a folder with the files it shows: a tour of two scenes, and a word."""
    root = tmp_path_factory.mktemp("slides")
    scenes = tour.shipped_tours()["cascade"].scenes[7:9]  # neither asks a question
    site.write(root / "site", {"cascade": tour.Tour("cascade", "Two", "", scenes)}, names=[])
    (root / "letters.html").write_text(saved.html("letters?order=3"), encoding="utf-8")
    text = (ROOT / "examples" / "slides.html").read_text(encoding="utf-8")
    assert text.count("https://cdn.") == text.count('integrity="sha384-') == 3
    (root / "slides.html").write_text(text.replace("integrity=", "data-digest="), encoding="utf-8")
    return root


@pytest.fixture
def slides(browser, folder):
    """The slides, the second one shown with its tour."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    headers = {"Access-Control-Allow-Origin": "*"}
    script = {"body": REVEAL, "content_type": "text/javascript", "headers": headers}
    sheet = {"body": "", "content_type": "text/css", "headers": headers}
    page.route("https://cdn.jsdelivr.net/**/*.js", lambda route: route.fulfill(**script))
    page.route("https://cdn.jsdelivr.net/**/*.css", lambda route: route.fulfill(**sheet))
    page.goto((folder / "slides.html").as_uri())
    page.keyboard.press("PageDown")
    at(page, 1)
    yield page
    context.close()
    assert wrong == []


def at(page, slide):
    wait_for(page, f"document.documentElement.dataset.slide === '{slide}'")


def inside(page, name):
    """The document of the shown frame, once its scene has come."""
    page.wait_for_selector(f"iframe[src*='{name}']")
    frame = page.frame(url=lambda url: name in url)
    while frame is None:  # its document has not started to load
        page.wait_for_timeout(50)
        frame = page.frame(url=lambda url: name in url)
    wait_for(frame, "document.documentElement.dataset.shown === '1'")
    return frame


def scene(frame, code):
    wait_for(frame, f"document.documentElement.dataset.scene === '{code}'")


def test_a_clicker_walks_through_a_tour_and_on(slides):
    frame = inside(slides, "cascade.html")
    scene(frame, "1")
    slides.keyboard.press("PageDown")
    scene(frame, "2")
    slides.keyboard.press("PageDown")
    at(slides, 2)
    slides.keyboard.press("PageUp")  # a saved word does not use this key
    at(slides, 1)
    slides.keyboard.press("PageUp")
    scene(frame, "1")
    slides.keyboard.press("PageUp")
    at(slides, 0)


def test_arrows_step_the_scene_wherever_the_focus_is(slides):
    inside(slides, "cascade.html")
    for _ in range(2):
        slides.keyboard.press("PageDown")
    at(slides, 2)
    frame = inside(slides, "letters.html")
    step = "document.querySelector('[data-view]').shadowRoot.querySelector('.transport input').value"
    first = frame.evaluate(step)
    slides.keyboard.press("ArrowLeft")
    wait_for(frame, f"{step} !== {first!r}")
    frame.locator(".stage").click(position={"x": 5, "y": 5})  # now the frame has the focus
    slides.keyboard.press("PageDown")
    at(slides, 3)
