"""The Parsing page through app.py: it comes up, takes sentences, says what it cannot take."""

import pytest

from spcviz.ui.cached import parsing as cached
from tests.app.driver import open_page

pytestmark = pytest.mark.skipif(not cached.HAS_PARSER, reason="no parser: python -m spcviz train parsing")
PAGE = "pages/budget/parsing.py"


def asked(at, name):
    """A value of the address; Streamlit's versions differ in whether it comes as a list."""
    found = at.query_params[name]
    return found[0] if isinstance(found, list) else found


def test_first_visit_typed_text_and_a_link():
    at = open_page(PAGE)
    assert at.selectbox[0].value == "own0"
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
        "   ": True, "a b " * 60: True, "Go": False, "Good night.": False, "שלום עולם 😀": False, "?!": False,
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


def test_the_trade_off_page_has_sentences():
    at = open_page("pages/budget/trade_off.py", task="parsing", size="3")
    assert any("head" in caption.value for caption in at.caption)
    assert any(button.label == "Other sentences" for button in at.button)
