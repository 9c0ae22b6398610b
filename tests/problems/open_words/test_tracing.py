"""Pictures of words: thinned, cut at gaps; a picture without a word is refused with a sentence."""

import io

import numpy as np
import pytest
import skimage.data
from PIL import Image

from spcviz.problems.open_words.data import drawings, tracing
from spcviz.problems.open_words.data.tracing import strokes_of
from spcviz.shared.uploading.uploads import UploadError


def word_picture(invert=False):
    """Three letters like l, o and c, thick, on a large sheet."""
    sheet = np.full((120, 300), 230.0)
    sheet[20:90, 40:48] = 30
    y, x = np.mgrid[:120, :300]
    for middle in (120, 210):
        far = np.hypot(x - middle, y - 65)
        sheet[(far < 26) & (far > 17)] = 30
    sheet[55:75, 225:240] = 230
    return 255 - sheet if invert else sheet


@pytest.mark.parametrize("invert", [False, True])
def test_a_word_is_cut_at_its_gaps(invert):
    word = drawings.read_drawing(tracing.traced_word(tracing.ink_of(word_picture(invert))))
    assert word.places == (0, 1, 2)
    assert not word.problems
    one, ring, opened = word.pixels
    assert one.any(axis=1).all()
    assert one.sum() <= 20
    assert ring[7:9, 3:5].sum() == 0
    assert opened[7:9, 6:].sum() < ring[7:9, 6:].sum()


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (np.full((50, 50), 200.0), "nothing dark on light"),
        (skimage.data.cat() @ np.array([0.299, 0.587, 0.114]), "ink|bits"),
        (skimage.data.checkerboard().astype(float), "would be ink"),
    ],
)
def test_what_is_no_word(picture, said):
    with pytest.raises(UploadError, match=said):
        tracing.ink_of(picture)


def test_a_file_that_is_no_picture():
    with pytest.raises(UploadError):
        tracing.scan_strip(b"no picture")


def test_a_png_as_people_bring_it():
    file = io.BytesIO()
    Image.fromarray(word_picture().astype(np.uint8)).save(file, "PNG")
    assert len(drawings.parse(tracing.scan_strip(file.getvalue())).letters) == 3


def test_every_link_of_a_line_is_walked_once():
    plus = np.zeros((9, 9), dtype=bool)
    plus[4, :] = plus[:, 4] = True
    strokes = strokes_of(plus)
    length = sum(np.abs(np.diff(stroke, axis=0)).sum() for stroke in strokes)
    assert length == 16
    assert [stroke.tolist() for stroke in strokes_of(np.eye(1, dtype=bool))] == [[[0.0, 0.0]]]
