"""A lecture in a browser: the speaker alone and on another computer, a class that solves a task."""

import json

import pytest

from tests.browser.driver import IS_UNVEILED

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
SECONDS = 60
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


@pytest.fixture
def computer(browser):
    """A function that opens an address in a new browser context; fails on errors of the page."""
    contexts, problems = [], []

    def opening(address, **how):
        contexts.append(browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | how)))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(address, timeout=120_000)
        return page

    yield opening
    for context in contexts:
        context.close()
    assert not problems


def hall_of(computer, address):
    """The hall's window, with a room: (page, the room's number)."""
    page = computer(address)
    page.wait_for_function(f"() => {IS_UNVEILED}", timeout=1000 * SECONDS)
    page.get_by_role("button", name="a class").last.click(timeout=1000 * SECONDS)
    page.wait_for_url("**room=*", timeout=1000 * SECONDS)
    page.locator(".class .join strong").wait_for(timeout=1000 * SECONDS)
    return page, page.url.partition("room=")[2][:7]


def test_the_speaker_s_window_reads_a_tour_by_itself_and_opens_the_hall_s(server, computer):
    speaker = computer(f"{server}/?tour=write&speaker=true&embed=true")
    speaker.get_by_text("By itself").wait_for(timeout=1000 * SECONDS)
    speaker.get_by_text("scene 1 of").wait_for()
    said = speaker.locator(".now").inner_text()
    speaker.keyboard.press("PageDown")
    speaker.get_by_text("scene 2 of").wait_for(timeout=1000 * SECONDS)
    assert speaker.locator(".now").inner_text() != said
    speaker.get_by_role("button", name="Jump to scene 1").click()
    speaker.get_by_text("scene 1 of").wait_for(timeout=1000 * SECONDS)
    with speaker.context.expect_page() as opened:
        speaker.get_by_role("button", name="The tour as the audience sees it").click()
    hall = opened.value
    hall.wait_for_selector(".tour[data-scene='1']", timeout=1000 * SECONDS)
    speaker.keyboard.press("PageDown")
    hall.wait_for_function(
        "() => new URLSearchParams(location.search).get('at') === '2'", timeout=1000 * SECONDS
    )
    speaker.get_by_text("scene 2 of").wait_for(timeout=1000 * SECONDS)
    assert not speaker.get_by_text("By itself").is_visible()


def test_the_speaker_s_window_on_another_computer_follows_by_the_room(server, computer):
    hall, room = hall_of(computer, f"{server}/?tour=tags&scene=1&embed=true")
    hall.evaluate("window.prompt = (_, link) => { window.told = link }")
    clipboard = "{value: {writeText: async (text) => { window.told = text }}}"
    hall.evaluate(f"Object.defineProperty(navigator, 'clipboard', {clipboard})")
    hall.get_by_role("button", name="Speaker's link").or_(
        hall.get_by_role("button", name="Copy a link to the speaker's window")
    ).first.click()
    hall.wait_for_function("() => window.told", timeout=1000 * SECONDS)
    link = hall.evaluate("window.told")
    assert f"hall={room}" in link
    assert "#desk=" in link, "the key is sent to no server by itself"
    speaker = computer(link)  # another browser: no channel, no cookie of the lecturer's
    speaker.get_by_text("scene 1 of").wait_for(timeout=1000 * SECONDS)
    speaker.keyboard.press("PageDown")
    hall.wait_for_function(
        "() => new URLSearchParams(location.search).get('at') === '2'", timeout=1000 * SECONDS
    )
    speaker.get_by_text("scene 2 of").wait_for(timeout=1000 * SECONDS)
    stranger = computer(link[:-2] + "xx")
    stranger.get_by_text("This link is not valid any more").wait_for(timeout=1000 * SECONDS)
    assert not stranger.locator(".now").inner_text().strip()


def test_a_class_solves_a_task_and_the_wall_shows_how(server, computer):
    hall, room = hall_of(computer, f"{server}/letters?ask=L2")
    one, two = (computer(f"{server}/room/{room}", **PHONE) for _ in range(2))
    two.get_by_text("fewer than 10 words").wait_for(timeout=1000 * SECONDS)
    hall.locator(".class .total", has_text="0 of 2 have it").wait_for(timeout=1000 * SECONDS)
    one.get_by_role("link", name="Open the task").click(timeout=1000 * SECONDS)
    one.locator(".course[data-task='L2']").wait_for(timeout=1000 * SECONDS)
    one.locator(".alpha input").wait_for(timeout=1000 * SECONDS)
    one.locator(".alpha input").evaluate(
        "e => { e.value = '0.7'; for (const n of ['input', 'change']) e.dispatchEvent(new Event(n)); }"
    )
    one.locator(".course[data-over='1']").wait_for(timeout=1000 * SECONDS)
    hall.locator(".class .total", has_text="1 of 2 has it").wait_for(timeout=1000 * SECONDS)
    hall.get_by_role("button", name="Show how one of the class did it").click()
    hall.wait_for_url("**a1=0.7*", timeout=1000 * SECONDS)
    assert f"room={room}" in hall.url
    assert "ask=L2" in hall.url
    hall.locator(".course[data-over='1']").wait_for(timeout=1000 * SECONDS)
    hall.reload()
    hall.wait_for_function(
        "room => sessionStorage.getItem('spcviz-hour ' + room)", arg=room, timeout=1000 * SECONDS
    )
    kept = json.loads(hall.evaluate("room => sessionStorage.getItem('spcviz-hour ' + room)", room))
    assert kept[0][1]["counted"][0]["count"] == 1, "the hour's list outlives a reload"


def test_a_phone_opens_the_picture_that_is_asked_about(server, computer):
    hall, room = hall_of(computer, f"{server}/?tour=tags&scene=2&embed=true")
    phone = computer(f"{server}/room/{room}", **PHONE)
    phone.get_by_text("The picture in front").click(timeout=1000 * SECONDS)
    frame = phone.frame_locator("#picture iframe")
    frame.locator(".tour[data-scene='2']").wait_for(timeout=2000 * SECONDS)
    assert hall.locator(".tour").first.get_attribute("data-scene") == "2"
