"""A site of static files in Chromium: from disk and below a path, played by keys, with strangers' tours."""

import contextlib
import functools
import http.server
import threading

import pytest

from spcviz.web.exporting import site
from spcviz.web.tours import tour
from tests.browser.saving.test_export import wait_for
from tests.browser.saving.test_less import faults

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
TYPED = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
OWN = tour.Tour(
    "own-1",
    f"Mine {TYPED}",
    TYPED,
    (
        tour.Scene("hybrid", f"Look {TYPED}", "Why?", f"So {TYPED}", point=".stage"),
        tour.Scene(f"tagging?text={TYPED.replace(' ', '+')}", TYPED, point=TYPED),
    ),
)
FIRST_BYTES = 600_000
FIRST_PICTURE = 200_000


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Log nothing."""


WHOLE = tour.shipped_tours()["cascade"]
PLAYED = WHOLE._replace(scenes=WHOLE.scenes[6:11])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a site in ``a/b``: two tours, three pages."""
    root = tmp_path_factory.mktemp("web")
    (root / "a" / "b").mkdir(parents=True)
    tours = {"cascade": PLAYED, "own-1": OWN}
    site.write(root / "a" / "b", tours, names=["letters", "sweep", "pose"], systems="| a |\n|---|\n| b |")
    return root


@pytest.fixture(scope="module")
def web(folder):
    """The folder's address on a plain static server."""
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def visit(browser):
    """A function that opens an address: (page, errors, responses as {address: bytes})."""
    contexts = []

    def open_address(address, scheme="light"):
        contexts.append(browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme))
        page, wrong, fetched = contexts[-1].new_page(), [], {}
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: wrong.append(dialog.message) or dialog.dismiss())
        page.on(
            "response",
            lambda answer: fetched.setdefault(answer.url, int(answer.headers.get("content-length", 0))),
        )
        page.goto(address)
        wait_for(page, "document.documentElement.dataset.shown === '1'")
        return page, wrong, fetched

    yield open_address
    for context in contexts:
        context.close()


def scene(page):
    return page.evaluate("document.documentElement.dataset.scene")


@pytest.mark.parametrize("place", ["disk", "web"])
def test_a_tour_is_played_by_a_clickers_keys(visit, folder, web, place):
    base = f"{folder.as_uri()}/a/b" if place == "disk" else f"{web}/a/b"
    page, wrong, fetched = visit(f"{base}/tours/cascade.html")
    codes = [scene(page)]
    for _ in range(5):
        before = codes[-1]
        page.keyboard.press("PageDown")
        wait_for(page, f"document.documentElement.dataset.scene !== '{before}'")
        codes.append(scene(page))
    assert codes == [code for code in tour.codes(PLAYED) if code != tour.END][:6]
    assert page.evaluate("document.querySelector('[data-view]').shadowRoot.querySelector('.stage') !== null")
    page.keyboard.press("PageUp")
    wait_for(page, f"document.documentElement.dataset.scene === '{codes[-2]}'")
    assert "…" not in page.locator(".says").inner_text()
    assert page.evaluate("location.hash") == f"#{codes[-2]}"
    assert wrong == []
    assert all(url.startswith((base, "data:", "blob:")) for url in fetched)


@pytest.mark.parametrize("name", ["tours/cascade", "letters", "sweep", "pose"])
def test_the_first_picture_is_there_after_few_bytes(visit, web, name):
    page, wrong, fetched = visit(f"{web}/a/b/{name}.html")
    page.wait_for_timeout(300)
    assert wrong == []
    sizes = {url: size for url, size in fetched.items() if "-1.js" in url or "scenes/" not in url}
    most = 3_000_000 if name == "pose" else FIRST_BYTES  # a whole clip, as in its file
    assert 10_000 < sum(sizes.values()) < most, sizes


@pytest.mark.parametrize("name", ["tours/cascade", "letters", "sweep", "pose"])
def test_a_phone_has_a_picture_before_scripts_and_data(browser, web, name):
    """The picture is in the page itself: 1 s at 1.6 Mbit/s is 200 kB; a whole clip comes after it."""
    small = {"viewport": {"width": 390, "height": 844}, "java_script_enabled": False}
    with contextlib.closing(browser.new_context(**small)) as context:
        page, fetched = context.new_page(), []
        page.on("response", lambda answer: fetched.append(int(answer.headers.get("content-length", 0))))
        page.goto(f"{web}/a/b/{name}.html")
        image = page.locator("main img").first
        assert image.is_visible()
        assert page.evaluate("document.querySelector('main img').naturalWidth") > 300
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert sum(fetched) < FIRST_PICTURE, fetched


def test_a_strangers_tour_runs_nothing(visit, folder):
    page, wrong, _ = visit(f"{folder.as_uri()}/a/b/tours/own-1.html")
    assert "</script><script>alert(1)" in page.locator(".say").inner_text()
    for code in ("1a", "2"):
        page.keyboard.press("PageDown")
        wait_for(page, f"document.documentElement.dataset.scene === '{code}'")
        page.wait_for_timeout(300)
    assert wrong == []
    assert page.evaluate("document.querySelectorAll('img[onerror]').length") == 0


@pytest.mark.parametrize("path", ["index.html", "tours/cascade.html", "sweep.html"])
def test_axe_finds_nothing(browser, web, path):
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
        page.goto(f"{web}/a/b/{path}")
        page.wait_for_timeout(1500)
        assert faults(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.close()
