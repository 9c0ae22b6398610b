"""Callouts of a first visit, and the article under the tool."""

import pytest

from tests.browser.driver import IS_UNVEILED

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


def opened(context, address):
    page = context.new_page()
    page.goto(address, timeout=120_000)
    page.wait_for_function(f"() => {IS_UNVEILED}", timeout=60_000)
    return page


def test_hints_lead_through_the_picture_and_never_come_again(browser, server):
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = opened(context, f"{server}/letters")
    hint = page.locator(".callout")
    hint.wait_for(timeout=60_000)
    said = []
    for _ in range(3):
        said.append(hint.locator("p").inner_text())
        assert page.evaluate("(e) => getComputedStyle(e).pointerEvents", hint.element_handle()) == "none"
        box = hint.bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= 1440
        assert 0 <= box["y"] < box["y"] + box["height"] <= 900
        hint.get_by_role("button").click()
    assert len(set(said)) == 3
    hint.wait_for(state="hidden")
    again = opened(context, f"{server}/letters")
    again.locator(".tour[data-drawn='1']").wait_for(state="attached", timeout=60_000)
    again.wait_for_timeout(1500)
    assert not again.locator(".callout").is_visible()
    elsewhere = opened(context, f"{server}/exact_inference")
    elsewhere.locator(".callout").wait_for(timeout=60_000)
    elsewhere.keyboard.press("Escape")
    elsewhere.locator(".callout").wait_for(state="hidden")
    context.close()


def test_a_projector_has_neither_hints_nor_an_article(browser, server):
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = opened(context, f"{server}/tagging")
    page.get_by_role("heading", name="Where it fails").wait_for(timeout=60_000)
    hall = opened(context, f"{server}/tagging?embed=true")
    hall.locator(".tour[data-drawn='1']").wait_for(state="attached", timeout=60_000)
    hall.wait_for_timeout(1500)
    assert hall.get_by_role("heading", name="Where it fails").count() == 0
    assert not hall.locator(".callout").is_visible()
    context.close()
