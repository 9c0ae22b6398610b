"""Opens a page in Chromium and waits for its view."""


def ready(page, address):
    """The view at an address, once it has been drawn."""
    page.goto(address, timeout=120_000)
    page.wait_for_selector("[data-ready='1']", timeout=90_000)
    return page.locator("[data-ready='1']")
