"""The home page, driven through app.py."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from spcviz.problems.problem import Page
from spcviz.web.ui import landing, navigation
from tests.app.driver import open_home

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def home():
    return open_home()


def test_three_ways_in(home):
    assert [h.value for h in home.subheader] == ["I am a student", "I do research", "I give a lecture"]
    assert len(home.get("page_link")) == 3 + sum(
        bool(page.invitation) for page in navigation.pages()
    )  # each leads to a page that is there
    listed = {page.path for page in navigation.pages() if navigation.exists(page.path)}
    assert {"pages/cascade/letters.py", "pages/cascade/sweep.py", "pages/results/tables.py"} <= listed


def test_says_what_it_is_without_symbols(home):
    said = " ".join(m.value for m in home.markdown)
    assert "structured prediction cascade" in said
    assert not re.search("[α-ω]|max-marginal", said)


def test_the_number_of_words_is_right(home):
    assert f"**{26 ** len(landing.word().truth):,}**" in " ".join(m.value for m in home.markdown)


def test_no_charts(home):
    assert not home.get("plotly_chart")


def test_nothing_slow_is_imported():
    """Seconds of importing that the visitor of the home page should not wait for."""
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


def test_the_story_on_the_page_is_true():
    """The best word reads c for the first e, and pruning hard loses the e while the best path stays."""
    word = landing.word()
    first, truth = word.order[0].tolist(), word.truth.tolist()
    assert "".join(chr(97 + letter) for letter in truth) == "earbook"
    assert "".join(chr(97 + letter) for letter in word.order[:, 0]) == "carbook"
    assert 0.6 < word.falls_at[0, first.index(truth[0])] < 0.98
    assert (word.falls_at[:, 0] == 1).all()
    assert (word.falls_at[:, 1:] <= word.falls_at[:, :-1]).all()


def test_pages_that_do_not_exist_are_left_out(monkeypatch):
    nowhere = Page("Results", "pages/results/nowhere.py", "Nowhere", ":material/home:")
    monkeypatch.setattr(navigation, "OWN", (*navigation.OWN, nowhere))
    open_home()
    assert not navigation.exists(nowhere.path)
