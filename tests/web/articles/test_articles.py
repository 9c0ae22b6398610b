"""Articles, callouts and the course: every page has its texts, in plain words and of the promised size."""

import re

import pytest

from spcviz.web.articles import articles
from spcviz.web.ui import navigation

EVERY = articles.every()
WITHOUT = {"", "tours"}


def test_every_page_but_home_and_tours_has_an_article():
    assert set(EVERY) == set(navigation.names()) - WITHOUT


@pytest.mark.parametrize("name", list(EVERY))
def test_an_article_is_short_whole_and_has_at_most_three_callouts(name):
    article = EVERY[name]
    assert list(article.parts) == list(articles.HEADINGS)
    assert len(article.callouts) <= articles.MOST_CALLOUTS
    assert 0 < article.minutes <= 15
    assert article.level in ("first steps", "bachelor", "master", "research")
    for text in article.parts.values():
        assert 40 < len(text) < 420
        assert text.endswith(".")
        assert not re.search(r"[0-9]{2,}|[0-9] ?%", text), "no number that a result holds"
    for part, said in article.callouts:
        assert part
        assert len(said) < 130
    assert article.where.endswith(".")


def test_the_side_bar_is_a_course():
    titles = list(navigation.course().values())
    assert [int(title.split()[0]) for title in titles] == list(range(1, len(EVERY)))  # all but Your data
    assert titles[0] == f"1 Exact inference · {EVERY['exact_inference'].minutes} min"


def test_a_page_without_an_article_has_no_callouts():
    assert articles.callouts("") == []
    assert articles.callouts("letters")[0] == {
        "at": ".legend",
        "say": EVERY["letters"].callouts[0][1],
    }
