"""Every shipped tour, played in Chromium by clicker: each scene restores its state and says what it shows."""

import re
import time
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlsplit

import pytest

from spcviz.web.touring import scenes
from spcviz.web.tours import tour
from tests.browser.driver import IS_UNVEILED, choose

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
ROOT = """[...document.querySelectorAll('*')].map((e) => e.shadowRoot).filter(Boolean)
  .map((s) => s.querySelector('.tour .bar')?.parentElement).find(Boolean)"""
READ = """() => {
  const trees = [], walk = (tree) => {
    trees.push(tree);
    for (const e of tree.querySelectorAll('*')) if (e.shadowRoot) walk(e.shadowRoot);
  };
  const own = (e) => [...e.childNodes].filter((c) => c.nodeType === 3).map((c) => c.data).join('');
  walk(document.querySelector('[data-testid=stMain]'));
  return trees.filter((t) => t === trees[0] || !t.querySelector('.tour .bar'))
    .flatMap((t) => [...t.querySelectorAll('*')])
    .flatMap((e) => [own(e), e.ariaLabel, e.alt, e.value, ...Object.values(e.dataset || {}),
      e.children.length && e.children.length < 4 ? e.textContent : ''])
    .filter(Boolean).join('\\n');
}"""
CONTRAST = """() => {
  const part = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const parse = (c) => (c.match(/[\\d.]+/g) || [0, 0, 0]).slice(0, 3)
    .map((v) => c.startsWith('color(') ? +v : v / 255);
  const light = (c) => { const [r, g, b] = parse(c).map(part); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)|transparent/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const ratio = (e) => {
    const [more, less] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    return (more + 0.05) / (less + 0.05);
  };
  return [...(ROOT).querySelectorAll('.bar p, .bar button, .bar span')]
    .filter((e) => e.offsetHeight && !e.disabled && ratio(e) < 4.5)
    .map((e) => [e.className || e.textContent, ratio(e)]);
}"""
"""Elements of the bar with too little contrast: name and ratio."""
BLOCKS = """() => [...document.querySelectorAll('.stMainBlockContainer > .stVerticalBlock > *')]
  .map((e) => [e.dataset.testid, Math.round(e.getBoundingClientRect().height), e.innerText.slice(0, 40)])"""
"""Blocks of a page with their heights in pixels, to see which did not fit."""
SECONDS = 60  # for other work on the machine, and for what is computed once


def wait(page, code):
    page.wait_for_function(
        f"() => ({ROOT})?.dataset.scene === '{code}' && {IS_UNVEILED}", timeout=1000 * SECONDS
    )


def stand_still(page):
    """Wait until the page has kept its height for half a second."""
    look = "() => document.querySelector('.stMainBlockContainer').scrollHeight"
    before, give_up = None, time.monotonic() + SECONDS
    while before != (before := page.evaluate(look)):
        assert time.monotonic() < give_up, "the page moves on and on"
        page.wait_for_timeout(500)


def text_of(page, part):
    return page.evaluate(f"() => ({ROOT}).querySelector('.{part}').innerText")


def numbers(template, said):
    """Words that a sentence has in place of its template's names: {name: words}."""
    pattern, seen = "", set()
    for piece in re.split(r"(\{[a-z][a-z0-9_]*\})", template):
        name = piece[1:-1] if piece.startswith("{") else ""
        pattern += re.escape(piece) if not name else f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
        seen |= {name}
    match = re.fullmatch(pattern, said)
    assert match, (template, said)
    return match.groupdict()


def plain(text):
    return re.sub(r"\s+", " ", text.replace("\u00a0", " "))


def checked(page, at):
    """Check a scene: its state, its part, and its sentences against what the page shows."""
    query = dict(parse_qsl(urlsplit(page.url).query))
    wanted = scenes.address_of(at)[1] | ({"embed": "true"} if "embed" in query else {})
    assert query.items() <= wanted.items(), at  # a page omits its defaults from its address
    assert {"tour", "at"} <= query.keys(), at
    if at.is_end:  # a summary, and links to continue
        assert text_of(page, "closing")
        return
    is_changed = at.is_answered and at.scene.after
    templates = [("say", "" if is_changed else at.scene.say), ("ask", at.scene.ask)]
    templates += [("answer", at.scene.answer)] if at.is_answered else []
    is_hiding = bool(at.scene.hide) and not at.is_answered  # its numbers come with the answer
    missing, give_up = {} if is_hiding else {"not": "looked"}, time.monotonic() + SECONDS / 2
    while missing and time.monotonic() < give_up:
        said = {}  # read again: numbers may come after the scene
        for part, template in templates:
            if template:
                said |= numbers(template, plain(text_of(page, part)))
        shown = plain(page.evaluate(READ))
        missing = {name: words for name, words in said.items() if words == "…" or words not in shown}
    assert not missing, (at.tour.name, at.code, missing)
    if at.scene.point and not is_hiding:  # a hidden part cannot be pointed at
        page.wait_for_function(f"() => ({ROOT}).dataset.part === '1'", timeout=1000 * SECONDS)
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.parametrize("name", list(tour.shipped_tours()))
def test_a_tour_is_played(browser, server, name):
    shipped = tour.shipped_tours()[name]
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page, problems, seconds = context.new_page(), [], []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{server}/?tour={name}&scene=1&embed=true", timeout=120_000)
    for code in tour.codes(shipped):
        if seconds or code != "1":
            started = time.perf_counter()
            page.keyboard.press("PageDown")
        wait(page, code)
        if code != "1":
            seconds.append(time.perf_counter() - started)
        checked(page, scenes.running({"tour": name, "at": code}))
    context.close()
    print(f"\n{name}: {len(seconds)} steps, slowest {max(seconds):.2f} s, {[round(s, 2) for s in seconds]}")
    assert not problems


@contextmanager
def open_scene(browser, address, code=None, **more):
    """A page with its bar, fails on errors of the page when it is closed."""
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}} | more)
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("dialog", lambda dialog: problems.append(f"a script ran: {dialog.message}"))
    page.goto(address, timeout=120_000)
    page.wait_for_function(f"() => ({ROOT})?.dataset.drawn === '1' && {IS_UNVEILED}", timeout=1000 * SECONDS)
    if code:
        wait(page, code)
    yield page
    context.close()
    assert not problems


def until(page, condition, seconds=8):
    page.wait_for_function(f"() => {{ const root = {ROOT}; return {condition}; }}", timeout=1000 * seconds)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_hall_can_read_it(browser, server, scheme):
    size = {"viewport": {"width": 1920, "height": 1080}, "color_scheme": scheme}
    with open_scene(browser, f"{server}/?tour=circles&scene=2&embed=true", "2", **size) as page:
        small = page.evaluate(
            f"""() => [...({ROOT}).querySelectorAll('.bar *')]
              .filter((e) => e.offsetHeight)
              .filter((e) => [...e.childNodes].some((c) => c.nodeType === 3 && c.data.trim()))
              .filter((e) => parseFloat(getComputedStyle(e).fontSize) < 24).map((e) => e.className)"""
        )
        assert not small
        weak = page.evaluate(CONTRAST.replace("ROOT", ROOT))
        assert not weak
        box = page.evaluate(f"() => ({ROOT}).querySelector('.bar').getBoundingClientRect().toJSON()")
        assert box["top"] < 40
        assert box["height"] < 220
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_narrow_and_by_keyboard_alone(browser, server):
    with open_scene(
        browser, f"{server}/?tour=circles&scene=2", "2", viewport={"width": 420, "height": 800}
    ) as page:
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        page.get_by_label("Tour", exact=True).focus()
        names = []
        for _ in range(9):  # past the choices
            page.keyboard.press("Tab")
            names.append(
                page.evaluate(f"() => ({ROOT}).getRootNode().activeElement?.getAttribute('aria-label')")
            )
        assert "Show the answer (Page Down)" in names
        page.get_by_label("Show the answer").focus()
        page.keyboard.press("Enter")
        wait(page, "2a")


def test_a_clicker_a_black_screen_and_the_speaker_s_window(browser, server):
    with open_scene(browser, f"{server}/?tour=circles&scene=1&embed=true", "1") as page:
        until(page, "root.dataset.part === '1'")
        page.keyboard.press("b")
        black = "getComputedStyle(document.querySelector('.spcviz-black')).display !== 'none'"
        until(page, black)
        page.keyboard.press("Escape")
        until(page, f"!({black})")
        with page.context.expect_page() as second:
            page.get_by_role("button", name="Timer and next sentence").click()
        speaker = second.value
        speaker.get_by_text("scene 1 of 15").wait_for(timeout=20_000)
        speaker.keyboard.press("PageDown")
        wait(page, "2")
        speaker.get_by_text("scene 2 of 15").wait_for(timeout=5000)
        page.keyboard.press("PageDown")
        wait(page, "2a")
        assert "35,854" in text_of(page, "answer")
        page.keyboard.press("PageUp")
        wait(page, "2")
        assert not text_of(page, "answer"), "the answer is hidden again"
        page.keyboard.press("ArrowRight")
        wait(page, "2a")
        page.keyboard.press("ArrowLeft")
        wait(page, "2")
        page.locator(".stPlotlyChart").click(position={"x": 5, "y": 5})
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(300)
        assert page.evaluate(f"() => ({ROOT}).dataset.scene") == "2", "somebody clicked into the picture"
        page.get_by_label("Tour", exact=True).focus()
        page.keyboard.press(" ")
        wait(page, "2a")


def test_undo_words_and_a_tour_of_one_s_own(browser, server, tmp_path):
    with open_scene(browser, f"{server}/exact_inference") as page:
        choose(page, "Show", "QU or QV?")
        page.wait_for_url("**show=ink")
        page.keyboard.press("Control+z")
        page.wait_for_url(lambda url: "show" not in url)
        page.keyboard.press("Control+Shift+z")
        page.wait_for_url("**show=ink")
        until(page, "(root.dataset.words || '').includes('exhaustive-search')", SECONDS)
        page.get_by_role("button", name="Explain the words").click()
        page.get_by_role("button", name="To score every possible reading").click()
        assert "K to the power D" in page.locator(".panel .formula").inner_text()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Add this scene").click()
        script = "<img src=x onerror=alert(1)><script>alert(2)</script>"
        page.get_by_label("One or two sentences").fill(f"It says {{word}} {script}")
        page.get_by_role("button", name="Add the scene").click()
        page.get_by_text("scene 1 of your tour").wait_for()
        page.goto(f"{server}/?tour=own&scene=1")  # a new session: the browser has kept the tour
        page.goto(f"{server}/tours")
        page.get_by_text("My tour").first.wait_for(timeout=15_000)
        with page.expect_download() as download:
            page.get_by_role("button", name="Take it away").click()
        download.value.save_as(tmp_path / "tour.json")
        assert (
            tour.parse((tmp_path / "tour.json").read_bytes()).scenes[0].address == "exact_inference?show=ink"
        )
        page.get_by_text("1. It says").click()
        page.get_by_role("link", name="Try").wait_for()
        stand_still(page)  # the box opens gradually: a click on a moving link would miss it
        page.get_by_role("link", name="Try").click()
        wait(page, "1")
        assert page.evaluate(f"() => ({ROOT}).querySelector('.say').innerText") == f"It says qual {script}"
        page.goto(f"{server}/tours")
        page.get_by_text("Or begin with a copy of").wait_for()
        stand_still(page)  # the browser returns its tour to the server: the page reruns
        page.locator("input[type=file]").first.set_input_files(
            {"name": "t.json", "mimeType": "application/json", "buffer": b"[" * 300_000}
        )
        page.get_by_text("too large for a tour").wait_for()


def test_a_scene_on_paper_is_one_page(browser, server):
    with open_scene(browser, f"{server}/exact_inference?tour=cascade&at=1", "1") as page:
        # As a reader would, print once all is there. A busy machine draws the chart long after the bar.
        page.wait_for_selector("[data-test-script-state='notRunning']", timeout=1000 * SECONDS)
        page.wait_for_selector(".stPlotlyChart .main-svg", timeout=1000 * SECONDS)
        stand_still(page)
        # The server's own styles come late there, too: paper must not need them.
        page.evaluate("() => document.querySelectorAll('.stHtml').forEach((e) => e.replaceChildren())")
        pdf = page.pdf(prefer_css_page_size=True, print_background=True)
        zoom = page.evaluate("() => document.documentElement.style.getPropertyValue('--spcviz-paper')")
        blocks = page.evaluate(BLOCKS)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1, (zoom, blocks)
        page.emulate_media(media="print")
        assert page.locator(".foot").is_visible()
        assert "exact_inference" in page.locator(".foot").inner_text()
        assert page.locator(".say").is_visible()
        assert not page.locator(".spcviz-tools").is_visible()
        assert not page.get_by_test_id("stSidebar").is_visible()


def test_a_handout_has_a_picture_of_every_scene(browser, server):
    wanted = scenes.pictures_of(tour.shipped_tours()["write"])
    with open_scene(browser, f"{server}/tours?handout=write") as page:
        page.wait_for_selector(f".handout[data-pictures='{len(wanted)}']", timeout=2000 * SECONDS)
        assert page.locator(".handout .place p").count() == 0, "a picture did not come"
        frames = [frame for frame in page.frames if "tour=write" in frame.url]
        assert [dict(parse_qsl(urlsplit(frame.url).query))["at"] for frame in frames] == [
            one["code"] for one in wanted
        ]
        said = [frame.locator(".tour .texts").first.inner_text() for frame in frames]
        assert all(text and "…" not in text for text in said), said
        assert (
            page.locator(".handout .where a").first.get_attribute("href")
            == f"{server}/{wanted[0]['address'][2:]}"
        )
        # The server's own styles come late there, too: paper must not need them.
        page.evaluate("() => document.querySelectorAll('.stHtml').forEach((e) => e.replaceChildren())")
        pdf = page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > len(wanted)
