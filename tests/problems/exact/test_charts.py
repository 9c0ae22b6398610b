"""The Exact inference page's charts and sentences, without a browser or a kernel."""

import base64
import struct

import numpy as np
import pytest

from spcviz.problems.exact.page import charts as figures
from spcviz.problems.exact.page import graphs
from spcviz.problems.exact.page import text as say
from spcviz.problems.exact.shown import (
    Decomposition,
    ExactRun,
    TreeMessage,
    TreeProblem,
    TreeRun,
    WordProblem,
)
from spcviz.web.figures import formatting, palette, pixels

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
PALETTES = (palette.LIGHT, palette.DARK)


@pytest.mark.parametrize("palette", PALETTES)
def test_the_work_of_both_methods(palette):
    figure = figures.work(PROBLEM.pixels, 26, palette)
    search, clever = figure.data
    assert [image.x for image in figure.layout.images] == [1, 2, 3], "each letter stands over its number"
    assert search.y[3] == 26**4
    assert clever.y[3] == 3 * 26**2 + 26
    assert search.marker.size[2] > search.marker.size[3]


def test_ink_marks_separate_and_joint():
    figure = figures.ink(PROBLEM, RUN, palette.LIGHT)
    bars = [t for t in figure.data if t.type == "bar"]
    assert dict(zip(bars[1].x, bars[1].text)) == {"v": "◆", "u": "●"}
    assert dict(zip(bars[0].x, bars[0].text)) == {"q": "◆●", "r": ""}
    assert "“**qva**”" in say.ink(PROBLEM, RUN)
    assert "“**qua**”: pairs outweigh" in say.ink(PROBLEM, RUN)


@pytest.mark.parametrize(
    ("step", "known", "lines"), [(0, 2, 0), (1, 4, 2), (2, 6, 2), (3, 4, 2), (4, 6, 2), (5, 6, 0)]
)
def test_messages_come_one_by_one(step, known, lines):
    figure = figures.messages(PROBLEM, RUN, step, palette.DARK)
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
    [
        (0.0, "0 µs"),
        (0.5, "500 ms"),
        (1800.0, "30 minutes"),
        (7200.0, "2 hours"),
        (864000.0, "10 days"),
        (1e20, "3.2e+12 years"),
    ],
)
def test_durations(seconds, said):
    assert formatting.duration(seconds) == said


CHAIN = Decomposition((26,) * 4 + (676,) * 3, 2132, 456976, 2054, (0, 1, 2, 3), (0, 1))
RING = Decomposition((676,) * 4, 2704, 456976, 35854, (0, 1, 2, 3), (0, 1, 3))


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("sets", [["1"], ["1", "2", "12"], ["1234"], list(figures.PLACES)])
def test_every_set_is_one_square_and_joined_to_its_letters(palette, sets):
    figure = figures.factor_graph(sets, np.zeros((4, 16, 8)), palette)
    lines, circles, unused, used = figure.data
    assert len(circles.x) == 4
    assert sorted(d[0] for d in used.customdata) == sorted(sets)
    assert len(unused.customdata or ()) + len(used.customdata) == 15
    assert sum(x is not None for x in lines.x) == 2 * sum(map(len, sets))
    ends = {(x, y) for x, y in zip(lines.x, lines.y) if x is not None}
    assert {figures.PLACES[s] for s in sets} <= ends


def test_squares_stand_apart():
    places = np.array([*figures.PLACES.values(), *((i, 0.0) for i in (1, 2, 3, 4))])
    apart = np.abs(places[:, None] - places[None]).max(axis=2) + 9 * np.eye(len(places))
    assert apart.min() >= 0.25
    assert len(figures.PLACES) == 15


def test_a_decomposition_is_told_by_its_kind():
    assert "2,132 numbers stored** (4 × 26 + 3 × 676) score **456,976" in say.tables(CHAIN, ["1", "12"] * 2)
    assert "No loop" in say.tables(CHAIN, ["1", "2", "3", "4", "12", "23", "34"])
    assert "letters 1, 2, 4 together" in say.tables(RING, ["12", "23", "34", "14"])
    assert "Separate" in say.tables(CHAIN, ["1", "2", "3", "4"])
    assert "Joint" in say.tables(CHAIN, ["1234"])
    assert "Letter 3, 4 is in no table" in say.tables(CHAIN, ["12"])
    assert [row[1] for row in say.sizes_of(CHAIN)] == ["2,132", "456,976", "2,054"]


TREE = TreeProblem(
    ("across 1", "crossing", "down 2"), np.array([[-1, 1], [0, 0], [1, -1]]), np.ones((3, 16, 8), np.uint8),
    np.array([16, 20, 0]), np.array([[16, 17], [20, 21], [0, 1]]), UNARY, np.array([[0, 1], [1, 2]]),
    np.zeros((2, 2, 2)),
)  # fmt: skip
SENT = (
    TreeMessage(0, 1, np.array([1.0, 1.0]), np.array([0, 0])),
    TreeMessage(2, 1, np.array([0.5, 0.5]), np.array([0, 0])),
    TreeMessage(1, 0, np.array([2.5, 2.5]), np.array([1, 1])),
    TreeMessage(1, 2, np.array([3.0, 3.0]), np.array([1, 1])),
)
RAN = TreeRun(1, SENT, np.zeros((3, 2)), 3.5, np.array([0, 1, 0]), np.array([0, 1, 0]), 10)


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("step", range(6))
def test_the_tree_after_every_step(palette, step):
    figure = graphs.crossing_messages(TREE, RAN, step, palette)
    lines, nodes, numbers = figure.data[1:]
    is_sending = 1 <= step <= 4
    assert sum(x is not None for x in lines.x) == (4 if is_sending else 0)
    assert ("diamond" in nodes.marker.symbol) == (step == 5)
    assert len(figure.layout.images) == 3
    assert len(numbers.text) == 6
    assert say.tree_step(TREE, RAN, step)


def test_messages_on_the_tree_add_up_to_the_same_best_everywhere():
    values = graphs.beliefs(TREE, RAN, 4)
    np.testing.assert_allclose(values.max(axis=1), 3.5)
    assert graphs.waiting_for(TREE, RAN, 0).tolist() == [1, 2, 1]
    assert "“**qv/va**”" in say.tree_step(TREE, RAN, 0)
    assert "tells “crossing”" in say.tree_step(TREE, RAN, 1)
    assert "Most for **u**: 1.0, with **q**" in say.tree_step(TREE, RAN, 1)
    assert "Downward message 1 of 2" in say.tree_step(TREE, RAN, 3)
    assert "The writer wrote “**qu/ua**”" in say.tree_step(TREE, RAN, 5)


def test_letters_become_pictures():
    data = pixels.ink(np.eye(16, 8), "#102030", times=2).partition(",")[2]
    raw = base64.b64decode(data)
    assert raw.startswith(b"\x89PNG")
    assert struct.unpack(">II", raw[16:24]) == (16, 32)
