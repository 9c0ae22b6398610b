"""The app below a path, as at https://host/spcviz/: alone, and behind `deploy`'s nginx."""

import contextlib
import re
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from spcviz.problems.letters.page import cached
from spcviz.web.transport import static_files
from spcviz.web.ui import navigation
from tests.browser.behind import (
    DEPLOY,
    NGINX,
    OPENSSL,
    UNVERIFIED,
    ask_for,
    certificate,
    free_port,
    lines,
    nginx,
    seat_of,
    until_it_answers,
)
from tests.browser.cascade.test_write import LETTERS, draw
from tests.browser.start.test_tours import ROOT as BAR
from tests.browser.start.test_tours import wait
from tests.conftest import running_app

pytestmark = pytest.mark.browser
BASE = "spcviz"
MS = 60_000
PROBES = re.compile(r"/\w+/_stcore/(health|host-config)$")
"""Streamlit's page probes for its own base path and may miss it below another page's name."""


@pytest.fixture(scope="module")
def based(tmp_path_factory):
    """Address of an app with ``server.baseUrlPath``."""
    with running_app(tmp_path_factory.mktemp("based") / "log.txt", base=BASE, ahead=False) as address:
        yield address


@contextlib.contextmanager
def watched(browser):
    """A page in its own context; at the end nothing may have failed in it."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, ignore_https_errors=True)
    page, faults = context.new_page(), []

    def answered(response):
        if response.status >= 400 and not PROBES.search(urlsplit(response.url).path):
            faults.append((response.status, response.url))

    page.on("response", answered)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append((request.failure, request.url)))
    page.on("console", lambda said: "Content Security" in said.text and faults.append(said.text))
    yield page
    settled = [fault for fault in faults if "ERR_ABORTED" not in str(fault)]  # a page that is left
    context.close()
    assert not settled


def drawn(page, address):
    """Open a page and wait for its bar, which every page has and which one of our modules draws."""
    page.goto(address, timeout=MS)
    page.wait_for_function(f"() => ({BAR})?.dataset.drawn === '1'", timeout=MS)
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_test_id("stBidiComponentRegularError").count() == 0


def test_every_page_below_a_path(browser, front):
    with watched(browser) as page:
        for name in navigation.names():
            drawn(page, f"{front}/{name}")
        loaded = page.evaluate("() => performance.getEntriesByType('resource').map((one) => one.name)")
        assert [one for one in loaded if f"/{BASE}/view/spcviz_tour-" in one]


@pytest.mark.skipif(not cached.LETTERS_FEATURES, reason="no handwriting model: python -m spcviz train open")
def test_a_stroke_and_a_tour_below_a_path(browser, front):
    with watched(browser) as page:
        write_a_letter(page, front)
        page.goto(f"{front}/?tour=cascade&scene=1", timeout=MS)
        wait(page, "1")
        assert urlsplit(page.url).path.startswith(f"/{BASE}/")
        page.keyboard.press("PageDown")
        wait(page, "2")
        page.wait_for_function(f"() => ({BAR}).querySelector('.say').innerText", timeout=MS)


def write_a_letter(page, address):
    """Draw a stroke on Write and wait until the strokes' address has answered and the answer is drawn."""
    drawn(page, f"{address}/write")
    page.locator('.write[data-ready="1"]').wait_for(timeout=MS)

    def is_of_the_stroke(answer):
        return "/ask/word" in answer.url and '"ink"' in (answer.request.post_data or "")

    with page.expect_response(is_of_the_stroke, timeout=MS) as answer:
        draw(page, page.locator(".write .paper canvas").first, LETTERS["l"][0])
    assert answer.value.status == 200
    assert urlsplit(answer.value.url).path == f"/{BASE}/ask/word"
    page.locator(".write[data-ms]").wait_for(timeout=MS)


@pytest.fixture(scope="module")
def proxied(based, tmp_path_factory):
    """(address, folder) of two processes behind nginx, with https."""
    folder = tmp_path_factory.mktemp("nginx")
    if OPENSSL is None:
        pytest.skip("no openssl found: a certificate is needed")
    certificate(folder)
    port = free_port()
    with running_app(folder / "log.txt", base=BASE, ahead=False) as second:
        changes = {
            "server 127.0.0.1:8501;": f"server {urlsplit(based).netloc};",
            "server 127.0.0.1:8502;": f"server {urlsplit(second).netloc};",
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "/etc/ssl/certs/spcviz.pem": str(folder / "pem"),
            "/etc/ssl/private/spcviz.key": str(folder / "key"),
        }
        with nginx(folder, "nginx-path.conf", changes) as running:
            address = f"https://localhost:{port}"
            until_it_answers(running, f"{address}/{BASE}/_stcore/health")
            yield address, folder


@pytest.fixture(scope="module")
def front(request, based):
    """Address below the path as visitors see it: behind nginx where it is installed."""
    if NGINX and OPENSSL:
        return f"{request.getfixturevalue('proxied')[0]}/{BASE}"
    return based


def test_a_visitor_keeps_a_seat_that_nobody_chooses(proxied):
    address, folder = proxied
    health = f"{address}/{BASE}/_stcore/health"
    seats = [seat_of(ask_for(health)[1]) for _ in range(24)]
    assert all(re.fullmatch("[0-9a-f]{32}", seat) for seat in seats)
    for seat in seats:
        assert seat_of(ask_for(health, seat)[1]) == ""  # it has one already
    for chosen in ("8501", "A" * 32, "0" * 33, f"{seats[0]};x"):
        status, headers = ask_for(health, chosen)
        assert status == 200
        assert bool(seat_of(headers)) == (chosen != f"{seats[0]};x")
    answered = lines(folder)
    assert all(len(answered[seat]) == 1 for seat in seats)
    assert len(set().union(*answered.values())) == 2
    assert "8501" not in answered


def test_a_class_meets_in_one_process_wherever_its_phones_sit(proxied):
    """A room is in one process's memory: the lecturer's window and every phone must reach that process."""
    address, folder = proxied
    status, headers = ask_for(f"{address}/{BASE}/room", data=b"")
    cookie = next(one for one in headers.get_all("set-cookie") if one.startswith("spcviz_room="))
    number = cookie.partition("=")[2].partition(".")[0]
    assert status == 200
    _, headers = ask_for(f"{address}/{BASE}/room/{number}")  # the page gives a phone its token
    token = "; ".join(one.partition(";")[0] for one in headers.get_all("set-cookie"))
    for _ in range(24):
        assert ask_for(f"{address}/{BASE}/room/{number}/now", Cookie=token)[0] == 200
        time.sleep(0.2)  # as a class asks, not as a flood does
    upstreams = [
        line.split()[0]
        for line in (folder / "access.log").read_text().splitlines()
        if f"/room/{number}/now" in line
    ]
    assert len(upstreams) > 20, "the log is written a moment later"
    assert len(set(upstreams)) == 1


def test_answers_say_what_they_are_for(proxied):
    address, _ = proxied
    for path in ("", "write", "view/none.js"):
        status, headers = ask_for(f"{address}/{BASE}/{path}")
        assert (status, path) in ((200, path), (404, "view/none.js"))
        assert headers.get_all("X-Content-Type-Options") == ["nosniff"]
        assert headers.get_all("Referrer-Policy") == ["same-origin"]
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        cookies = "".join(headers.get_all("Set-Cookie", []))
        assert ("seat=" in cookies and "Secure; SameSite=None; Partitioned" in cookies) == (status == 200)
    assert ask_for(f"{address}/{BASE}/ask/word", data=b"[]", Origin=address)[0] == 400
    assert ask_for(f"{address}/{BASE}/ask/word", data=b"[]", Origin="http://evil.example")[0] == 403


def test_what_is_compressed_comes_through_compressed(proxied):
    address, _ = proxied
    style = max(static_files.ROOT.glob("static/css/*.css"), key=lambda file: file.stat().st_size)
    for path, kept in (("write", "no-cache"), (f"static/css/{style.name}", "immutable")):
        for takes, encodings in (("gzip, br", ("br", "gzip")), ("gzip", ("gzip",)), ("identity", (None,))):
            status, headers = ask_for(f"{address}/{BASE}/{path}", Accept_Encoding=takes)
            assert status == 200
            assert headers["Content-Encoding"] in encodings
            assert kept in headers["Cache-Control"]
            if encodings != (None,):
                assert "Accept-Encoding" in headers["Vary"]
                has = {"If-None-Match": headers["ETag"], "Accept-Encoding": takes}
                assert ask_for(f"{address}/{BASE}/{path}", **has)[0] == 304


def test_a_visitor_who_asks_for_ever_waits_and_the_others_do_not(proxied):
    address, _ = proxied
    health, ask = f"{address}/{BASE}/_stcore/health", f"{address}/{BASE}/ask/word"
    greedy, other = (seat_of(ask_for(health)[1]) for _ in range(2))
    said = [ask_for(ask, greedy, b"[]")[0] for _ in range(60)]
    assert said.count(400) >= 20
    assert 429 in said
    assert ask_for(ask, other, b"[]")[0] == 400


def test_a_websocket_comes_through_and_a_stranger_s_does_not(proxied):
    address, _ = proxied
    stream = f"wss{address.removeprefix('https')}/{BASE}/_stcore/stream"

    def opened(origin):
        with connect(stream, ssl=UNVERIFIED, origin=origin, subprotocols=["streamlit"], proxy=None) as socket:
            return socket.subprotocol

    assert opened(address) == "streamlit"
    with pytest.raises(InvalidStatus, match="403"):
        opened("https://evil.example")


def test_an_upload_comes_to_the_process_of_its_visitor(browser, proxied, tmp_path):
    address, folder = proxied
    with watched(browser) as page:
        page.goto(f"{address}/{BASE}?embed=true", timeout=MS)
        assert urlsplit(page.url).path == f"/{BASE}/"
        drawn(page, f"{address}/{BASE}/pose?scene=upload")
        picture = tmp_path / "grey.png"
        Image.fromarray(np.full((240, 320, 3), 128, np.uint8)).save(picture)
        with page.expect_response(lambda one: "/_stcore/upload_file/" in one.url, timeout=MS) as sent:
            page.locator("input[type=file]").first.set_input_files(picture)
        assert sent.value.status in (200, 204)
        page.locator("[data-ready='1']").first.wait_for(timeout=MS)
        (seat,) = [one["value"] for one in page.context.cookies() if one["name"] == "seat"]
    assert len(lines(folder)[seat]) == 1


def test_a_proxy_may_take_the_path_away(browser, server, tmp_path):
    port, shipped = free_port(), (DEPLOY / "nginx-path.conf").read_text()
    taken = f"rewrite ^/{BASE}(/.*)$ $1 break;"
    assert taken in shipped  # the file explains how
    location = "            include proxy.conf;\n"
    text = shipped.replace(location, f"            {taken} proxy_redirect / /{BASE}/;\n{location}")
    text = re.sub("ssl_.*;|server 127.0.0.1:8502;", "", text)
    changes = {"server 127.0.0.1:8501;": f"server {urlsplit(server).netloc};"}
    changes |= {"listen 443 ssl;": f"listen 127.0.0.1:{port};"}
    with nginx(tmp_path, "nginx-path.conf", changes, text) as running:
        address = f"http://localhost:{port}"
        until_it_answers(running, f"{address}/{BASE}/_stcore/health")
        with watched(browser) as page:
            drawn(page, f"{address}/{BASE}/tours/")
            assert urlsplit(page.url).path == f"/{BASE}/tours"
        assert ask_for(f"{address}/{BASE}/ask/word", data=b"[]")[0] == 400
