"""Escape visitors' texts so that markdown shows them as they are."""

import re

BREAK = "\u200b"
"""Zero-width space: it is invisible, and no address contains one."""
_SIGNS = re.compile(r"([!-/:-@\[-`{-~])")
_BEGINNINGS = re.compile(r":(?=\S)|@|(?<=www)(?=\.)", re.IGNORECASE)


def plain(text: str) -> str:
    r"""A text that markdown shows as it is, on one line: no pictures, links, icons, formulas, colours.

    Punctuation gets a backslash; addresses (``https://``, ``www.``, ``a@b.c``) and names between colons
    (``:smile:``), which Streamlit looks for later, are broken by a zero-width character.

    >>> plain("[b](c)")
    '\\[b\\]\\(c\\)'
    >>> plain("www.b.c")
    'www\u200b\\.b\\.c'
    """
    broken = _BEGINNINGS.sub(lambda match: f"{match[0]}{BREAK}", " ".join(text.split()))
    return _SIGNS.sub(r"\\\1", broken)
