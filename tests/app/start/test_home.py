"""The home page, driven through app.py."""

import functools
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spcviz.problems.letters.page import landing
from spcviz.registry.problem import Page
from spcviz.web.ui import navigation
from tests.app.driver import open_home

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def home():
    return open_home()


def test_three_ways_in(home):
    assert [h.value for h in home.header] == ["I am a student", "I do research", "I give a lecture"]
    assert len(home.get("page_link")) == 3 + sum(
        bool(page.invitation) for page in navigation.pages()
    )  # each leads to a page that exists
    listed = {page.path for page in navigation.pages() if navigation.exists(page.path)}
    assert {"pages/cascade/letters.py", "pages/cascade/sweep.py", "pages/start/tours.py"} <= listed
    said = [link.proto.page for link in home.get("page_link")][:3]
    assert said[2] == "tours"


def test_says_what_it_is_without_symbols(home):
    said = " ".join(m.value for m in home.markdown)
    assert "structured prediction cascade" in said
    assert not re.search("[α-ω]|max-marginal", said)


def test_the_number_of_words_is_right(home):
    assert f"**{26 ** len(landing.word().truth):,}**" in " ".join(m.value for m in home.markdown)


def test_no_charts(home):
    assert not home.get("plotly_chart")


def test_nothing_slow_is_imported():
    """Such imports take seconds, which the visitor of the home page should not wait for."""
    code = """
import sys
from streamlit.testing.v1 import AppTest
from spcviz.web.ui import warmup
warmup.start = lambda: None
assert not AppTest.from_file("app.py", default_timeout=60).run().exception
sys.exit(len({"numba", "skimage", "sklearn", "scipy", "spcviz.engine.kernels.jit"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def spelled(letters):
    return "".join(chr(97 + letter) for letter in np.asarray(letters).tolist())


def ending(word):
    """(readings letter by letter, by pairs, and by the sharper model at the end; number of words left)."""
    left = word.falls_at > landing.STOP
    reading = [reading for alpha, reading in word.sharper if alpha <= landing.STOP][-1]
    return (
        spelled(word.alone),
        spelled(word.order[:, 0]),
        spelled(reading),
        math.prod(left.sum(axis=1).tolist()),
    )


def test_the_story_on_the_page_is_true(home):
    """Read letter by letter the word is wrong; few words are left, and the sharper model reads it right."""
    word = landing.word()
    alone, best, reading, n_left = ending(word)
    assert alone == best != spelled(word.truth) == reading
    assert 1 < n_left <= landing.AT_MOST < 26 ** len(word.truth) / 1e6
    assert f"**{alone}**" in " ".join(m.value for m in home.markdown)
    assert spelled(word.sharper[-1][1]) == best, "pruned too hard, nothing else is left"
    assert (word.falls_at[:, 0] == 1).all()
    assert (word.falls_at[:, 1:] <= word.falls_at[:, :-1]).all()


def test_the_word_is_the_one_that_its_rule_chooses(monkeypatch):
    monkeypatch.setattr(landing, "_data", functools.cache(landing._data))
    words = landing._data()[2]
    counts, lengths = words["counts"][words["dev_words"]], np.char.str_len(words["types"][words["dev_words"]])
    fits = np.flatnonzero((lengths >= 7) & (lengths <= 8) & (counts >= counts[landing.WORD]))
    assert len(fits) > 10
    chosen = []
    for number in fits[np.argsort(-counts[fits].astype(int), kind="stable")].tolist():
        alone, best, reading, n_left = ending(landing.word.__wrapped__(number))
        if alone == best != reading and n_left <= landing.AT_MOST:
            truth = spelled(landing.word.__wrapped__(number).truth)
            chosen += [number] if reading == truth else []
    assert chosen[0] == landing.WORD


def test_pages_that_do_not_exist_are_left_out(monkeypatch):
    nowhere = Page("Results", "pages/results/nowhere.py", "Nowhere", ":material/home:")
    monkeypatch.setattr(navigation, "OWN", (*navigation.OWN, nowhere))
    open_home()
    assert not navigation.exists(nowhere.path)
