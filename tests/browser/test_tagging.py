"""The Tagging page in Chromium: what people type, and the projector."""

import pytest

from spcviz.problems.common.folders import CACHE
from tests.browser.test_letters import ROOT, settle, shown, wait

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not any((CACHE / "models").glob("tagging-ewt.json")),
        reason="no tagger: python -m spcviz train tagging",
    ),
]
COLD_SECONDS, WARM_MS = 60, 15_000
SCRIPTS = ["Go", "?!...", "😀 👍🏽 😀", "مرحبا بالعالم", "שלום עולם", "Zxqv wkrp blorf glimt."]
REFUSED = {
    "   ": "There is no word to tag",
    "word " * 10_000: "this text has 50000.",
    "a b " * 30: "At most 40 words can be drawn; this text has 60",
}


def open_tagging(browser, server, query="", *, width=1440, height=900, **context):
    page = browser.new_context(viewport={"width": width, "height": height}, **context).new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.goto(f"{server}/tagging{query}", timeout=120_000)
    wait(page, "root.dataset.ready === '1'", COLD_SECONDS)
    settle(page)
    return page


def test_what_people_type(browser, server):
    page = open_tagging(browser, server)
    box = page.get_by_label("A sentence: type your own")
    for text in SCRIPTS:
        box.fill(text)
        box.press("Enter")
        page.wait_for_function(
            "(text) => new URL(location).searchParams.get('text') === text", arg=text, timeout=WARM_MS
        )
        settle(page)
        assert page.get_by_role("alert").filter(has_text="still shown").count() == 0
        assert page.locator(".stException").count() == 0
    last = page.url
    for text, said in REFUSED.items():
        box.fill(text)
        box.press("Enter")
        alert = page.get_by_role("alert").filter(has_text="still shown")
        alert.filter(has_text=said).wait_for(timeout=WARM_MS)
        assert page.url == last
    assert not page.problems
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_projector_fills_the_screen(browser, server, scheme):
    page = open_tagging(browser, server, "?embed=true", width=1920, height=1080, color_scheme=scheme)
    assert float(shown(page)["letter"]) >= 24
    page.wait_for_function(
        f"() => {{ const r = ({ROOT}).getBoundingClientRect();"
        " return r.width > 1840 && 1000 < r.bottom && r.bottom <= 1080; }",
        timeout=WARM_MS,
    )
    assert not page.problems
    page.context.close()
