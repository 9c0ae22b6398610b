"""The budget pages in a real browser: drag, spend by hand, reload the link, open a word, press keys."""

import re

import pytest

from spcviz.problems.arms.page import cached
from tests.browser.driver import ready

pytestmark = pytest.mark.browser
needs_arms = pytest.mark.skipif(
    not cached.HAS_ARMS, reason="no models of arms stored: python -m spcviz train budget-pose"
)


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    opened = context.new_page()
    opened.faults = []
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    yield opened
    assert not opened.faults
    context.close()


def test_a_budget_is_dragged_and_the_link_restores_it(page, server):
    root = ready(page, f"{server}/trade_off?words=24&budget=0")
    before = int(root.get_attribute("data-wrong"))
    slider = root.get_by_label("Budget", exact=True)
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    page.wait_for_function("() => /budget=0.[2-9]/.test(document.location.search)")
    after, spent = int(root.get_attribute("data-wrong")), float(root.get_attribute("data-spent"))
    assert after < before
    assert spent > 0
    again = ready(page, page.url)
    assert float(again.get_attribute("data-spent")) == spent
    assert int(again.get_attribute("data-wrong")) == after


def test_spending_by_hand_is_scored(page, server):
    root = ready(page, f"{server}/trade_off?words=24&budget=0.1")
    root.get_by_role("button", name="Take this budget").click()
    chips = root.locator(".chip")
    chips.nth(0).and_(root.locator(".chip:not(.right):not(.wrong)")).wait_for()  # repainted
    assert root.get_attribute("data-wrong") == ""  # nothing is given away before the score
    for i in (0, 1):
        chips.nth(i).click()
    root.get_by_role("button", name="Show what is right").click()
    page.wait_for_function("() => document.location.search.includes('scored=1')")
    assert re.search(r"You: \d+ letters misread", root.inner_text())


@needs_arms
def test_arms_are_scrubbed_and_the_link_restores_the_frame(page, server):
    root = ready(page, f"{server}/trade_off?task=arms&clips=6&budget=0.1&kind=us")
    strip = root.locator(".chip canvas").nth(2)
    box = strip.bounding_box()
    title = root.locator(".viewer b")
    title.filter(has_text=re.compile(r"Clip 1, left arm, frame 1 of \d+")).wait_for()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    page.wait_for_function("() => !document.location.search.includes('frame=')")
    last = title.filter(has_text=re.compile(r"^Clip 2, left arm, frame (\d+) of \1$"))  # under the pointer
    n = re.search(r"frame (\d+)", last.inner_text())
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function("() => document.location.search.includes('chain=2')")
    root.get_by_role("button", name="One frame back").click()
    page.wait_for_function(f"() => document.location.search.includes('frame={int(n[1]) - 2}')")
    again = ready(page, page.url)
    assert again.locator(".viewer b").inner_text() == f"Clip 2, left arm, frame {int(n[1]) - 1} of {n[1]}"
    drawn = again.locator(".viewer canvas.frame").evaluate(
        "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"
    )
    assert drawn > 50  # a photograph, not a blank


def test_keys_move_and_a_word_opens_on_the_policy_page(page, server):
    root = ready(page, f"{server}/trade_off?words=24&budget=0.2")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.location.search.includes('budget=0.21')")
    root.locator(".chip").nth(2).click()
    page.wait_for_url(re.compile(r"/policy\?.*word=\d+"), timeout=60_000)
    page.wait_for_selector(".policy[data-ready='1']", timeout=60_000)


def test_the_policy_cursor_steps_and_stays_in_the_link(page, server):
    root = ready(page, f"{server}/policy?word=5218&q=0.25")
    assert root.get_attribute("data-steps") == "0,0,0,0,0"
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.location.search.includes('spend=')")
    after_one = page.evaluate("document.location.search")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => document.location.search !== before", arg=after_one)
    assert root.get_attribute("data-steps") == "2,2,2,2,2"
    again = ready(page, page.url)
    assert again.get_attribute("data-steps") == "2,2,2,2,2"


def test_a_projector_shows_everything_at_24_pixels(browser, server):
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    root = ready(page, f"{server}/policy?embed=true&controls=0&word=5218")
    sizes = root.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert sizes >= 23
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_the_policy_page_opens_in_the_middle_with_all_panels_in_sight(page, server):
    page.set_viewport_size({"width": 1440, "height": 900})
    root = ready(page, f"{server}/policy")
    heads = dict(zip(root.locator("h4").all_text_contents(), root.locator("h4 span").all_text_contents()))
    (learned,) = (said for head, said in heads.items() if head.startswith("Learned (DMS-π)"))
    (chance,) = (said for head, said in heads.items() if head.startswith("At random"))
    assert learned.startswith("✔")
    assert chance.startswith("✖")
    assert learned.rpartition(", ")[2] == chance.rpartition(", ")[2]  # at the same spending
    for panel in root.locator(".panel:visible").all():
        box = panel.bounding_box()
        assert box["height"] < 220
        assert box["y"] + box["height"] <= 900
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    for panel in root.locator(".panel:visible").all():
        box = panel.bounding_box()
        assert box["x"] + box["width"] <= 390
    page.set_viewport_size({"width": 1440, "height": 900})
