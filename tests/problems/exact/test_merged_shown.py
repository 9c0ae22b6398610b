"""The chart of merged letters and its sentences, without a browser or a kernel."""

import numpy as np
import pytest

from spcviz.problems.exact.page import graphs as figures
from spcviz.problems.exact.shown import MergedRun, WordProblem
from spcviz.web.figures import palette

PROBLEM = WordProblem(
    0, np.zeros((3, 16, 8), np.uint8), np.array([16, 20, 0]), np.array([[16, 17], [20, 21], [0, 1]]),
    np.zeros((3, 2)), np.zeros((2, 2, 2)),
)  # fmt: skip
STATES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AGREE = (STATES[:, None, 1] == STATES[None, :, 0])[None]
RUN = MergedRun(
    3, np.zeros((2, 4)), np.where(AGREE, 1.0, -np.inf), STATES, np.array([1, 2]), np.array([0, 1, 0]),
    -1.5, -1.5, 8,
)  # fmt: skip


@pytest.mark.parametrize("look", [palette.LIGHT, palette.DARK])
def test_the_chart(look):
    figure = figures.draw_merged(PROBLEM, RUN, look, height=610, scale=1.7)
    joins, _, squares, agree, best, _, words, table = figure.data
    assert sum(x is not None for x in joins.x) == 2 * 3  # one table over three letters
    assert list(squares.x) == [1.0]  # between the merged ones, which are at 0.5 and 1.5
    assert sum(x is not None for x in agree.x) == 2 * 8
    assert (list(best.x), list(best.y)) == ([0.5, 1.5], [-1, -2])
    assert list(words.text) == ["qu", "qv", "ru", "rv", "ua", "ub", "va", "vb"]
    assert [w for w, c in zip(words.text, words.textfont.color) if c == look.truth] == ["qv", "va"]
    assert np.isnan(np.array(table.z)).sum() == 8
    assert table.text[1][2] == "qv → va"
    assert np.isfinite(table.z[1][2])
    assert list(figure.layout.xaxis2.ticktext) == ["ua", "ub", "va", "vb"]


def test_the_words():
    said = figures.describe_chain(PROBLEM, RUN)
    assert "Tables over **3** letters overlap and close **loops**" in said
    assert "disagree about the letter they share" in said
    assert "“**qva**” (written: “qua”), score -1.50, the same as the best of all 8 readings" in said
    assert "a bug!" in figures.describe_chain(PROBLEM, RUN._replace(score_search=0.0))
    assert "too many to try" in figures.describe_chain(PROBLEM, RUN._replace(score_search=np.nan))
    assert "form no loop" in figures.describe_chain(PROBLEM, RUN._replace(order=2))
    assert "about the 2 letters they share" in figures.describe_chain(PROBLEM, RUN._replace(order=4))
    assert [row[1:3] for row in figures.sizes(PROBLEM, RUN)] == [
        ("4", "2 to the power 2"), ("8", "of 16"), ("17,576", "of 456,976"),
    ]  # fmt: skip
