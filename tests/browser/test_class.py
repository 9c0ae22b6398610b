"""A class in a browser: a lecturer's window asks, two phones answer, counts appear live, then the truth."""

import time

import pytest

from tests.browser.driver import IS_UNVEILED

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
SECONDS = 60
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
LINK = ".class .join strong"


@pytest.fixture
def lecturer(browser, server):
    """The projector's window with a scene that asks a question; the room is open."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{server}/?tour=tags&scene=2&embed=true", timeout=120_000)
    page.wait_for_function(f"() => {IS_UNVEILED}", timeout=1000 * SECONDS)
    page.get_by_role("button", name="Let a class answer").click()
    page.wait_for_url("**room=*", timeout=1000 * SECONDS)
    page.locator(LINK).wait_for(timeout=1000 * SECONDS)
    yield page
    context.close()
    assert not problems


@pytest.fixture
def phone(browser):
    """A function that opens a new phone at an address."""
    contexts, problems = [], []

    def is_problem(said):
        return said.type == "error" and "status of 404" not in said.text  # a closed room gives 404

    def opening(address):
        contexts.append(browser.new_context(**PHONE))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.append(said.text) if is_problem(said) else None)
        page.goto(address, timeout=120_000)
        return page

    yield opening
    for context in contexts:
        context.close()
    assert not problems


def counted(page, n):
    page.locator(f".class[data-answers='{n}']").wait_for(timeout=1000 * SECONDS)


def test_two_phones_answer_by_the_lecturer_s_link(server, lecturer, phone):
    room = lecturer.url.partition("room=")[2][:7]
    assert lecturer.locator(LINK).inner_text() == f"{server.partition('://')[2]}/room/{room}"
    code = lecturer.get_by_role("button", name="QR code")
    small = code.bounding_box()["width"]
    code.click()
    assert code.locator("img").evaluate("image => image.complete && image.naturalWidth > 0")
    assert code.bounding_box()["width"] > 5 * small > 500
    code.click()
    first, second = phone(f"{server}/room/{room}"), phone(lecturer.url)
    assert second.url == f"{server}/room/{room}", "the lecturer's link leads to the room"
    for page in (first, second):
        page.get_by_text("beside its neighbours").wait_for(timeout=1000 * SECONDS)
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    first.get_by_role("button", name="NNP").click()
    began = time.monotonic()
    counted(lecturer, 1)
    first.get_by_text("Counted.").wait_for()
    print(f"one answer stood on the lecturer's screen after {time.monotonic() - began:.2f} s")
    second.get_by_role("button", name="common noun").click()
    counted(lecturer, 2)
    second.get_by_role("button", name="NNP").click()  # this phone changes its answer
    assert not lecturer.locator(".class .bars").is_visible(), "counts wait: a class follows what it sees"
    lecturer.get_by_role("button", name="Show counts").click()
    lecturer.locator(".class .bars li", has_text="NNP").get_by_text("2").wait_for(timeout=5000)
    assert first.locator("button.right").count() == 0, "the truth is not told before its time"
    assert lecturer.locator(".class .bars li.right").count() == 0
    lecturer.keyboard.press("PageDown")
    right = lecturer.locator(".class .bars li.right")
    right.wait_for(timeout=1000 * SECONDS)
    truth = right.locator(".label").inner_text().removeprefix("✔ ")
    assert truth == "a name (NNP)"
    assert "the words around it decide" in lecturer.locator(".tour .answer").inner_text()
    for page in (first, second):
        page.locator("button.right", has_text=truth).wait_for(timeout=1000 * SECONDS)
        assert page.get_by_role("button", name="NNP").is_disabled()
        assert "You were right" in page.locator("#said").inner_text()
    lecturer.keyboard.press("PageDown")
    first.get_by_text("No question just now").wait_for(timeout=1000 * SECONDS)
    assert f"room={room}" in lecturer.url, "the room goes along with the tour"


def test_a_class_plays_the_game_of_a_day_and_what_nobody_bought_is_refused(browser, server, phone):
    """A phone that has bought nothing gets a place; one with impossible purchases is refused."""
    game = f"{server}/trade_off?mode=game&day=2026-11-27"
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(game, timeout=120_000)
    page.get_by_role("button", name="Play with a class").click(timeout=1000 * SECONDS)
    page.wait_for_url("**room=*", timeout=1000 * SECONDS)
    room = page.url.partition("room=")[2][:7]
    page.locator(LINK).wait_for(timeout=1000 * SECONDS)
    counted(page, 0)
    honest = phone(f"{game}&in={room}&cuts=0.0.0")
    honest.get_by_text("In your class: place 1 of 1").wait_for(timeout=1000 * SECONDS)
    counted(page, 1)
    told = browser.new_context(**PHONE).new_page()  # a refusal appears in the console, too
    told.goto(f"{game}&in={room}&picks=0.0.0&cuts=3.3.3", timeout=120_000)
    told.get_by_text("The room did not take this result: picks must").wait_for(timeout=1000 * SECONDS)
    assert told.get_by_text("press “Play again”, and what you buy counts").count() == 1
    counted(page, 1)
    for one in (page, told):
        one.context.close()


def test_a_question_of_one_s_own_lets_a_class_guess_a_number(server, lecturer, phone):
    room = lecturer.url.partition("room=")[2][:7]
    guesser = phone(f"{server}/room/{room}")
    lecturer.get_by_text("Ask something else").click()
    lecturer.get_by_label("A question of your own").fill("How many words has English?")
    lecturer.get_by_role("button", name="Ask:").or_(
        lecturer.get_by_role("button", name="Put this")
    ).first.click()
    box = guesser.get_by_label("Your guess, a number")
    box.wait_for(timeout=1000 * SECONDS)
    box.fill("many")
    guesser.get_by_role("button", name="Send").click()
    guesser.get_by_text("A guess is a number.").wait_for()
    box.fill("1,200.5")
    guesser.keyboard.press("Enter")
    guesser.get_by_text("Counted.").wait_for()
    counted(lecturer, 1)
    assert not lecturer.locator(".class .bars").is_visible()
    assert "1,200" not in lecturer.locator(".class .total").inner_text(), "nor the middle one"
    lecturer.get_by_role("button", name="Show counts").click()
    lecturer.locator(".class .label", has_text="1,200").wait_for()
    lecturer.get_by_role("button", name="End this question").click()
    guesser.get_by_text("Closed.").wait_for(timeout=1000 * SECONDS)


def test_answers_are_taken_away_and_cleared_and_the_room_is_closed(server, lecturer, phone):
    room = lecturer.url.partition("room=")[2][:7]
    one = phone(f"{server}/room/{room}")
    one.get_by_role("button", name="NNP").click(timeout=1000 * SECONDS)
    counted(lecturer, 1)
    with lecturer.expect_download() as taken:
        lecturer.get_by_role("button", name="Answers (CSV)").click()
    rows = taken.value.path().read_text("utf-8").splitlines()
    assert rows[0] == "question,choice,answers,right"
    assert '"a name (NNP)",1,0' in "\n".join(rows), "not said to be right before its time"
    lecturer.get_by_role("button", name="Clear answers").click()
    counted(lecturer, 0)
    assert not lecturer.get_by_role("button", name="Answers (CSV)").is_visible(), "nothing to take"
    one.locator("button[aria-pressed='false']", has_text="NNP").click(timeout=1000 * SECONDS)
    counted(lecturer, 1)
    lecturer.get_by_role("button", name="Close room").click()
    one.get_by_text(f"There is no room {room}, or it is closed.").wait_for(timeout=1000 * SECONDS)
    lecturer.wait_for_function("() => !location.search.includes('room=')", timeout=1000 * SECONDS)
    assert not lecturer.locator(".class").is_visible()


def test_a_task_is_given_to_a_class_and_a_phone_that_solves_it_counts(server, lecturer, phone):
    room = lecturer.url.partition("room=")[2][:7]
    lecturer.goto(f"{server}/letters?ask=L2&room={room}")
    one = phone(f"{server}/room/{room}")
    one.get_by_role("link", name="Open the task").click()
    one.wait_for_url(f"**ask=L2**in={room}**", timeout=1000 * SECONDS)
    one.goto(f"{server}/letters?word=3128&a1=0.7&ask=L2&in={room}")
    counted(lecturer, 1)


def test_a_phone_is_told_that_there_is_no_room(server, browser):
    page = browser.new_page(**PHONE)
    page.goto(f"{server}/room/1000000")
    page.get_by_text("There is no room 1000000, or it is closed.").wait_for()
    page.close()
