"""The Save menu of the bar in Chromium: the link, the page as one file, its picture, its Python, a frame."""

import re

import pytest
from PIL import Image

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


@pytest.fixture
def menu(browser, server):
    """A function that opens a page and its Save menu: (page, the menu's panel)."""
    contexts = []

    def open_menu(address):
        contexts.append(browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True))
        contexts[-1].grant_permissions(["clipboard-read", "clipboard-write"])
        page = contexts[-1].new_page()
        page.goto(f"{server}/{address}", timeout=120_000)
        page.locator(".spcviz-tools button", has_text="Save").click(timeout=120_000)
        return page, page.locator(".tour > .panel")

    yield open_menu
    for context in contexts:
        context.close()


def test_a_page_is_saved_as_one_file(menu, browser, tmp_path):
    page, panel = menu("letters?order=2&level=2")
    with page.expect_download(timeout=180_000) as download:
        panel.get_by_role("button", name="This page as one HTML file").click()
    path = tmp_path / "saved.html"
    download.value.save_as(path)
    assert download.value.suggested_filename == "spcviz-letters.html"
    text = path.read_text(encoding="utf-8")
    assert "<code>letters?order=2&amp;level=2" in text
    assert re.search(r'href="http://[^"]*/letters\?order=2&amp;level=2[^"]*" rel', text)
    assert panel.get_by_role("status").inner_text().startswith("saved, 0.")


def test_a_loop_is_saved_beside_its_button_and_can_be_given_up(menu, tmp_path):
    page, panel = menu("tagging")
    opener = page.locator(".spcviz-tools button", has_text="Save").bounding_box()
    box = panel.bounding_box()
    assert abs(box["y"] - opener["y"] - opener["height"]) < 40
    assert box["x"] <= opener["x"] + opener["width"]
    panel.get_by_role("button", name="What plays here").click()
    panel.get_by_label("Width of the loop").select_option("960")
    panel.get_by_role("button", name="The loop as WebP").click()
    panel.get_by_role("button", name="Give up").click()
    assert panel.get_by_role("status").inner_text() == "given up"
    with page.expect_download(timeout=180_000) as download:
        panel.get_by_role("button", name="The loop as GIF").click()
    path = tmp_path / "loop.gif"
    download.value.save_as(path)
    assert download.value.suggested_filename == "spcviz-tagging.gif"
    with Image.open(path) as loop:
        assert (loop.width, loop.n_frames) == (960, 3)
    assert path.stat().st_size <= 2_000_000


def test_a_link_that_only_this_computer_opens_says_so(menu):
    page, panel = menu("letters")
    panel.get_by_role("button", name="Copy the address").click()
    page.wait_for_timeout(600)
    assert "it opens on this computer only" in panel.get_by_role("status").inner_text()


def test_the_python_of_a_page_is_shown_and_copied(menu):
    page, panel = menu("letters")
    panel.get_by_role("button", name="Lines that compute").click()
    lines = panel.locator("textarea")
    lines.wait_for(timeout=180_000)
    assert "scenes.letters(" in lines.input_value()
    panel.get_by_role("button", name="Copy the Python").click()
    page.wait_for_timeout(300)
    assert page.evaluate("navigator.clipboard.readText()") == lines.input_value()


def test_a_frame_shows_the_scene(menu, browser, tmp_path):
    _, panel = menu("tagging?level=1&view=lattice")
    panel.get_by_role("button", name="A frame for slides").click()
    text = panel.locator("textarea").input_value()
    inside = browser.new_page()
    slides = tmp_path / "slides.html"  # a separate page, like slides
    slides.write_text(f"<!doctype html><title>slides</title>{text}", encoding="utf-8")
    inside.goto(slides.as_uri())
    frame = inside.frame_locator("iframe")
    frame.locator(".stage").first.wait_for(timeout=120_000)
    assert "embed=true" in text
    inside.close()


def test_picture_and_link(menu):
    page, panel = menu("letters")
    with page.expect_download(timeout=60_000) as download:
        panel.get_by_role("button", name="The picture as PNG").click()
    assert download.value.suggested_filename.endswith(".png")
    panel.get_by_role("button", name="Copy the address").click()
    page.wait_for_timeout(600)
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_escape_closes_the_menu_and_focus_goes_back(menu):
    page, panel = menu("hybrid")
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    held = "document.querySelector('.spcviz-tools').shadowRoot.activeElement?.textContent"
    assert page.evaluate(held) == "Save"


@pytest.mark.parametrize("address", ["", "letters", "write"])
def test_a_card_is_shown_saved_and_its_link_copied(browser, server, tmp_path, address):
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{server}/{address}", timeout=120_000)
    opener, panel = page.locator(".spcviz-tools button", has_text="Card"), page.locator(".tour > .panel")
    for _ in range(60):  # the reader may still be compiling
        opener.click(timeout=120_000)
        for _ in range(100):
            if not panel.get_by_role("status").inner_text().startswith("drawing"):
                break
            page.wait_for_timeout(100)
        if "compiled" not in panel.get_by_role("status").inner_text():
            break
        page.keyboard.press("Escape")
        page.wait_for_timeout(3000)
    panel.locator("img.card").wait_for()
    with page.expect_download() as download:
        panel.get_by_role("button", name="Save the card").click()
    path = tmp_path / "card.png"
    download.value.save_as(path)
    with Image.open(path) as card:
        assert card.size == (1200, 630)
    panel.get_by_role("button", name="The address that opens").click()
    page.wait_for_timeout(600)
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    context.close()


def test_pages_without_a_word_have_no_card(browser, server):
    page = browser.new_page()
    page.goto(f"{server}/sweep", timeout=120_000)
    page.locator(".spcviz-tools button", has_text="Save").wait_for(timeout=120_000)
    assert not page.locator(".spcviz-tools button", has_text="Card").is_visible()
    page.close()
