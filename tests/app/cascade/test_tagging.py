"""The Tagging page: choices, bad input, both views."""

import pytest

from spcviz.problems.tagging.data.examples import FIRST, GARDEN_PATH
from spcviz.problems.tagging.page import cached
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


def test_a_partial_link_keeps_the_page_s_own_sentence():
    app = run(view="compare")
    assert app.text_input[0].value == FIRST
    assert any("chosen because" in caption.value for caption in app.caption)


def test_the_garden_path_is_said_to_be_read_wrongly():
    app = run(view="compare", text=GARDEN_PATH)
    assert texts(app)[-1].endswith("wrong ✘. “man” is the verb here.")


def test_a_text_that_no_link_can_hold_is_said_and_not_another_shown_in_silence():
    app = run(text="word " * 70)
    assert len(app.warning) == 1
    assert "at most 300 characters" in app.warning[0].value


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
    is_foreign = text == "שלום עולם"  # the page says so
    app = run(text=text)
    assert len(app.warning) == is_foreign
    app = run(text=text, view="compare")
    assert len(app.warning) == is_foreign
    assert "tags" in texts(app)[-1]


def test_signs_that_only_change_others_are_no_words():
    assert cached.tagging_words("I ❤️ 🍕")[0] == ("I", "❤", "🍕")
    assert cached.tagging_words("👍🏽")[0] == ("👍",)


def test_a_link_restores_sentence_level_and_alpha():
    app = run(text="I saw the saw.", level=2, a2=0.5)
    assert app.text_input[0].value == "I saw the saw."
    assert TAGGING.parse(app.query_params)["a2"] == 0.5


def test_a_gallery_sentence_is_taken():
    app = run()
    app.selectbox[0].set_value("I saw the saw that she saw yesterday.").run()
    assert not app.exception
    assert app.text_input[0].value == "I saw the saw that she saw yesterday."
