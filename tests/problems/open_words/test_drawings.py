"""Drawn letters: the address's text, rasters like the data's, bad drawings, the data's letters redrawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.engine.errors import ArgumentError
from spcviz.problems.letters import handwriting as letters
from spcviz.problems.open_words.data import drawings, tracing

CROSS = [[[20, 5], [20, 60]], [[5, 30], [40, 30]]]
POINTS = st.lists(st.tuples(st.integers(0, 63), st.integers(0, 63)), min_size=1, max_size=6)


@given(st.lists(st.lists(POINTS, max_size=3), min_size=1, max_size=5))
def test_boxes_come_back_from_their_text(drawn):
    drawing = drawings.parse(drawings.boxes_text(drawn))
    assert not drawing.is_strip
    got = [[[tuple(p) for p in stroke] for stroke in letter] for letter in drawing.letters]
    assert got == [[list(stroke) for stroke in letter] for letter in drawn]


def test_a_strip_is_cut_where_it_says_and_nothing_is_lost():
    text = drawings.strip_text([[[10, 5], [100, 50]], [[200, 3], [150, 3]]], [64, 120])
    one, two, three = drawings.parse(text).letters
    assert np.allclose(one[0], [[10, 5], [64, 32]])
    assert np.allclose(two[0], [[64, 32], [100, 50]])
    assert [stroke.tolist() for stroke in three] == [[[200, 3], [150, 3]]]
    back_and_forth = drawings.strip_text([[[10, 0], [90, 0], [10, 8]]], [64])
    left, right = drawings.parse(back_and_forth).letters
    assert len(left) == 2
    assert len(right) == 1


@pytest.mark.parametrize("text", ["", "x", "bA", "bA?", "sABC~A", "b" + "A" * 7000, None, "b é"])
def test_other_texts_are_refused(text):
    with pytest.raises(ArgumentError, match="text must"):
        drawings.parse(text)


def test_size_and_place_do_not_matter():
    strokes = [np.array(stroke, dtype=float) for stroke in CROSS]
    one, two = drawings.raster(strokes), drawings.raster([0.4 * stroke + 17 for stroke in strokes])
    assert np.array_equal(one, two)
    assert one.any(axis=1).all() or one.any(axis=0).all()  # it fills the height or the width


def test_what_cannot_be_read_is_said():
    filled = [[[x, 0], [x, 63]] for x in range(0, 60, 2)]
    word = drawings.read_drawing(drawings.boxes_text([CROSS, [], [[[9, 9]]], filled, CROSS, []]))
    assert word.places == (0, 4)
    assert word.pixels.shape == (2, 16, 8)
    assert [said.split(":")[0] for said in word.problems] == [
        "Box 2 is empty",
        "Box 3 holds only a dot",
        "Box 4 is filled with ink; a letter is made of lines",
    ]
    assert len(drawings.read_drawing(drawings.boxes_text([CROSS] * 22)).places) == 20
    assert "at most 20 letters" in drawings.read_drawing(drawings.boxes_text([CROSS] * 22)).problems[0]
    assert drawings.read_drawing("b~~").places == ()


def test_redrawn_letters_look_like_the_data_s():
    words = letters.load_words()
    pixels = words.pixels[np.repeat(words.folds == 1, words.lengths)][:150]
    again = tracing.redraw(pixels)
    assert abs(again.sum() / pixels.sum() - 1) < 0.03  # the same amount of ink
    assert ((again & pixels).sum() / (again | pixels).sum()) > 0.85
