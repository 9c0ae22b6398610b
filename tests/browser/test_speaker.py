"""The speaker's window in Chromium: notes, the list of scenes, the clock and the plan, the next picture."""

import pytest

from spcviz.web.touring.scenes import MOST_LISTED
from spcviz.web.tours import tour
from tests.browser.driver import IS_UNVEILED

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
SECONDS = 60
TOUR = tour.shipped_tours()["circles"]
CLOCK = ".speaking .clock"


@pytest.fixture
def windows(browser, server):
    """The hall's window on the second scene, and the speaker's, whose clock the test moves."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    hall, speaker, problems = context.new_page(), context.new_page(), []
    for page in (hall, speaker):
        page.on("pageerror", lambda error: problems.append(str(error)))
    hall.goto(f"{server}/?tour=circles&scene=2&embed=true", timeout=120_000)
    hall.wait_for_function(f"() => {IS_UNVEILED}", timeout=1000 * SECONDS)
    speaker.add_init_script(
        "const at = performance.now.bind(performance); performance.now = () => at() + (window.later ?? 0);"
    )
    speaker.goto(f"{server}/?tour=circles&speaker=true&embed=true", timeout=120_000)
    speaker.get_by_text(f"scene 2 of {len(TOUR.scenes)}").wait_for(timeout=1000 * SECONDS)
    yield hall, speaker
    context.close()
    assert problems == []


def test_notes_are_kept_with_their_scene(windows):
    _, speaker = windows
    notes = speaker.get_by_label("Notes to this scene")
    assert notes.input_value() == TOUR.scenes[1].notes
    notes.fill("say <b>why</b>")
    speaker.keyboard.press("PageDown")  # goes to the text box, not to the tour
    speaker.get_by_role("button", name="Next ›").click()
    speaker.get_by_role("button", name="Next ›").click()
    speaker.get_by_text("scene 3 of").wait_for(timeout=1000 * SECONDS)
    assert notes.input_value() == TOUR.scenes[2].notes
    speaker.reload()
    speaker.get_by_text("scene 3 of").wait_for(timeout=1000 * SECONDS)
    speaker.get_by_role("button", name="Jump to scene 2").click()
    speaker.get_by_text("scene 2 of").wait_for(timeout=1000 * SECONDS)
    assert notes.input_value() == "say <b>why</b>"


def test_the_list_names_every_scene_and_jumps(windows):
    hall, speaker = windows
    rows = speaker.locator(".scenes button")
    assert rows.count() == len(TOUR.scenes)
    said = rows.nth(4).inner_text()
    assert 0 < len(said) <= MOST_LISTED
    assert speaker.locator(".scenes [aria-current=step]").count() == 1
    rows.nth(4).click()
    hall.wait_for_url("**at=5*", timeout=1000 * SECONDS)
    speaker.locator(".scenes li:nth-child(5) [aria-current=step]").wait_for(timeout=1000 * SECONDS)


def test_who_is_behind_the_plan_is_told(windows):
    _, speaker = windows
    until, every = sum(map(tour.seconds, TOUR.scenes[:2])), sum(map(tour.seconds, TOUR.scenes))
    clock = lambda seconds: f"{int(seconds) // 60}:{int(seconds) % 60:02d}"  # noqa: E731
    planned = speaker.locator(".planned")
    assert planned.inner_text() == f"planned: until {clock(until)} of {clock(every)}"
    assert speaker.locator(CLOCK).inner_text() == "0:00"
    speaker.get_by_role("button", name="Start").click()
    speaker.evaluate(f"window.later = 1000 * {until + 50}")
    speaker.get_by_text("behind").wait_for(timeout=5000)
    behind = int(planned.inner_text().rpartition(", 0:")[2].removesuffix(" behind"))
    assert 50 <= behind <= 58
    assert "late" in planned.get_attribute("class")
    speaker.get_by_role("button", name="Timer back to nothing").click()
    speaker.locator(".planned:not(.late)").wait_for(timeout=5000)
    assert speaker.locator(CLOCK).inner_text() == "0:00"


def test_the_next_scene_is_shown_and_leaves_the_hall_alone(windows):
    hall, speaker = windows
    before = hall.url
    inside = speaker.frame_locator(".picture iframe").locator("[data-testid=stMain]")
    inside.wait_for(timeout=1000 * SECONDS)
    (frame,) = (one for one in speaker.frames if "at=3" in one.url)
    frame.wait_for_function(f"() => {IS_UNVEILED}", timeout=1000 * SECONDS)
    following = TOUR.scenes[2]
    assert f"/{following.page}?" in frame.url
    assert speaker.locator(".picture iframe").get_attribute("tabindex") == "-1"
    speaker.get_by_text(f"scene 2 of {len(TOUR.scenes)}").wait_for(timeout=5000)
    assert hall.url == before
    speaker.locator(".scenes button").last.click()
    speaker.get_by_text("scene {0} of {0}".format(len(TOUR.scenes))).wait_for(timeout=1000 * SECONDS)
    speaker.locator(".picture").wait_for(state="hidden", timeout=5000)
