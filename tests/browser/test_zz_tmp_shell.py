import time
import pytest
@pytest.mark.browser
def test_x(fresh_server, browser):
    page = browser.new_context().new_page()
    t = time.time()
    page.goto(fresh_server); page.wait_for_selector(".home-word svg .cell"); print("COLD", time.time() - t)
    t = time.time()
    page.reload(); page.wait_for_selector(".home-word svg .cell"); print("RELOAD", time.time() - t)
