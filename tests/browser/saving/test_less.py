"""First views of pages on three screens: number of controls, height, and findings of axe-core.

The figures are printed (``pytest -n 0 -s``). Rules of WCAG 2.2 A and AA, and best practices.
"""

import pytest

from benchmarks.app.page_figures import ASKED, IS_SHOWN, LIMITS, SIZES, TALL
from spcviz.web.ui import navigation
from tests.conftest import ROOT

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """async (rules) => {
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ['violations'] });
  return violations.flatMap((one) => one.nodes.map((n) => [one.id,
    n.html.slice(0, 160), n.target.flat().at(-1)]));
}"""
STREAMLIT_S = {
    "list": "stSidebarNav",
    "listitem": "<li class=",
    "presentation-role-conflict": "stFileUploader",
}
"""Rules that Streamlit's own elements break, and a text in the HTML of these elements."""
CUT = """() => {
  const out = [];
  const isCut = (e) => {
    if (e.matches('input')) return e.scrollWidth > e.clientWidth + 1;
    const range = document.createRange();
    range.selectNodeContents(e);
    const box = range.getBoundingClientRect();
    for (let a = e; a; a = a.parentElement || a.getRootNode().host) {
      const { overflowX, position } = getComputedStyle(a), frame = a.getBoundingClientRect();
      if (position === 'fixed' || ['auto', 'scroll'].includes(overflowX)) return false;
      const isOver = box.right > frame.right + 1.5 || box.left < frame.left - 1.5;
      if (overflowX !== 'visible' && isOver) return frame.width > 2; // a narrower one is read aloud only
    }
    return false;
  };
  const walk = (root) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) walk(e.shadowRoot);
      if (!e.offsetWidth || e.closest('svg, [data-testid=stSidebar]')) continue;
      if (getComputedStyle(e).visibility === 'hidden') continue;
      const own = [...e.childNodes].filter((c) => c.nodeType === 3).map((c) => c.data).join('').trim();
      const words = e.matches('input[role=combobox]') ? e.value : own;
      const isSentence = e.matches('input') && words.length > 60;
      if (words && !isSentence && isCut(e)) out.push(words.slice(0, 60));
    }
  };
  walk(document);
  return out;
}"""
"""Words partly hidden behind an edge that cannot be scrolled, in a text or in the value of a select box.
A whole sentence in a box does not count: it fits no line of a phone, and its page draws it."""
FOCUSED = """() => {
  let at = document.activeElement;
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at.getAttribute('aria-label') ?? '';
}"""
PANEL = """() => [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.tour > .panel'))
  .find(Boolean).getBoundingClientRect().toJSON()"""


def open_sized(browser, address, size, theme):
    """A page at a given size, once its layout is stable."""
    width, height, query = SIZES[size]
    size = {"viewport": {"width": width, "height": height}}
    page = browser.new_page(**size, color_scheme=theme, reduced_motion="reduce")
    page.goto(f"{address}{query}", timeout=120_000)
    page.wait_for_function(IS_SHOWN, timeout=120_000)
    page.wait_for_timeout(600)
    return page


def faults(page):
    """Findings of axe in our own elements; empty where it is not installed (``npm ci``)."""
    if not AXE.is_file():
        return []
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return [one for one in page.evaluate(RUN, RULES) if STREAMLIT_S.get(one[0], "\0") not in one[1]]


@pytest.mark.parametrize("name", list(navigation.names()))
def test_a_page_asks_for_little_and_axe_finds_nothing(browser, server, name):
    page = open_sized(browser, f"{server}/{name}", "desk", "light")
    desk, wrong = page.evaluate(ASKED), {"desk, light": faults(page) + page.evaluate(CUT)}
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["phone"][:2], strict=True)))
    page.wait_for_timeout(800)
    phone, wrong["phone, light"] = page.evaluate(ASKED), faults(page) + page.evaluate(CUT)
    page.close()
    page = open_sized(browser, f"{server}/{name}", "projector", "dark")
    projector, wrong["projector, dark"] = page.evaluate(ASKED), faults(page) + page.evaluate(CUT)
    settings = page.get_by_role("button", name="Settings")
    if settings.count():
        settings.first.click()
        page.wait_for_timeout(600)
        wrong["projector, settings"] = page.evaluate(CUT)
    page.close()
    print(
        f"\n{name or 'home'}: {desk['operable']} to operate in {desk['groups']} groups, "
        f"{projector['height']} px high on a projector, {phone['width']} px wide on a phone"
    )
    assert 0 < desk["operable"] <= LIMITS["operable"], desk["names"]
    assert desk["groups"] <= LIMITS["groups"], desk["names"]
    assert name in TALL or projector["height"] <= LIMITS["projector_height"]
    assert phone["width"] <= LIMITS["phone_width"]
    assert not any(wrong.values()), wrong


def test_words_are_reached_by_the_tab_key_and_explained_where_they_stand(browser, server):
    page = open_sized(browser, f"{server}/letters", "desk", "light")
    page.wait_for_function(
        "() => document.querySelector('.spcviz-words')?.shadowRoot.querySelector('button')"
    )
    for _ in range(80):
        page.keyboard.press("Tab")
        if (name := page.evaluate(FOCUSED)).startswith("Explain “"):
            break
    else:
        pytest.fail("no word came by Tab")
    word = page.locator(".spcviz-words button:focus").bounding_box()
    page.keyboard.press("Enter")
    page.wait_for_timeout(200)
    panel = page.evaluate(PANEL)
    assert panel["height"] > 60
    assert min(abs(panel["top"] - word["y"] - word["height"]), abs(panel["bottom"] - word["y"])) < 30
    assert abs(panel["left"] - word["x"]) < 500
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUSED) == name
    page.close()


def test_words_that_are_cut_are_found(browser):
    """A page made for this test: a box, an ellipsis, a frame around, a shadow tree, and false alarms."""
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.set_content("""<!doctype html><style>div { width: 60px; white-space: nowrap }</style>
      <input role="combobox" value="one that is far too long for its box" style="width: 80px">
      <div style="overflow: hidden; text-overflow: ellipsis">two that is far too long</div>
      <div style="overflow: hidden"><p style="width: 300px">three <b>inside of what is cut</b></p></div>
      <div id="host"></div>
      <div>no: it hangs out</div>
      <div style="overflow: auto">no: this one can be scrolled</div>
      <div style="overflow: hidden">no</div>
      <div style="overflow: hidden; width: 1px">no: read aloud only</div>
      <input role="combobox" value="no" style="width: 80px">
      <input value="no: it is typed, and is walked through" style="width: 80px">""")
    page.evaluate("""() => {
      const inside = '<p style="overflow: hidden; width: 40px; white-space: nowrap">four is too long</p>';
      document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = inside;
    }""")
    found = page.evaluate(CUT)
    page.close()
    assert [text.split()[0] for text in found] == ["one", "two", "three", "inside", "four"]


def test_what_is_counted(browser):
    """A page made for this test with every trap: hidden, closed, nested, below the fold, in a shadow tree."""
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.set_content("""<!doctype html><main class="stMain">
      <div class="spcviz-tools"><button>apart</button></div>
      <button>one</button><button disabled>two</button><button hidden>no</button>
      <label>three <input type="checkbox" style="width: 0; height: 0"></label>
      <details><summary>four</summary><button>no</button></details>
      <a>no link</a><div role="button" tabindex="0">five <button>inside</button></div>
      <div role="group"><button>six</button><button>seven</button></div>
      <div tabindex="0" style="overflow: auto; height: 50px"><button>eight</button>
        <p style="margin-top: 200px"><button>scrolled away</button></p></div>
      <div role="listbox" tabindex="0">nine <span role="option">a</span><span role="option">b</span></div>
      <div id="host"></div><button style="position: absolute; top: 900px">below</button></main>""")
    page.evaluate("""() => {
      document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<button>ten</button>';
    }""")
    counted = page.evaluate(ASKED)
    page.close()
    assert counted["operable"] == 10, counted["names"]
    assert counted["groups"] == 9
    assert counted["height"] > 900
