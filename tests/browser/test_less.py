"""How much each page asks for at once, on the three screens; the figures are printed (``pytest -n 0 -s``)."""

import pytest

from spcviz.bench.app.browsed import IS_SHOWN, SIZES
from spcviz.bench.app.less import ASKED, LIMITS, TALL
from spcviz.web.ui import navigation

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


def asked(browser, address, name):
    """What a page asks for at a size."""
    width, height, query = SIZES[name]
    page = browser.new_page(viewport={"width": width, "height": height})
    try:
        page.goto(f"{address}{query}", timeout=120_000)
        page.wait_for_function(IS_SHOWN, timeout=120_000)
        page.wait_for_timeout(500)
        return page.evaluate(ASKED)
    finally:
        page.close()


@pytest.mark.parametrize("name", list(navigation.names()))
def test_a_page_asks_for_little_at_once(browser, server, name):
    found = {size: asked(browser, f"{server}/{name}", size) for size in SIZES}
    desk, projector, phone = (found[size] for size in ("desk", "projector", "phone"))
    print(
        f"\n{name or 'home'}: {desk['operable']} to operate in {desk['groups']} groups, "
        f"{projector['height']} px high on a projector, {phone['width']} px wide on a phone"
    )
    assert 0 < desk["operable"] <= LIMITS["operable"], desk["names"]
    assert desk["groups"] <= LIMITS["groups"], desk["names"]
    assert name in TALL or projector["height"] <= LIMITS["projector_height"]
    assert phone["width"] <= LIMITS["phone_width"]


def test_what_is_counted(browser):
    """A page of one's own with every trap: hidden, closed, nested, below the fold, in a shadow tree."""
    page = browser.new_page(viewport={"width": 800, "height": 600})
    page.set_content("""<main class="stMain"><div class="spcviz-tools"><button>apart</button></div>
      <button>one</button><button disabled>two</button><button hidden>no</button>
      <label>three <input type="checkbox" style="width: 0; height: 0"></label>
      <details><summary>four</summary><button>no</button></details>
      <a>no link</a><div role="button" tabindex="0">five <button>inside</button></div>
      <div role="group"><button>six</button><button>seven</button></div>
      <div tabindex="0" style="overflow: auto; height: 50px"><button>eight</button>
        <button style="margin-top: 200px">scrolled away</button></div>
      <div role="listbox" tabindex="0">nine <span role="option">a</span><span role="option">b</span></div>
      <div id="host"></div><button style="position: absolute; top: 900px">below</button></main>""")
    page.evaluate("""() => {
      document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<button>ten</button>';
    }""")
    found = page.evaluate(ASKED)
    page.close()
    assert found["operable"] == 10, found["names"]
    assert found["groups"] == 9
    assert found["height"] > 900
