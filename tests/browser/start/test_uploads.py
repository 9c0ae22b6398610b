"""Uploads in Chromium: leaving the page ends the decoder, and rubbish gets a readable sentence."""

import time

import psutil
import pytest

from spcviz.problems.letters.page import cached as letters
from spcviz.problems.pose.page import cached as pose
from spcviz.problems.scene.page import cached as scene
from tests.shared.uploading import hostile

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (pose.HAS_POSE and scene.HAS_SCENE and letters.FIRST), reason="needs all models"),
]
PAGES = {"pose": "pose?scene=upload", "scene": "scene?kind=upload", "write": "write"}


def uploader(page, address):
    """The page's input for a file."""
    page.goto(address, timeout=120_000)
    if "write" in address:
        page.get_by_role("button", name="Settings").click(timeout=90_000)
    box = page.locator("input[type=file]").first
    box.wait_for(state="attached", timeout=90_000)
    return box


def decoders():
    """Processes of decoders, of any server: only one test at a time sends this one a file."""
    running = psutil.process_iter(["cmdline"])
    return [
        process.pid
        for process in running
        if any("spcviz.shared.uploading.decoder" in word for word in process.info["cmdline"] or ())
    ]


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


@pytest.mark.parametrize("name", PAGES)
def test_who_leaves_takes_the_decoder_along(browser, server, name):
    others = set(decoders())
    context = browser.new_context()
    try:
        box = uploader(context.new_page(), f"{server}/{PAGES[name]}")
        marked = hostile.jpeg_of_scans(4000, 4000) + name.encode()  # unique, so nothing is cached
        box.set_input_files({"name": "a.jpg", "mimeType": "image/jpeg", "buffer": marked})
        assert wait_for(lambda: set(decoders()) - others, 30)
        started = set(decoders()) - others
    finally:
        context.close()
    assert wait_for(lambda: not started & set(decoders()), 4), "it takes 8 s of a core if nobody ends it"


@pytest.mark.parametrize("name", PAGES)
def test_rubbish_gets_a_sentence_that_nothing_covers(browser, server, name):
    context = browser.new_context(viewport={"width": 1200, "height": 760})
    try:
        page = context.new_page()
        box = uploader(page, f"{server}/{PAGES[name]}")
        text = hostile.texts("cache/pictures/letters.png")["ffconcat"]
        box.set_input_files({"name": "me.mp4", "mimeType": "video/mp4", "buffer": text})
        said = page.get_by_text("The file is a list of clips (ffconcat), no picture or video")
        said.wait_for(timeout=60_000)
        page.wait_for_timeout(500)  # the popover moves
        is_seen = """element => {
            const box = element.getBoundingClientRect();
            return [0.05, 0.5, 0.95].every((share) => element.contains(
                document.elementFromPoint(box.left + share * box.width, box.top + box.height / 2)));
        }"""
        assert said.evaluate(is_seen)
    finally:
        context.close()
