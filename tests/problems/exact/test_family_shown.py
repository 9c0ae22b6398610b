"""The losses' chart and sentences, without a browser or a kernel."""

import numpy as np
import pytest

from spcviz.problems.exact.page import family as figures
from spcviz.problems.exact.shown import FamilyRun, WordProblem
from spcviz.web.figures import palette

PROBLEM = WordProblem(
    0, np.zeros((2, 16, 8), np.uint8), np.array([16, 20]), np.tile(np.arange(26), (2, 1)),
    np.zeros((2, 26)), np.zeros((1, 26, 26)),
)  # fmt: skip
EPSILONS = np.array([1.0, 0.5, 0.0])
WEIGHTS = np.zeros((3, 3, 2, 26))
WEIGHTS[..., 21] = 0.4  # "v"
WEIGHTS[..., 0, 16], WEIGHTS[..., 1, 20] = 0.6, 0.6
WEIGHTS[:, -1] = 0.0
WEIGHTS[:, -1, 0, 16] = WEIGHTS[:, -1, 1, 21] = 1.0
RUN = FamilyRun(
    EPSILONS, np.array([[2.0, 1.5, 1.0], [4.0, 3.5, 3.0], [2.0, 2.2, 3.0]]), WEIGHTS,
    np.array([[50.0, 5.0, 1.0]] * 3),
)  # fmt: skip


@pytest.mark.parametrize("look", [palette.LIGHT, palette.DARK])
@pytest.mark.parametrize(("at", "cost"), [(0, 0), (1, 2), (2, 1)])
def test_the_chart(look, at, cost):
    figure = figures.family(PROBLEM, RUN, at, cost, look)
    curves = figure.data[:3]
    assert [list(c.y) for c in curves] == RUN.value.tolist()
    assert [c.line.width for c in curves].index(max(c.line.width for c in curves)) == cost
    assert (figure.data[3].x[0], figure.data[3].y[0]) == (EPSILONS[at], RUN.value[cost, at])
    ground, written, others = figure.data[4:]
    assert len(ground.x) == 2 * figures.N_ROWS
    assert list(written.customdata) == WEIGHTS[cost, at][[0, 1], PROBLEM.truth].tolist()
    assert set(written.y) == {0}  # the truth comes first
    names = [n.text for n in figure.layout.annotations if n.xref == "x2"]
    assert names[0] == "<b>q</b>"
    assert names[1] == "<b>v</b>"
    assert max(others.customdata) == WEIGHTS[cost, at, 1, 21]
    corners = {n.text: (n.x, n.y) for n in figure.layout.annotations if n.xref != "x2"}
    assert corners["<b>CRF: log-loss</b>"] == (1.0, 2.0)
    assert corners["<b>SVM: hinge</b>"] == (0.0, 3.0)


def test_the_words():
    assert "ε = 1.00, the CRF's log-loss." in figures.describe_loss(PROBLEM, RUN, 0, 2)
    assert f"probability of {np.exp(-2):.1%}" in figures.describe_loss(PROBLEM, RUN, 0, 0)
    assert "softmax-margin" in figures.describe_loss(PROBLEM, RUN, 0, 1)
    assert "probability" not in figures.describe_loss(PROBLEM, RUN, 0, 1)
    assert "**5.0** of 676 readings share" in figures.describe_loss(PROBLEM, RUN, 1, 1)
    assert "the SVM's hinge" in figures.describe_loss(PROBLEM, RUN, 2, 2)
    assert "One single reading is pushed down: “**qv**”" in figures.describe_loss(PROBLEM, RUN, 2, 1)
    assert "the perceptron" in figures.describe_loss(PROBLEM, RUN, 2, 0)
    right = WEIGHTS.copy()
    right[:, -1, 1, [20, 21]] = 1.0, 0.0
    assert "nothing is left to learn" in figures.describe_loss(PROBLEM, RUN._replace(weights=right), 2, 1)
    rows = figures.losses(RUN, 1, 2, 2)
    assert [row[1] for row in rows] == ["2.20", "5.0", "2.00", "3.00"]
    assert "of 676 readings" in rows[1][3]
