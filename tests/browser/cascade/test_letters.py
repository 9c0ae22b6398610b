"""The Letters page in Chromium: speed, keys, links, projector, export.

Bounds are looser than the goals, so that a busy machine does not fail what is not broken; every figure is
printed (``pytest -n 0 -s``).
"""

import math
import time
from contextlib import contextmanager

import pytest

from spcviz.problems.letters.page import cached
from spcviz.problems.letters.shown import FIRST_WORD
from tests.browser.driver import open_more

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not cached.LETTERS_FEATURES, reason="no handwriting model: python -m spcviz train ocr"
    ),
]
PAGE = "/letters"
ROOT = """[...document.querySelectorAll('*')].map((e) => e.shadowRoot).filter(Boolean)
  .map((s) => s.querySelector('.lattice')).find(Boolean)"""
FILLS = (
    "root.getBoundingClientRect().width > 1850 &&"
    " root.getBoundingClientRect().bottom > 1000 && root.getBoundingClientRect().bottom <= 1080"
)
"""Whether the view fills a screen of 1920 x 1080 without scrolling."""
LATE = """const soon = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (act) => setTimeout(() => soon(act), 250);"""
"""Draws as late as a busy machine would."""
COLD_SECONDS, WARM_SECONDS = 30, 10


@contextmanager
def open_page(browser, server, query="", *, width=1440, height=900, **context):
    """A page with its lattice drawn; fails on console errors when it is closed."""
    context = browser.new_context(viewport={"width": width, "height": height}, **context)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    # On a deep link Streamlit probes <page>/_stcore/ before it finds its root: not our error.
    page.on(
        "console",
        lambda m: (
            problems.append(m.text) if m.type == "error" and "/_stcore/" not in m.location["url"] else None
        ),
    )
    started = time.perf_counter()
    page.goto(f"{server}{PAGE}{query}", timeout=120_000)
    wait(page, "root.dataset.ready === '1'", COLD_SECONDS)
    page.seconds = time.perf_counter() - started
    settle(page)
    yield page
    context.close()
    assert not problems


def wait(page, condition, seconds=WARM_SECONDS):
    page.wait_for_function(
        f"() => {{ const root = {ROOT}; return root && ({condition}); }}", timeout=1000 * seconds
    )


def shown(page):
    return page.evaluate(f"() => ({{...({ROOT}).dataset}})")


def settle(page):
    """Wait until the server has answered everything and the address is written."""
    page.wait_for_timeout(250)
    page.wait_for_function("() => !document.documentElement.classList.contains('spcviz-settling')")
    wait(page, "root.dataset.followed === 'true'")
    page.wait_for_timeout(400)


def drag(page, seconds=2.0, low=0.05, high=0.9):
    """Drag the big slider to and fro with the mouse."""
    box = page.locator("input.big").bounding_box()
    y, started = box["y"] + box["height"] / 2, time.perf_counter()
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    while (now := time.perf_counter() - started) < seconds:
        share = low + (high - low) * (0.5 + 0.5 * math.sin(4 * now))
        page.mouse.move(box["x"] + share * box["width"], y)
    page.mouse.up()


def test_the_first_lattice_after_a_cold_start(browser, fresh_server):
    with open_page(browser, fresh_server) as page:
        cold = page.seconds
        started = time.perf_counter()
        page.reload()
        wait(page, "root.dataset.ready === '1'")
        warm = time.perf_counter() - started
    print(f"\nfirst lattice {cold:.2f} s (goal 3), after reload {warm:.2f} s (goal 1)")
    assert cold < COLD_SECONDS
    assert warm < WARM_SECONDS


@pytest.mark.parametrize("level", [1, 2, 3])
def test_dragging_alpha_is_smooth_and_deeper_levels_follow(browser, server, level):
    with open_page(browser, server, f"?level={level}&order=4") as page:
        best, before = None, page.locator(".mini-row").nth(level).text_content()
        for _ in range(3):  # the best of three, to exclude other work on the machine
            drag(page)
            settle(page)
            seen = shown(page)
            figures = {
                name: float(seen[name]) for name in ("fps", "gapP95", "inputMs", "inputP95", "paintMs")
            }
            best = max(best or figures, figures, key=lambda f: f["fps"])
            if best["fps"] >= 55:
                break
        after = page.locator(".mini-row").nth(level).text_content()
        assert f"a{level}=" in page.url
        print(f"\nlevel {level}: {best} (goal: fps 55, gap p95 20 ms), {seen['sent']} messages")
        assert level == 3 or before != after
    # A picture that the server redraws changes 3 to 8 times a second. The goal above is for a quiet machine,
    # but here other tests run in parallel.
    assert best["fps"] >= 12
    assert best["gapP95"] <= 250
    assert int(seen["sent"]) <= 5 * 2.5 * 3 + 6


def test_a_link_restores_everything_on_a_fresh_server(browser, server, fresh_server):
    query = "?order=3&level=2&step=3&a1=0.21&a2=0.44&pin_a=raw%3A0.1%2C0.2%2C0.3"
    with open_page(browser, server, query) as page:
        page.keyboard.press("Shift+ArrowDown")
        settle(page)
        link, before = page.url, shown(page)
    assert "cell=" in link
    with open_page(browser, fresh_server, link.partition(PAGE)[2]) as page:
        after = shown(page)
        names = ("level", "step", "alpha", "cell", "kept", "fate")
        assert {n: after[n] for n in names} == {n: before[n] for n in names}
        assert page.locator("div.pinA").is_visible()
        page.reload()
        wait(page, "root.dataset.ready === '1'")
        assert {n: shown(page)[n] for n in names} == {n: before[n] for n in names}
        assert page.url.partition(PAGE)[2] == link.partition(PAGE)[2]


def test_keys_work_without_focus(browser, server):
    with open_page(browser, server) as page:
        for key, name, wanted in [
            ("2", "level", "2"),
            ("ArrowLeft", "step", "3"),
            ("ArrowRight", "step", "4"),
            ("ArrowRight", "level", "3"),
            ("Home", "level", "1"),
        ]:
            page.keyboard.press(key)
            wait(page, f"root.dataset.{name} === '{wanted}'")
        alpha = float(shown(page)["alpha"])
        page.keyboard.down("ArrowUp")
        for _ in range(5):
            page.keyboard.down("ArrowUp")  # the same key again without release: repeat
        page.keyboard.up("ArrowUp")
        wait(page, f"Math.abs(root.dataset.alpha - {alpha + 0.06}) < 2e-3")
        page.keyboard.press("Shift+ArrowDown")
        wait(page, "root.dataset.cell !== ''")
        page.keyboard.press("Escape")
        wait(page, "root.dataset.cell === ''")
        page.keyboard.press("?")
        assert page.locator(".keys").is_visible()
        page.keyboard.press("Escape")
        page.keyboard.press(" ")
        wait(page, "root.dataset.step !== '4' && root.dataset.step !== '0'", 15)
        page.keyboard.press(" ")
        settle(page)


def test_the_loss_of_the_truth_is_loud(browser, server):
    features = next(iter(cached.LETTERS_FEATURES))
    misread = (w["word_id"] for w in cached.letters_words(features) if w["predicted"][1] != w["text"])
    levels = ((word, cached.letters_trace(word, features, 4).levels[0]) for word in misread)
    word = next(
        word for word, level in levels if level.truth_score < level.best
    )  # the filter misreads it too
    with open_page(browser, server, f"?word={word}&a1=1") as page:
        page.get_by_role("alert").filter(has_text="TRUTH PRUNED").wait_for()
        page.get_by_role("button", name="just before filter loss").click()
        page.get_by_role("alert").filter(has_text="survives").wait_for()


def test_predict_then_reveal(browser, server):
    with open_page(browser, server, "?reveal=hidden") as page:
        assert "hidden" in page.locator(".status").inner_text()
        page.get_by_label("Your reading").fill("c")
        page.keyboard.press("Enter")
        settle(page)
        assert "you read “c”" in page.locator(".guess").inner_text()
        assert "reveal" not in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_projector_fills_the_screen(browser, server, scheme):
    with open_page(browser, server, "?embed=true", width=1920, height=1080, color_scheme=scheme) as page:
        assert float(shown(page)["letter"]) >= 24
        wait(page, "root.getBoundingClientRect().width > 1850")
        wait(
            page, "root.getBoundingClientRect().bottom > 1000 && root.getBoundingClientRect().bottom <= 1080"
        )
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        text = page.evaluate(f"() => getComputedStyle({ROOT}).color").removeprefix("rgb(").rstrip(")")
        is_light_text = sum(float(v) for v in text.split(",")[:3]) > 384
        assert is_light_text == (scheme == "dark")


@pytest.mark.skipif("open" not in cached.LETTERS_FEATURES, reason="no open vocabulary: train open")
def test_what_is_read_stands_beside_what_is_safe(browser, server):
    word = cached.letters_offer("open")[FIRST_WORD]
    with open_page(browser, server, "?level=1") as page:
        said = page.locator(".status")
        at_first = said.inner_text()
        assert f"“{word}” survives" in at_first
        assert "✘" in at_first
        assert f"Final guess: {word} ✔" in at_first
        page.keyboard.press("4")
        said.filter(has_text=f"Best guess at this level: {word} ✔").wait_for(timeout=10_000)
        open_more(page, ".lattice")
        page.get_by_role("button", name="Predict first").click()
        wait(page, "root.querySelector('.status').dataset.kind === 'hidden'")
        assert "reads" not in said.inner_text()


@pytest.mark.parametrize("path", ["letters", "pose"])
def test_what_is_said_late_takes_its_room_from_the_picture(browser, server, path):
    page = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    page.add_init_script(LATE)
    page.goto(f"{server}/{path}?embed=true", timeout=120_000)
    page.wait_for_selector("[data-ready='1']", timeout=1000 * COLD_SECONDS)
    page.wait_for_timeout(1500)
    bottom = page.locator("[data-ready='1']").bounding_box()
    assert 1000 < bottom["y"] + bottom["height"] <= 1080
    page.context.close()


def test_controls_can_be_hidden_by_address(browser, server):
    with open_page(browser, server, "?embed=true&controls=0", width=1920, height=1080) as page:
        assert not page.locator(".controls").is_visible()
        assert page.locator(".guide").is_visible()
        assert page.get_by_test_id("stSelectbox").count() == 0


def test_narrow_has_no_horizontal_scrolling(browser, server):
    with open_page(browser, server, "?level=2", width=800, height=1000) as page:
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_bad_addresses_show_a_page(browser, server):
    query = "?word=abc&level=99&a1=nan&a2=2&cell=%3Cb%3E&pin_a=x&step=-1&order=77&reveal=no&features=..%2F"
    with open_page(browser, server, query) as page:
        assert page.get_by_test_id("stException").count() == 0
        assert shown(page)["level"] == "1"
        bad = "level=99|a1|a2|cell|pin|step|order|reveal|features"
        page.wait_for_function(f"() => !/{bad}/.test(location.search)")


def test_export_is_two_clicks(browser, server, tmp_path):
    with open_page(browser, server, "?level=2") as page:
        open_more(page, ".lattice")
        for kind, start in [("PNG", b"\x89PNG"), ("SVG", b"<svg"), ("CSV", b"position,ngram")]:
            page.get_by_role("button", name="Save or share").click()
            with page.expect_download() as download:
                page.locator(".menu button", has_text=kind).click()
            path = tmp_path / kind
            download.value.save_as(path)
            assert path.read_bytes().startswith(start)
        kept = sum(row.split(",")[8] == "1" for row in path.read_text().splitlines()[1:])
        assert kept == int(shown(page)["kept"])
        page.get_by_role("button", name="Save or share").click()
        page.locator(".menu button", has_text="Link").click()
        wait(page, "root.dataset.copied")
        assert shown(page)["copied"] == page.url
