"""Every shipped tour, played in Chromium by clicker: each scene restores its state and says what is shown."""

import re
import time
from urllib.parse import parse_qsl, urlsplit

import pytest

from spcviz.tours import tour
from spcviz.ui import touring

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
      e.children.length < 9 ? e.textContent : ''])
    .filter(Boolean).join('\\n');
}"""
SECONDS = 20


def wait(page, code):
    page.wait_for_function(f"() => ({ROOT})?.dataset.scene === '{code}'", timeout=1000 * SECONDS)


def text_of(page, part):
    return page.evaluate(f"() => ({ROOT}).querySelector('.{part}').innerText")


def numbers(template, said):
    """What a sentence has in place of its names: {name: words}."""
    pattern, seen = "", set()
    for piece in re.split(r"(\{[a-z][a-z0-9_]*\})", template):
        name = piece[1:-1] if piece.startswith("{") else ""
        pattern += re.escape(piece) if not name else f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
        seen |= {name}
    found = re.fullmatch(pattern, said)
    assert found, (template, said)
    return found.groupdict()


def plain(text):
    return re.sub(r"\s+", " ", text.replace("\u00a0", " "))


def checked(page, at):
    """One scene: its state, its part, its sentences against what the page shows."""
    own = dict(parse_qsl(urlsplit(page.url).query))
    assert own == touring.address_of(at)[1] | ({"embed": "true"} if "embed" in own else {}), at
    is_changed = at.is_answered and at.scene.after
    templates = [("say", "" if is_changed else at.scene.say), ("ask", at.scene.ask)]
    templates += [("answer", at.scene.answer)] if at.is_answered else []
    said = {}
    for part, template in templates:
        if template:
            said |= numbers(template, plain(text_of(page, part)))
    missing, give_up = dict(said), time.monotonic() + 5
    while missing and time.monotonic() < give_up:
        shown = plain(page.evaluate(READ))
        missing = {name: words for name, words in said.items() if words == "…" or words not in shown}
    assert not missing, (at.tour.name, at.code, missing)
    if at.scene.point:
        page.wait_for_function(f"() => ({ROOT}).dataset.part === '1'", timeout=5000)
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.parametrize("name", list(tour.shipped()))
def test_a_tour_is_played(browser, server, name):
    found = tour.shipped()[name]
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    page, problems, seconds = context.new_page(), [], []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{server}/?tour={name}&scene=1&embed=true", timeout=120_000)
    for code in tour.codes(found):
        if seconds or code != "1":
            started = time.perf_counter()
            page.keyboard.press("PageDown")
        wait(page, code)
        if code != "1":
            seconds.append(time.perf_counter() - started)
        checked(page, touring.running({"tour": name, "at": code}))
    size = page.evaluate(f"() => parseFloat(getComputedStyle(({ROOT}).querySelector('.say')).fontSize)")
    context.close()
    print(f"\n{name}: {len(seconds)} steps, slowest {max(seconds):.2f} s, {[round(s, 2) for s in seconds]}")
    assert size >= 24
    assert not problems
