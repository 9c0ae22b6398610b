"""The HTML of each page before the app runs: titles, previews, the address that a proxy reports."""

import re
from html import unescape

import pytest
from PIL import Image

from benchmarks.app import preview
from spcviz import registry
from spcviz.web.serving import first_html
from spcviz.web.transport import static_files
from spcviz.web.transport.clients import outside_of
from spcviz.web.ui import navigation

NAMES = sorted(navigation.headings())


def tags(text):
    """{name or property: content} of the meta tags."""
    pairs = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', text)
    return {name: unescape(content) for name, content in pairs}


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name or "home")
def test_a_page_has_a_title_and_a_sentence_of_its_own(name):
    text = first_html.html(name, "https://host/spcviz")
    assert re.findall("<title>(.*)</title>", text) == [navigation.headings()[name].title]
    said = tags(text)
    assert 20 < len(said["description"]) < 200
    assert said["description"] == said["og:description"]
    assert said["description"][0].isupper() or not said["description"][0].isalpha()
    assert said["og:url"] == f"https://host/spcviz/{name}"
    picture = f"card/{name or 'home'}.png" if name in registry.cards() else "preview.jpg"
    assert said["og:image"] == said["twitter:image"] == f"https://host/spcviz/{picture}"
    shipped = (static_files.ROOT / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="\./static/[^"]+"', shipped)[0] in text
    assert "Streamlit</title>" not in text


def test_no_two_pages_say_the_same():
    every = navigation.headings().values()
    assert len({page.title for page in every}) == len({page.sentence for page in every}) == len(NAMES)


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({"host": "localhost:8501"}, "http://localhost:8501"),
        ({"host": "in", "x-forwarded-host": "a.example", "x-forwarded-proto": "https"}, "https://a.example"),
        ({"host": "a.example", "x-forwarded-prefix": "/spcviz/"}, "http://a.example/spcviz"),
        ({"host": "[::1]:8501"}, "http://[::1]:8501"),
        ({"host": 'a"><script>'}, ""),
        ({"host": "a.example", "x-forwarded-proto": "javascript"}, ""),
        ({"host": "a.example", "x-forwarded-prefix": '/"><b>'}, ""),
        ({}, ""),
    ],
)
def test_the_address_outside(headers, wanted):
    assert outside_of(headers, "http") == wanted


def test_without_an_address_no_picture_is_named():
    assert "og:image" not in tags(first_html.html("", ""))


def test_charts_come_at_once_or_when_idle():
    at_once, later = (first_html.html(name, "") for name in ("sweep", "letters"))
    preloaded = 'rel="modulepreload" fetchpriority="low" crossorigin href="./static/js/PlotlyChart'
    when_idle = 'fetchWhenIdle("./static/js/PlotlyChart'
    assert (preloaded in at_once, when_idle in at_once) == (True, False)
    assert (preloaded in later, when_idle in later) == (False, True)


def test_the_picture_is_as_it_is_said_to_be():
    assert preview.SIZE == first_html.SIZE
    file = first_html.OWN / first_html.PICTURE
    assert file.stat().st_size <= preview.MOST
    with Image.open(file) as picture:
        assert picture.size == first_html.SIZE
        assert picture.format == "JPEG"
