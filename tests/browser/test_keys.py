"""What the mouse drags or points at, done by keys, in Chromium; and nothing moves for who wants it still."""

import pytest

from tests.browser.driver import ready

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser, server):
    """A function that opens a page's view, nothing focused."""
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
    chosen = []
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight", "Shift+ArrowUp", "Escape"):
        page.keyboard.press(key)
        page.wait_for_timeout(400)
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
    ("address", "said"), [("trade_off", "budget"), ("scene", "spend"), ("hybrid", "step"), ("policy", "spend"),
                          ("parsing", "spend"), ("letters", "step"), ("tagging", "a1")]
)  # fmt: skip
def test_what_is_dragged_goes_by_keys_and_is_kept(opened, address, said):
    page, view = opened(address, "reduce")
    slider = view.locator("input[type=range]:visible").first
    assert slider.get_attribute("aria-label")
    slider.focus()
    before = slider.input_value()
    for _ in range(3):
        page.keyboard.press("ArrowLeft" if float(before) > 500 else "ArrowRight")
    page.keyboard.press("Tab")
    assert slider.input_value() != before
    page.wait_for_url(f"**{said}=*", timeout=20_000)


@pytest.mark.parametrize("address", ["scene", "letters", "parsing"])
def test_nothing_moves_by_itself_where_motion_is_reduced(opened, address):
    page, _ = opened(address, "reduce")
    moving = """() => {
      const found = [], walk = (tree) => {
        found.push(...tree.getAnimations().map((own) => own.animationName ?? own.transitionProperty ?? "script"));
        for (const one of tree.querySelectorAll("*")) if (one.shadowRoot) walk(one.shadowRoot);
      };
      walk(document);
      return found;
    }"""
    shown = "document.querySelector('[data-testid=stMain]').innerText"
    before = page.evaluate(shown)
    page.keyboard.press("ArrowRight")
    assert page.evaluate(moving) == []
    page.wait_for_timeout(2500)
    assert page.evaluate(moving) == []
    assert page.evaluate(shown) == before
