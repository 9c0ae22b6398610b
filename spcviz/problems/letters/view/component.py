"""Python side of Home's view: a word pruned by one slider, then read by a sharper model in the browser."""

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from spcviz.problems.letters.page.landing import HomeWord
from spcviz.web.view.mount import Component, show

HTML = """
<figure class="home-word">
  <svg role="img" aria-labelledby="home-word-says"></svg>
  <figcaption>
    <label>
      Prune <b>gently</b>
      <input type="range" min="0" max="1" step="0.01" value="0" aria-describedby="home-word-says">
      <b>hard</b>
    </label>
    <button type="button" title="Play the story again">↻ Again</button>
    <p id="home-word-says" aria-live="polite"><strong></strong> <span></span></p>
  </figcaption>
</figure>
"""


FUNNEL = Component(
    "spcviz_home_funnel",
    ("problems/letters/view/home_funnel.css",),
    ("web/view/elements.js", "web/view/funnel.js", "problems/letters/view/home_funnel.js"),
)
HOME_WORD = Component(
    "spcviz_home_word",
    ("problems/letters/view/home_word.css",),
    ("problems/letters/view/home_word.js",),
    html=HTML,
)


def home_word(
    word: HomeWord,
    stop: float,
    *,
    is_over: bool = False,
    alpha: float | None = None,
    is_locked: bool = False,
    key: str = "home_word",
    on_change: Callable = lambda: None,
):
    """Show a word, prune it up to alpha `stop`, let the sharper model read; `is_over`: begin at the end.

    With an `alpha` the slider is set there and nothing plays; with `is_locked` the browser does not learn
    when letters fall, and the slider is disabled.
    """
    payload = {
        "pixels": word.pixels.reshape(len(word.pixels), -1).tolist(),
        "truth": _spell(word.truth),
        "order": [_spell(letters) for letters in word.order],
        "fallsAt": (np.ones_like(word.falls_at) if is_locked else np.round(word.falls_at, 4)).tolist(),
        "sharper": [] if is_locked else [[round(a, 4), _spell(reading)] for a, reading in word.sharper],
        "alpha": alpha,
        "isLocked": is_locked,
        "stop": stop,
        "isOver": is_over,
    }
    return show(HOME_WORD, payload, key=key, on_alpha_change=on_change)


def home_funnel(word: HomeWord, key: str = "home_funnel") -> None:
    """Show how many words are left, as a funnel that moves with the slider of `home_word`."""
    left = int(np.prod(np.maximum((word.falls_at > 0).sum(axis=1), 1)))
    show(FUNNEL, {"all": 26 ** len(word.truth), "left": left}, key=key)


def alpha_of(key: str) -> float | None:
    """The alpha at which the slider was released, None if it was not; a browser may send anything."""
    state = st.session_state.get(key)
    alpha = state.get("alpha") if isinstance(state, Mapping) else None
    is_number = isinstance(alpha, int | float) and not isinstance(alpha, bool)
    return float(alpha) if is_number and 0 <= alpha <= 1 else None


def _spell(letters):
    return "".join(chr(ord("a") + int(letter)) for letter in letters)
