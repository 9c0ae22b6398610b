"""The word on the home page, pruned by one slider; everything happens in the browser."""

from functools import cache
from pathlib import Path

import numpy as np
import streamlit as st

HERE = Path(__file__).parent
HTML = """
<figure class="home-word">
  <svg role="img" aria-labelledby="home-word-says"></svg>
  <figcaption>
    <label>
      Prune <b>gently</b>
      <input type="range" min="0" max="0.98" step="0.01" value="0" aria-describedby="home-word-says">
      <b>hard</b>
    </label>
    <p id="home-word-says" aria-live="polite"><strong></strong> <span></span></p>
  </figcaption>
</figure>
"""


@cache
def _component():
    return st.components.v2.component(
        "spcviz_home_word",
        html=HTML,
        css=(HERE / "home_word.css").read_text(encoding="utf-8"),
        js=(HERE / "home_word.js").read_text(encoding="utf-8"),
    )


def home_word(word, *, key="home_word"):
    """Show a word and let its letters fall.

    Parameters
    ----------
    word : spcviz.problems.letters.home_word.HomeWord
        Pixels (L, 16, 8), truth (L,), order and falls_at (L, K).
    key : str
        Of the widget.
    """
    return _component()(
        key=key,
        data={
            "pixels": word.pixels.reshape(len(word.pixels), -1).tolist(),
            "truth": _spell(word.truth),
            "order": [_spell(letters) for letters in word.order],
            "fallsAt": np.round(word.falls_at, 4).tolist(),
        },
    )


def _spell(letters):
    return "".join(chr(ord("a") + int(letter)) for letter in letters)
