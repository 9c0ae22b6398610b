"""Keyboard access in Chromium to all that the mouse drags or points at; reduced motion is respected."""

import pytest

from tests.browser.driver import ready

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser, server):
    """A function that opens a page's view, with nothing focused."""
    contexts = []

    def open_view(address, motion="no-preference"):
        contexts.append(browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion=motion))
        page = contexts[-1].new_page()
        view = ready(page, f"{server}/{address}").first
        page.evaluate("document.activeElement?.blur()")
        return page, view

    yield open_view
    for context in contexts:
        context.close()


def test_a_limb_is_chosen_by_keys(opened):
    page, view = opened("pose?level=2")
    page.keyboard.press("Escape")  # closes the hints of a first visit
    chosen = []
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowUp", "Escape"):
        page.keyboard.press(key)
        page.wait_for_timeout(400)
        if key == "Escape":
            view.and_(page.locator('[data-picked="0"]')).wait_for(timeout=20_000)
        chosen.append(view.get_attribute("data-picked"))
    assert chosen == ["1", "1", "1", "1", "0"]
    page.keyboard.press("Shift+ArrowDown")
    page.wait_for_url("**cell=0-*", timeout=20_000)
    first = page.url
    page.keyboard.press("Shift+ArrowDown")
    page.wait_for_function(f"() => location.href !== {first!r}", timeout=20_000)
    assert "cell=0-" in page.url
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_url("**cell=1-*", timeout=20_000)


@pytest.mark.parametrize(
    "address", ["trade_off", "scene", "hybrid", "policy", "parsing", "letters", "tagging", "pose"]
)
def test_what_is_dragged_goes_by_keys_and_is_kept(opened, address):
    page, view = opened(address, "reduce")
    slider = view.locator("input[type=range]:visible").first
    assert slider.get_attribute("aria-label")
    slider.focus()
    before, link = slider.input_value(), page.url
    at, low, high = float(before), *(float(slider.get_attribute(name)) for name in ("min", "max"))
    for _ in range(3):
        page.keyboard.press("ArrowLeft" if at > (low + high) / 2 else "ArrowRight")
    page.keyboard.press("Tab")
    assert slider.input_value() != before
    page.wait_for_function("link => location.href !== link", arg=link, timeout=20_000)


@pytest.mark.parametrize("address", ["scene", "letters", "parsing"])
def test_nothing_moves_by_itself_where_motion_is_reduced(opened, address):
    page, view = opened(address, "reduce")
    moving = """() => {
      const found = [], walk = (tree) => {
        found.push(...tree.getAnimations().map((own) => own.animationName ?? own.transitionProperty));
        for (const one of tree.querySelectorAll("*")) if (one.shadowRoot) walk(one.shadowRoot);
      };
      walk(document);
      return found;
    }"""
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    before = view.inner_text()
    for _ in range(5):
        assert page.evaluate(moving) == []
        page.wait_for_timeout(500)
    assert view.inner_text() == before
