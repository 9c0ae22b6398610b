"""Navigation: pages are offered where the files that they read exist."""

import pytest

from spcviz.shared import folders
from spcviz.web.course import task
from spcviz.web.ui import navigation

TABLES, LETTERS, DATA = "pages/results/tables.py", "pages/cascade/letters.py", "pages/start/data.py"


@pytest.mark.parametrize(
    ("is_clone", "has_cache", "there"),
    [
        (True, True, (TABLES, LETTERS, DATA)),
        (False, True, (LETTERS, DATA)),  # a wheel with SPCVIZ_CACHE
        (False, False, (DATA,)),
        (True, False, (DATA,)),
    ],
)
def test_a_page_is_offered_where_it_has_what_it_reads(monkeypatch, is_clone, has_cache, there):
    monkeypatch.setattr(folders, "is_clone", lambda: is_clone)
    monkeypatch.setattr(navigation, "has_cache", lambda: has_cache)
    offered = navigation.exists.__wrapped__  # looked up once per process
    assert tuple(path for path in (TABLES, LETTERS, DATA) if offered(path)) == there
    assert not offered("pages/start/nowhere.py")


def test_the_page_that_follows_is_one_that_is_here():
    names = list(task.stops())
    assert task.following(names[0]).page == names[1]
    assert task.following(names[0], {names[0], names[3]}).page == names[3]
    assert task.following(names[3], names[:4]) is None
