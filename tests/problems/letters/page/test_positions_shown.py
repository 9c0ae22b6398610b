"""The bars of each position, without a browser or a kernel."""

from types import SimpleNamespace

import numpy as np
import pytest

from spcviz.problems.letters.page import charts as figures
from spcviz.web.figures import palette


def level(order, valid, kept, lost=()):
    is_lost = np.zeros(len(valid), dtype=bool)
    is_lost[list(lost)] = True
    return SimpleNamespace(order=order, valid=np.array(valid), kept=np.array(kept), is_lost=is_lost)


COUNTS = (level(1, [26, 26, 26], [4, 5, 1]), level(2, [20, 5], [3, 1], lost=[0]))
PIXELS = np.zeros((3, 16, 8), np.uint8)


@pytest.mark.parametrize("look", [palette.LIGHT, palette.DARK])
def test_a_group_a_letter_and_a_bar_a_level(look):
    valid, kept, numbers, falls = figures.positions(PIXELS, COUNTS, look).data
    assert list(valid.y) == [26, 26, 26, 20, 5]
    assert list(kept.y) == [4, 5, 1, 3, 1]
    assert list(map(int, numbers.text)) == [4, 5, 1, 3, 1]
    assert [round(x) for x in valid.x] == [0, 1, 2, 0, 1]
    assert valid.x[0] < 0 < valid.x[3]  # level 1 is left of level 2
    assert np.diff(sorted(valid.x)).min() > 0.9 * valid.width
    assert list(falls.x) == [valid.x[3]]
    assert list(falls.y) == [10]
    small = (level(1, [100, 4], [50, 2], lost=[1]),)
    assert figures.positions(PIXELS, small, look).data[-1].y[0] > 4  # not on the number
    assert "letter pairs from letter 1 on" in valid.text[3]


def test_what_was_written_is_told_only_if_asked():
    assert len(figures.positions(PIXELS, COUNTS, palette.LIGHT, is_shown=False).data) == 3
    assert "lost at level 2" in figures.describe_bars(COUNTS, "abc")
    assert "lost" not in figures.describe_bars(COUNTS, "")
    assert "“" not in figures.describe_bars(COUNTS, "")


def test_many_bars_go_without_numbers():
    many = tuple(level(n, [5] * 14, [2] * 14) for n in range(1, 7))
    assert len(figures.positions(np.zeros((14, 16, 8)), many, palette.LIGHT).data) == 2


def test_the_words_add_up():
    text = figures.describe_bars(COUNTS, "abc")
    assert "keep 10 of 78 letters, then 4 of 25 letter pairs" in text
    assert "Most work: **26** letters from letter 1 on" in text
    assert "At 1 of 2 places" in text
