"""Pictures on paper, in Chromium: redrawn at print resolution and in the light theme, and back again."""

import re

import pytest

from spcviz.web.figures.palette import CSS_VARIABLES, LIGHT
from spcviz.web.view import mount
from tests.browser.driver import ready

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
LOOK = """canvas => {
  const root = canvas.getRootNode().querySelector("[data-ready]");
  const ground = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const copy = document.createElement("canvas"), context = copy.getContext("2d");
  copy.width = copy.height = 64;
  context.fillStyle = ground;
  context.fillRect(0, 0, 64, 64);
  context.drawImage(canvas, 0, 0, 64, 64);
  const { data } = context.getImageData(0, 0, 64, 64), grey = data.reduce((a, b) => a + b, 0) / data.length;
  return { dots: canvas.width / canvas.getBoundingClientRect().width, isLight: grey > 160, ground };
}"""


@pytest.mark.parametrize("address", ["letters?order=2", "tagging?view=lattice"])
def test_a_picture_is_drawn_for_paper_and_then_for_the_screen_again(browser, server, address):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="dark")
    page = context.new_page()
    ready(page, f"{server}/{address}")
    canvas = page.locator("canvas").first
    screen = canvas.evaluate(LOOK)
    canvas.evaluate(
        f"canvas => addEventListener('beforeprint', () => {{ window.onPaper = ({LOOK})(canvas); }})"
    )
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    paper = page.evaluate("window.onPaper")
    assert (screen["ground"], screen["dots"]) == ("#0F141B", pytest.approx(1, abs=0.01))
    assert not screen["isLight"], "as the page's theme"
    assert (paper["ground"], paper["dots"]) == (LIGHT.background, pytest.approx(3, abs=0.01))
    assert paper["isLight"]
    page.wait_for_timeout(300)
    assert canvas.evaluate(LOOK) == screen
    context.close()


def test_paper_has_the_colours_of_the_light_theme():
    text = (mount.PACKAGE / "web/view/view.js").read_text(encoding="utf-8")
    rule = re.search(r"\.on-paper \{(.*?)\}", text, re.DOTALL).group(1)
    said = dict(re.findall(r"(--st-[a-z-]+): (#[0-9A-F]{6});", rule))
    assert said == {variable: getattr(LIGHT, role) for role, variable in CSS_VARIABLES.items()}
