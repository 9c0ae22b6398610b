"""The Parsing page through app.py: it opens, takes sentences, and says which ones it cannot take."""

import pytest

from spcviz.problems.parsing.data import gallery
from spcviz.problems.parsing.page import cached
from tests.app.driver import open_page

pytestmark = pytest.mark.skipif(not cached.HAS_PARSER, reason="no parser: python -m spcviz train parsing")
PAGE = "pages/budget/parsing.py"


def asked(at, name):
    """A value of the address; some versions of Streamlit return it as a list."""
    value = at.query_params[name]
    return value[0] if isinstance(value, list) else value


def test_first_visit_typed_text_and_a_link():
    at = open_page(PAGE)
    assert at.selectbox[0].value == gallery.FIRST
    at.text_input[0].set_value("Colourless green ideas sleep furiously.").run()
    assert not at.exception
    assert not at.warning
    assert asked(at, "text") == "Colourless green ideas sleep furiously."
    at.selectbox[0].set_value("own5").run()
    assert not at.exception
    assert "text" not in at.query_params
    assert asked(at, "sentence") == "own5"


def test_odd_and_bad_input_of_one_visit():
    at = open_page(PAGE)
    for text, is_refused in {
        "   ": True, "a b " * 60: True, "Go": False, "Good night.": False, "שלום עולם 😀": True, "?!": False,
    }.items():  # fmt: skip
        at.text_input[0].set_value(text).run()
        assert not at.exception
        assert len(at.warning) == is_refused, text
    at.text_input[0].set_value("").run()
    assert not at.warning


def test_no_address_shows_a_traceback():
    bad = "'; drop🦊"
    at = open_page(PAGE, sentence=bad, text="\t", spend=bad, policy=bad, arc="-1", controls="0")
    assert not at.selectbox


@pytest.fixture
def clone(monkeypatch):
    """A machine that has nothing but the repository."""
    monkeypatch.delenv("SPCVIZ_DATA", raising=False)
    cached.gallery_sentences.clear()
    yield
    cached.gallery_sentences.clear()


def notes(at):
    """Notes of a page about a link to something that is missing."""
    return [info.value for info in at.info if info.icon == ":material/link_off:"]


@pytest.mark.parametrize("key", ["ewt1066", "ewt99999", "dev0", "own999", "sentence"])
@pytest.mark.parametrize("controls", ["1", "0"])
def test_a_link_to_a_sentence_that_is_not_here_says_so_and_stays(clone, key, controls):
    at = open_page(PAGE, sentence=key, spend="0.5", controls=controls)
    (note,) = notes(at)
    assert note.startswith(f"This link asks for sentence {key}, which is not here.")
    assert ("python -m spcviz data get text_ud_ewt" in note) == key.startswith("ewt")
    assert asked(at, "sentence") == key
    assert any("development part (CC BY-SA 4.0)" in caption.value for caption in at.caption)


def test_what_is_chosen_instead_takes_the_place_of_the_link(clone):
    at = open_page(PAGE, sentence="ewt1066")
    assert at.selectbox[0].value == gallery.FIRST
    at.text_input[0].set_value("Go home.").run()
    assert not notes(at)
    at.text_input[0].set_value("").run()
    assert notes(at)
    at.selectbox[0].set_value("own5").run()
    assert asked(at, "sentence") == "own5"
    assert not notes(at)


def test_a_sentence_that_is_here_needs_no_word(clone):
    assert not notes(open_page(PAGE))
    assert not notes(open_page(PAGE, sentence=gallery.shipped_sentences()[7].key))


def test_a_link_made_with_the_data_restores_its_sentence_where_they_are(shared_data):
    cached.gallery_sentences.clear()
    at = open_page(PAGE, sentence="ewt1066")
    assert not notes(at)
    assert at.selectbox[0].value == "ewt1066"
    assert any("test part (CC BY-SA 4.0)" in caption.value for caption in at.caption)


def test_the_trade_off_page_buys_for_sentences_that_come_with_the_app(shared_data, monkeypatch):
    with_data = [s.key for s in cached._batch(20, 3)]
    monkeypatch.delenv("SPCVIZ_DATA")
    assert [s.key for s in cached._batch(20, 3)] == with_data
    assert set(with_data) <= {s.key for s in gallery.shipped_sentences()}


def test_the_trade_off_page_has_sentences():
    at = open_page("pages/budget/trade_off.py", task="parsing", size="3")
    assert any("head" in caption.value for caption in at.caption)
    assert any(button.label == "Other sentences" for button in at.button)


def test_only_the_sentence_that_the_page_opens_with_was_chosen():
    assert any("Chosen because" in caption.value for caption in open_page(PAGE).caption)
    assert not any("Chosen because" in caption.value for caption in open_page(PAGE, sentence="own5").caption)
