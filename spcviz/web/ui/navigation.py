"""Navigation: every page in the order of the side bar; pages whose file is missing are left out."""

import ast
import re
from base64 import b64encode
from copy import copy
from functools import cache
from pathlib import Path, PurePath
from typing import NamedTuple

import streamlit as st
from starlette.datastructures import QueryParams

from spcviz import registry
from spcviz.registry.problem import Page
from spcviz.shared import folders
from spcviz.shared.folders import APP, CACHE
from spcviz.web.course import task as tasks

HOME = "pages/start/home.py"
# A Material icon would be fetched from the network, a file read again on every run.
ICON = f"data:image/svg+xml;base64,{b64encode(Path(__file__).with_name('icon.svg').read_bytes()).decode()}"
OWN = (
    Page("Start", HOME, "Home", ":material/home:"),
    Page("Start", "pages/start/course.py", "Course", ":material/school:", "Take the course"),
    Page("Start", "pages/start/tours.py", "Tours", ":material/tour:", "Take a guided tour"),
    Page("Results", "pages/results/tables.py", "Paper tables", ":material/table_chart:"),
)
"""Pages that belong to no single problem."""
WITHOUT_CACHE = (
    HOME,
    "pages/start/data.py",
    "pages/cascade/loopy.py",
    "pages/learn/joint_beats_separate.py",
)
"""Pages that need no stored model, result or word: the only ones in an installation by pip."""
OF_A_CLONE = ("pages/results/tables.py",)
"""Pages that read files next to the package: no wheel has them, wherever SPCVIZ_CACHE leads."""


@cache
def has_cache():
    """Whether stored models, results and handwritten words are available, as in a clone."""
    return CACHE.is_dir()


def pages():
    """Every `Page` in the order of the side bar."""
    every, stops = [*OWN, *registry.pages()], list(tasks.stops())
    place = {name: at for at, name in enumerate(stops)}
    outside = [page for page in every if name_of(page) not in place]
    inside = sorted((page for page in every if name_of(page) in place), key=lambda page: place[name_of(page)])
    home, *others = inside
    return [home, *outside, *others]


def part_of(page: Page) -> str:
    """The heading of a page in the side bar."""
    stop = tasks.stops().get(name_of(page))
    return stop.part if stop else OWN[0].section


@cache
def exists(path):
    """Whether the page and its data exist, so that a link to it works; looked up once."""
    has_all = path in WITHOUT_CACHE or (has_cache() and (path not in OF_A_CLONE or folders.is_clone()))
    return has_all and (APP / path).is_file()


@cache
def names():
    """{name of a page in addresses: path of its file}; the home page is ""; do not modify."""
    files = {name_of(page): page.path for page in pages()}
    return {name: path for name, path in files.items() if exists(path)}


def name_of(page: Page) -> str:
    """Name of a page in addresses; "" is home."""
    return "" if page.path == HOME else PurePath(page.path).stem


def file_of(path: str) -> Path:
    """A page's file, for `st.page_link` and `st.switch_page`, which otherwise look next to the script."""
    return APP / path


def find_page(name):
    """The page with a name, for `st.switch_page`."""
    return APP / names()[name]


def warmup_groups_of(shown):
    """Names of the problems whose kernels a page of `sections` calls."""
    return registry.warmup_groups_of(names().get(shown.url_path, ""))


def sections():
    """Pages by section for `st.navigation`, copied for each run, since a page remembers its call."""
    return {section: list(map(copy, shown)) for section, shown in _sections().items()}


@cache
def course():
    """{path: title with number} of the course's pages; start and reference have none."""
    kept = [page for page in pages() if exists(page.path) and part_of(page)[:1].isdigit()]
    return {page.path: f"{n} {page.title}" for n, page in enumerate(kept, start=1)}


@cache
def _sections():
    """`sections`, found on the disk once per process."""
    by_section = {}
    for page in pages():
        if exists(page.path):
            named = {"title": course().get(page.path, page.title), "icon": page.icon}
            shown = st.Page(APP / page.path, **named, default=page.path == HOME)
            by_section.setdefault(part_of(page), []).append(shown)
    return by_section


OPEN_WITH_CHARTS = ("exact_inference", "joint_beats_separate", "sweep", "loopy", "tables")
"""Pages whose first view has a Plotly chart: a browser begins at once to fetch the script that draws it. A
page not listed here fetches it when its chart comes; tests/browser/saving/test_still.py checks the list."""


class PageHeading(NamedTuple):
    """Title and sentence of a page for its HTML, from the first line of its file: before the page has run."""

    name: str  # in its address; "" is the home page
    title: str
    sentence: str
    opens_with_chart: bool  # drawn by Plotly


@cache
def headings() -> dict[str, PageHeading]:
    """{name in addresses: `PageHeading`} of all pages."""
    return {name: _heading(name, path) for name, path in names().items()}


def _heading(name, path):
    source = (APP / path).read_text(encoding="utf-8")
    line = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    title, _, sentence = line.partition(": ")
    sentence = sentence[:1].upper() + sentence[1:]
    return PageHeading(name, f"{title} · spcviz" if name else "spcviz", sentence, name in OPEN_WITH_CHARTS)


CARDS = "card"
"""Folder of pages' cards in addresses; `spcviz.web.serving.cards` draws them."""
LONGEST_QUERY = 8000
"""Characters of a query: a drawing has 6000."""
_SAFE = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*")
_QUESTIONS = {"ask", "tour"}
"""Names in an address that pose a question: its answer is not given away."""


def card_address(page: str, query: str) -> str:
    """The address of a page's card, below the app's; "" if it has none.

    `page` is the page's name in addresses, `query` the query of its own address, still encoded.

    >>> card_address("write", "ink=bAAAB"), card_address("", "")
    ('card/write.png?ink=bAAAB', 'card/home.png')
    >>> card_address("sweep", ""), card_address("write", '"><b>')
    ('', '')
    """
    if page not in registry.cards() or len(query) > LONGEST_QUERY or not _SAFE.fullmatch(query):
        return ""
    if _QUESTIONS & set(QueryParams(query)):
        return ""
    return f"{CARDS}/{page or 'home'}.png" + (f"?{query}" if query else "")
