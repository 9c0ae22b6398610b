"""Links of strangers in Chromium: they replace nothing that a visitor made; their texts stay plain text."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import pytest

from spcviz.web.tours import tour
from tests.browser.start.test_tours import ROOT, open_scene, until, wait

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser
KEPT = "() => localStorage.getItem('spcviz-own-tour')"
FOREIGN = """(pictures) => {
  const trees = [], walk = (tree) => {
    trees.push(tree);
    for (const e of tree.querySelectorAll('*')) if (e.shadowRoot) walk(e.shadowRoot);
  };
  walk(document.querySelector('[data-testid=stMain]'));
  const found = (what) => trees.flatMap((t) => [...t.querySelectorAll(what)]);
  const links = found('a[href]').filter((e) => e.origin !== location.origin && e.protocol !== 'blob:');
  const block = 'p, h1, h2, h3, h4, h5', mark = 'strong, em, del, code, .katex, [role=img]';
  const marked = found(mark).filter((e) => /^(\\d+\\. |\\/)?own /.test(e.closest(block)?.innerText ?? ''));
  const isNext = (e) => e.matches('iframe[title="The next scene"]:not([srcdoc])')
    && (!e.src || new URL(e.src).origin === location.origin); // the speaker's window shows it
  const isCode = (e) => e.matches('img:not([src])'); // of a room's address, once there is a room
  const isOurs = (e) => (e.matches('img') && pictures.includes(e.src)) || isNext(e) || isCode(e);
  const shown = found('img, iframe, script, object, embed').filter((e) => !isOurs(e));
  return [...links, ...shown, ...marked].map((e) => e.outerHTML.slice(0, 200));
}"""
"""Links to elsewhere, media other than `pictures` and the next scene, and markup in texts "own ..."."""


def made(title, says):
    return tour.Tour(tour.OWN, title, "", tuple(tour.Scene("write", say) for say in says))


MINE = made("Mine", [f"Mine {n}" for n in range(5)])
OTHER = made("Gone", ["Other 0", "Other 1"])


def test_a_link_replaces_nothing_before_a_click_and_the_click_can_be_taken_back(browser, server):
    mine, other = tour.pack(MINE), tour.pack(OTHER)
    with open_scene(browser, f"{server}/tours") as page:
        page.evaluate("(own) => localStorage.setItem('spcviz-own-tour', own)", mine)
        page.goto(f"{server}/tours?own={other}")
        page.get_by_text("stays as it is until you press a button").wait_for(timeout=30_000)
        assert "“Mine”, 5 scenes" in page.get_by_test_id("stAlert").inner_text()
        assert page.evaluate(KEPT) == mine
        # Play it, and add one of its scenes to the own tour.
        page.locator(".st-key-tour_card_brought").get_by_text("Start").click()
        wait(page, "1")
        page.get_by_role("button", name="Add this scene").click()
        page.get_by_label("One or two sentences").fill("Mine 5")
        page.get_by_role("button", name="Add the scene").click()
        page.get_by_text("scene 6 of your tour").wait_for()
        until(page, f"({KEPT})() !== '{mine}'")
        six = page.evaluate(KEPT)
        assert [scene.say for scene in tour.unpack(six).scenes] == [f"Mine {n}" for n in range(6)]
        page.goto(f"{server}/tours")  # a new session: both tours are there
        page.get_by_role("button", name="Replace mine").click(timeout=30_000)
        page.get_by_role("button", name="Back to my earlier tour: “Mine”, 6 scenes").wait_for()
        until(page, f"({KEPT})() === '{other}'")
        page.goto(f"{server}/tours")
        page.get_by_role("button", name="Back to my earlier tour: “Mine”, 6 scenes").click(timeout=30_000)
        until(page, f"({KEPT})() === '{six}'")
        until(page, "document.querySelectorAll('input[type=file]').length === 1")  # the last run is gone
        page.locator("input[type=file]").set_input_files(
            {"name": "t.json", "mimeType": "application/json", "buffer": tour.dump(OTHER).encode()}
        )
        page.get_by_text("The tour of this file").wait_for()
        assert page.evaluate(KEPT) == six
        page.get_by_role("button", name="Put it away").click()
        page.get_by_text("The tour of this file").wait_for(state="detached")
        assert page.evaluate(KEPT) == six


def test_a_window_that_never_saw_a_tour_does_not_write_over_it(browser, server):
    with open_scene(browser, f"{server}/tours") as page:
        mine, store = tour.pack(MINE), "(own) => localStorage.setItem('spcviz-own-tour', own)"
        page.evaluate(store, tour.pack(OTHER))
        page.goto(f"{server}/tours")
        page.get_by_role("heading", name="Gone").wait_for(timeout=30_000)
        page.evaluate(store, mine)  # by another window
        page.get_by_role("button", name="Add this scene").click()
        page.get_by_role("button", name="Add the scene").click()
        page.get_by_text("scene 3 of your tour").wait_for()
        until(page, f"({KEPT})() !== '{mine}'")
        page.goto(f"{server}/tours")
        page.get_by_role("button", name="Back to my earlier tour: “Mine”, 5 scenes").wait_for(timeout=30_000)


@pytest.fixture
def elsewhere():
    """Another site: (its address, requests that it got)."""
    asked = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_args):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}", asked
    site.shutdown()
    site.server_close()


@pytest.fixture
def pictures(browser, server):
    """Addresses of the small pictures of shipped tours: the page's pictures when nothing was brought."""
    n = sum(not path.stem.endswith("-loop") for path in tour.PICTURES.glob("*.webp"))  # loops come later
    images = "[...document.querySelectorAll('[data-testid=stMain] img')]"
    with open_scene(browser, f"{server}/tours") as page:
        until(page, f"{images}.length === {n}")
        addresses = page.evaluate(f"() => {images}.map((e) => e.src)")
    assert all(address.startswith(f"{server}/view/tour-") for address in addresses)
    return addresses


def injections(site):
    """Texts that markdown would interpret; all begin with the same word, to find them."""
    host = site.removeprefix("http://")
    return [f"own {text}" for text in (
        f"![]({site}/k.png)", f"[click]({site}/x)", f"<{site}/x>", f"{site}/x", f"HTTP://{host}/x",
        "https://evil.example/x", "www.evil.example/x", "WWW.evil.example", "a@evil.example",
        "mailto:a@evil.example", f"<img src={site}/i.png>", f"<a href={site}/x>x</a>", f"<{site[5:]}>",
        f"[x][1] [1]: {site}/r", f"![x][1] [1]: {site}/r.png", "**bold** __bold__ ~~gone~~", "`code`",
        "$x^2$ $$y$$", f"$\\href{{{site}}}{{x}}$", ":material/home: :smile:", ":red[red] :blue-badge[x]",
        "http&colon;//evil.example/x", "a&commat;evil.example", f"\\![]({site}/b.png)", f"\\\\[x]({site})",
        "xmpp:a@evil.example", "(www.evil.example)", "http\\://evil.example",
    )]  # fmt: skip


def checked(page, asked, site, pictures=()):
    assert page.evaluate(FOREIGN, list(pictures)) == []
    assert asked == []
    assert not [url for url in page.context.asked if url.startswith(site)]


def test_texts_of_a_tour_are_texts(browser, server, elsewhere, pictures):
    site, asked = elsewhere
    texts = injections(site)
    scenes = tuple(tour.Scene(f"{text}", text, text, text) for text in texts)
    scenes += (tour.Scene("write", texts[0], texts[5], texts[7]),)
    linked = tour.pack(tour.Tour(tour.OWN, texts[0], texts[1], scenes))
    with open_scene(browser, f"{server}/tours?own={linked}") as page:
        page.context.asked = []
        page.context.on("request", lambda request: page.context.asked.append(request.url))
        page.get_by_role("button", name="Make it mine").click(timeout=30_000)
        page.get_by_text(f"{len(texts)}. own").wait_for()
        checked(page, asked, site, pictures)
        page.get_by_text("1. own").first.click()
        page.get_by_label("Address: page and state").wait_for()
        checked(page, asked, site, pictures)
        page.locator("a[href*='handout=own']").click()
        page.get_by_text(f"{len(scenes)}. own").wait_for(timeout=30_000)
        checked(page, asked, site, pictures)
        page.goto(f"{server}/?tour=own&scene={len(scenes)}")
        wait(page, str(len(scenes)))
        page.keyboard.press("PageDown")
        wait(page, f"{len(scenes)}a")
        assert "own ![](" in page.evaluate(f"() => ({ROOT}).innerText")
        checked(page, asked, site, pictures)
        page.goto(f"{server}/?tour=own&speaker=true&embed=true")
        page.get_by_text("own ![](").first.wait_for(timeout=30_000)
        checked(page, asked, site, pictures)


def test_titles_and_errors_are_texts(browser, server, elsewhere, pictures):
    site, asked = elsewhere
    shown = """(text) => [...document.querySelectorAll('h3, [data-testid=stAlert]')]
      .some((e) => e.innerText.replaceAll('\\u200b', '').includes(text))"""
    with open_scene(browser, f"{server}/tours") as page:
        page.context.asked = []
        page.context.on("request", lambda request: page.context.asked.append(request.url))
        for text in injections(site)[:10:3]:
            linked = tour.pack(tour.Tour(tour.OWN, text, "", (tour.Scene("write", text),)))
            page.get_by_label("Or its address").fill(linked)
            page.get_by_label("Or its address").press("Enter")
            page.wait_for_function(shown, arg=text)
            checked(page, asked, site, pictures)
            key = text.removeprefix("own ")
            wrong = json.dumps({"scenes": [{key: "x"}]}).encode()
            file = {"name": f"{quote(key, safe='')}.json", "mimeType": "application/json", "buffer": wrong}
            page.locator("input[type=file]").first.set_input_files(file)
            page.wait_for_function(shown, arg=f"Scene 1 has '{key}'")
            checked(page, asked, site, pictures)


def test_a_typed_sentence_in_a_link_is_a_text(browser, server, elsewhere):
    site, asked = elsewhere
    text = f"can {site}/x www.evil.example duck a@evil.example saw {site}/<b>saw</b>y"
    with open_scene(browser, f"{server}/tagging?view=compare&text={quote(text)}") as page:
        page.context.asked = []
        page.context.on("request", lambda request: page.context.asked.append(request.url))
        page.get_by_text("From the same tags").wait_for(timeout=60_000)
        page.wait_for_selector(".xtick text", timeout=60_000)
        shown = page.locator(".xtick").all_text_contents()
        assert any("<b>saw</b>" in label for label in shown), shown
        checked(page, asked, site)
