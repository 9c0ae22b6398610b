"""Cards: drawn from an address alone, whatever it says; rate-limited, cached in bounds, named in tags."""

import asyncio
import io
import re
from html import unescape
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from PIL import Image
from starlette.requests import Request

from spcviz import registry
from spcviz.problems.letters.controls import card as letters_card
from spcviz.problems.letters.page import cached
from spcviz.web.exporting import card
from spcviz.web.serving import cards, first_html
from spcviz.web.transport.clients import Buckets
from spcviz.web.transport.visitor_cache import VisitorCache

STEPS = (card.FunnelStep("possible", 26**3), card.FunnelStep("letters", 40), card.FunnelStep("read", 1))
INK = "bAAAB.BABB~CACB~DADBEE"


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """No card is cached, no client has used its rights, nothing compiles."""
    monkeypatch.setattr(cards, "KEPT", VisitorCache(200_000, 600.0))
    monkeypatch.setattr(cards, "BUCKETS", Buckets(*cards.RIGHTS, now=lambda: 0.0))
    monkeypatch.setattr(cards.warmup, "seconds_until", lambda names: None)


@pytest.fixture
def shown(monkeypatch):
    """Pages and queries for which a card was requested; each card shows a word of three letters."""
    asked = []

    def one(page, query):
        asked.append((page, query))
        strokes = (np.array([[0.0, 0.0], [30.0, 60.0]]),)
        return card.Card("Read my handwriting", strokes, None, STEPS, "cat", "")

    monkeypatch.setattr(letters_card, "card", one)
    return asked


def ask(name, query="", address="192.0.2.1", **headers):
    """The route's answer."""
    (route,) = cards.routes()
    fields = {"host": "localhost:8501", "x-forwarded-host": "a.example"} | {
        key.replace("_", "-"): value for key, value in headers.items()
    }
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "https",
        "path": f"/card/{name}.png",
        "query_string": query.encode(),
        "headers": [(key.encode(), value.encode()) for key, value in fields.items()],
        "path_params": {"name": name},
        "client": (address, 1234),
        "server": ("a.example", 443),
    }
    return asyncio.run(route.endpoint(Request(scope)))


def test_a_card_is_a_picture_as_messengers_like_it(shown):
    answer = ask("write", f"ink={INK}&truth=cat")
    assert answer.status_code == 200
    assert answer.media_type == "image/png"
    picture = Image.open(io.BytesIO(answer.body))
    assert picture.size == (1200, 630)
    assert len(answer.body) < 100_000
    assert shown == [("write", {"ink": INK, "truth": "cat"})]


def test_a_card_is_drawn_once_for_a_messengers_servers(shown):
    bodies = {ask("write", f"ink={INK}", address=f"192.0.2.{k}").body for k in range(5)}
    assert len(bodies) == len(shown) == 1
    ask("write", f"ink={INK}", x_forwarded_host="b.example")  # the picture contains its address
    assert len(shown) == 2


@pytest.mark.parametrize(
    ("name", "query", "headers", "status"),
    [
        ("sweep", "", {}, 404),
        ("", "", {}, 404),
        ("../../etc/passwd", "", {}, 404),
        ("write", "ask=W1&ink=b", {}, 422),
        ("write", "as%6B=W1&ink=b", {}, 422),
        ("letters", "tour=why&at=2", {}, 422),
        ("write", "ink=" + "A" * 9000, {}, 422),
        ("write", 'ink="><script>', {}, 422),
        ("write", "", {"sec_fetch_site": "cross-site"}, 403),
        ("write", "", {"origin": "https://evil.example"}, 403),
    ],
)
def test_what_is_not_drawn(shown, name, query, headers, status):
    assert ask(name, query, **headers).status_code == status
    assert shown == []


def test_a_flood_of_one_address_is_told_to_wait_and_no_other_is(shown, monkeypatch):
    content = ask("write", "ink=b").body
    monkeypatch.setattr(cards.card, "png", lambda *_: content)  # all look the same: draw only once
    monkeypatch.setattr(cards, "BUCKETS", Buckets(*cards.RIGHTS, now=lambda: 0.0))
    statuses = [ask("write", f"ink=b{k}").status_code for k in range(150)]
    assert statuses.count(200) == 120
    assert set(statuses[120:]) == {429}
    assert ask("write", "ink=b1000", address="192.0.2.2").status_code == 200
    assert cards.KEPT.size <= 200_000 < 120 * len(content)


def test_a_crowd_is_turned_away_before_anything_is_drawn(shown, monkeypatch):
    monkeypatch.setitem(cards._CROWD, "in_hand", cards.WAITING)
    answer = ask("letters")
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
    assert shown == []


def test_while_kernels_compile_and_without_a_word_the_apps_own_picture_is_shown(monkeypatch):
    monkeypatch.setattr(cards.warmup, "seconds_until", lambda names: 60.0)
    answer = ask("letters")
    assert (answer.status_code, answer.headers["location"]) == (302, "../preview.jpg?compiling")
    assert ask("home").status_code == 200  # needs only numpy
    monkeypatch.setattr(cards.warmup, "seconds_until", lambda names: None)
    assert ask("write", "ink=b~~~").headers["location"] == "../preview.jpg?empty"


HOSTILE = [
    "ink=s~",
    "ink=b" + "~" * 19,
    "ink=" + quote("<svg onload=alert(1)>"),
    "ink=%00%ff%fe",
    "ink=" + "b" + "A" * 5999,
    "ink=b" + "AA" * 2500,
    "word=-1&features=../../x&order=99&a1=nan&a2=inf",
    "word=99999999999999999999",
    "level=0&cell=%27%3B&reveal=maybe&rule=x&view=",
    "a=nan",
    "a=1e999&show=never",
    "&&&===%%%zz",
    "ink=b&ink=s&ink=",
]


@pytest.mark.parametrize("query", HOSTILE)
@pytest.mark.parametrize("name", ["home", "letters", "write"])
def test_nonsense_gives_a_card_or_the_apps_own_picture(query, name, caplog):
    answer = ask(name, query)
    assert answer.status_code in (200, 302)
    assert not [one for one in caplog.records if one.name == cards.LOG.name], "an address raised an error"


def test_hostile_text_is_never_in_the_card_but_letters(monkeypatch):
    page = letters_card.card("write", {"ink": cached.example("spring"), "truth": "<b>spri</b>"})
    assert (page.reading, page.truth) == ("spring", "")


def test_the_funnel_is_the_pages_own():
    of_write = letters_card.card("write", {"ink": cached.example("spring"), "truth": "spring"})
    assert of_write.title == "Read my handwriting"
    words = [step.words for step in of_write.steps]
    assert words[:2] == [26**6, 2520]
    assert words == sorted(words, reverse=True)
    assert words[-1] == 1
    assert (of_write.reading, of_write.truth) == ("spring", "spring")
    hidden = letters_card.card("letters", {"reveal": "hidden"})
    assert hidden.truth == ""
    assert letters_card.card("letters", {}).truth == hidden.reading == "resolving"
    home = letters_card.card("", {"a": "1"})
    assert home.steps[1].words == 1
    assert letters_card.card("write", {"ink": "b~"}) is None


def picture_of(content):
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"), dtype=int)


def is_white(part):
    """Whether a part is white, up to the rounding of a palette of 128 colours."""
    return (part > 250).all()


@pytest.mark.parametrize("truth", ["", "cat", "car"])
def test_every_part_of_a_card_is_within_it_and_seen(truth):
    strokes = (np.array([[0.0, 0.0], [60.0, 60.0]]),)
    whole = card.Card("Read my handwriting", strokes, None, STEPS, "cat", truth)
    picture = picture_of(card.png(whole, "a.example/write"))
    assert is_white(picture[20:, :20])
    assert is_white(picture[20:, -20:])
    for top, bottom in ((40, 140), (160, 330), (370, 480), (500, 620)):
        assert (picture[top:bottom].min(axis=2) < 120).sum() > 100
    assert card.png(whole._replace(strokes=(np.array([[0.0, 0.0]]),))) != card.png(whole)


@pytest.mark.parametrize("n", [1, 3, 20])
def test_long_words_and_large_numbers_fit(n):
    more = [card.FunnelStep("6-grams", 10**9)] * 6
    steps = (card.FunnelStep("possible", 26**n), *more, card.FunnelStep("read", 1))
    shown = card.Card("R", (), np.ones((n, 16, 8), dtype=np.uint8), steps, "w" * n, "m" * n)
    picture = picture_of(card.png(shown, "x" * 300))
    assert is_white(picture[20:, :20])
    assert is_white(picture[20:, -20:])


# ---------------------------------------------------------------- what a page's HTML says of it


def tags(text):
    pairs = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', text)
    return {name: unescape(content) for name, content in pairs}


def page_of(name, query):
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "https",
        "path": f"/{name}",
        "query_string": query.encode(),
        "headers": [(b"host", b"a.example")],
        "client": ("192.0.2.1", 1),
        "server": ("a.example", 443),
    }
    return asyncio.run(first_html._page(Request(scope))).body.decode()


@pytest.mark.parametrize("name", ["", "letters", "write"])
def test_the_preview_is_the_card_of_that_address(name):
    query = urlencode({"ink": INK, "word": "2655"})
    said = tags(page_of(name, query))
    assert said["og:image"] == f"https://a.example/card/{name or 'home'}.png?{query}"
    assert said["og:url"] == f"https://a.example/{name}?{query}"
    assert (said["og:image:width"], said["og:image:height"]) == ("1200", "630")
    assert tags(page_of(name, ""))["og:image"] == f"https://a.example/card/{name or 'home'}.png"
    assert tags(page_of("sweep", query))["og:image"] == "https://a.example/preview.jpg"


@pytest.mark.parametrize("query", ['"><script>alert(1)</script>', "x=" + "A" * 9000, "x='%22\"", "ask=W1"])
def test_a_hostile_address_puts_nothing_into_the_html(query):
    text = page_of("write", query)
    assert "alert(1)" not in text
    assert "AAAA" not in text
    assert tags(text)["og:image"] == "https://a.example/card/write.png"


def test_pages_with_a_card_are_pages():
    assert set(registry.cards()) == {"", "letters", "write"}
    for module, _ in registry.cards().values():
        assert module == letters_card.__name__


def test_a_fault_is_logged_without_what_was_drawn(shown, monkeypatch, caplog):
    def fails(page, query):
        raise ValueError(query["ink"])

    monkeypatch.setattr(letters_card, "card", fails)
    assert ask("write", "ink=bSECRET").status_code == 302
    assert "the card of write failed: ValueError" in caplog.text
    assert "SECRET" not in caplog.text
