"""The Tagging page: choices, bad input, both views."""

import pytest

from spcviz.problems.tagging.data.examples import FIRST, GARDEN_PATH
from spcviz.problems.tagging.state import TAGGING
from spcviz.shared.folders import CACHE
from tests.app.driver import open_page, texts

PAGE = "pages/cascade/tagging.py"

pytestmark = pytest.mark.skipif(
    not any((CACHE / "models").glob("tagging-ewt.json")), reason="no tagger is stored"
)


def run(**params):
    return open_page(PAGE, **{name: str(value) for name, value in params.items()})


def test_first_visit_shows_its_first_scene_and_says_why_it_was_chosen():
    app = run()
    assert app.text_input[0].value == FIRST
    assert not app.warning
    assert any("chosen because" in caption.value for caption in app.caption)


def test_an_older_link_without_a_text_shows_the_garden_path_and_that_it_is_read_wrongly():
    app = run(view="compare")
    assert app.text_input[0].value == GARDEN_PATH
    assert texts(app)[-1].endswith("wrong ✘. “man” is the verb here.")
    assert not any("chosen because" in caption.value for caption in app.caption)


BAD = ["   ", "word " * 10_000, "a b " * 30]


@pytest.mark.parametrize("text", BAD)
def test_what_cannot_be_tagged_is_said_in_one_sentence_and_nothing_is_lost(text):
    app = run()
    app.text_input[0].set_value(text).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert TAGGING.parse(app.query_params)["text"] == FIRST


ODD = ["Go", "?!...", "😀 👍🏽", "שלום עולם", "Zxqv wkrp blorf.", "a" * 200, "don't can't"]


@pytest.mark.parametrize("text", ODD)
def test_odd_sentences_are_tagged(text):
    app = run(text=text)
    assert not app.warning
    app = run(text=text, view="compare")
    assert not app.warning
    assert "tags" in texts(app)[-1]


def test_a_link_restores_sentence_level_and_alpha():
    app = run(text="I saw the saw.", level=2, a2=0.5)
    assert app.text_input[0].value == "I saw the saw."
    assert TAGGING.parse(app.query_params)["a2"] == 0.5


def test_a_gallery_sentence_is_taken():
    app = run()
    app.selectbox[0].set_value("I saw the saw that she saw yesterday.").run()
    assert not app.exception
    assert app.text_input[0].value == "I saw the saw that she saw yesterday."
