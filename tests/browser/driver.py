"""Opens a page in Chromium and waits for its view."""

IS_UNVEILED = "!document.querySelector('.spcviz-settling')"
"""JavaScript condition: the page is shown. While loading it has no text and takes no mouse (first.js)."""


def ready(page, address):
    """The view at an address, once it has been drawn."""
    page.goto(address, timeout=120_000)
    page.wait_for_selector("[data-ready='1']", timeout=90_000)
    return page.locator("[data-ready='1']")


def open_more(page, view=""):
    """Open the box of rarely used controls of a component's view."""
    page.locator(f"{view} .more-box > summary").first.click()


def choose(page, label, option):
    """Choose an option in one of Streamlit's select boxes."""
    page.get_by_label(label, exact=True).first.click()
    page.get_by_role("option", name=option).click()
