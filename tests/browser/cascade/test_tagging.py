"""The Tagging page in Chromium: typed text, and the projector."""

from urllib.parse import quote

import pytest

from spcviz.problems.tagging.data.examples import GARDEN_PATH
from spcviz.shared.folders import CACHE
from tests.browser.cascade.test_letters import ROOT, settle, shown, wait
from tests.browser.driver import IS_UNVEILED

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not any((CACHE / "models").glob("tagging-ewt.json")),
        reason="no tagger: python -m spcviz train tagging",
    ),
]
COLD_SECONDS, WARM_MS = 60, 15_000
SENTENCE = ".sentence[data-ready='1']"
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
    page = open_tagging(browser, server, "?view=lattice")
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
    page = open_tagging(
        browser, server, "?embed=true&view=lattice", width=1920, height=1080, color_scheme=scheme
    )
    assert float(shown(page)["letter"]) >= 24
    page.wait_for_function(
        f"() => {{ const r = ({ROOT}).getBoundingClientRect();"
        " return r.width > 1840 && 1000 < r.bottom && r.bottom <= 1080; }",
        timeout=WARM_MS,
    )
    assert not page.problems
    page.context.close()


def open_sentence(browser, server, query="", *, width=1440, height=900, **context):
    page = browser.new_context(viewport={"width": width, "height": height}, **context).new_page()
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.goto(f"{server}/tagging{query}", timeout=120_000)
    page.locator(SENTENCE).wait_for(timeout=1000 * COLD_SECONDS)
    page.wait_for_function(IS_UNVEILED)
    return page


def chip(page, word, tag):
    """The chip of a tag under a word, counted from 0."""
    return page.locator(".word").nth(word).locator(f".chip:has(small:text-is('{tag}'))")


def test_the_page_opens_with_the_sentence_and_an_arrow_to_what_neighbours_have_changed(browser, server):
    page = open_sentence(browser, server)
    assert [page.locator(".word > b").nth(i).inner_text() for i in (0, 4)] == ["Anyone", "HHa"]
    assert page.locator(".verdict").get_attribute("data-is") == "right"
    assert page.locator(".lines .saves").count() == 2
    assert page.locator(".chip.answer").count() == 9
    box = page.locator(".words").bounding_box()
    assert box["y"] + box["height"] <= 900
    assert not page.problems
    page.context.close()


def test_tags_fall_as_alpha_moves_a_click_says_why_and_the_link_restores_it(browser, server):
    page = open_sentence(browser, server)
    left = int(page.locator(SENTENCE).get_attribute("data-left"))
    slider = page.get_by_label("How hard to prune, alpha")
    slider.fill("1")
    page.wait_for_function("() => /a2=1/.test(location.search)", timeout=WARM_MS)
    assert int(page.locator(SENTENCE).get_attribute("data-left")) < left
    fallen = chip(page, 4, "NN")
    assert "gone" in fallen.get_attribute("class")
    fallen.click()
    page.wait_for_function("() => /cell=5-NN/.test(location.search)", timeout=WARM_MS)
    said = page.locator(".why").inner_text()
    assert "is ruled out" in said
    assert "≤ τ" in said
    assert page.locator(".lines .fails").count() >= 1
    again = open_sentence(browser, server, page.url.partition("/tagging")[2])
    assert again.locator(".why").inner_text() == said
    page.locator(".words").focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_function("() => !/cell=5-NN(&|$)/.test(location.search)", timeout=WARM_MS)
    assert not page.problems
    for tab in (page, again):
        tab.context.close()


def test_a_garden_path_is_said_to_be_wrong(browser, server):
    page = open_sentence(browser, server, f"?view=words&level=2&text={quote(GARDEN_PATH)}")
    assert "“man” is the verb here" in page.locator(".verdict").inner_text()
    assert page.locator(".chip.wrong").count() >= 1
    page.context.close()


def test_a_long_sentence_wraps(browser, server):
    text = " ".join(["Police help dog bite victim after prune juice spill halts traffic ."] * 3)
    page = open_sentence(browser, server, f"?view=words&text={text}", width=390, height=844)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert page.locator(".word").count() == 36
    page.context.close()
