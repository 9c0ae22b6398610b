"""A text of a visitor, or of whoever made a link, among sentences of the app that are markdown."""

import re

BREAK = "\u200b"
"""Zero-width space: nobody sees it, and no address holds one."""
_SIGNS = re.compile(r"([!-/:-@\[-`{-~])")
_BEGINNINGS = re.compile(r":(?=\S)|@|(?<=www)(?=\.)", re.IGNORECASE)


def plain(text):
    r"""A text that markdown shows as it is: no pictures, links, icons, formulas, colours.

    Every sign that can mean something gets a backslash. That does not hold what Streamlit looks for only when
    the markdown has been read: addresses (``https://``, ``www.``, ``a@b.c``) and names between colons
    (``:smile:``). These are broken by a sign without width.

    Parameters
    ----------
    text : str
        Lines become one.

    Returns
    -------
    str

    Examples
    --------
    >>> plain("[b](c)")
    '\\[b\\]\\(c\\)'
    >>> plain("www.b.c")
    'www\u200b\\.b\\.c'
    """
    broken = _BEGINNINGS.sub(lambda found: f"{found[0]}{BREAK}", " ".join(text.split()))
    return _SIGNS.sub(r"\\\1", broken)
