"""A server's very first visitor, by a link to a page other than the home page."""

import pytest

pytestmark = pytest.mark.browser


def test_the_first_visitor_of_a_server_finds_any_page(browser, fresh_server):
    """With ``pages`` next to the script Streamlit uses its older navigation, which would miss the page."""
    page = browser.new_page()
    try:
        page.goto(f"{fresh_server}/tables")
        page.get_by_role("heading", name="Paper tables").first.wait_for(timeout=60_000)
        page.wait_for_timeout(500)
        assert page.get_by_role("dialog").count() == 0
        assert page.get_by_text("Page not found").count() == 0
    finally:
        page.close()
