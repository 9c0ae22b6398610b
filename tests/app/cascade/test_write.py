"""The Write page through app.py: any address, any drawing, no exception."""

import pytest

from spcviz.problems.letters.controls import writing
from spcviz.problems.letters.page import cached
from spcviz.problems.letters.state import WRITE
from spcviz.problems.open_words.data.drawings import boxes_text
from spcviz.problems.open_words.view.component import EMPTY
from tests.app.driver import open_page

pytestmark = pytest.mark.skipif(
    not cached.LETTERS_FEATURES, reason="no handwriting model in cache/models: python -m spcviz train open"
)
PAGE = "pages/cascade/write.py"
CROSS = [[[20, 5], [20, 60]], [[5, 30], [40, 30]]]


def test_it_begins_with_a_written_word_and_says_whose_hands_it_knows():
    at = open_page(PAGE)
    assert WRITE.parse(at.query_params)["example"]
    assert any("small, separate letters from about 150 writers" in caption.value for caption in at.caption)
    at.button[0].click().run()
    assert not at.exception


def test_the_written_word_is_read_right_until_a_stroke_replaces_it():
    state = writing.TABLE.parse({})
    reading = writing.read(state)
    assert reading.text == cached.EXAMPLE
    boxes = writing.boxes(reading, state, 0)
    assert (boxes["example"], boxes["ink"]) == (cached.example(), "")
    alone = "".join(reading.trace.alphabet[k] for k in reading.trace.predictions[0])
    assert alone != cached.EXAMPLE, "neighbours change the answer"
    drawn = state | {"ink": boxes_text([CROSS])}
    assert writing.boxes(writing.read(drawn), drawn, 1)["example"] == ""


def test_older_links_without_ink_still_show_empty_boxes():
    state = writing.TABLE.parse({"order": "3"})
    assert writing.shown_ink(state) == EMPTY
    assert writing.boxes(writing.read(state), state, 0)["example"] == ""


def test_what_was_meant_is_measured():
    at = open_page(PAGE, ink=boxes_text([CROSS] * 3), truth="ttt")
    assert any("Meant “ttt”" in markdown.value for markdown in at.markdown)
    short = open_page(PAGE, ink=boxes_text([CROSS] * 3), truth="t")
    assert any("You typed 1 letters, and 3 can be read" in markdown.value for markdown in short.markdown)


@pytest.mark.parametrize("ink", ["bA", "b~~~.~", boxes_text([CROSS] * 20), "s~", "<?>", "b" + "A" * 5999])
def test_any_ink_is_survived(ink):
    open_page(PAGE, ink=ink, order="6", level="6", a1="nan")
