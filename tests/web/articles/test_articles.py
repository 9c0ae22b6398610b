"""Articles: every page has its texts, in plain words and of the promised length; the sidebar is a course."""

import re

import pytest

from spcviz.web.articles import articles
from spcviz.web.course import task as tasks
from spcviz.web.ui import navigation

EVERY = articles.every()
WITHOUT = {"", "tours", "course"}


def test_every_page_but_home_and_tours_has_an_article():
    pages = set(navigation.names()) - WITHOUT
    file = "spcviz/web/articles/articles.json"
    assert not pages - set(EVERY), f"add to {file} an article, see to where, of: {pages - set(EVERY)}"
    assert not set(EVERY) - pages, f"{file} has articles of pages that are none: {set(EVERY) - pages}"


@pytest.mark.parametrize("name", list(EVERY))
def test_an_article_is_short_and_whole(name):
    article = EVERY[name]
    assert list(article.parts) == list(articles.HEADINGS)
    for text in article.parts.values():
        assert 40 < len(text) < 420
        assert text.endswith(".")
        assert not re.search(r"[0-9]{2,}|[0-9] ?%", text), "no number that a result holds"
    assert article.where.endswith(".")


def test_the_side_bar_is_a_course():
    titles, stops = list(navigation.course().values()), tasks.stops()
    numbered = [stop for stop in stops.values() if stop.part[0].isdigit()]
    assert [int(title.split()[0]) for title in titles] == list(range(1, len(numbered) + 1))
    assert titles[0] == "1 Write"
    assert {page.path for page in navigation.pages()} >= {"pages/start/course.py", "pages/start/tours.py"}
