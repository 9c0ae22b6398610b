"""The panel that replaces a page's picture while a question hides it."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from spcviz.web.figures.pixels import ink as drawn_ink
from spcviz.web.figures.pixels import png
from spcviz.web.ui import layout

_VEIL_CSS = """.veil { display: flex; gap: 0.6rem }
.veil img { height: 30vh; max-width: calc(100%% / %d - 0.6rem); object-fit: contain }
.veil img { image-rendering: pixelated }"""
"""Pictures side by side, as large as possible: a class judges by them."""


def veil(sentence: str, *, pictures: Sequence[str] = (), alt: str = "") -> None:
    """Show a frame with the parts that stay visible, `pictures` by their addresses, and a sentence."""
    with st.container(border=True, key="course_veil"):
        if pictures:
            each = "".join(f'<img alt="{alt}" src="{picture}">' for picture in pictures)
            st.html(f"<style>{_VEIL_CSS % len(pictures)}</style><div class='veil'>{each}</div>")
        st.markdown(sentence)


def ink(pixels: np.ndarray) -> list[str]:
    """Handwritten letters (L, 16, 8) as addresses of pictures, in the text colour."""
    colour = layout.look()["palette"].text
    return [drawn_ink(letter, colour, 6) for letter in pixels]


def photograph(pixels: np.ndarray) -> list[str]:
    """A picture (H, W, 3) uint8 as an address."""
    return [png(pixels)]
