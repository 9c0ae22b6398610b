"""The Letters page through app.py: every control at its extremes, any address, no exception."""

import pytest

from spcviz.problems.letters.controls.word import menu
from spcviz.problems.letters.page import cached
from spcviz.problems.letters.shown import FIRST_WORD
from tests.app.driver import open_page

pytestmark = pytest.mark.skipif(
    not cached.LETTERS_FEATURES, reason="no handwriting model in cache/models: python -m spcviz train ocr"
)
PAGE = "pages/cascade/letters.py"


def letters(**params):
    return open_page(PAGE, **{"features": "raw"} | params)  # the 55 words, unless a test says otherwise


def is_fine(app):
    return not app.exception and not app.error


def test_it_shows_a_word():
    app = letters()
    assert is_fine(app)
    assert app.session_state["letters_lattice_memory"]["view"]["level"] == 1
    assert any("plain dictionary" in caption.value.replace("\n", " ") for caption in app.caption)


@pytest.mark.parametrize(
    "params",
    [
        {"word": "abc", "level": "99", "step": "-1", "a1": "nan", "order": "1e9", "features": "<script>"},
        {
            "word": "-1",
            "a1": "1.0000001",
            "cell": "0-",
            "pin_a": "raw:",
            "reveal": "maybe",
            "controls": "yes",
        },
        {"word": "9999999", "pin_b": "nothere:0.5", "cell": "99-zzzzzz", "level": "6", "order": "1"},
        {"a1": "0", "a2": "0", "a3": "0", "order": "6", "level": "6"},
        {"a1": "1", "a2": "1", "a3": "1", "a4": "1", "a5": "1", "a6": "1", "order": "6", "level": "6"},
        {"pin_a": "raw:0,0,0,0", "pin_b": "raw:1,1,1,1", "which": "wrong", "reveal": "hidden"},
        {"controls": "0", "embed": "true"},
    ],
)
def test_any_address_is_survived(params):
    app = letters(**params)
    assert is_fine(app)


@pytest.mark.parametrize("order", [1, 6])
def test_orders_at_the_ends(order):
    app = letters(order=str(order))
    assert is_fine(app)
    assert app.session_state["letters_order"] == order


def test_every_feature_set():
    for features in cached.LETTERS_FEATURES:
        assert is_fine(letters(features=features)), features


def test_words_at_the_ends_and_at_random():
    ids = [word["word_id"] for word in cached.letters_words("raw")]
    for word_id in (min(ids), max(ids)):
        app = letters(word=str(word_id))
        assert is_fine(app)
        assert app.session_state["letters_word"] == word_id
    app = letters()
    app.button[0].click().run()
    assert is_fine(app)


def test_the_shortest_and_the_longest_word():
    words = cached.letters_words("raw")
    for word in (min(words, key=lambda w: len(w["text"])), max(words, key=lambda w: len(w["text"]))):
        assert is_fine(letters(word=str(word["word_id"]), order="6", level="6"))


def test_the_hidden_word_is_not_in_the_menu():
    app = letters(reveal="hidden")
    assert is_fine(app)
    assert all(option.startswith("word ") for option in app.selectbox[0].options)


def test_bars_a_letter_are_the_lattice_s_counts():
    app = letters(view="bars", order="3")
    assert is_fine(app)
    said = "\n".join(m.value for m in app.markdown)
    assert "of 234 letters, then" in said
    assert "Fig. 4.5" in said
    assert app.get("plotly_chart")
    hidden = letters(view="bars", reveal="hidden")
    assert is_fine(hidden)
    assert "ommanding" not in "\n".join(m.value for m in hidden.markdown)
    assert is_fine(letters(view="bars", a1="1", order="6"))


@pytest.mark.skipif("open" not in cached.LETTERS_FEATURES, reason="no open vocabulary: train open")
def test_the_first_scene_says_why_it_was_chosen_and_a_partial_link_keeps_its_word():
    app = open_page(PAGE)
    assert is_fine(app)
    assert app.session_state["letters_word"] == FIRST_WORD
    assert any("chosen because" in caption.value for caption in app.caption)
    assert app.session_state["letters_lattice_memory"]["view"]["level"] == 3
    partial = open_page(PAGE, level="2")
    assert partial.session_state["letters_word"] == FIRST_WORD
    assert partial.session_state["letters_lattice_memory"]["view"]["level"] == 2


def test_the_menu_tells_equal_words_apart_by_their_numbers_and_no_others():
    labels = {1: "tree · 1", 2: "tree · 2", 3: "bee · 3"}
    assert menu("some", None, False, labels) == {1: "tree · 1", 2: "tree · 2", 3: "bee"}
    hidden = {1: "word 1, 4 letters", 2: "word 2, 4 letters"}
    assert menu("some", None, True, hidden) == hidden
