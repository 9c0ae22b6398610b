"""The Save menu offers what `export` can make of a page, and nothing that is then refused."""

from urllib.parse import quote

import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.web.exporting import chromium, drawing, loops, page, paper
from spcviz.web.ui import navigation

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(drawing.browser() is None or not chromium.HAS_PIPES, reason="no Chromium to speak to"),
]
OF_ADDRESSES = {"Page", "Python", "Loop"}
STATES = (
    "tours?handout=cascade",
    "pose?show=four&scene=rendered",
    "tagging?view=lattice",
    "trade_off?mode=game",
)


@pytest.fixture(scope="module")
def shots():
    """shots(html) -> the data that a sheet of moments reports of itself."""
    one = chromium.Chromium(drawing.require_browser())
    yield lambda html: one.draw(html, loops.WINDOW, 1, lambda _: None)[1]
    one.close()


def is_made(make, *args):
    """Whether an export is made and not refused."""
    try:
        make(*args)
    except ArgumentError:
        return False
    return True


def made_of(address, shots):
    """Exports that `export` can make of an address, in the menu's words."""
    kinds = {"Page": (page.html, address), "Python": (paper.python, address)}
    offers = {name for name, wish in kinds.items() if is_made(*wish)}
    if loops.wanted_of(shots(loops.sheet(address))) is not None:
        offers.add("Loop")
        if loops.moving_of(shots(loops.sheet(address, is_svg=True))):
            offers.add("SVG")
    return offers


def offered(browser, server, address):
    """The entries of the menu, with SVG where the loop's own menu has it."""
    tab = browser.new_page()
    tab.goto(f"{server}/{quote(address, safe='?=&')}", timeout=120_000)
    tab.locator(".spcviz-tools button", has_text="Save").wait_for(timeout=120_000)
    tab.wait_for_load_state("networkidle")
    tab.wait_for_timeout(2500)
    tab.locator(".spcviz-tools button", has_text="Save").click()
    panel = tab.locator(".tour > .panel")
    words = set(panel.locator("p.list button").all_inner_texts())
    if "Loop" in words:
        panel.get_by_role("button", name="What plays here").click()
        words |= {"SVG"} & set(panel.locator("p.loop button").all_inner_texts())
    tab.close()
    return words


@pytest.mark.parametrize("address", [*navigation.names(), *STATES])
def test_what_is_offered_is_made(browser, server, shots, address):
    words = offered(browser, server, address)
    assert words & (OF_ADDRESSES | {"SVG"}) == made_of(address, shots)
    assert {"Link", "Embed"} <= words


def test_what_a_visitor_has_brought_is_not_offered_by_an_address(browser, server):
    tab = browser.new_page()
    tab.goto(f"{server}/data", timeout=120_000)
    save, panel = tab.locator(".spcviz-tools button", has_text="Save"), tab.locator(".tour > .panel")
    save.wait_for(timeout=120_000)
    tab.wait_for_timeout(2500)
    save.click()
    panel.get_by_role("button", name="Copy the address").wait_for(timeout=20_000)
    tab.keyboard.press("Escape")
    text = b"".join(b"the DT\ndog NN\nbarks VBZ\n\n" for _ in range(12))
    file = {"name": "mine.txt", "mimeType": "text/plain", "buffer": text}
    tab.locator("input[type=file]").first.set_input_files(file)
    tab.get_by_text("mine.txt").first.wait_for(timeout=60_000)
    tab.wait_for_timeout(4000)
    save.click()
    words = set(panel.locator("p.list button").all_inner_texts())
    assert not words & {"Link", "Embed", *OF_ADDRESSES}
    assert "stays with this visit" in panel.get_by_role("status").inner_text()
    tab.close()
