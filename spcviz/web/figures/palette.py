"""One palette for charts, components and Streamlit, readable with any colour vision.

This module is the only source: ``.streamlit/config.toml`` repeats it (a test compares them), figures take a
`Palette`, and components read the CSS variables in `CSS_VARIABLES`, which follow the theme automatically.
Contrast with both backgrounds is at least 4.5:1, and the roles stay distinguishable under the three kinds of
colour blindness. Still, colour is never used alone: see `SYMBOLS` for the shape that goes with each role.
"""

import re
from collections.abc import Callable
from typing import NamedTuple


class Palette(NamedTuple):
    """Colours by their meaning, each ``#RRGGBB``."""

    # background, surface, border: page; cards and side bar; thin lines
    background: str
    surface: str
    border: str
    # text, muted: text; less important text
    text: str
    muted: str
    accent: str  # controls that can be pressed or dragged
    # kept, pruned: an assignment that is above the threshold, or not
    kept: str
    pruned: str
    # truth, map: the true labelling; the best-scoring one
    truth: str
    map: str
    threshold: str  # the line tau itself
    lost: str  # alarm: the truth has been pruned


LIGHT = Palette(
    background="#FFFFFF",
    surface="#F4F6F9",
    border="#D5DBE3",
    text="#17202B",
    muted="#566274",
    accent="#2F2FBC",
    kept="#2F2FBC",
    pruned="#667080",
    truth="#097338",
    map="#733E81",
    threshold="#C32902",
    lost="#800700",
)
DARK = Palette(
    background="#0F141B",
    surface="#19212C",
    border="#2F3B4A",
    text="#E8EDF4",
    muted="#A3AFBF",
    accent="#48DCFF",
    kept="#48DCFF",
    pruned="#8A94A3",
    truth="#3AC78B",
    map="#DD72FF",
    threshold="#D6E122",
    lost="#FF7525",
)

LIGHT_TIERS = ("#1B1F9E", "#00769A", "#806800", "#A00018")
DARK_TIERS = ("#6F8CFF", "#48DCFF", "#F2E33C", "#FF6A4D")
"""Blue, cyan, yellow, red, from the first tier to the last (thesis, Fig. 6.5)."""

STREAMLIT_KEYS = {
    "background": "backgroundColor",
    "surface": "secondaryBackgroundColor",
    "border": "borderColor",
    "text": "textColor",
    "accent": "primaryColor",
    "kept": "blueColor",
    "pruned": "grayColor",
    "truth": "greenColor",
    "map": "violetColor",
    "threshold": "orangeColor",
    "lost": "redColor",
}
"""Role -> the option in ``[theme.light]`` and ``[theme.dark]``; Streamlit has none for muted text."""

CSS_VARIABLES = {
    role: "--st-" + re.sub("([A-Z])", r"-\1", option).lower() for role, option in STREAMLIT_KEYS.items()
}
"""Role -> the CSS variable that a component sees, in the theme the visitor has chosen."""

SYMBOLS = {"kept": "●", "pruned": "×", "truth": "★", "map": "◆", "threshold": "―", "lost": "✖"}
"""A mark for each state, for legends and for readers who cannot tell the colours apart."""

CATEGORICAL = ("kept", "threshold", "truth", "map", "lost", "pruned")
"""Roles in the order in which the curves of a chart take their colours."""


def palette(kind: str | None) -> Palette:
    """Colours of a theme, "light" or "dark" as in ``st.context.theme.type``; None (not known yet) is light.

    >>> palette("dark").background
    '#0F141B'
    """
    return DARK if kind == "dark" else LIGHT


def tiers(palette):
    """Colours of the four tiers on pages with a palette."""
    return DARK_TIERS if palette is DARK else LIGHT_TIERS


def by_theme(choose: Callable) -> dict:
    """Apply `choose` to each palette; results by the browser's names of its themes, "light" and "dark".

    >>> by_theme(lambda palette: palette.background)
    {'light': '#FFFFFF', 'dark': '#0F141B'}
    """
    return {"light": choose(LIGHT), "dark": choose(DARK)}
