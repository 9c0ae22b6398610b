"""The Exact inference page's charts and sentences, without a browser or a kernel."""

import numpy as np
import pytest

from spcviz.figures import exact_inference as figures
from spcviz.figures import exact_inference_text as say
from spcviz.results import ExactRun, StereoReadings, WordProblem
from spcviz.ui import theme

UNARY = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]])
PROBLEM = WordProblem(
    0, np.zeros((3, 16, 8), np.uint8), np.array([16, 20, 0]), np.array([[16, 17], [20, 21], [0, 1]]), UNARY,
    np.zeros((2, 2, 2)),
)  # fmt: skip
MESSAGES, CHOICES = (np.array([1.0, 1.0]), np.array([3.0, 3.0])), (np.array([0, 0]), np.array([1, 1]))
RUN = ExactRun(
    3.5, np.array([0, 0, 0]), np.array([0, 1, 0]), 3.5, 8, 8, 3, 1e-3, 1e-3, 10, 1e-5,
    MESSAGES, CHOICES, MESSAGES, CHOICES, UNARY + 3,
)  # fmt: skip
PALETTES = (theme.LIGHT, theme.DARK)


@pytest.mark.parametrize("palette", PALETTES)
def test_the_work_of_both_methods(palette):
    search, clever = figures.work(3, 26, palette).data
    assert search.y[3] == 26**4
    assert clever.y[3] == 3 * 26**2 + 26
    assert search.marker.size[2] > search.marker.size[3]


def test_ink_marks_separate_and_joint():
    figure = figures.ink(PROBLEM, RUN, theme.LIGHT)
    bars = [t for t in figure.data if t.type == "bar"]
    assert dict(zip(bars[1].x, bars[1].text)) == {"v": "◆", "u": "●"}
    assert dict(zip(bars[0].x, bars[0].text)) == {"q": "◆●", "r": ""}
    assert "“**qva**”" in say.ink(PROBLEM, RUN)
    assert "“**qua**”: pairs outweigh" in say.ink(PROBLEM, RUN)


@pytest.mark.parametrize(
    ("step", "known", "lines"), [(0, 2, 0), (1, 4, 2), (2, 6, 2), (3, 4, 2), (4, 6, 2), (5, 6, 0)]
)
def test_messages_come_one_by_one(step, known, lines):
    figure = figures.messages(PROBLEM, RUN, step, theme.DARK)
    assert sum(t != "" for t in figure.data[2].text) == known
    assert sum(x is not None for x in figure.data[0].x) == 2 * lines
    assert ("diamond" in figure.data[1].marker.symbol) == (step == 5)
    assert say.step(3, step)


def test_search_says_whether_it_ran():
    assert "the same best score" in say.search(PROBLEM, RUN)
    assert "a bug" in say.search(PROBLEM, RUN._replace(score_search=1.0))
    far = RUN._replace(score_search=np.nan, seconds_projected=1e11)
    assert "3,169 years" in say.search(PROBLEM, far)
    assert say.figures(far)[1][2] == "projected"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0, "0 µs"), (0.5, "500 ms"), (7200.0, "2 hours"), (864000.0, "10 days"), (1e20, "3.2e+12 years")],
)
def test_durations(seconds, said):
    assert say.duration(seconds) == said


@pytest.mark.parametrize("palette", PALETTES)
def test_stereo_writes_each_error(palette):
    picture = np.zeros((2, 3), dtype=np.int64)
    found = StereoReadings(*([picture] * 6), (0.5, 0.2, 0.1))
    titles = [note.text for note in figures.stereo(found, palette).layout.annotations]
    assert ["50.0 %" in titles[3], "20.0 %" in titles[4], "10.0 %" in titles[5]] == [True] * 3
