"""Format numbers and durations for readers, and escape visitors' texts for markdown."""

import re
from collections.abc import Mapping

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def duration(seconds):
    """Format a time in a suitable unit.

    >>> duration(2.5e-05), duration(90.0), duration(1e11)
    ('25 µs', '90 s', '3,169 years')
    """
    units = (1e-3, "µs", 1e-6), (1, "ms", 1e-3), (100, "s", 1), (6000, "minutes", 60), (1e5, "hours", 3600)
    for limit, unit, size in units:
        if seconds < limit:
            return f"{seconds / size:.3g} {unit}"
    if seconds < 3.2e7:
        return f"{seconds / 86400:,.0f} days"
    years = seconds / 31557600
    return f"{years:,.0f} years" if years < 1e9 else f"{years:.1e} years"


def count(number):
    """Format a whole number; a very large one as a power of ten.

    >>> count(456976), count(26**8)
    ('456,976', '2.1 × 10¹¹')
    """
    if number < 1e9:
        return f"{number:,}"
    digits = len(str(number)) - 1
    return f"{number / 10**digits:.1f} × 10{str(digits).translate(_RAISED)}"


def percent(share, digits=1):
    """Format a share as a percentage.

    >>> percent(0.2), percent(0.00651, 2)
    ('20.0 %', '0.65 %')
    """
    return f"{100 * share:.{digits}f} %"


def name_rows(rows, names: Mapping[str, str]) -> dict[str, str]:
    """Convert rows (label, value, ...) of a page's metrics to facts for a tour's sentences.

    >>> name_rows([("DP: sums", "2,132", "counted", "")], {"DP: sums": "sums"})
    {'sums': '2,132'}
    """
    return {names[label]: str(value) for label, value, *_ in rows if label in names}


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
