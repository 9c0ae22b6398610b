"""Texts of strangers: unchanged, with nothing that Streamlit's markdown would interpret."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spcviz.web.figures.formatting import BREAK, plain

SIGNS = r"!\"#$%&'()*+,-./:;<=>?@[\]^_`{|}~"
PIECES = (
    "http://", "HTTPS://", "www.", "WWW.", "a@b.c", "mailto:", "xmpp:", "&commat;", "&#58;", ":smile:",
    ":+1:", ":material/home:", ":red[", "$x^2$", "![", "](", ")", "<img src=x>", "</a>", "**", "__", "~~",
    "`", "\\", "\n", "    ", "# ", "- ", "1. ", "> ", "---", "|", "[^1]", "[x]: ", " ", "e.x", "é", "\u200b",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)
FOUND_AFTER_READING = (
    r"https?://", r"www\.", r"[-.\w+]+@[-\w]+(\.[-\w]+)+", r":\+1:|:-1:|:[\w-]+:", r":material/[a-z0-9_]+:",
)  # fmt: skip
"""Patterns that remark's plugins look for in texts, once escapes have been read."""


def read(markdown):
    """Text after CommonMark's backslash escapes, and the special characters that were not escaped."""
    bare = re.sub(r"\\([" + re.escape(SIGNS) + "])", "", markdown)
    return re.sub(r"\\([" + re.escape(SIGNS) + "])", r"\1", markdown), set(bare) & set(SIGNS)


@given(TEXTS)
def test_a_text_stays_what_it_is(text):
    shown, bare = read(plain(text))
    assert not bare
    assert shown.replace(BREAK, "") == " ".join(text.split()).replace(BREAK, "")
    assert "\n" not in shown


@given(TEXTS)
def test_nothing_is_found_in_it_once_escapes_have_been_read(text):
    shown, _ = read(plain(text))
    assert [p for p in FOUND_AFTER_READING if re.search(p, shown, re.IGNORECASE)] == []


@pytest.mark.parametrize("text", ["A cascade: it rules words out", "Why 3 is enough", "Café"])
def test_an_ordinary_title_gets_no_hidden_signs(text):
    assert BREAK not in plain(text)
