"""Addresses of strangers: every page with hostile values for every name that it reads, and tours by link."""

import json
import re
from functools import cache

import numpy as np
import pytest

from spcviz.problems.budgets import spending, task
from spcviz.web.touring import own_tour, scenes
from spcviz.web.tours import tour
from spcviz.web.ui import navigation, state
from tests.app.driver import open_home

HOSTILE = (
    "", " ", "0", "-1", "1e308", "nan", "999999999", "9" * 400, "0.5", "true", "None", "../../etc/passwd",
    "%00", "\x00", "\u202e", "\ud800", "é" * 300, "<script>alert(1)</script>", "__proto__", "constructor",
    "![](https://evil.example/k.png)", "[a](https://evil.example)", "https://evil.example/x", "{kept}", "$x$",
    "www.evil.example", "a@evil.example", ":material/home:", "'; drop", "a" * 20_000, "raw:0.5,0.5", "1-a",
    "0-0", "2:r4.b3",
)  # fmt: skip
FIELD = re.compile(r"(?:whole|real|choice|flag|text)\(\s*\"([a-z_0-9]+)\"")
ALWAYS = ("tour", "at", "room", "scene", "speaker", "embed", "own", "handout")
MARKED = re.compile(r"://evil|www\.evil|@evil|\]\(|<script", re.IGNORECASE)
"""Patterns that must not appear unescaped in markdown."""
MARKDOWN = (
    "markdown",
    "caption",
    "warning",
    "info",
    "success",
    "error",
    "header",
    "subheader",
    "title",
    "button",
)
TEXTS = ("title", "about", "address", "say", "ask", "answer", "after", "point")
TRADE_OFF = spending.trade_off_table(task.trade_tasks(), lambda task: {"budget": 0.5, "method": task})
TABLES = [*(table for table in vars(state).values() if isinstance(table, state.StateTable)), TRADE_OFF]


@cache
def names_of(page):
    """Names that a page reads from its address."""
    source = (navigation.APP / page).read_text(encoding="utf-8")
    tables = [
        table for name, table in vars(state).items() if isinstance(table, state.StateTable) and name in source
    ]
    tables += [TRADE_OFF] if "trade_off_table" in source else []
    names = [*FIELD.findall(source), *(field for table in tables for field in table.fields)]
    return tuple(dict.fromkeys([*names, *ALWAYS]))


@cache
def app():
    """One visitor for all cases: a new one takes a second."""
    return open_home()


def drawn(rng, values):
    return values[int(rng.integers(len(values)))]


def hostile(rng):
    """One of the texts, or several concatenated, or random characters."""
    kind = rng.random()
    if kind < 0.6:
        return drawn(rng, HOSTILE)
    if kind < 0.8:
        return "".join(drawn(rng, HOSTILE)[:60] for _ in range(int(rng.integers(2, 5))))
    return "".join(map(chr, rng.integers(1, 0x3000, int(rng.integers(1, 60)))))


def stranger_s(rng):
    """JSON values of a tour, or nearly one."""
    scenes = [
        {
            drawn(rng, TEXTS[2:]) if rng.random() < 0.97 else hostile(rng)[:60]: hostile(rng)[:100]
            for _ in range(4)
        }
        for _ in range(int(rng.integers(0, 5)))
    ]
    values = {"title": hostile(rng)[:80], "about": hostile(rng)[:400], "scenes": scenes}
    if rng.random() < 0.3:
        values[drawn(rng, list(values))] = drawn(
            rng, (None, 5, [], {}, [5], [[]], "x", [{"say": 5}], [{"cover": 1}])
        )
    return values


def address_of(rng, values):
    """A tour's values compressed for an address, sometimes damaged."""
    text = json.dumps(values)
    squeezed = tour.pack(tour.Tour("", "", "", ()))
    with_text = tour.base64.urlsafe_b64encode(tour.zlib.compress(text.encode("utf-8", "replace"))).decode()
    kind = rng.random()
    return (
        with_text
        if kind < 0.8
        else squeezed + with_text
        if kind < 0.9
        else with_text[: int(rng.integers(1, 60))]
    )


def read(text):
    """(tour, error message): only one of the two is given."""
    try:
        return tour.unpack(text), ""
    except tour.TourError as error:
        return None, str(error)


def check_tour(seed):
    """A stranger's tour through everything that reads one (for `bench robust`)."""
    rng = np.random.default_rng(seed)
    text = address_of(rng, stranger_s(rng)) if rng.random() < 0.9 else hostile(rng)
    for table in TABLES:
        params = {name: hostile(rng) for name in table.fields if rng.random() < 0.5}
        assert table.parse(table.encode(table.parse(params))) == table.parse(params)
    brought, said = read(text)
    if brought is None:
        assert said.startswith(("This ", "The tour", "Scene "))
        assert len(said) < 300
        return
    assert tour.unpack(tour.pack(brought)) == brought
    own_tour.st.session_state.clear()
    own_tour.bring(brought, "link")
    params = {
        "tour": drawn(rng, ("brought", "own", hostile(rng))),
        "at": drawn(rng, ("1", "1a", "3", hostile(rng))),
    }
    at = scenes.running(params)
    assert len(at.note) < 300
    bar = scenes.describe_scene(at, {})
    assert json.loads(json.dumps(bar)) == bar
    assert all(one["open"].startswith("./") for one in scenes.pictures_of(brought))
    own_tour.replace()
    assert own_tour.own().scenes == brought.scenes


def check_link(seed):
    """One page at one hostile address (for `bench robust`)."""
    rng = np.random.default_rng(seed)
    page = drawn(rng, list(navigation.names().values()))
    names = names_of(page)
    params = {drawn(rng, names): hostile(rng) for _ in range(int(rng.integers(1, 6)))}
    if page.endswith("tours.py"):
        params |= {"own": address_of(rng, stranger_s(rng))}
    visit(page, params)


def visit(page, params):
    at = app()
    at.session_state["tours_said"] = ""
    at.switch_page(page)
    at.query_params.clear()
    for name, value in params.items():
        at.query_params[name] = value.encode("utf-8", "replace").decode()  # as any browser sends it
    at.run()
    assert not at.exception, (page, params, at.exception[0].value[:300])
    for kind in MARKDOWN:
        for element in at.get(kind):
            shown = getattr(element, "label", None) if kind == "button" else element.value
            assert not MARKED.search(_without_ours(shown or "")), (page, params, kind, shown)
    return at


def _without_ours(markdown):
    """Remove the app's own links."""
    return re.sub(r"\]\((data:image/webp;|\./|#|https://(?!evil))", "", markdown)


@pytest.mark.parametrize("seed", range(6))
def test_a_page_at_a_hostile_address_opens(seed):
    check_link(seed)


def test_a_stranger_s_tour_is_read_or_refused_with_a_sentence():
    for seed in range(150):
        check_tour(seed)


@pytest.mark.parametrize("page", list(navigation.names().values()))
def test_every_page_opens_with_one_injection_for_every_name(page):
    visit(page, dict.fromkeys(names_of(page), "![](https://evil.example/k.png)"))


def test_an_unknown_key_of_a_scene_is_named_as_text():
    values = {"scenes": [{"![](http://evil.example/k.png)": "x"}]}
    at = visit("pages/start/tours.py", {"own": address_of(np.random.default_rng(1), values)})
    assert "evil" in at.warning[0].value
