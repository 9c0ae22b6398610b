"""A browser that draws one page after another: its commands, no traces of a page, and its end."""

import contextlib
import io
import os
import secrets
import shutil
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

from spcviz.web.exporting import chromium, drawing

pytestmark = pytest.mark.skipif(
    drawing.browser() is None or not chromium.HAS_PIPES, reason="no Chromium that can be spoken to"
)
PAGE = """<!doctype html><body style="margin: 0; background: #fff">
<div id="box"></div><pre id="out" hidden></pre>
<script type="module">
globalThis.show = async (k) => {{
  document.getElementById("box").style.cssText = `width: 20px; height: ${{10 * (k + 1)}}px; background: #b00`;
}};
{script}
document.getElementById("out").textContent ||= {said};
</script>"""
SIZE = (200, 100)
WITH_WINDOWS = ("chromium", "chromium-browser", "google-chrome")


def page(said="'drawn'", script=""):
    return PAGE.format(said=said, script=script)


def wanted(text):
    return chromium.Shots(3, 50, 60)


@pytest.fixture(scope="module")
def browser():
    one = chromium.Chromium(drawing.require_browser(), 3)
    one.draw(page(), SIZE, 1, wanted)
    yield one
    one.close()


def test_every_moment_is_photographed_as_it_is_shown(browser):
    pngs, said = browser.draw(page(), SIZE, 2, wanted)
    assert (said, len(pngs)) == ("drawn", 3)
    for k, png in enumerate(pngs):
        picture = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
        assert picture.shape == (120, 100, 3)
        red = (picture == [187, 0, 0]).all(axis=2)
        assert red.sum() == red[: 20 * (k + 1), :40].sum() == 40 * 20 * (k + 1)


def test_a_browser_without_windows_draws_the_same_pixels():
    paths = [
        next(filter(None, map(shutil.which, names)), None) for names in (drawing.WINDOWLESS, WITH_WINDOWS)
    ]
    if None in paths:
        pytest.skip("needs Chromium and chromium-headless-shell")
    text = """document.body.insertAdjacentHTML("beforeend", [9, 12, 13.5, 21].map((size) =>
      `<p style="font: ${size}px sans-serif; margin: 2px">Fünf quick jumps: 0.25 → 1</p>`).join(""));"""
    drawn = []
    for path in paths:
        one = chromium.Chromium(path)
        try:
            pngs, _ = one.draw(page(script=text), (300, 200), 1, lambda _: chromium.Shots(2, 300, 200))
        finally:
            one.close()
        drawn.append([np.asarray(Image.open(io.BytesIO(png)).convert("RGB")) for png in pngs])
    assert (drawn[0][0] < 128).any(axis=2).sum() > 300, "text was drawn"
    np.testing.assert_array_equal(*drawn)


def test_no_picture_is_taken_where_none_is_wanted(browser):
    assert browser.draw(page("'nothing plays'"), SIZE, 1, lambda text: None) == ([], "nothing plays")


def test_nothing_of_a_page_is_there_for_the_next(browser):
    keep = """localStorage.setItem("ink", "anna"); sessionStorage.setItem("ink", "anna");
    setInterval(() => localStorage.setItem("late", "anna"), 1);
    document.cookie = "ink=anna"; globalThis.name = "anna"; await new Promise((done) => {
      const opening = indexedDB.open("ink"); opening.onsuccess = opening.onerror = done; });"""
    looked = "[localStorage.ink, sessionStorage.ink, document.cookie, globalThis.name, localStorage.late]"
    looked += ".join('|')"
    names = "(await indexedDB.databases()).length"
    assert browser.draw(page(looked, keep), SIZE, 1, lambda _: None)[1].startswith("anna|anna")
    assert browser.draw(page(looked), SIZE, 1, lambda _: None)[1] == "||||"
    assert browser.draw(page(f"String({names})"), SIZE, 1, lambda _: None)[1] == "0"
    assert not list(os.scandir(browser._folder.name))[1:], "the pages themselves are gone, too"


def test_nothing_of_a_page_is_on_the_disk(browser):
    """Neither its stored values nor its title, address and history, which windows write to disk."""
    marker = f"Xy{secrets.token_hex(8)}"
    keep = f"""document.title = localStorage.ink = "{marker}";
    history.pushState({{ ink: "{marker}" }}, "", "#{marker}");"""
    assert browser.draw(page("localStorage.ink", keep), SIZE, 1, lambda _: None)[1] == marker
    time.sleep(4)  # writing them would take three
    kept = [path for path in Path(browser._folder.name).rglob("*") if path.is_file()]
    signs = marker.encode(), marker.encode("utf-16-le")
    assert [path.name for path in kept if any(sign in path.read_bytes() for sign in signs)] == []


def test_pages_have_tabs_in_one_window_that_stays(browser):
    """A window costs as much as a page, because its own parts are pages, too."""

    def ask(method, **params):
        return browser._ask(method, lambda: None, **params)

    def windows():
        told = ask("Target.getTargets")["targetInfos"]
        ours = [one for one in told if one.get("browserContextId") == browser._window]
        tabs = [one for one in ours if one["type"] == "page" and one["url"] == "about:blank"]
        assert len(tabs) == 1, "a page's own tab may still be closing, this one is there"
        return [ask("Browser.getWindowForTarget", targetId=tab["targetId"])["windowId"] for tab in tabs]

    before = windows()
    browser.draw(page(), SIZE, 1, wanted)
    assert windows() == before


def test_it_stands_behind_other_processes_and_listens_at_no_port(browser):
    process = psutil.Process(browser._process.pid)
    family = [process, *process.children(recursive=True)]
    least = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 3)
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            assert one.nice() >= least, one.cmdline()[:2]
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):  # a process of a closed page
            assert not [link for link in one.net_connections("tcp") if link.status == "LISTEN"]


def test_one_that_never_says_anything_is_lost_and_gives_way(monkeypatch):
    kept = chromium.Browsers(drawing.require_browser, 0)
    with kept.borrow() as one:
        one.draw(page(), SIZE, 1, wanted)
    monkeypatch.setattr(chromium, "SECONDS", 0.5)
    with pytest.raises(chromium.LostError, match="says nothing any more"), kept.borrow() as one:
        one.draw("<pre id=out></pre>", SIZE, 1, wanted)
    assert len(kept) == 0
    assert not one.is_alive
    assert not os.path.exists(one._folder.name)


def test_who_gives_up_ends_it_and_one_that_died_is_not_used_again():
    class Left(Exception):
        pass

    def glance():
        raise Left

    kept = chromium.Browsers(drawing.require_browser, 0)
    with kept.borrow() as first:
        assert first.draw(page(), SIZE, 1, wanted)[1] == "drawn"
    with kept.borrow() as again:
        assert again is first
    first._process.kill()
    first._process.wait()
    with kept.borrow() as second:
        assert second is not first
        assert second.draw(page(), SIZE, 1, wanted)[1] == "drawn"
    kept.end(idle=60.0)
    assert len(kept) == 1
    children = psutil.Process(second._process.pid).children(recursive=True)
    with pytest.raises(Left), kept.borrow():
        second.draw(page(), SIZE, 1, wanted, glance)
    assert len(kept) == 0
    end = time.monotonic() + 20
    while any(child.is_running() for child in children) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(child.is_running() for child in children)


def test_one_that_was_woken_is_the_one_that_draws():
    kept = chromium.Browsers(drawing.require_browser, 0)
    kept.wake()
    kept.wake()
    assert len(kept) == 1
    with kept.borrow() as one:
        assert len(kept) == 0
        assert one.draw(page(), SIZE, 1, wanted)[1] == "drawn"
    kept.wake()
    assert len(kept) == 1
    kept.end()


def test_it_ends_after_so_many_pages_and_with_the_process_that_told_it(monkeypatch):
    kept = chromium.Browsers(drawing.require_browser, 0)
    monkeypatch.setattr(chromium, "MOST_PAGES", 1)
    with kept.borrow() as one:
        one.draw(page(), SIZE, 1, lambda _: None)
    assert len(kept) == 0
    assert not one.is_alive
    other = chromium.Chromium(drawing.require_browser())
    os.close(other._out)  # as when this process is killed
    os.close(other._in)
    assert other._process.wait(20)
    other.close()
