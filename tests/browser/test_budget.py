"""The budget pages in a real browser: drag, spend by hand, reload the link, open a word, press keys."""

import re

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    opened = context.new_page()
    opened.faults = []
    opened.on("pageerror", lambda error: opened.faults.append(str(error)))
    yield opened
    assert not opened.faults
    context.close()


def ready(page, address):
    page.goto(address)
    page.wait_for_selector("[data-ready='1']", timeout=90_000)
    return page.locator("[data-ready='1']")


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
    chips.nth(0).and_(root.locator(".chip:not(.right):not(.wrong)")).wait_for()  # painted anew
    assert root.get_attribute("data-wrong") == ""  # nothing is given away before the score
    for i in (0, 1):
        chips.nth(i).click()
    root.get_by_role("button", name="Show what is right").click()
    page.wait_for_function("() => document.location.search.includes('scored=1')")
    assert re.search(r"You: \d+ letters misread", root.inner_text())


def test_keys_move_and_a_word_opens_on_the_policy_page(page, server):
    root = ready(page, f"{server}/trade_off?words=24&budget=0.2")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.location.search.includes('budget=0.21')")
    root.locator(".chip").nth(2).click()
    page.wait_for_url(re.compile(r"/policy\?.*word=\d+"), timeout=60_000)
    page.wait_for_selector(".policy[data-ready='1']", timeout=60_000)


def test_the_policy_cursor_steps_and_stays_in_the_link(page, server):
    root = ready(page, f"{server}/policy?word=5218&q=0.25")
    assert root.get_attribute("data-steps") == "0,0,0,0"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.location.search.includes('spend=')")
    assert root.get_attribute("data-steps") == "2,2,2,2"
    again = ready(page, page.url)
    assert again.get_attribute("data-steps") == "2,2,2,2"


def test_a_projector_shows_everything_at_24_pixels(browser, server):
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    root = ready(page, f"{server}/policy?embed=true&controls=0&word=5218")
    sizes = root.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert sizes >= 23
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
