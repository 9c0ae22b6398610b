"""First views on a laptop: goal, task and picture of each page of the course, and few controls."""

import pytest

from spcviz.web.course import task as tasks
from tests.browser.driver import IS_UNVEILED

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
SECONDS = 90
MOST = 16
"""Most elements of a first view that take a click or a key, without glossary words and bars."""
PICTURES = "canvas, svg, img, table, .stPlotlyChart, .panel, .funnel"

OPERABLE = """() => {
  const roles = '[tabindex="0"], [role=slider], [role=tab]';
  const wanted = 'a[href], button, input, select, textarea, summary, ' + roles;
  const isSeen = (e) => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    const isIn = box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight;
    return isIn && style.visibility !== 'hidden' && style.display !== 'none';
  };
  const hostOf = (e) => e.getRootNode().host ?? null;
  const bars = '[data-testid=stSidebar], [data-testid=stHeader], .spcviz-tools, .spcviz-words';
  const isBar = (e) => e.closest(bars) || hostOf(e)?.closest(bars);
  const found = [];
  const walk = (tree) => {
    for (const e of tree.querySelectorAll('*')) {
      if (e.shadowRoot) walk(e.shadowRoot);
      if (!e.matches(wanted) || e.disabled || e.tabIndex < 0) continue;
      if (e.matches('.word, main, [data-testid=stMain]') || !isSeen(e) || isBar(e)) continue;
      const shut = e.closest('details:not([open])');
      if (shut && !(e.matches('summary') && e.parentElement === shut)) continue;
      found.push(String(e.getAttribute('aria-label') || e.innerText || e.className || '').slice(0, 60));
    }
  };
  walk(document);
  return found;
}"""

SEEN = """(selector) => {
  let most = 0;
  const walk = (tree) => {
    for (const e of tree.querySelectorAll('*')) {
      if (e.shadowRoot) walk(e.shadowRoot);
      if (!e.matches(selector) || e.closest('.stSidebar, [data-testid=stHeader], .course, .tour')) continue;
      const box = e.getBoundingClientRect();
      const high = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
      if (high > 0) most = Math.max(most, high * box.width);
    }
  };
  walk(document);
  return most;
}"""


@pytest.fixture(scope="module")
def laptop(browser):
    """A window of 1440 x 900 for all pages."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    yield page
    context.close()


@pytest.mark.parametrize("name", list(tasks.stops()))
def test_a_first_view_has_goal_task_and_picture_and_few_controls(laptop, server, name):
    laptop.goto(f"{server}/{name}", timeout=120_000)
    laptop.wait_for_function(f"() => {IS_UNVEILED}", timeout=1000 * SECONDS)
    bar = laptop.locator(".course[data-drawn='1']")
    bar.wait_for(timeout=1000 * SECONDS)
    laptop.wait_for_function(f"() => ({SEEN})({PICTURES!r}) > 30000", timeout=1000 * SECONDS)
    for part, says in ((".goal", tasks.stops()[name].goal), (".ask", tasks.of_page(name)[0].ask)):
        shown = bar.locator(part)
        assert says in shown.inner_text()
        box = shown.bounding_box()
        assert box["y"] + box["height"] < 200
    found = laptop.evaluate(OPERABLE)
    assert 3 <= len(found) <= MOST, found


SECOND_CHOICE = """() => {
  let row = document.querySelector('.st-key-page_choices');
  const seen = (e) => [...e.children].filter((each) => each.getBoundingClientRect().width > 1);
  while (row && seen(row).length === 1 && !row.matches('.stElementContainer')) row = seen(row)[0];
  return row && seen(row).length > 1 ? seen(row)[1].getBoundingClientRect().left : -1;
}"""


@pytest.mark.parametrize("address", ["tables?table=ocr-rules", "tagging", "letters"])
def test_on_a_phone_a_choice_leaves_room_for_the_next(browser, server, address):
    """The row can be swiped, which nobody knows who sees only the first choice."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{server}/{address}", timeout=120_000)
    page.wait_for_function(f"() => {IS_UNVEILED}", timeout=1000 * SECONDS)
    page.locator(".st-key-page_choices label").first.wait_for(state="attached", timeout=1000 * SECONDS)
    page.wait_for_function(f"() => ({SECOND_CHOICE})() !== -1", timeout=1000 * SECONDS)
    assert page.evaluate(SECOND_CHOICE) < 390 - 24
    context.close()
