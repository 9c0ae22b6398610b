"""The page Orders and features through app.py: words, actions by hand, addresses that make no sense."""

import pytest

from spcviz.problems.hybrid.page import scenes
from spcviz.shared.folders import MODELS
from tests.app.driver import open_page

pytestmark = pytest.mark.skipif(
    not (MODELS / "hybrid-words.json").is_file(), reason="no model: python -m spcviz train hybrid"
)
PAGE = "pages/budget/hybrid.py"


@pytest.mark.parametrize("data", ["ocr", "open"])
def test_both_data_sets_come_up(data):
    at = open_page(PAGE, data=data)
    assert not at.exception
    assert not at.warning
    assert len(at.selectbox[0].options) > 20


def test_only_the_first_scene_says_why_it_was_chosen():
    for params, is_first in (({}, True), ({"data": "open"}, False), ({"data": "ocr"}, False)):
        said = [caption.value for caption in open_page(PAGE, **params).caption]
        assert any(scenes.CHOSEN in sentence for sentence in said) == is_first


def test_an_impossible_action_is_a_sentence():
    at = open_page(PAGE, hand="0:r1")
    assert not at.exception
    assert len(at.warning) == 1


def test_no_address_shows_a_traceback():
    bad = "'; drop🦊"
    at = open_page(PAGE, data=bad, word=bad, step=bad, course="7", hand=bad, controls="0")
    assert not at.exception
    assert not at.selectbox


def test_only_the_word_that_the_page_opens_with_was_chosen():
    assert any("was chosen" in caption.value for caption in open_page(PAGE).caption)
    assert not any("was chosen" in caption.value for caption in open_page(PAGE, data="open").caption)
