"""The course in a browser: wrong answers first, by mouse and by keys; progress is only in the browser."""

import json

import pytest

from tests.browser.driver import IS_UNVEILED

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
SECONDS = 90


@pytest.fixture
def visit(browser, server):
    """A function that opens a page in a browser that keeps its storage; fails on errors of the page."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))

    def opening(address):
        page.goto(f"{server}/{address}", timeout=120_000)
        page.wait_for_function(f"() => {IS_UNVEILED}", timeout=1000 * SECONDS)
        return page

    yield opening
    context.close()
    assert not problems


def done(page):
    """Solved tasks that the browser has stored."""
    return json.loads(page.evaluate("localStorage.getItem('spcviz-course') ?? '{}'")).get("done", {})


def over(page, name):
    page.locator(f".course[data-task='{name}'][data-over='1']").wait_for(timeout=1000 * SECONDS)


def test_a_wrong_answer_says_why_and_the_second_try_is_right(visit):
    page = visit("letters?ask=L1")
    options = page.locator(".course .options")
    options.get_by_role("button", name="g").wait_for(timeout=1000 * SECONDS)
    assert "0.79" not in page.content()
    options.get_by_role("button", name="g").click()
    page.get_by_text("g is on the best word of this level").wait_for(timeout=1000 * SECONDS)
    assert done(page) == {}
    labels = options.get_by_role("button").all_inner_texts()
    right = next(at for at, label in enumerate(labels, start=1) if label.endswith("v"))
    page.keyboard.press(str(right))
    over(page, "L1")
    assert done(page)["L1"]["tries"] == 2
    assert done(page)["L1"]["how"] == "self"
    assert page.locator("[data-testid=stSidebarNavLink][data-marks*='●']").count() == 1


def test_two_wrong_answers_show_the_right_one_which_counts_as_shown(visit):
    page = visit("sweep?ask=S1")
    for name in ("exactly 20", "none"):
        page.locator(".course .options").get_by_role("button", name=name).click(timeout=1000 * SECONDS)
        page.wait_for_timeout(500)
    over(page, "S1")
    assert done(page)["S1"]["how"] == "shown"


def test_a_task_is_solved_by_keys_on_its_page_with_hints_on_request(visit):
    page = visit("?ask=H1")
    page.get_by_role("button", name="Hint").click(timeout=1000 * SECONDS)
    page.get_by_text("Stop as soon as").wait_for(timeout=1000 * SECONDS)
    slider = page.locator("input[type=range]")
    slider.focus()
    for _ in range(80):
        slider.press("ArrowRight")
    over(page, "H1")
    kept = done(page)["H1"]["address"]  # where it was first solved: at 0.78 or above
    assert 0.78 <= float(kept.removeprefix("?a=")) <= 0.8


def test_show_me_solves_it_and_counts_half(visit):
    page = visit("letters?ask=L2")
    for name in ("Hint", "Hint", "Show me"):
        page.get_by_role("button", name=name).click(timeout=1000 * SECONDS)
        page.wait_for_timeout(700)
    over(page, "L2")
    assert done(page)["L2"]["how"] == "shown"


def test_progress_is_on_the_course_page_and_can_be_forgotten(visit):
    page = visit("course?done=H1.L2s.ZZ.L99")
    page.get_by_text("This link brings 2 solved tasks.").wait_for(timeout=1000 * SECONDS)
    page.get_by_role("button", name="Take them over").click()
    page.get_by_text("solved 1, shown 1").wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget my progress").click()
    page.get_by_role("button", name="Begin: Home, task 1").wait_for()
    assert done(page) == {}


def test_the_picture_of_a_question_says_nothing_of_what_it_asks(visit):
    page = visit("?tour=wrong&scene=3")
    tabs = page.locator(".lattice .levels button")
    tabs.first.wait_for(timeout=1000 * SECONDS)
    assert tabs.count() == 1, "what comes after the shown level would answer it"
    assert page.locator(".lattice .reads").inner_text() == "Best guess at this level: resoiuing ✘"
    assert "Level 1 of 4" in page.locator(".lattice .summary").inner_text()
    assert not page.get_by_role("button", name="back to the scene").is_visible(), (
        "nobody has changed anything"
    )
    page.keyboard.press("2")  # the lattice's key for level 2
    page.locator(".lattice .more-box summary").click()
    page.get_by_role("button", name="Export").click()
    assert not page.get_by_role("button", name="Save every n-gram of this level as CSV").is_visible()
    page.locator(".tour .options button", has_text="no").click()
    page.locator(".tour[data-scene='3a']").wait_for(timeout=1000 * SECONDS)
    page.locator(".lattice .levels button").nth(3).wait_for(timeout=1000 * SECONDS)


def test_a_word_that_is_asked_for_cannot_be_revealed_by_the_page_s_own_button(visit):
    page = visit("?tour=cascade&scene=7")
    page.locator(".lattice .status", has_text="The true word is hidden").wait_for(timeout=1000 * SECONDS)
    assert not page.locator(".lattice .guess input").count()
    page.locator(".lattice .more-box summary").click()
    assert not page.get_by_role("button", name="Reveal").is_visible()
    page.locator(".spcviz-tools").get_by_role("button", name="Save: link").click()
    page.get_by_role("button", name="This page as one HTML file").click()
    page.get_by_text("Answer the question of this scene first").wait_for(timeout=1000 * SECONDS)


def test_no_ring_is_drawn_around_what_a_closed_box_holds(visit):
    page = visit("trade_off?ask=B4")
    button = page.locator(".trade .methods button:visible").first
    button.wait_for(timeout=1000 * SECONDS)
    ring = "() => document.querySelector('.spcviz-ring')?.style.width"
    page.wait_for_function(ring, timeout=1000 * SECONDS)
    around, inside = page.locator(".spcviz-ring").bounding_box(), button.bounding_box()
    assert around["y"] <= inside["y"] <= inside["y"] + inside["height"] <= around["y"] + around["height"]
    assert around["height"] < 2 * inside["height"], "and around nothing else"
